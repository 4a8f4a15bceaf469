//! The calls of a writer, as values that a property can draw.
//!
//! Few bugs, inputs and times, so that the calls of one program often meet.

use dwindle::prelude::*;
use dwindle_corpus::{
    BugId, BugKind, BugStore, Claim, Content, ContentId, Report, Status, StoreError, Writer,
};

/// The bugs that writers see.
pub(crate) const BUGS: u8 = 2;
/// These bugs, and ids that are only aliases.
pub(crate) const IDS: u8 = BUGS + 2;

pub(crate) fn id(number: u8) -> BugId {
    BugId::of(&number.to_string())
}

/// The number of a bug, mostly of the first.
fn bugs() -> impl Generator<Value = u8> {
    g::sampled_from([0, 0, 0, BUGS - 1])
}

/// An input, simple ones first.
pub(crate) fn inputs() -> impl Generator<Value = Vec<u8>> {
    g::vec(g::integers(b'a'..=b'b')).len(..=2)
}

/// A hit of a bug. Second 0 is a clock that was never set, and some hits have no engine.
#[derive(Clone, Debug, Generate)]
pub(crate) struct Hit {
    #[generate(with = inputs())]
    pub(crate) input: Vec<u8>,
    #[generate(with = g::integers(0..=3))]
    pub(crate) second: u64,
    #[generate(with = g::sampled_from(["", "afl", "random"]))]
    pub(crate) engine: &'static str,
}

impl Hit {
    pub(crate) fn report(&self) -> Report {
        Report {
            first_seen: self.second,
            engine: self.engine.to_owned(),
            ..Report::pending("parse", id(0), BugKind::Panic)
        }
    }
}

/// How a minimization ended.
#[derive(Clone, Copy, Debug, Generate)]
pub(crate) enum End {
    Minimized,
    BestEffort,
    Flaky,
}

impl End {
    pub(crate) fn status(self) -> Status {
        match self {
            End::Minimized => Status::Minimized,
            End::BestEffort => Status::BestEffort,
            End::Flaky => Status::Flaky,
        }
    }
}

/// The keys of the variants that writers see.
fn keys() -> impl Generator<Value = &'static str> {
    g::sampled_from(["k0", "k1"])
}

/// The key of a variant, or mostly none for the bug itself.
fn folders() -> impl Generator<Value = Option<&'static str>> {
    g::sampled_from([None, None, None, Some("k0"), Some("k1")])
}

/// A content by number, the number of its choices, and its variant.
type Entry = (u8, Option<u64>, Option<&'static str>);

fn contents() -> impl Generator<Value = Vec<Entry>> {
    let entry = (g::integers(0..3), g::option(g::integers(1..=2)), g::option(keys()));
    g::vec(entry).len(..=3)
}

/// One call of a writer, about one bug or one variant.
#[derive(Clone, Debug, Generate)]
pub(crate) enum Operation {
    #[generate(weight = 3)]
    Claim {
        #[generate(with = bugs())]
        bug: u8,
        hit: Hit,
    },
    ClaimVariant {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = keys())]
        key: &'static str,
        hit: Hit,
    },
    #[generate(weight = 6)]
    Finish {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = folders())]
        key: Option<&'static str>,
        hit: Hit,
        end: End,
        #[generate(with = g::option(g::integers(1..=3)))]
        choices: Option<u64>,
    },
    KeepOriginal {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = folders())]
        key: Option<&'static str>,
        #[generate(with = inputs())]
        original: Vec<u8>,
    },
    Count {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = g::integers(0..2))]
        writer: u32,
        #[generate(with = g::integers(0..=20))]
        hits: u64,
    },
    Record {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = g::integers(0..2))]
        writer: u32,
        #[generate(with = contents())]
        contents: Vec<Entry>,
    },
    AddAlias {
        #[generate(with = bugs())]
        bug: u8,
        #[generate(with = g::integers(0..IDS))]
        alias: u8,
    },
    Restate {
        #[generate(with = bugs())]
        bug: u8,
    },
}

/// What a call answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Claimed(Claim),
    Done,
    /// The bug or the variant is not there.
    Missing,
}

pub(crate) fn writer(number: u32) -> Writer {
    Writer::of("somewhere", number, "noon")
}

/// The regression test of an input. Some inputs have none.
pub(crate) fn repro(input: &[u8]) -> Option<String> {
    (input.len() == 1).then(|| format!("test of {input:?}"))
}

pub(crate) fn content(&(number, choices, variant): &Entry) -> Content {
    Content { id: ContentId::of(&[number]), choices, variant: variant.map(str::to_owned) }
}

impl Operation {
    /// Makes the call.
    ///
    /// # Errors
    /// Those of the call, except for a bug or a variant that is not there.
    pub(crate) fn run(&self, store: &BugStore) -> Result<Answer, StoreError> {
        let done = match self {
            Operation::Claim { bug, hit } => {
                store.claim(id(*bug), &hit.input, &hit.report()).map(Answer::Claimed)
            }
            Operation::ClaimVariant { bug, key, hit } => {
                store.claim_variant(id(*bug), key, &hit.input, &hit.report()).map(Answer::Claimed)
            }
            Operation::Finish { bug, key, hit, end, choices } => {
                let report =
                    Report { status: end.status(), minimized_choices: *choices, ..hit.report() };
                let (input, repro) = (&hit.input, repro(&hit.input));
                match key {
                    None => store.finish(id(*bug), input, &report, repro.as_deref()),
                    Some(key) => {
                        store.finish_variant(id(*bug), key, input, &report, repro.as_deref())
                    }
                }
                .map(|()| Answer::Done)
            }
            Operation::KeepOriginal { bug, key, original } => {
                store.keep_original(id(*bug), *key, original).map(|()| Answer::Done)
            }
            Operation::Count { bug, writer: number, hits } => {
                store.count(id(*bug), &writer(*number), *hits).map(|()| Answer::Done)
            }
            Operation::Record { bug, writer: number, contents } => {
                let contents: Vec<Content> = contents.iter().map(content).collect();
                store.record(id(*bug), &writer(*number), &contents).map(|()| Answer::Done)
            }
            Operation::AddAlias { bug, alias } => {
                store.add_alias(id(*bug), id(*alias)).map(|()| Answer::Done)
            }
            Operation::Restate { bug } => store.restate(id(*bug)).map(|()| Answer::Done),
        };
        match done {
            Err(error) if error.is_missing() => Ok(Answer::Missing),
            done => done,
        }
    }
}
