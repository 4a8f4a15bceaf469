//! One run of one fuzzer, up to its first bug.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::arm::{Arm, Engine, Kind};
use crate::build::Built;
use crate::target::Target;

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub target: String,
    pub arm: Arm,
    pub seed: u64,
    #[serde(flatten)]
    pub cost: Cost,
}

/// What a run used up to the first bug, or up to its end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cost {
    pub is_found: bool,
    pub executions: u64,
    /// Processor time of all processes.
    pub processor_seconds: f64,
    pub wall_seconds: f64,
}

/// What a watcher needs to know.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub arm: Arm,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// An empty folder for everything that the run makes.
    pub folder: PathBuf,
    pub goal: Goal,
}

/// When a run ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// At the first bug, or after this much processor time.
    FirstBug(f64),
    /// After the last of these amounts of processor time.
    Budgets(Vec<f64>),
}

impl Order {
    /// A run from an empty corpus.
    pub fn new(
        built: &Built,
        target: Target,
        arm: &Arm,
        seed: u64,
        folder: &Path,
        goal: Goal,
    ) -> Result<Order> {
        let binary = built.binary(target, arm)?;
        let place = |name: &str| folder.join(name).display().to_string();
        std::fs::create_dir(folder.join("corpus")).context("cannot make an empty corpus")?;
        let mut environment = vec![("DWINDLE_STORE".to_owned(), place("store"))];
        if matches!(goal, Goal::FirstBug(_)) {
            environment.push(("DWINDLE_STOP".to_owned(), "first".to_owned()));
            // The run is measured up to the bug. So what the minimizer does then may be short.
            environment.push(("DWINDLE_BUDGET_CALLS".to_owned(), "1".to_owned()));
        }
        if let Kind::Without(names) = &arm.kind {
            environment.push(("DWINDLE_WITHOUT".to_owned(), names.clone()));
        }
        let (program, arguments) = match arm.engine {
            Engine::Libfuzzer => {
                let mut arguments = vec![
                    format!("-seed={seed}"),
                    "-print_final_stats=1".to_owned(),
                    format!("-artifact_prefix={}/", folder.display()),
                ];
                arguments
                    .extend((arm.kind == Kind::StockLong).then(|| "-len_control=0".to_owned()));
                arguments.push(place("corpus"));
                (binary, arguments)
            }
            Engine::Afl => {
                // AFL++ refuses an empty corpus. Its first input is the same on both sides.
                std::fs::write(folder.join("corpus/first"), [0]).context("cannot write a seed")?;
                for (name, value) in [
                    ("AFL_NO_UI", "1"),
                    ("AFL_NO_AFFINITY", "1"),
                    ("AFL_SKIP_CPUFREQ", "1"),
                    ("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"),
                    ("AFL_BENCH_UNTIL_CRASH", "1"),
                ] {
                    environment.push((name.to_owned(), value.to_owned()));
                }
                if arm.is_dwindle() {
                    let mutator = built.mutator()?.display().to_string();
                    environment.push(("AFL_CUSTOM_MUTATOR_LIBRARY".to_owned(), mutator));
                }
                let arguments = ["-c0", "-s", &seed.to_string(), "-i", &place("corpus"), "-o"]
                    .map(str::to_owned)
                    .into_iter()
                    .chain([place("out"), "--".to_owned(), binary.display().to_string()])
                    .collect();
                (built.afl_fuzz()?.to_owned(), arguments)
            }
        };
        let (arm, folder) = (arm.clone(), folder.to_owned());
        Ok(Order { arm, program, arguments, environment, folder, goal })
    }

    /// Carries the order out in a process of its own, from which all processes of the run descend.
    /// Gives what that process says.
    pub fn carry_out<T: DeserializeOwned>(&self) -> Result<T> {
        // A build may replace this program in the meantime, and this path still leads to it.
        let output = Command::new("/proc/self/exe")
            .arg("watch")
            .arg(serde_json::to_string(self)?)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start a watcher")?;
        ensure!(output.status.success(), "the watcher ended with {}", output.status);
        serde_json::from_slice(&output.stdout).context("the watcher's answer")
    }
}

impl Run {
    pub fn of(built: &Built, target: Target, arm: &Arm, seed: u64, limit: f64) -> Result<Run> {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let order = Order::new(built, target, arm, seed, scratch.path(), Goal::FirstBug(limit))?;
        let cost = order.carry_out()?;
        Ok(Run { target: target.name.to_owned(), arm: arm.clone(), seed, cost })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run { target, arm, seed, cost } = self;
        let Cost { is_found, executions, processor_seconds, wall_seconds } = cost;
        let end = if *is_found { "found" } else { "nothing found" };
        write!(
            f,
            "{target} on {arm}, seed {seed}: {end} after {executions} executions, \
             {processor_seconds:.2} s of processor time, {wall_seconds:.2} s"
        )
    }
}
