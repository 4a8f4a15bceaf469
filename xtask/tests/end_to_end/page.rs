//! The page of `cargo dwindle report`, as a browser shows it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use xtask::tools;

use crate::stage::{Stage, outcome};

/// Chromium without its own traffic, with a fresh profile in the folder of the test.
fn chromium(stage: &Stage, profile: &str, page: &Path, arguments: &[&str]) -> Command {
    tools::require_chromium().unwrap();
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", stage.path(profile).display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What stands on a page after its scripts ran.
fn dumped(stage: &Stage, profile: &str, page: &Path) -> String {
    let ended = outcome(&mut chromium(stage, profile, page, &["--dump-dom"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.stdout
}

/// A page about two bugs that were just found, with the observations of the corpus.
fn page(stage: &Stage) -> PathBuf {
    let options = ["--engine", "random", "--json"];
    let ended = outcome(&mut stage.run("two_bugs", &options, &["-seed=5", "-runs=20000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let mut report = stage.dwindle("report", "two_bugs");
    report.args(["--out", "page", "--observe", "cases.jsonl", "--random", "--cases", "200"]);
    let ended = outcome(&mut report);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("page/index.html: 2 bugs");
    stage.path("page/index.html")
}

/// The page with a script that the page itself allows: it clicks on the head of a column.
fn with_click(page: &Path, column: usize) -> PathBuf {
    let html = fs::read_to_string(page).unwrap();
    let (_, nonce) = html.split_once("<script nonce=\"").unwrap();
    let (nonce, _) = nonce.split_once('"').unwrap();
    let click = format!(
        "<script nonce=\"{nonce}\">document.querySelectorAll('th button')[{column}].click()\
         </script></body>"
    );
    let clicked = page.with_file_name(format!("clicked-{column}.html"));
    fs::write(&clicked, html.replace("</body>", &click)).unwrap();
    clicked
}

/// The page with a policy that lets no script run.
fn without_script(page: &Path) -> PathBuf {
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("script-src 'nonce-"), "{html}");
    let without = page.with_file_name("without.html");
    fs::write(&without, html.replacen("script-src 'nonce-", "script-src 'none' 'not-", 1)).unwrap();
    without
}

/// The texts of the first cells of the table's rows.
fn first_cells(html: &str) -> Vec<String> {
    let rows = html.split("<td data-sort=\"").skip(1);
    let cells = rows.filter_map(|row| row.split_once("<a href=\"#")).filter_map(|(_, link)| {
        let (_, text) = link.split_once("\">")?;
        Some(text.split('<').next()?.to_owned())
    });
    cells.collect()
}

#[test]
fn the_page_shows_bugs_runs_and_cases_and_sorts_with_script() {
    let stage = Stage::fixture();
    let page = page(&stage);
    let html = dumped(&stage, "plain", &page);
    for text in [
        "Bugs and causes",
        "Target two_bugs",
        // The claims of one of the bugs, and the nearest input that passes.
        "any further elements anywhere",
        "Nearest input that passes",
        "Where it failed",
        "fuzz_targets/two_bugs.rs",
        "Shrink",
        "executions",
        "bugs in the store",
        "200 cases, at random",
        "cargo dwindle show two_bugs",
        // Made by the script.
        "<button type=\"button\" class=\"copy\">copy</button>",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    let bugs = first_cells(&html);
    assert_eq!(bugs.len(), 2, "{html}");

    let (once, size) = ("ascending", 6);
    let sorted = dumped(&stage, "sorted", &with_click(&page, size));
    assert!(sorted.contains(&format!("aria-sort=\"{once}\"")), "{sorted}");
    let choices = |id: &str| {
        let bug = stage.bugs("two_bugs").into_iter().find(|bug| bug.id() == id).unwrap();
        bug.report["minimized_choices"].as_u64().unwrap()
    };
    let order: Vec<u64> = first_cells(&sorted).iter().map(|id| choices(id)).collect();
    assert!(order.len() == 2 && order[0] <= order[1], "{order:?}");
}

#[test]
fn the_page_is_read_without_script_and_every_case_is_a_line_for_tyche() {
    let stage = Stage::fixture();
    let page = page(&stage);
    let html = dumped(&stage, "off", &without_script(&page));
    assert!(html.contains("<script") && !html.contains("<button"), "{html}");
    for text in ["Bugs and causes", "any further elements anywhere", "200 cases, at random"] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    for (name, theme) in [("light", 1), ("dark", 0)] {
        let shot = stage.path(&format!("{name}.png"));
        let arguments = [
            format!("--screenshot={}", shot.display()),
            format!("--blink-settings=preferredColorScheme={theme}"),
        ];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ended = outcome(&mut chromium(&stage, name, &page, &arguments));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(fs::read(&shot).unwrap().starts_with(b"\x89PNG"));
    }
    assert_ne!(
        fs::read(stage.path("light.png")).unwrap(),
        fs::read(stage.path("dark.png")).unwrap()
    );
    let cases = fs::read_to_string(stage.path("cases.jsonl")).unwrap();
    assert_eq!(cases.lines().count(), 200);
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).expect(line);
        assert_eq!((&case["type"], &case["property"]), (&"test_case".into(), &"two_bugs".into()));
        let status = case["status"].as_str().unwrap();
        assert!(["passed", "failed", "gave_up"].contains(&status), "{line}");
        let has = |field: &str| !case[field].is_null();
        assert!(["run_start", "arguments", "features", "timing", "metadata"].into_iter().all(has));
    }
}
