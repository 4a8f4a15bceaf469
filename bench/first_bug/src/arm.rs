//! What is compared: a target on a fuzzer, with its flags.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The fuzzer that runs a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Libfuzzer,
    Afl,
}

/// A target on a fuzzer, with its flags.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Arm {
    pub engine: Engine,
    pub kind: Kind,
}

/// Whether dwindle takes part, and how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// dwindle with its defaults. Under libFuzzer they are without length control.
    Dwindle,
    /// The same without the named mechanisms (`DWINDLE_WITHOUT`).
    Without(String),
    /// The twin with the fuzzer's defaults.
    Stock,
    /// The twin with the one flag of libFuzzer that dwindle sets by itself.
    StockLong,
}

impl Arm {
    /// The arms of a measurement, the one that the others are compared with first.
    pub fn all(without: &[String], has_stock: bool, has_afl: bool) -> Vec<Arm> {
        let mut engines = vec![Engine::Libfuzzer];
        engines.extend(has_afl.then_some(Engine::Afl));
        let mut arms = Vec::new();
        for engine in engines {
            arms.push(Arm { engine, kind: Kind::Dwindle });
            arms.extend(
                without.iter().map(|names| Arm { engine, kind: Kind::Without(names.clone()) }),
            );
            if has_stock {
                arms.push(Arm { engine, kind: Kind::Stock });
            }
            if has_stock && engine == Engine::Libfuzzer {
                arms.push(Arm { engine, kind: Kind::StockLong });
            }
        }
        arms
    }

    pub fn is_dwindle(&self) -> bool {
        matches!(self.kind, Kind::Dwindle | Kind::Without(_))
    }

    /// How many random cases dwindle runs before the executions that AFL++ counts.
    pub fn random_cases_of_afl(&self) -> u64 {
        let has_some = match &self.kind {
            Kind::Dwindle => true,
            Kind::Without(names) => !names.split(',').any(|name| name == "random-cases"),
            Kind::Stock | Kind::StockLong => false,
        };
        if has_some && self.engine == Engine::Afl { 128 } else { 0 }
    }

    /// The arm whose figures are divided by those of this one. `None` for that arm itself.
    pub fn base(&self) -> Option<Arm> {
        (self.kind != Kind::Dwindle).then_some(Arm { engine: self.engine, kind: Kind::Dwindle })
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Dwindle => f.write_str("dwindle")?,
            Kind::Without(names) => write!(f, "dwindle without {names}")?,
            Kind::Stock => f.write_str("stock")?,
            Kind::StockLong => f.write_str("stock -len_control=0")?,
        }
        match self.engine {
            Engine::Libfuzzer => Ok(()),
            Engine::Afl => f.write_str(" (AFL++)"),
        }
    }
}
