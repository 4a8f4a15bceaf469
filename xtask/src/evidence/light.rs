//! What a crate pays for its tests: the crates and the processor time that dwindle without fuzzing
//! adds to a build, beside its peers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::steps::processor_time_of_children;
use crate::tools;

/// Each crate is built so often, in turns; the quickest counts. `DWINDLE_LIGHT_TIMES` changes it.
const TIMES: usize = 3;
/// What the build may have and cost.
const CRATES_MAX: usize = 30;
const SHARE_MAX: f64 = 1.5;

/// A crate for property tests.
struct Peer {
    name: &'static str,
    /// The dependency. `{harness}` stands for the folder of dwindle.
    dependency: &'static str,
    /// A test of one property.
    test: &'static str,
}

const PEERS: [Peer; 4] = [
    Peer {
        name: "dwindle",
        dependency: "{ path = \"{harness}\", default-features = false }",
        test: "#[dwindle::test]\nfn sorting_keeps_the_length(numbers: \
               Vec<u32>) {\n    check(&numbers);\n}\n",
    },
    Peer {
        name: "proptest",
        dependency: "\"=1.12.0\"",
        test: "use proptest::prelude::*;\n\nproptest! {\n    #[test]\n    fn \
               sorting_keeps_the_length(numbers: Vec<u32>) {\n        check(&numbers);\n    }\n}\n",
    },
    Peer {
        name: "hegeltest",
        dependency: "\"=0.31.0\"",
        test: "use hegel::generators as gs;\n\n#[hegel::test]\nfn sorting_keeps_the_length(tc: \
               hegel::TestCase) {\n    \
               check(&tc.draw(gs::vecs(gs::integers::<u32>())));\n}\n",
    },
    Peer {
        name: "bolero",
        dependency: "\"=0.13.7\"",
        test: "#[test]\nfn sorting_keeps_the_length() {\n    \
               bolero::check!().with_type::<Vec<u32>>().for_each(|numbers| check(numbers));\n}\n",
    },
];

/// What the property does, in each crate the same.
const CHECK: &str = "\nfn check(numbers: &[u32]) {\n    let mut sorted = numbers.to_vec();\n    \
                     sorted.sort_unstable();\n    assert_eq!(sorted.len(), numbers.len());\n}\n";

/// What one peer costs.
#[derive(Clone, Copy)]
struct Cost {
    crates: usize,
    cold: Duration,
    again: Duration,
}

pub(crate) fn measure() -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    for peer in &PEERS {
        write_crate(&scratch.path().join(peer.name), peer)?;
    }
    let mut costs = [Cost { crates: 0, cold: Duration::MAX, again: Duration::MAX }; PEERS.len()];
    let times = times()?;
    for _ in 0..times {
        for (peer, cost) in PEERS.iter().zip(&mut costs) {
            let folder = scratch.path().join(peer.name);
            cost.crates = crates(&folder)?;
            cost.cold = cost.cold.min(cold(&folder)?);
            cost.again = cost.again.min(again(&folder)?);
        }
    }
    print(&costs, times)
}

fn times() -> Result<usize> {
    match std::env::var("DWINDLE_LIGHT_TIMES") {
        Ok(times) => times.parse().context("DWINDLE_LIGHT_TIMES is not a number"),
        Err(_) => Ok(TIMES),
    }
}

fn print(costs: &[Cost], times: usize) -> Result<()> {
    println!(
        "Seconds of processor time to build one property test with `cargo test --no-run`, the \
         least of {times} in turns. From cold, all crates are built as cargo builds those of a \
         registry (CARGO_INCREMENTAL=0). Then one line of the test changes, and cargo builds \
         again with its defaults.\n"
    );
    println!(
        "| crate | crates built | from cold | beside proptest | after one changed line | beside \
         proptest |\n| --- | --- | --- | --- | --- | --- |"
    );
    let proptest = PEERS.iter().position(|peer| peer.name == "proptest").context("no proptest")?;
    let share = |time: Duration, of: Duration| time.as_secs_f64() / of.as_secs_f64();
    let shares = |cost: &Cost| {
        (share(cost.cold, costs[proptest].cold), share(cost.again, costs[proptest].again))
    };
    for (Peer { name, .. }, cost) in PEERS.iter().zip(costs) {
        let Cost { crates, cold, again } = cost;
        let (cold_share, again_share) = shares(cost);
        println!(
            "| {name} | {crates} | {:.1} | {cold_share:.2} | {:.2} | {again_share:.2} |",
            cold.as_secs_f64(),
            again.as_secs_f64()
        );
    }
    let is_met = costs[0].crates <= CRATES_MAX && shares(&costs[0]).0 <= SHARE_MAX;
    println!(
        "\nAt most {CRATES_MAX} crates, and at most {SHARE_MAX} times the time of proptest from \
         cold: {}",
        if is_met { "met" } else { "MISSED" }
    );
    Ok(())
}

fn write_crate(folder: &Path, peer: &Peer) -> Result<()> {
    let harness = tools::root().join("harness").display().to_string();
    let dependency = peer.dependency.replace("{harness}", &harness);
    for inner in ["src", "tests"] {
        fs::create_dir_all(folder.join(inner)).context("cannot make a folder")?;
    }
    let manifest = format!(
        "[package]\nname = \"uses_{0}\"\nedition = \"2024\"\n\n[dev-dependencies]\n{0} = \
         {dependency}\n\n[workspace]\n",
        peer.name
    );
    for (file, text) in [
        ("Cargo.toml", &*manifest),
        ("src/lib.rs", ""),
        ("tests/property.rs", &format!("{}{CHECK}", peer.test)),
    ] {
        fs::write(folder.join(file), text)
            .with_context(|| format!("cannot write {}", folder.join(file).display()))?;
    }
    Ok(())
}

/// The crates that a peer consists of, with itself. The tests are all that uses it.
fn crates(folder: &Path) -> Result<usize> {
    let mut command = tools::cargo();
    command.current_dir(folder).args(["tree", "--edges", "normal,build,dev", "--prefix", "none"]);
    let output = command.output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo cannot list the crates in {}", folder.display());
    let listed = String::from_utf8_lossy(&output.stdout);
    let names: BTreeSet<&str> = listed
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty() && !line.starts_with("uses_"))
        .collect();
    ensure!(!names.is_empty(), "cargo lists no crates in {}", folder.display());
    Ok(names.len())
}

/// Builds everything.
fn cold(folder: &Path) -> Result<Duration> {
    let target = folder.join("target");
    if target.exists() {
        fs::remove_dir_all(&target).context("cannot remove the last build")?;
    }
    build(folder, "0")
}

/// Builds again after one line of the test has changed.
fn again(folder: &Path) -> Result<Duration> {
    // The first build fills the folder of the incremental compiler.
    change(folder)?;
    build(folder, "1")?;
    change(folder)?;
    build(folder, "1")
}

/// Adds a line to the property.
fn change(folder: &Path) -> Result<()> {
    let file = folder.join("tests/property.rs");
    let text = fs::read_to_string(&file).context("cannot read what was written")?;
    let changed =
        text.replacen("    assert_eq!", "    assert!(sorted.is_sorted());\n    assert_eq!", 1);
    fs::write(&file, changed).context("cannot write the changed test")
}

fn build(folder: &Path, incremental: &str) -> Result<Duration> {
    let mut command = tools::cargo();
    command.args(["test", "--no-run", "--quiet"]).current_dir(folder);
    command.env_remove("CARGO_TARGET_DIR").env("CARGO_INCREMENTAL", incremental);
    let before = processor_time_of_children();
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "the crate in {} does not build", folder.display());
    Ok(processor_time_of_children().saturating_sub(before))
}
