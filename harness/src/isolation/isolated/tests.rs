//! Targets that pass, fail, hang and die, in workers.

use dwindle_engine::TestCase;

use super::*;
use crate::isolation::watcher::LOOK;
use crate::system::process;

#[test]
fn a_death_without_a_record_is_minimized() {
    use dwindle_corpus::Status;
    use dwindle_engine::generators as g;

    use crate::limits::Limits;
    use crate::minimize::{Found, Only, minimize};
    let mut executor = Isolated::running(|tc| {
        if tc.draw(g::vec(g::integers(0..=255u8))).contains(&77) {
            // SAFETY: the system call affects only the process of this run.
            unsafe { libc::raise(libc::SIGKILL) };
        }
    });
    let input = [1, 5, 1, 77, 1, 6, 0];
    let mut trace = Trace::default();
    let Run::Failed(failed) = executor.run_input(&input, &mut trace) else {
        panic!("it has to die")
    };
    // The run died before it drew the end of the list.
    assert_eq!(trace.len(), input.len());
    let minimized = minimize(
        &mut executor,
        Found { input: &input, trace: &trace, failed: &failed, only: Only::default() },
        Limits::default(),
        &mut |_, _| {},
    );
    assert_eq!((minimized.status, minimized.draws), (Status::Minimized, vec!["[77]".to_owned()]));
}

#[test]
fn memory_from_before_a_run_does_not_count_for_the_run() {
    // The process writes to the memory, so that the system has to provide it.
    let had = std::hint::black_box(vec![1_u8; (limits::MEMORY_OF_BLOW_UPS + (64 << 20)) as usize]);
    let mut executor = Isolated::running(|_| std::thread::sleep(LOOK * 5));
    executor.allow_for(Runs::Candidates(BugKind::Oom));
    let run = executor.run_input(&[], &mut Trace::default());
    assert!(matches!(run, Run::Passed), "{run:?}");
    drop(had);
}

/// Takes longer than the short time that candidates get.
#[inline(never)]
fn work_long() {
    let began = usage::time_of(process::id());
    while usage::time_of(process::id()) < began + Duration::from_millis(700) {}
}

#[inline(never)]
fn spin() {
    loop {
        std::hint::spin_loop();
    }
}

#[test]
fn candidates_of_a_late_hang_get_the_time_of_the_hang() {
    use dwindle_engine::generators as g;
    let mut executor = Isolated::running(|tc| {
        let byte = tc.draw(g::integers(0..=255u8));
        work_long();
        if byte > 9 {
            spin();
        }
    });
    let mut trace = Trace::default();
    let hangs = |run: &Run| matches!(run, Run::Failed(failed) if failed.kind == BugKind::Timeout);
    // In the short time the input fails elsewhere, in the work before the hang.
    let run = executor.run_again(&[77], BugKind::Timeout, &|_| false, &mut trace);
    assert!(hangs(&run), "{run:?}");
    executor.allow_for(Runs::Candidates(BugKind::Timeout));
    let run = executor.run_input(&[10], &mut trace);
    assert!(hangs(&run), "{run:?}");
    let run = executor.run_input(&[9], &mut trace);
    assert!(matches!(run, Run::Passed), "{run:?} within {:?}", executor.watcher.allowed);
    // A hang that shows at once keeps its candidates short.
    executor.run_again(&[77], BugKind::Timeout, &|_| true, &mut trace);
    executor.allow_for(Runs::Candidates(BugKind::Timeout));
    let run = executor.run_input(&[9], &mut trace);
    assert!(hangs(&run), "{run:?} within {:?}", executor.watcher.allowed);
}

#[test]
fn at_the_deadline_only_an_expected_hang_fails() {
    let mut executor = Isolated::running(|_| spin());
    executor.give_up_at(Some(Instant::now()));
    for (runs, fails) in [
        (Runs::Any, false),
        (Runs::Again(BugKind::Panic), false),
        (Runs::Again(BugKind::Timeout), true),
    ] {
        executor.allow_for(runs);
        let run = executor.run_input(&[], &mut Trace::default());
        assert_eq!(
            matches!(&run, Run::Failed(failed) if failed.kind == BugKind::Timeout),
            fails,
            "{runs:?}: {run:?}"
        );
        assert_eq!(matches!(run, Run::Rejected), !fails, "{runs:?}");
    }
}

#[test]
fn a_drop_in_target_draws_its_input_for_every_outcome() {
    fn target(tc: &mut TestCase) {
        match tc.rest_of_input().first() {
            Some(1) => panic!("one"),
            Some(2) => std::process::abort(),
            // SAFETY: the system call affects only the process of this run.
            Some(3) => unsafe {
                libc::raise(libc::SIGKILL);
            },
            _ => {}
        }
    }
    let mut executor = Isolated::new(
        Box::leak(Box::new(Target::drop_in(
            Some("drop_in"),
            env!("CARGO_MANIFEST_DIR"),
            target,
            || {},
        ))),
        1000,
    )
    .unwrap();
    for (byte, kind) in [
        (0, None),
        (1, Some(BugKind::Panic)),
        (2, Some(BugKind::Abort)),
        (3, Some(BugKind::Oom)),
        (0, None),
    ] {
        let input: Arc<[u8]> = [byte, 7, 255].into();
        for as_choices in [false, true] {
            let mut trace = Trace::default();
            let run = if as_choices {
                let values = [Value::Bytes(Arc::clone(&input))];
                executor.run_candidate(Candidate::replaying(&values), 1, &mut trace)
            } else {
                executor.run_input(&input, &mut trace)
            };
            let failed = if let Run::Failed(failed) = &run { Some(failed.kind) } else { None };
            assert_eq!((failed, trace.raw_input()), (kind, Some(&input)), "{run:?}");
        }
    }
}

#[test]
fn the_transcript_holds_the_questions_that_a_function_was_asked() {
    use dwindle_engine::{any, generators as g};
    let mut executor = Isolated::running(|tc| {
        let f: g::Fun<u8, u8> = tc.draw(any());
        tc.note("between");
        let byte = tc.draw(g::integers(0..=255u8));
        f(byte);
        assert!(byte < 9);
    });
    for byte in [7, 9] {
        let (run, transcript) =
            executor.run_with_transcript(&[3, 1, 4, 0, byte], &mut Trace::default());
        assert_eq!(matches!(run, Run::Failed(_)), byte == 9, "{run:?}");
        assert_eq!(transcript.draws(), [format!("{{ {byte} => 4, _ => 3 }}"), byte.to_string()]);
        assert_eq!(transcript.notes(), ["between"]);
    }
}

#[test]
fn a_run_that_kills_its_process_returns_its_draws() {
    use dwindle_engine::generators as g;
    let mut executor = Isolated::running(|tc| {
        let byte = tc.draw(g::integers(0..=255u8));
        match byte {
            1 => std::process::abort(),
            2 => panic!("two"),
            // SAFETY: the write is invalid on purpose, because the test needs a fault.
            3 => unsafe { std::ptr::null_mut::<u32>().write_volatile(1) },
            4 => std::process::exit(0),
            _ => {}
        }
    });
    let mut trace = Trace::default();
    for round in 0..3 {
        for (byte, kind) in [
            (0, None),
            (1, Some(BugKind::Abort)),
            (2, Some(BugKind::Panic)),
            (3, Some(BugKind::Segv)),
            (4, Some(BugKind::Exit)),
        ] {
            let run = executor.run_input(&[byte], &mut trace);
            let failed = if let Run::Failed(failed) = &run { Some(failed.kind) } else { None };
            assert_eq!(failed, kind, "{run:?} of {byte} in round {round}");
            assert_eq!(trace.choices[0].value, Value::Integer(i128::from(byte)));
            assert_eq!(
                executor.run_with_transcript(&[byte], &mut Trace::default()).1.draws(),
                [byte.to_string()]
            );
        }
    }
}
