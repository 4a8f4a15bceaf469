//! SARIF 2.1.0: a result for each bug that fails.

use super::findings::{Finding, Findings};
use crate::exit::Exit;
use anyhow::{Context, Result};
use dwindle_corpus::BugId;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, PhysicalLocation,
    PropertyBag, Region, ReportingDescriptor, Result as Bug, ResultLevel, Run, SCHEMA_URL, Sarif,
    Tool, ToolComponent,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The whole file. Its paths are relative to the folder of the repository.
pub(super) fn text(findings: &Findings, result: &Result<Exit>) -> Result<String> {
    let kinds: BTreeSet<&str> =
        findings.failing().map(|(_, _, finding)| finding.kind.as_str()).collect();
    let rules: Vec<_> = kinds
        .into_iter()
        .map(|kind| {
            let words =
                MultiformatMessageString::builder().text(format!("The target fails: {kind}"));
            ReportingDescriptor::builder().id(kind).short_description(words.build()).build()
        })
        .collect();
    let driver = ToolComponent::builder()
        .name("dwindle")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(rules)
        .build();
    let invocation = Invocation::builder().execution_successful(result.is_ok()).build();
    let bugs: Vec<Bug> =
        findings.failing().map(|(target, id, finding)| bug(target, id, finding)).collect();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .results(bugs)
        .build();
    let sarif = Sarif::builder().schema(SCHEMA_URL).version("2.1.0").runs(vec![run]).build();
    serde_json::to_string_pretty(&sarif).context("cannot write SARIF")
}

fn bug(target: &str, id: BugId, finding: &Finding) -> Bug {
    let location = |file: &str, region: Option<Region>| {
        let file = ArtifactLocation::builder().uri(uri(file)).uri_base_id("%SRCROOT%").build();
        let mut place = PhysicalLocation::builder().artifact_location(file).build();
        place.region = region;
        Location::builder().physical_location(place).build()
    };
    let input = location(&finding.input, None);
    let place = finding.place.as_ref().map(|place| {
        let region = Region::builder()
            .start_line(i64::from(place.line.max(1)))
            .start_column(i64::from(place.column.max(1)));
        location(&place.file, Some(region.build()))
    });
    let properties: BTreeMap<String, serde_json::Value> = [
        ("target", target),
        ("bugId", &id.to_string()),
        ("input", &finding.input),
        ("command", &finding.command),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.into()))
    .collect();
    let fingerprint = BTreeMap::from([("dwindleBugId/v1".to_owned(), format!("{target}/{id}"))]);
    let text = format!("{}\n{}", finding.title(id), finding.text());
    Bug::builder()
        .rule_id(finding.kind.as_str())
        .level(ResultLevel::Error)
        .message(Message::builder().text(text).build())
        // Code scanning takes no result without a place.
        .locations(vec![place.unwrap_or_else(|| input.clone())])
        .related_locations(vec![input])
        .partial_fingerprints(fingerprint)
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build()
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::wrong_use;
    use crate::reports::findings::tests::examples;
    use serde_json::Value;

    #[test]
    fn each_failing_bug_is_a_result_with_its_place() {
        let text = text(&examples(), &Ok(Exit::Bugs)).unwrap();
        let _: Sarif = serde_json::from_str(&text).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (json["version"].as_str(), json["$schema"].as_str()),
            (Some("2.1.0"), Some(SCHEMA_URL))
        );
        let run = &json["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        let bug = &results[0];
        assert_eq!((bug["ruleId"].as_str(), bug["level"].as_str()), (Some("panic"), Some("error")));
        let place = &bug["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20crate/src/lib.rs");
        assert_eq!(
            (&place["region"]["startLine"], &place["region"]["startColumn"]),
            (&17.into(), &9.into())
        );
        let input = &bug["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(input, "my%20crate/fuzz/crashes/parse/it%27s/input");
        assert!(bug["properties"]["command"].as_str().unwrap().starts_with("cargo dwindle show"));
        assert!(bug["message"]["text"].as_str().unwrap().contains("\n::error::%0A"));
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "panic");
    }

    #[test]
    fn a_failed_command_is_not_successful() {
        let text = text(&Findings::default(), &Err(wrong_use("no"))).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["runs"][0]["invocations"][0]["executionSuccessful"], false);
        assert_eq!(json["runs"][0]["results"].as_array().unwrap().len(), 0);
    }
}
