//! The switchboard. Each switch is one mechanism that makes a run faster and relies on more than
//! libFuzzer or LLVM guarantee.
//!
//! `DWINDLE_WITHOUT=snapshots,prescreen` switches some of them off, and `DWINDLE=off` all of them.
//! `DWINDLE_WITHOUT=exchange,tail` leaves out operators of the mutations of choices.
//! No other file reads either variable for this purpose. A run prints in its first lines which
//! switches are on and off. `cargo xtask evidence ablation` prints the gain of each switch. The
//! head of each file states what it relies on.
//!
//! Two mechanisms have no switch here. The user's own flag overrides `-len_control=0`. The set of
//! known crashing inputs is always needed: without it, a corpus input that kills the fuzzer would
//! also kill every fuzzer that starts later.

use std::sync::OnceLock;

use dwindle_engine::internals::mutation::Operator;

use crate::environment;

/// One mechanism that can be switched off alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    /// libFuzzer gets counters when they are first set: `fuzzers/libfuzzer/coverage.rs`.
    LazyCounters,
    /// Snapshots of the fuzzer, which sleep until the fuzzer dies: `fuzzers/libfuzzer/snapshot.rs`.
    Snapshots,
    /// Inputs run first in a worker when many of them kill their process: `isolation/prescreen.rs`.
    Prescreen,
    /// Constants of two bytes and words of the target: `fuzzers/libfuzzer/dictionary.rs`.
    Dictionary,
    /// Mutations of choices beside those of bytes: `fuzzers/libfuzzer/custom_mutator.rs` and
    /// `fuzzers/afl/mutants.rs`.
    ChoiceMutations,
    /// Random cases at the start of a run: `fuzzers/libfuzzer/random_cases.rs` and
    /// `fuzzers/awaited_cases.rs`.
    RandomCases,
    /// Late in a run, faster inputs are mutated in place of slow ones:
    /// `fuzzers/libfuzzer/energy.rs`.
    Energy,
    /// Some rows of mutants are of short inputs: `fuzzers/libfuzzer/short_rows.rs`.
    ShortRows,
    /// New files of the corpus are written up to a second late:
    /// `fuzzers/libfuzzer/late_files.rs`.
    LateFiles,
    /// libFuzzer's tables in huge pages: `fuzzers/libfuzzer/huge_pages.rs`.
    HugePages,
    /// Scores of `TestCase::target` as edges: `fuzzers/libfuzzer/scores.rs`.
    Scores,
    /// Comparison tracing only while a fuzzer runs the target: `isolation/traces.rs`.
    SilencedTracing,
    /// Short waits that poll shared memory instead of sleeping: `isolation/bell.rs`.
    Spinning,
    /// A second worker that waits for the first one's death: `isolation/fork_server.rs`.
    SpareWorker,
    /// Candidates whose bug is no use after return run without that check:
    /// `isolation/sanitizer.rs`.
    UnwatchedFrames,
}

/// A switch, its name, and whether it changes only runs under libFuzzer.
const ALL: [(Switch, &str, bool); 15] = [
    (Switch::LazyCounters, "lazy-counters", true),
    (Switch::Snapshots, "snapshots", true),
    (Switch::Prescreen, "prescreen", true),
    (Switch::Dictionary, "dictionary", true),
    (Switch::ChoiceMutations, "choice-mutations", false),
    (Switch::RandomCases, "random-cases", false),
    (Switch::Energy, "energy", true),
    (Switch::ShortRows, "short-rows", true),
    (Switch::LateFiles, "late-files", true),
    (Switch::HugePages, "huge-pages", true),
    (Switch::Scores, "scores", false),
    (Switch::SilencedTracing, "silenced-tracing", false),
    (Switch::Spinning, "spinning", false),
    (Switch::SpareWorker, "spare-worker", false),
    (Switch::UnwatchedFrames, "unwatched-frames", false),
];

impl Switch {
    /// Whether the mechanism may be used. May be called from constructors, before `main`.
    #[inline]
    pub(crate) fn is_on(self) -> bool {
        static ON: OnceLock<u16> = OnceLock::new();
        let on = ON.get_or_init(|| on(&read(&variable()).switches));
        on & self.bit() != 0
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The bits of all switches except these.
fn on(without: &[Switch]) -> u16 {
    ALL.iter()
        .filter(|(switch, ..)| !without.contains(switch))
        .fold(0, |bits, (switch, ..)| bits | switch.bit())
}

fn variable() -> String {
    std::env::var_os(environment::WITHOUT).unwrap_or_default().to_string_lossy().into_owned()
}

/// What a list of names says.
#[derive(Debug, Default, PartialEq, Eq)]
struct List<'a> {
    switches: Vec<Switch>,
    operators: Vec<Operator>,
    unknown: Vec<&'a str>,
}

fn read(list: &str) -> List<'_> {
    let mut read = List::default();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if let Some((switch, ..)) = ALL.iter().find(|(_, known, _)| *known == name) {
            read.switches.push(*switch);
        } else if let Some(operator) = Operator::ALL.iter().find(|one| one.name() == name) {
            read.operators.push(*operator);
        } else {
            read.unknown.push(name);
        }
    }
    read
}

/// The operators that mutations of choices leave out.
pub(crate) fn operators_off() -> Vec<Operator> {
    read(&variable()).operators
}

/// Rejects `DWINDLE_WITHOUT` if it contains an unknown name.
pub(crate) fn check() -> Result<(), String> {
    let list = variable();
    match read(&list).unknown[..] {
        [] => Ok(()),
        [unknown, ..] => Err(format!(
            "{}={list}: {unknown} is not a switch; expected {}, or an operator: {}",
            environment::WITHOUT,
            names(|_| true).join(", "),
            Operator::ALL.map(Operator::name).join(", ")
        )),
    }
}

fn names(which: impl Fn(Switch) -> bool) -> Vec<&'static str> {
    ALL.iter().filter(|(switch, ..)| which(*switch)).map(|(_, name, _)| *name).collect()
}

/// The names of the switches that are on and off in a run of this engine.
pub(crate) struct Board {
    pub(crate) on: Vec<&'static str>,
    pub(crate) off: Vec<&'static str>,
}

impl Board {
    pub(crate) fn of(engine: &str) -> Board {
        let concerns = |switch: Switch| {
            engine == "libfuzzer" || ALL.iter().any(|(one, _, only)| *one == switch && !only)
        };
        let mut off = names(|switch| concerns(switch) && !switch.is_on());
        off.extend(operators_off().into_iter().map(Operator::name));
        Board { on: names(|switch| concerns(switch) && switch.is_on()), off }
    }

    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let listed =
            |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let off = if self.off.is_empty() {
            String::new()
        } else {
            format!("; switched off: {}", listed(&self.off))
        };
        format!("switches on: {}{off}", listed(&self.on))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_switches_one_thing_off() {
        for (switch, name, _) in ALL {
            assert_eq!(read(name), List { switches: vec![switch], ..List::default() });
            assert_eq!(on(&[switch]) | switch.bit(), on(&[]));
            assert_eq!(
                on(&[]).count_ones() - on(&[switch]).count_ones(),
                1,
                "two switches share a bit"
            );
        }
        assert_eq!(
            read(" snapshots ,, dictionary").switches,
            [Switch::Snapshots, Switch::Dictionary]
        );
    }

    #[test]
    fn a_name_that_is_not_a_switch_is_found() {
        assert_eq!(read("snapshots,Snapshots,copies").unknown, ["Snapshots", "copies"]);
        assert_eq!(read(""), List::default());
    }

    #[test]
    fn operators_have_other_names_than_switches() {
        for operator in Operator::ALL {
            let only = List { operators: vec![operator], ..List::default() };
            assert_eq!(read(operator.name()), only);
        }
    }

    #[test]
    fn the_line_says_what_is_off() {
        let board = |off: &[&'static str]| Board { on: vec!["scores"], off: off.to_vec() };
        assert_eq!(board(&[]).line(), "switches on: scores");
        assert_eq!(
            board(&["snapshots", "spinning"]).line(),
            "switches on: scores; switched off: snapshots, spinning"
        );
    }
}
