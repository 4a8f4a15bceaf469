//! What the shrinker arrives at, beside the true minima that `fuzz/tests/true_minima` proves.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::evidence::run::run;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;

struct Target {
    name: &'static str,
    options: &'static [&'static str],
    /// The least draws of each of its bugs, those of the bug it is named for first.
    minima: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target {
        name: "graphmap_remove_node",
        options: &["--stop-on-first", "--max-time", "120"],
        minima: &["[AddEdge(0, 1), RemoveNode(1)]"],
    },
    Target {
        name: "roaring_remove",
        options: &["--stop-on-first", "--max-time", "120"],
        minima: &[
            "[InsertRange { start: 0, len: 3 }, Insert(4), RemoveSmallest(3)]",
            "[InsertRange { start: 0, len: 3 }, Insert(4), RemoveBiggest(1)]",
        ],
    },
    // From here on all bugs of a run: the first one found is often not the one that the target is
    // named for.
    Target {
        name: "decimal_expr",
        options: &["--max-time", "20"],
        minima: &[
            "Div(Lit { lo: 0, mid: 0, hi: 1, negative: false, scale: 0 }, Lit { lo: 1, mid: 1, hi: \
             0, negative: false, scale: 0 })",
            "Div(Lit { lo: 0, mid: 0, hi: 4294967295, negative: false, scale: 0 }, Lit { lo: 2, \
             mid: 1, hi: 1, negative: false, scale: 0 })",
            "Add(Lit { lo: 0, mid: 0, hi: 1, negative: false, scale: 0 }, Lit { lo: 0, mid: \
             2147483648, hi: 1, negative: true, scale: 0 })",
        ],
    },
    Target {
        name: "url_setters",
        options: &["--max-time", "15"],
        minima: &[
            r#"Session { start: File, setters: [Path("0")] }"#,
            r#"Session { start: NoHost, setters: [Path("//")] }"#,
            r##"Session { start: Opaque, setters: [Path("#")] }"##,
            r#"Session { start: Opaque, setters: [Path(" /\"")] }"#,
            r#"Session { start: Other, setters: [Path("//"), Host(None)] }"#,
            r#"Session { start: File, setters: [Path("/A:"), Host(Some("0"))] }"#,
            r#"Session { start: File, setters: [Host(Some("0")), Path("A:")] }"#,
            r#"Session { start: Other, setters: [Username("0"), Host(Some(""))] }"#,
            r#"Session { start: File, setters: [Host(Some("0")), Host(None), Scheme("ws")] }"#,
            r#"Session { start: Other, setters: [Path(""), Query(Some("")), Host(None)] }"#,
        ],
    },
];

pub(crate) fn measure() -> Result<()> {
    println!(
        "| target | seed | bug | draws | choices | calls | status | true minimum |\n| --- | --- | \
         --- | --- | --- | --- | --- | --- |"
    );
    let mut shares: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for target in TARGETS {
        let (arrived, bugs) = shares.entry(target.name).or_default();
        for seed in SEEDS {
            let found = run(target.name, seed, target.options)?;
            if found.is_empty() {
                println!("| {} | {seed} | none found | | | | | |", target.name);
                *bugs += 1;
            }
            for bug in found {
                let draws = bug.draws();
                let is_minimal = target.minima.contains(&draws.as_str());
                *bugs += 1;
                *arrived += usize::from(is_minimal);
                println!(
                    "| {} | {seed} | {} | `{draws}` | {} | {} | {} | {} |",
                    target.name,
                    bug.field("location"),
                    bug.field("minimized_choices"),
                    bug.field("calls"),
                    bug.field("status"),
                    if is_minimal { "yes" } else { "NO" }
                );
            }
        }
    }
    println!();
    for (target, (arrived, bugs)) in shares {
        println!("{target}: {arrived} of {bugs} at a true minimum");
    }
    Ok(())
}
