//! Properties of the command line: any order of options parses to the same run.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, ValueEnum};
use dwindle::prelude::*;

use super::{
    Annotations, Build, Command, CommandLine, Engine, Limit, Reports, Run, Sanitizer, Shrinking,
};

/// A name of a file, a feature or a toolchain. It does not begin with a dash, so that it may be a
/// separate argument.
fn names() -> impl Generator<Value = String> {
    (g::characters().alphabet("aZ0./ é"), g::text().alphabet("a-=,./ é").len(..=3))
        .map(|(first, rest)| format!("{first}{rest}"))
}

/// A path, which need not be UTF-8.
fn paths() -> impl Generator<Value = PathBuf> {
    (names(), g::vec(g::integers(1..=255u8)).len(..=2)).map(|(name, rest)| {
        let bytes = [name.into_bytes(), rest].concat();
        PathBuf::from(OsString::from_vec(bytes))
    })
}

/// Any bytes that an argument can hold, and often what looks like an option.
fn any_words() -> impl Generator<Value = OsString> {
    let options = g::sampled_from(["--", "-", "--json", "-h", "--unknown", "-runs=1", "run"]);
    let bytes = g::vec(g::integers(1..=255u8)).len(..=3);
    g::one_of((options.map(OsString::from), bytes.map(OsString::from_vec)))
}

fn limits() -> impl Generator<Value = Limit> {
    g::one_of((
        g::integers(1..=u64::MAX).map(Limit::Calls),
        g::floats(0.001..=1e6).map(Limit::Seconds),
    ))
}

fn written(limit: &Limit) -> String {
    match limit {
        Limit::Calls(calls) => calls.to_string(),
        Limit::Seconds(seconds) => format!("{seconds}s"),
    }
}

/// The arguments of `run`.
fn runs() -> impl Generator<Value = Run> {
    g::from_fn(|tc| Run {
        target: Some(tc.draw_silent(names())),
        all: false,
        corpus: tc.draw_silent(g::vec(paths()).len(..=2)),
        engine: tc.draw_silent(g::sampled_from([Engine::Libfuzzer, Engine::Afl, Engine::Random])),
        jobs: tc.draw_silent(g::option(g::integers(0..=1024))),
        out: tc.draw_silent(g::option(paths())),
        as_is: tc.draw_silent(any()),
        max_time: tc.draw_silent(g::option(g::integers(1..))),
        stop_on_first: tc.draw_silent(any()),
        shrinking: Shrinking {
            budget: tc.draw_silent(g::vec(limits()).len(..=2)),
            store: tc.draw_silent(g::option(paths())),
        },
        reports: Reports {
            sarif: tc.draw_silent(g::option(paths())),
            junit: tc.draw_silent(g::option(paths())),
            annotations: tc.draw_silent(g::option(g::sampled_from(Annotations::value_variants()))),
        },
        build: Build {
            sanitizer: tc.draw_silent(g::sampled_from(Sanitizer::value_variants())),
            dev: tc.draw_silent(any()),
            triple: tc.draw_silent(g::option(names())),
            fuzz_dir: tc.draw_silent(g::option(paths())),
            features: tc.draw_silent(g::vec(names()).len(..=2)),
            no_default_features: tc.draw_silent(any()),
            toolchain: tc.draw_silent(g::option(names())),
            json: tc.draw_silent(any()),
            verbose: tc.draw_silent(any()),
        },
        engine_args: tc.draw_silent(g::vec(any_words()).len(..=3)),
    })
}

/// The options of a run: names, and values if they take one.
fn options(run: &Run) -> Vec<(&'static str, Option<OsString>)> {
    let path = |path: &Option<PathBuf>| path.clone().map(PathBuf::into_os_string);
    let word = |value: &dyn ToString| Some(OsString::from(value.to_string()));
    let named = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| OsString::from(value.get_name()))
    };
    let Run { shrinking, build, .. } = run;
    let budget = shrinking.budget.iter().map(written).collect::<Vec<_>>().join(",");
    let values = [
        ("--engine", named(run.engine.to_possible_value())),
        ("--jobs", run.jobs.and_then(|jobs| word(&jobs))),
        ("--out", path(&run.out)),
        ("--max-time", run.max_time.and_then(|seconds| word(&seconds))),
        ("--budget", word(&budget).filter(|budget| !budget.is_empty())),
        ("--sarif", path(&run.reports.sarif)),
        ("--junit", path(&run.reports.junit)),
        ("--annotations", named(run.reports.annotations.and_then(|to| to.to_possible_value()))),
        ("--store", path(&shrinking.store)),
        ("--sanitizer", named(build.sanitizer.to_possible_value())),
        ("--target", build.triple.as_ref().and_then(|triple| word(triple))),
        ("--fuzz-dir", path(&build.fuzz_dir)),
        ("--toolchain", build.toolchain.as_ref().and_then(|name| word(name))),
    ];
    let flags = [
        ("--as-is", run.as_is),
        ("--stop-on-first", run.stop_on_first),
        ("--dev", build.dev),
        ("--no-default-features", build.no_default_features),
        ("--json", build.json),
        ("--verbose", build.verbose),
    ];
    let given = values.into_iter().filter(|(_, value)| value.is_some());
    let features = build.features.iter().map(|name| ("--features", word(name)));
    let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (name, None));
    given.chain(features).chain(flags).collect()
}

/// A flag, or an option with its value, as one or two words.
fn words(tc: &mut TestCase, (name, value): (&str, Option<OsString>)) -> Vec<OsString> {
    let Some(value) = value else {
        let is_short = name == "--verbose" && tc.draw_silent(any());
        return vec![if is_short { "-v".into() } else { name.into() }];
    };
    if tc.draw_silent(any()) {
        vec![name.into(), value]
    } else {
        let mut joined = OsString::from(name);
        joined.push("=");
        joined.push(value);
        vec![joined]
    }
}

/// A command line that asks for this run: the options anywhere, in any order, the arguments in
/// their own order.
fn command_line(tc: &mut TestCase, run: &Run) -> Vec<OsString> {
    // Options that may be given several times keep their order.
    let (features, others): (Vec<_>, Vec<_>) =
        options(run).into_iter().partition(|(name, _)| *name == "--features");
    let mut groups: Vec<Vec<OsString>> = Vec::new();
    for option in tc.draw_silent(g::permutations(others)) {
        groups.push(words(tc, option));
    }
    let corpus = run.corpus.iter().map(|folder| folder.clone().into_os_string());
    let arguments = std::iter::once(OsString::from(run.target())).chain(corpus);
    let arguments: Vec<_> = arguments.map(|argument| vec![argument]).collect();
    let features: Vec<_> = features.into_iter().map(|option| words(tc, option)).collect();
    for in_order in [arguments, features] {
        let mut place = 0;
        for group in in_order {
            place = tc.draw_silent(g::integers(place..=groups.len()));
            groups.insert(place, group);
            place += 1;
        }
    }
    let mut line: Vec<OsString> = vec!["cargo-dwindle".into(), "run".into()];
    line.extend(groups.into_iter().flatten());
    if !run.engine_args.is_empty() || tc.draw_silent(any()) {
        line.push("--".into());
    }
    line.extend(run.engine_args.iter().cloned());
    line
}

#[dwindle::test(store = None, seed = 1)]
fn a_command_line_in_any_order_means_what_it_says(tc: &mut TestCase) {
    let meant = tc.draw(runs());
    let line = tc.draw(g::from_fn(|tc| command_line(tc, &meant)));
    let parsed = CommandLine::try_parse_from(&line).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(format!("{:?}", parsed.command), format!("{:?}", Command::Run(meant)));
}

/// The shortest line of each command.
const LINES: [&[&str]; 17] = [
    &["init"],
    &["add", "t"],
    &["list"],
    &["build"],
    &["run", "t"],
    &["watch", "t", "d"],
    &["min", "t", "f"],
    &["explore", "t"],
    &["cmin", "t"],
    &["triage", "t", "f"],
    &["show", "t", "f"],
    &["coverage", "t"],
    &["check"],
    &["merge", "s"],
    &["corpus", "import", "t", "f"],
    &["corpus", "export", "t", "d"],
    &["corpus", "stats", "t"],
];

/// All names of options of a command and of its subcommands.
fn known_options(command: &clap::Command) -> Vec<String> {
    let below = command.get_subcommands().flat_map(known_options);
    let long = |argument: &clap::Arg| argument.get_long().map(str::to_owned);
    let standard = ["help", "version"].map(str::to_owned);
    command.get_arguments().filter_map(long).chain(below).chain(standard).collect()
}

#[dwindle::test(store = None, seed = 1)]
fn an_unknown_option_anywhere_is_wrong_use(
    #[generate(with = g::sampled_from(LINES))] line: &'static [&'static str],
    #[generate(with = g::integers(0..=line.len()))] place: usize,
    #[generate(with = g::from_regex("[a-z]([a-z-]{0,8}[a-z])?"))] name: String,
    has_value: bool,
    tc: &mut TestCase,
) {
    let mut words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
    words.insert(0, "cargo-dwindle".to_owned());
    assert!(CommandLine::try_parse_from(&words).is_ok());
    tc.assume(!known_options(&CommandLine::command()).contains(&name));
    words.insert(1 + place, format!("--{name}{}", if has_value { "=1" } else { "" }));
    let error = CommandLine::try_parse_from(&words).expect_err("the option is unknown");
    assert_eq!((error.exit_code(), error.use_stderr()), (2, true), "{error}");
    assert!(error.to_string().contains(&format!("--{name}")), "{error}");
}
