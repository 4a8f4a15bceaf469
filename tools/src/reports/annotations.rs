//! Annotations of GitHub Actions: workflow commands, one line for each bug.
//!
//! The format: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.

use super::findings::Findings;

/// The lines for all bugs that fail. Empty without such a bug.
pub(super) fn text(findings: &Findings) -> String {
    let mut text = String::new();
    for (_, id, finding) in findings.failing() {
        let mut properties = vec![format!("title={}", property(&finding.title(id)))];
        if let Some(place) = &finding.place {
            properties.push(format!("file={}", property(&place.file)));
            properties.push(format!("line={},col={}", place.line, place.column));
        }
        let data = data(&finding.text());
        text.extend(["::error ", &properties.join(","), "::", &data, "\n"]);
    }
    text
}

/// Escapes a message. A line end would begin another command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::findings::tests::examples;

    #[test]
    fn each_failing_bug_is_one_line() {
        let text = text(&examples());
        let lines: Vec<_> = text.lines().collect();
        let [line] = &lines[..] else { panic!("{text}") };
        let (properties, message) =
            line.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        assert!(properties.starts_with("title=bug "), "{properties}");
        assert!(
            properties
                .ends_with("panic at src/lib.rs%3A17%3A9,file=my crate/src/lib.rs,line=17,col=9"),
            "{properties}"
        );
        assert!(message.starts_with("a <b> & \"c\"%0A::error::%250A"), "{message}");
        assert!(message.contains("%0Arun it again: cargo dwindle show parse "), "{message}");
    }

    #[test]
    fn without_a_failing_bug_there_is_no_line() {
        assert_eq!(text(&Findings::default()), "");
    }
}
