//! What stands on a page.

use dwindle_corpus::{BugId, BugKind, Explanation, Rate, Reached, Report, Status, SuspiciousLine};

use super::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn report(number: u64) -> Report {
    Report {
        message: "index out of bounds".to_owned(),
        location: Some("src/lib.rs:3:9".to_owned()),
        frames: strings(&["parse (src/lib.rs:3)"]),
        listing: strings(&["let ops = [Put(0, 1)];"]),
        status: Status::Minimized,
        original_bytes: 40,
        minimized_bytes: Some(3),
        original_choices: Some(20),
        minimized_choices: Some(3),
        engine: "libfuzzer".to_owned(),
        explanation: Some(Box::new(Explanation {
            value: strings(&["let ops = [Put(A, 1)];"]),
            letters: strings(&["A is any value"]),
            together: Some(Rate { failed: 150, of: 150 }),
            passes: strings(&["let ops = [Put(0, 0)];"]),
            ..Explanation::default()
        })),
        ..Report::pending("parse", BugId::from_bits(number), BugKind::Panic)
    }
}

fn part(report: Report) -> BugPart {
    BugPart {
        report,
        variant: None,
        hits: 12,
        directory: PathBuf::from("crashes/parse/id"),
        commands: vec![("show it", "cargo dwindle show parse input".to_owned())],
        source: Some(Ok(Excerpt {
            line: 3,
            first: 2,
            lines: strings(&["fn parse() {", "    panic!()", "}"]),
            is_changed: false,
        })),
        lines: Vec::new(),
        steps: Vec::new(),
        variants: Vec::new(),
    }
}

fn suspicious(file: &str) -> SuspiciousLine {
    SuspiciousLine {
        file: file.to_owned(),
        line: 41,
        function: format!("insert::<{file}>"),
        failing: Reached { runs: 20, of: 20 },
        passing: Reached { runs: 1, of: 30 },
        source: None,
    }
}

/// A report with these suspicious lines.
fn with_lines(lines: Vec<SuspiciousLine>) -> Report {
    let known = report(1).explanation.unwrap_or_default();
    Report { explanation: Some(Box::new(Explanation { lines, ..*known })), ..report(1) }
}

fn page(bugs: Vec<BugPart>) -> Page {
    let target = TargetPart { name: "parse".to_owned(), bugs, ..TargetPart::default() };
    Page { project: "demo".to_owned(), targets: vec![target], ..Page::default() }
}

#[test]
fn a_bug_has_its_value_claims_passing_input_source_frames_and_commands() {
    let html = page(vec![part(report(1))]).html();
    for text in [
        "<a href=\"#t0-0000000000000001\">0000000000000001</a>",
        "id=\"t0-0000000000000001\"",
        "let ops = [Put(<span class=\"may\">0<sup title=\"any value\">A</sup></span>, 1)];",
        "150 of 150 tries",
        "<del>1</del><ins>0</ins>",
        "class=\"here\"",
        "parse (src/lib.rs:3)",
        "<code class=\"copy\">cargo dwindle show parse input</code>",
        "20 choices (40 bytes) became 3 (3 bytes)",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn a_page_loads_nothing() {
    let html = page(vec![part(report(1))]).html();
    for text in ["http://", "https://", "<link", "<img", "@import", "url("] {
        assert!(!html.contains(text), "{text}");
    }
    assert_eq!(html.matches("<script").count(), 1);
}

#[test]
fn a_page_without_bugs_says_so() {
    let html = page(Vec::new()).html();
    assert!(html.contains("There are no bugs and no runs of parse."), "{html}");
    let nothing = Page { project: "demo".to_owned(), ..Page::default() };
    assert!(nothing.html().contains("The store has no bugs of these targets."));
}

#[test]
fn markup_and_terminal_escapes_are_text_wherever_they_stand() {
    let evil = "</pre><script>alert(1)</script>\x1b[31m\u{202e}\" onclick=\"x\"'&";
    let mut bug = part(Report {
        message: evil.to_owned(),
        location: Some(evil.to_owned()),
        frames: strings(&[evil]),
        listing: strings(&[evil, "let a = 1;"]),
        engine: evil.to_owned(),
        explanation: Some(Box::new(Explanation {
            value: strings(&["A", "let a = A;"]),
            letters: vec![format!("A is {evil}")],
            together: Some(Rate { failed: 1, of: 1 }),
            passes: strings(&[evil, evil]),
            lines: vec![suspicious(evil)],
            ..Explanation::default()
        })),
        ..report(1)
    });
    bug.variant = Some(evil.to_owned());
    bug.commands = vec![("show it", evil.to_owned())];
    bug.steps = vec![
        ShrinkStep { value: strings(&[evil]), ..ShrinkStep::default() },
        ShrinkStep { value: strings(&["1", evil]), ..ShrinkStep::default() },
    ];
    let source = Excerpt { line: 1, first: 1, lines: strings(&[evil]), is_changed: true };
    bug.lines = vec![Ok(source.clone())];
    bug.source = Some(Ok(source));
    let mut page = page(vec![bug]);
    page.project = evil.to_owned();
    page.targets[0].name = evil.to_owned();
    page.targets[0].damaged = vec![(evil.to_owned(), evil.to_owned())];
    let html = page.html();
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert!(!html.contains("onclick=\"x\""), "{html}");
    assert!(!html.contains(['\x1b', '\u{202e}']), "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)") && html.contains("\\u{1b}[31m"), "{html}");
}

#[test]
fn suspicious_lines_have_their_source_or_the_reason_why_not() {
    let files = ["a.rs", "b.rs", "c.rs", "d.rs"];
    let mut bug = part(with_lines(files.map(suspicious).into()));
    bug.lines = vec![
        Ok(Excerpt { line: 41, first: 41, lines: strings(&["the fault"]), is_changed: false }),
        Err(NoLines::Changed),
        Err(NoLines::Missing),
        Err(NoLines::Unknown),
    ];
    let html = page(vec![bug]).html();
    for text in [
        "Suspicious lines",
        "a.rs:41",
        ": reached by 20 of 20 failing runs, by 1 of 30 that pass nearby",
        "the fault",
        "The source has changed since the target was built.",
        "The source file is not in this repository.",
        "The source was missing, or newer than the target",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    assert!(!page(vec![part(report(1))]).html().contains("Suspicious lines"));
}

#[test]
fn a_flaky_bug_has_no_claims_and_says_so() {
    let flaky = Report {
        status: Status::Flaky,
        rate: Some(Rate { failed: 3, of: 10 }),
        explanation: None,
        ..report(1)
    };
    let html = page(vec![part(flaky)]).html();
    assert!(
        html.contains("nothing is claimed of other inputs, and no line is suspicious"),
        "{html}"
    );
    assert!(!html.contains("Suspicious lines"), "{html}");
    assert!(html.contains("the input fails in 3 of 10 runs"), "{html}");
}

#[test]
fn damaged_files_and_missing_sources_are_named() {
    let mut bug = part(report(1));
    bug.source = Some(Err(NoLines::Missing));
    let mut page = page(vec![bug]);
    page.targets[0].damaged = vec![("store/x".to_owned(), "is missing".to_owned()); 30];
    page.targets[0].is_gone = true;
    let html = page.html();
    for text in [
        "Damaged in the store (30):",
        "and 10 more",
        "The source file is not in this repository.",
        "The fuzz crate has no such target.",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

/// A bug with as much of everything as a report can hold.
fn large(number: u64) -> BugPart {
    let value = format!("let value = [{}];", "Insert { key: \"<&>\", value: 'x' }, ".repeat(2_000));
    let report = Report {
        message: "<\"&\">".repeat(2_000),
        frames: vec!["a::long::name::of::a::function (src/folder/file.rs:100)".repeat(3); 32],
        listing: vec![value.clone(); 20],
        explanation: Some(Box::new(Explanation {
            value: vec![value.replacen("'x'", "A", 1); 20],
            letters: strings(&["A is any value"]),
            together: Some(Rate { failed: 150, of: 150 }),
            passes: vec![value.replacen("'x'", "'y'", 1); 20],
            lines: vec![suspicious(&"a/long/folder/".repeat(15)); 10],
            ..Explanation::default()
        })),
        ..report(number)
    };
    let step = |calls| ShrinkStep {
        calls,
        choices: Some(100),
        bytes: 1_000,
        value: vec![format!("{calls}{}", "<x>, ".repeat(100))],
    };
    let source =
        Excerpt { line: 41, first: 39, lines: vec!["<x>".repeat(50); 5], is_changed: false };
    BugPart { steps: (0..48).map(step).collect(), lines: vec![Ok(source); 10], ..part(report) }
}

#[test]
fn a_page_for_a_hundred_large_bugs_is_smaller_than_a_megabyte() {
    let page = page((0..100).map(large).collect());
    let html = page.html();
    assert!(html.len() < 1_000_000, "{}", html.len());
    // It still shows something of each part of each bug.
    assert_eq!(html.matches("Insert { key: ").count().min(200), 200);
    assert_eq!(html.matches("<article").count(), 100);
}

#[test]
fn a_page_for_few_bugs_shows_more_of_each() {
    let of = |count: u64| page((0..count).map(large).collect()).html().len() as u64 / count;
    assert!(of(2) > 4 * of(100), "{} and {}", of(2), of(100));
}
