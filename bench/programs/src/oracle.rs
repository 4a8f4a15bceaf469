//! Whether the old version of wasmi disagrees with a version that is taken to be right.

use std::fmt;
use std::str::FromStr;
use std::sync::Once;

use anyhow::{Context, Result, bail};

use crate::outcome::{Event, Shown};
use crate::versions::{AFTER, Version};
use crate::{new, old};

/// The version that is taken to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// 2.0.0.
    New,
    /// 1.0.9.
    Last,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Right::New => "2.0.0",
            Right::Last => "1.0.9",
        })
    }
}

impl FromStr for Right {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Right> {
        let known = [Right::New, Right::Last].into_iter().find(|right| right.to_string() == text);
        known.with_context(|| format!("{text} is neither 2.0.0 nor 1.0.9"))
    }
}

/// The first thing that the old version shows and the right one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub old: Option<Event>,
    pub right: Option<Event>,
}

/// Compares the old version with a right one.
pub struct Oracle {
    right: Right,
    /// The version for [`Right::Last`].
    last: Option<Version>,
}

impl Oracle {
    /// # Errors
    /// If the right version is not built.
    pub fn new(right: Right) -> Result<Oracle> {
        static SILENT: Once = Once::new();
        SILENT.call_once(|| std::panic::set_hook(Box::new(|_| {})));
        let last = match right {
            Right::New => None,
            Right::Last => Some(Version::load(AFTER[AFTER.len() - 1])?),
        };
        Ok(Oracle { right, last })
    }

    /// Runs the module on both versions. `None` if they agree, or if one of them refuses the
    /// module.
    pub fn difference(&self, wasm: &[u8]) -> Option<Difference> {
        let right = self.right_run(wasm)?;
        let old = old::engine::run(wasm)?;
        first_difference(&old, &right)
    }

    fn right_run(&self, wasm: &[u8]) -> Option<Shown> {
        match &self.last {
            None => new::engine::run(wasm),
            Some(last) => last.run(wasm).ok().flatten(),
        }
    }
}

/// Names bugs by the first version that mends them.
pub struct Bugs {
    oracle: Oracle,
    after: Vec<Version>,
}

impl Bugs {
    /// # Errors
    /// If a version is not built.
    pub fn new(right: Right) -> Result<Bugs> {
        let after = AFTER.into_iter().map(Version::load).collect::<Result<_>>()?;
        Ok(Bugs { oracle: Oracle::new(right)?, after })
    }

    /// The name of the bug: the version that mends it. A module with several bugs has the name of
    /// the last one. If no version after the old one agrees with the right one, then the right one
    /// is wrong.
    ///
    /// # Errors
    /// If a version cannot be asked.
    pub fn of(&self, module: &[u8]) -> Result<&'static str> {
        let Some(right) = self.oracle.right_run(module) else { return Ok("none") };
        for version in &self.after {
            let shown = version.run(module)?;
            if shown.is_none_or(|shown| first_difference(&shown, &right).is_none()) {
                return Ok(version.number);
            }
        }
        match self.oracle.right {
            Right::New => Ok("of 2.0.0"),
            Right::Last => bail!("1.0.9 does not repeat what it shows"),
        }
    }
}

fn first_difference(old: &Shown, right: &Shown) -> Option<Difference> {
    (0..old.len().max(right.len())).find_map(|at| {
        let of = |shown: &Shown| shown.get(at).cloned().unwrap_or_default();
        first_difference_of_function(&of(old), &of(right))
    })
}

/// What comes after a limit in one of them is unknown.
fn first_difference_of_function(old: &[Event], right: &[Event]) -> Option<Difference> {
    for at in 0..old.len().max(right.len()) {
        let (old, right) = (old.get(at), right.get(at));
        if old == Some(&Event::Limit) || right == Some(&Event::Limit) {
            return None;
        }
        if old != right {
            return Some(Difference { old: old.cloned(), right: right.cloned() });
        }
    }
    None
}
