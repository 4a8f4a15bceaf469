use std::path::{Path, PathBuf};

use dwindle_corpus::events::{
    Answered, Event, EventLine, ExploredInput, ExploredPart, ExploredParts, InputEnding, PartPlace,
    Wanted,
};
use dwindle_corpus::{
    BugId, BugKind, BugStore, Claim, Explanation, Reached, Report, Status, SuspiciousLine,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::*;
use crate::explore::bugs;
use crate::explore::keys::press;
use crate::explore::state::Action;

const VALUE: &str = "let ops = [Insert(1, 2)];";

/// A store with one bug.
fn store(root: &Path, status: Status) -> BugId {
    let store = BugStore::open(root, "t").unwrap();
    let id = BugId::of("x");
    let mut report = Report::pending("t", id, BugKind::Panic);
    report.message = "a message\u{1b}[2J".to_owned();
    report.location = Some("src/lib.rs:1:1".to_owned());
    report.listing = vec![VALUE.to_owned()];
    assert_eq!(store.claim(id, b"x", &report).unwrap(), Claim::New);
    report.status = status;
    let (failing, passing) = (Reached { runs: 9, of: 9 }, Reached { runs: 0, of: 20 });
    let line = SuspiciousLine {
        file: "src/map.rs".to_owned(),
        line: 41,
        failing,
        passing,
        ..Default::default()
    };
    report.explanation = Some(Box::new(Explanation { lines: vec![line], ..Default::default() }));
    store.finish(id, b"x", &report, None).unwrap();
    id
}

/// The bug of a store on the screen, and the number of the request for its parts.
fn opened(root: &Path) -> (State, u64) {
    let id = store(root, Status::Minimized);
    let (store, listed) = bugs::all(root, "t").unwrap();
    let mut state = State::new("t", PathBuf::from("fuzz"), store, listed);
    let Some(Action::Ask(request)) = state.open_bug(id) else { panic!("no request") };
    assert_eq!(request.wanted, Wanted::Parts);
    (state, request.number)
}

fn hear(state: &mut State, event: Event, text: &str) -> Option<Action> {
    state.hear(&EventLine::new(event, text))
}

fn parts(number: u64) -> Event {
    let part = |place, start: usize, end, letter: Option<&str>, claims: &[&str]| ExploredPart {
        place: PartPlace::Choice(place),
        value: 0,
        start,
        end,
        letter: letter.map(str::to_owned),
        varies: letter.is_some(),
        claims: claims.iter().map(|claim| (*claim).to_owned()).collect(),
    };
    Event::Parts(Box::new(ExploredParts {
        number,
        values: vec![VALUE.to_owned()],
        parts: vec![
            part(1, 18, 19, Some("A"), &["any value (9 of 9 tries)"]),
            part(2, 21, 22, None, &[]),
            part(3, 900, 901, None, &["a part that is not there"]),
        ],
        missing: 0,
    }))
}

fn key(state: &mut State, code: KeyCode) -> Option<Action> {
    press(state, KeyEvent::from(code))
}

fn screen(state: &State, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

#[test]
fn claims_stand_beside_their_parts_and_fit_into_a_small_terminal() {
    let root = tempfile::tempdir().unwrap();
    let (mut state, number) = opened(root.path());
    hear(&mut state, parts(number), "");
    let answered = Answered { number, is_done: true, cause: None };
    assert_eq!(hear(&mut state, Event::Answered(answered), ""), None);
    let rows = screen(&state, 40, 10);
    assert!(rows[0].starts_with(&format!("t {}", BugId::of("x"))), "{rows:#?}");
    assert_eq!(
        rows[1..7],
        [
            "- let ops = [",
            "  - Insert(",
            "      1  A: any value (9 of 9 tries)",
            "      2",
            "    )",
            "  ];"
        ]
    );
    assert_eq!(rows[9], "n m x f p w  ? help  q quit");
    let suspicious = "-- suspicious: src/map.rs:41: reached by 9 of 9 failing runs, by 0 of 20";
    let rows = screen(&state, 120, 24);
    assert!(rows.iter().any(|row| row.starts_with(suspicious)), "{rows:#?}");
    key(&mut state, KeyCode::Tab);
    assert!(screen(&state, 120, 10)[1].starts_with(suspicious));
    key(&mut state, KeyCode::Tab);
    for (width, height) in [(1, 1), (3, 2), (200, 60)] {
        screen(&state, width, height);
    }
    let wide = screen(&state, 200, 60);
    assert!(wide[0].contains("panic at src/lib.rs:1:1: a message\\u{1b}[2J"), "{}", wide[0]);
}

#[test]
fn a_fixed_and_a_freed_part_go_into_the_next_request() {
    let root = tempfile::tempdir().unwrap();
    let (mut state, number) = opened(root.path());
    hear(&mut state, parts(number), "");
    for _ in 0..2 {
        key(&mut state, KeyCode::Down);
    }
    let Some(Action::Ask(request)) = key(&mut state, KeyCode::Char('x')) else { panic!("none") };
    let Wanted::Examples { fixed, freed, .. } = request.wanted else { panic!("other") };
    assert_eq!((&fixed[..], &freed[..]), (&[PartPlace::Choice(1)][..], &[][..]));
    key(&mut state, KeyCode::Down);
    assert_eq!(key(&mut state, KeyCode::Char('x')), None);
    assert!(state.message.contains("nothing is claimed"), "{}", state.message);
    let Some(Action::Ask(request)) = key(&mut state, KeyCode::Char('f')) else { panic!("none") };
    let Wanted::Examples { freed, .. } = request.wanted else { panic!("other") };
    assert_eq!(freed, [PartPlace::Choice(2)]);
    let rows = screen(&state, 80, 24);
    assert!(rows[3].contains("[fixed] A: any value"), "{rows:#?}");
    assert!(rows[4].contains("[freed]"), "{rows:#?}");
    // Three requests wait.
    assert_eq!(key(&mut state, KeyCode::Char('p')), None);
    assert!(state.message.contains("busy"), "{}", state.message);
    assert_eq!(key(&mut state, KeyCode::Esc), Some(Action::Stop));
    assert!(matches!(key(&mut state, KeyCode::Char('p')), Some(Action::Ask(_))));
}

#[test]
fn answers_to_requests_that_were_stopped_are_not_shown() {
    let root = tempfile::tempdir().unwrap();
    let (mut state, _) = opened(root.path());
    let Some(Action::Ask(request)) = key(&mut state, KeyCode::Char('m')) else { panic!("none") };
    let example = |value: &str| {
        Event::Example(ExploredInput {
            number: request.number,
            values: vec![value.to_owned()],
            ending: InputEnding::Passes,
            is_claimed: false,
        })
    };
    hear(&mut state, example("let ops = [Get\u{1b}[31m];"), "passes");
    let rows = screen(&state, 60, 24);
    let shown = |rows: &[String], text: &str| rows.iter().any(|row| row.contains(text));
    assert!(shown(&rows, "passes   let ops = [Get\\u{1b}[31m];"), "{rows:#?}");
    key(&mut state, KeyCode::Esc);
    hear(&mut state, example("late"), "passes");
    assert!(!shown(&screen(&state, 60, 24), "late"));
}

#[test]
fn the_end_of_the_target_is_said() {
    let root = tempfile::tempdir().unwrap();
    let (mut state, _) = opened(root.path());
    state.ended("was killed by signal 9");
    let rows = screen(&state, 120, 24);
    let words = "the target binary was killed by signal 9 while finding the parts";
    assert!(rows[22].contains(words), "{rows:#?}");
    assert!(matches!(key(&mut state, KeyCode::Char('m')), Some(Action::Ask(_))));
}

#[test]
fn a_long_value_is_cut_at_the_right() {
    let root = tempfile::tempdir().unwrap();
    let (mut state, _) = opened(root.path());
    let Some(Action::Ask(request)) = key(&mut state, KeyCode::Char('m')) else { panic!("none") };
    let values = vec![format!("\"{}\"", "\u{6771}".repeat(1 << 16))];
    let (ending, number) = (InputEnding::Fails, request.number);
    let example = ExploredInput { number, values, ending, is_claimed: true };
    hear(&mut state, Event::Example(example), "fails");
    screen(&state, 40, 24);
    key(&mut state, KeyCode::Tab);
    key(&mut state, KeyCode::Down);
    key(&mut state, KeyCode::Enter);
    let rows = screen(&state, 40, 24);
    assert!(rows.iter().any(|row| row.contains("(Esc goes back)")), "{rows:#?}");
}
