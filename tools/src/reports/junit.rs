//! `JUnit` XML: a suite for each target, a test case for each bug.

use super::findings::{Findings, State};
use crate::exit::Exit;
use anyhow::{Context, Result};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

/// The whole file.
///
/// A target without bugs has one case that passes. A command that failed has a suite with the
/// error.
pub(super) fn text(findings: &Findings, result: &Result<Exit>) -> Result<String> {
    let mut report = Report::new("cargo dwindle");
    for target in &findings.targets {
        let mut suite = TestSuite::new(target.as_str());
        let bugs = findings.bugs.iter().filter(|((of, _), _)| of == target);
        for ((_, id), finding) in bugs {
            let status = match finding.state {
                State::Failing(how) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    let first = finding.message.lines().next().unwrap_or_default();
                    status
                        .set_type(finding.kind.as_str())
                        .set_message(format!("{how}: {first}"))
                        .set_description(finding.text());
                    status
                }
                State::Fixed => TestCaseStatus::success(),
                State::Unclear(why) => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message(why);
                    status
                }
            };
            let mut case = TestCase::new(finding.title(*id), status);
            case.set_classname(target.as_str())
                .add_property(Property::new("bug", id.to_string()))
                .add_property(Property::new("input", finding.input.as_str()))
                .add_property(Property::new("command", finding.command.as_str()));
            if let Some(place) = &finding.place {
                case.extra.insert("file".into(), place.file.as_str().into());
                case.extra.insert("line".into(), place.line.to_string().into());
            }
            suite.add_test_case(case);
        }
        if suite.test_cases.is_empty() {
            let mut case = TestCase::new("no bugs", TestCaseStatus::success());
            case.set_classname(target.as_str());
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    if let Err(error) = result {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(format!("{error:#}"));
        let mut suite = TestSuite::new("cargo dwindle");
        suite.add_test_case(TestCase::new("the command", status));
        report.add_test_suite(suite);
    }
    report.to_string().context("cannot write JUnit XML")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::wrong_use;
    use crate::reports::findings::tests::examples;

    #[test]
    fn each_bug_is_a_case_that_is_read_back_whole() {
        let text = text(&examples(), &Ok(Exit::Bugs)).unwrap();
        let read = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((read.tests, read.failures, read.errors), (3, 1, 0), "{text}");
        let [suite] = &read.test_suites[..] else { panic!("{text}") };
        let skipped = |case: &&TestCase| matches!(case.status, TestCaseStatus::Skipped { .. });
        let skipped = suite.test_cases.iter().filter(skipped).count();
        assert_eq!((suite.name.as_str(), skipped), ("parse", 1), "{text}");
        let failed = suite.test_cases.iter().find(|case| case.name.as_str().contains("17:9"));
        let TestCaseStatus::NonSuccess { kind, message, ty, description, .. } =
            &failed.unwrap().status
        else {
            panic!("{text}")
        };
        assert_eq!((*kind, ty.as_ref().unwrap().as_str()), (NonSuccessKind::Failure, "panic"));
        assert_eq!(message.as_ref().unwrap().as_str(), "still failing: a <b> & \"c\"");
        assert!(description.as_ref().unwrap().as_str().contains("run it again: cargo dwindle"));
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn a_target_without_bugs_passes_and_a_failed_command_is_an_error() {
        let mut findings = Findings::default();
        findings.targets.insert("parse".to_owned());
        let passed = Report::deserialize_from_str(&text(&findings, &Ok(Exit::Clean)).unwrap());
        let passed = passed.unwrap();
        assert_eq!((passed.tests, passed.failures, passed.errors), (1, 0, 0));
        let text = text(&Findings::default(), &Err(wrong_use("no <target>"))).unwrap();
        let failed = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((failed.tests, failed.failures, failed.errors), (1, 0, 1), "{text}");
    }
}
