//! The long measurements: each prints a table, and how it was made.

mod minima;
mod bench;
mod cargo_fuzz;
mod kills;
mod callgrind;
mod afl;
mod afl_overhead;
mod triage;
mod offline;
mod tmin;
mod maze;
mod kinds;
mod rates;
mod overhead;
mod busy_core;
mod start;
mod jobs;
mod estimate;
mod ablation;
mod derive_time;
mod first_hour;
mod conversions;
mod light;
mod lines;
mod truth;
mod build;
mod targets;
mod run;
mod median;
mod variable;

use std::fmt;

use anyhow::{Result, ensure};

struct Evidence<Measure = fn() -> Result<()>> {
    name: &'static str,
    what: &'static str,
    measure: Measure,
}

type WithOptions = fn(&[&str]) -> Result<()>;

/// The measurement that takes options.
const CONVERSIONS: Evidence<WithOptions> = Evidence {
    name: "conversions",
    what: "real cargo-fuzz projects below `--folder DIR`: converted, built, run; some minutes for \
           each project",
    measure: conversions::measure,
};

const ALL: &[Evidence] = &[
    Evidence {
        name: "minima",
        what: "ten seeds of four targets: what the first bug shrinks to, beside the true minimum; \
               about 5 minutes",
        measure: minima::measure,
    },
    Evidence {
        name: "first_bug",
        what: "processor time and executions to the first bug of nineteen targets, beside twins \
               on stock libfuzzer-sys; several hours",
        measure: bench::first_bug,
    },
    Evidence {
        name: "cargo-fuzz-url",
        what: "a minute of `cargo +nightly fuzz run url_setters`, every input replayed",
        measure: cargo_fuzz::url,
    },
    Evidence {
        name: "cargo-fuzz-smallvec",
        what: "a minute of `cargo +nightly fuzz run smallvec_insert_many`, whose bugs kill the \
               process",
        measure: cargo_fuzz::smallvec,
    },
    Evidence {
        name: "twenty",
        what: "five minutes of `cargo +nightly fuzz run` on a target with twenty planted bugs, \
               eight of which kill the process",
        measure: cargo_fuzz::twenty,
    },
    Evidence {
        name: "twenty-plain",
        what: "the same without a sanitizer",
        measure: cargo_fuzz::twenty_plain,
    },
    Evidence {
        name: "kinds",
        what: "every way in which a target can fail, alone, plain and with AddressSanitizer: \
               found, kept once, minimized; about eight minutes",
        measure: kinds::measure,
    },
    Evidence {
        name: "afl",
        what: "two minutes of AFL++ on url_setters, two instances, beside two minutes of \
               libFuzzer; about eight minutes with the builds",
        measure: afl::measure,
    },
    Evidence {
        name: "afl-overhead",
        what: "instructions of an execution under AFL++, beside afl.rs and Arbitrary on equal \
               values",
        measure: afl_overhead::measure,
    },
    Evidence {
        name: "rates",
        what: "candidates a second in a worker, and deaths a second; plain and with \
               AddressSanitizer",
        measure: rates::measure,
    },
    Evidence {
        name: "overhead",
        what: "instructions of a run that finds nothing, beside the same run with DWINDLE=off; the \
               rate with one input in ten that panics, beside that with none",
        measure: overhead::measure,
    },
    Evidence {
        name: "busy-core",
        what: "executions on one core with the search for causes, beside those without; about \
               seven minutes with the build",
        measure: busy_core::measure,
    },
    Evidence {
        name: "start",
        what: "milliseconds of the processor up to the first execution of a run, a next fuzzer, a \
               minimizer, `min` and `tmin`, beside a twin on stock libfuzzer-sys; about five \
               minutes with the builds",
        measure: start::measure,
    },
    Evidence {
        name: "jobs",
        what: "executions of two jobs beside one on two cores, sixteen jobs on two cores, and a \
               hundred runs with several processes, of each of which one is killed; about half an \
               hour",
        measure: jobs::measure,
    },
    Evidence {
        name: "estimate",
        what: "the estimate of new coverage beside what came, in eighteen runs of six targets; \
               about 40 minutes",
        measure: estimate::measure,
    },
    Evidence {
        name: "ablation",
        what: "what each switch of DWINDLE_WITHOUT buys: executions, deaths and candidates a \
               second, planted bugs; about a quarter of an hour with the builds",
        measure: ablation::measure,
    },
    Evidence {
        name: "derive-time",
        what: "how long an enum of sixty variants takes to compile with derive(Generate), beside \
               derive(Arbitrary); about two minutes",
        measure: derive_time::measure,
    },
    Evidence {
        name: "first-hour",
        what: "processor seconds from `git clone` to the first minimized bug, and to the first \
               test of a property that passes; a few minutes, most of them to compile",
        measure: first_hour::measure,
    },
    Evidence {
        name: "light",
        what: "how many crates and how much processor time a property test adds to a build, \
               beside proptest, hegeltest and bolero; about ten minutes",
        measure: light::measure,
    },
    Evidence {
        name: "kills",
        what: "two hundred runs, of each of which some process is killed at a random moment; about \
               ten minutes",
        measure: kills::measure,
    },
    Evidence {
        name: "triage",
        what: "ten thousand crash files of five bugs, triaged: seconds, memory, counts; beside \
               `cargo fuzz tmin` and `cargo afl tmin` on each; about a quarter of an hour",
        measure: triage::measure,
    },
    Evidence {
        name: "programs",
        what: "generated WebAssembly programs on which two versions of wasmi disagree, reduced by \
               dwindle, `wasm-tools shrink`, picire and cvise; about two hours",
        measure: bench::programs,
    },
    Evidence {
        name: "claims",
        what: "whether claims about minimized failures hold on fresh inputs, and how many \
               independent failures they cover; about a minute",
        measure: bench::claims,
    },
    Evidence {
        name: "causes",
        what: "how many of the faults behind one assertion are found as causes, each alone, in 120 \
               s each of fourteen programs from three seeds; about an hour and a half",
        measure: bench::causes,
    },
    Evidence {
        name: "causes-targets",
        what: "how many causes the bugs of fifteen targets over real crates get, in 45 s each; \
               about 20 minutes with the builds",
        measure: targets::measure,
    },
    Evidence {
        name: "lines",
        what: "whether suspicious lines lead to the function that the fix of a known bug changed, \
               for thirteen bugs; about a quarter of an hour, most of it builds",
        measure: lines::measure,
    },
    Evidence {
        name: "offline",
        what: "two hundred crash files of the real-crate targets, minimized; beside `cargo fuzz \
               tmin` and `cargo afl tmin` on twenty; about half an hour",
        measure: offline::measure,
    },
    Evidence {
        name: "maze",
        what: "executions to the end of a maze that only `tc.target` leads through, and ten times \
               as many without it; half an hour",
        measure: maze::measure,
    },
    Evidence {
        name: "truth",
        what: "whether dwindle's statements hold: all measurements that begin with `truth-`",
        measure: truth::measure,
    },
];

/// A command line that asks for something that is not there.
#[derive(Debug)]
pub struct WrongUse(String);

impl WrongUse {
    fn error(what: String) -> anyhow::Error {
        WrongUse(what).into()
    }
}

impl fmt::Display for WrongUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUse {}

/// Prints the measurements there are.
pub fn list() {
    for evidence in ALL.iter().chain(truth::PARTS) {
        println!("{:<16} {}", evidence.name, evidence.what);
    }
    println!("{:<16} {}", CONVERSIONS.name, CONVERSIONS.what);
}

/// Makes the measurement of this name and prints its table. Only `conversions` takes options.
///
/// # Errors
/// [`WrongUse`] if no measurement has this name or an option is wrong. Another error if something
/// that the measurement needs fails. A table that shows something bad is no error.
pub fn run(name: &str, options: &[&str]) -> Result<()> {
    if name == CONVERSIONS.name {
        return (CONVERSIONS.measure)(options);
    }
    let Some(evidence) = ALL.iter().chain(truth::PARTS).find(|evidence| evidence.name == name)
    else {
        list();
        return Err(WrongUse::error(format!("no measurement is named {name}")));
    };
    ensure!(options.is_empty(), WrongUse(format!("{name} takes no options")));
    (evidence.measure)()
}
