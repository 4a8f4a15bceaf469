//! The failing programs from which reducers start, kept as seeds.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use dwindle::prelude::*;
use dwindle_engine::internals::{Driver, Trace, execute};

use crate::language::Program;
use crate::oracle::Right;
use crate::smith;

/// Where programs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Subject {
    /// wasm-smith on the bytes of a fuzzer.
    Smith,
    /// Our own generator, which draws choices.
    Language,
    /// As [`Subject::Smith`], with 1.0.9 as the right version.
    SmithLast,
    /// As [`Subject::Language`], with 1.0.9 as the right version.
    LanguageLast,
}

impl Subject {
    pub const ALL: [Subject; 4] =
        [Subject::Smith, Subject::Language, Subject::SmithLast, Subject::LanguageLast];

    pub fn name(self) -> &'static str {
        match self {
            Subject::Smith => "smith",
            Subject::Language => "language",
            Subject::SmithLast => "smith_last",
            Subject::LanguageLast => "language_last",
        }
    }

    /// The version that is taken to be right.
    pub fn right(self) -> Right {
        match self {
            Subject::Smith | Subject::Language => Right::New,
            Subject::SmithLast | Subject::LanguageLast => Right::Last,
        }
    }

    /// The seeds of the starts.
    pub fn starts(self) -> Vec<Start> {
        let seeds = match self {
            Subject::Smith => include_str!("../starts/smith"),
            Subject::Language => include_str!("../starts/language"),
            Subject::SmithLast => include_str!("../starts/smith_last"),
            Subject::LanguageLast => include_str!("../starts/language_last"),
        };
        let seeds = seeds.split_whitespace().filter_map(|seed| seed.parse().ok());
        seeds.map(|seed| Start { subject: self, seed }).collect()
    }
}

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub subject: Subject,
    pub seed: u64,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.subject.name(), self.seed)
    }
}

impl FromStr for Start {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Start> {
        let (subject, seed) = text.split_once('-').context("a start is written smith-17")?;
        let Some(subject) = Subject::ALL.into_iter().find(|known| known.name() == subject) else {
            bail!("{subject} is no subject");
        };
        Ok(Start { subject, seed: seed.parse().context("the seed is a number")? })
    }
}

/// Lengths of the bytes for wasm-smith, one after the other by seed.
const LENGTHS: [usize; 6] = [1000, 4000, 16_000, 64_000, 200_000, 400_000];
/// More choices than a random program makes.
const CHOICES_MAX: usize = 1_000_000;

impl Start {
    /// The choices that dwindle starts from.
    pub fn trace(self) -> Trace {
        match self.subject {
            Subject::Smith | Subject::SmithLast => {
                let mut trace = Trace::default();
                let length = LENGTHS[(self.seed % LENGTHS.len() as u64) as usize];
                trace.set_raw_input(smith::bytes(self.seed, length));
                trace
            }
            Subject::Language | Subject::LanguageLast => {
                let mut driver = Driver::new();
                driver.start_random(self.seed, CHOICES_MAX);
                execute(&mut driver, |tc| drop(self.subject.draw(tc)));
                driver.trace().clone()
            }
        }
    }

    /// The module; `None` if the generator makes none.
    pub fn module(self) -> Option<Vec<u8>> {
        let mut driver = Driver::new();
        driver.start_replay(&self.trace().values(), CHOICES_MAX);
        self.subject.run(&mut driver)
    }
}

impl Subject {
    /// The module that a fuzzer's bytes stand for; `None` if they stand for none.
    pub fn of_bytes(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut driver = Driver::new();
        driver.start_bytes(bytes, CHOICES_MAX);
        self.run(&mut driver)
    }

    /// The module of the run that `driver` is ready for.
    pub fn run(self, driver: &mut Driver) -> Option<Vec<u8>> {
        let mut module = None;
        execute(driver, |tc| module = self.draw(tc));
        module
    }

    /// Draws a module as a target does. `None` if the bytes are none.
    pub fn draw(self, tc: &mut TestCase) -> Option<Vec<u8>> {
        match self {
            Subject::Smith | Subject::SmithLast => smith::module(&tc.rest_of_input()).ok(),
            Subject::Language | Subject::LanguageLast => {
                Some(tc.draw_silent(any::<Program>()).module())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use wasmparser::{Validator, WasmFeatures};

    use super::*;
    use crate::oracle::Oracle;

    #[test]
    fn random_programs_of_both_subjects_are_valid_modules() {
        for subject in [Subject::Smith, Subject::Language] {
            let modules = (0..300).filter_map(|seed| Start { subject, seed }.module());
            let valid = modules.map(|module| {
                Validator::new_with_features(WasmFeatures::all()).validate_all(&module).unwrap();
            });
            assert!(valid.count() > 100, "{}", subject.name());
        }
    }

    #[test]
    fn the_versions_disagree_about_the_smallest_starts() {
        for subject in [Subject::Smith, Subject::Language] {
            let module = subject.starts()[0].module().unwrap();
            let oracle = Oracle::new(subject.right()).unwrap();
            assert_ne!(oracle.difference(&module), None, "{}", subject.name());
        }
    }

    #[test]
    fn the_versions_agree_about_a_program_that_only_adds() {
        let text = "(module (func (export \"f\") (param i32) (result i32)
            local.get 0 i32.const 1 i32.add))";
        let oracle = Oracle::new(Right::New).unwrap();
        assert_eq!(oracle.difference(&wat::parse_str(text).unwrap()), None);
    }
}
