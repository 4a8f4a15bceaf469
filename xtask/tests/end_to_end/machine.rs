//! State machines under fuzzers: a step may end the process.

use crate::bugs::Bug;
use crate::stage::{Stage, outcome};

/// The least programs, of which the last step ends the process or leaves what must not be.
const PROGRAMS: [(&str, &[&str], &str); 2] = [
    (
        "segv",
        &[
            "let block_1 = memory.allocate(0);",
            "memory.grow(&mut block_1, 1);",
            "memory.write(&mut block_1, 0);",
        ],
        "SIGSEGV",
    ),
    (
        "panic",
        &["let block_1 = memory.allocate(46);", "let block_2 = memory.allocate(255);"],
        "too much is in use",
    ),
];

#[track_caller]
fn assert_programs(bugs: &[Bug]) {
    for (kind, program, message) in PROGRAMS {
        let of_kind: Vec<&Bug> = bugs.iter().filter(|bug| bug.report["kind"] == kind).collect();
        let [bug] = of_kind[..] else { panic!("one of {kind}: {bugs:#?}") };
        assert!(bug.message().contains(message), "{bug:#?}");
        assert_eq!((bug.status(), bug.draws()), ("minimized", program.join(", ")), "{bug:#?}");
    }
    assert_eq!(bugs.len(), PROGRAMS.len(), "{bugs:#?}");
}

#[test]
fn a_step_that_ends_the_process_is_the_last_of_the_program() {
    for engine in ["libfuzzer", "random"] {
        let stage = Stage::fixture();
        let ended =
            outcome(&mut stage.run("machine", &["--engine", engine], &["-seed=1", "-runs=60000"]));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        assert_programs(&stage.bugs("machine"));
        for (_, program, _) in PROGRAMS {
            ended.says(program.last().unwrap());
        }
        stage.leaves_no_process();
    }
}

#[test]
fn a_step_that_ends_the_process_is_the_last_of_the_program_under_afl() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.campaign("machine", &["--max-time", "20", "--json"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_programs(&stage.bugs("machine"));
}
