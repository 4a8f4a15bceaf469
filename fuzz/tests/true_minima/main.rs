//! What each target's bugs look like at their smallest, proved by trying everything smaller over
//! small alphabets.
//!
//! Smaller is shortlex: fewer choices, then from the left the simpler one. The end-to-end tests ask
//! of the shrinker to arrive at these values from any start.

mod decode;
mod shortlex;

use dwindle_fuzz::{decimal, graphmap, roaring};
use shortlex::minima;

/// Any value in place of 0 and 1 would do, and so would any edge into a removed node.
#[test]
fn an_edge_outlives_the_node_it_leads_to() {
    let found = minima(6, decode::graph_ops, |ops, _| graphmap::check(ops));
    assert_eq!(found, ["[AddEdge(0, 1), RemoveNode(1)]"]);
}

/// A range inserted first is a run if it is longer than two; the value after a gap makes the run an
/// inner one.
#[test]
fn removals_that_use_up_a_run_leave_an_impossible_one() {
    let found = minima(8, decode::bitmap_ops, |ops, _| roaring::check(ops));
    assert_eq!(
        found,
        [
            "[InsertRange { start: 0, len: 3 }, Insert(4), RemoveSmallest(3)]",
            "[InsertRange { start: 0, len: 3 }, Insert(4), RemoveBiggest(1)]",
        ]
    );
}

#[test]
fn two_literals_suffice_for_a_panic_of_a_sum_and_of_a_quotient() {
    let found = minima(13, decode::expr, |expr, _| {
        decimal::eval(expr);
    });
    assert_eq!(
        found,
        [
            // 2^64 - (2^64 + 2^63): the lower half is negated as an i64, and i64::MIN cannot be.
            "Add(Lit { lo: 0, mid: 0, hi: 1, negative: false, scale: 0 }, Lit { lo: 0, mid: \
             2147483648, hi: 1, negative: true, scale: 0 })",
            // 2^64 / (2^32 + 1): once both are shifted, their upper halves are the same.
            "Div(Lit { lo: 0, mid: 0, hi: 1, negative: false, scale: 0 }, Lit { lo: 1, mid: 1, hi: \
             0, negative: false, scale: 0 })",
        ]
    );
}

/// Nothing shorter or simpler panics, whatever single character it has.
#[test]
fn set_path_panics_on_a_file_without_a_host() {
    let found = minima(4, |choices| decode::session(choices, &decode::ascii()), decode::run);
    // `set_path` looks for a drive letter behind a slash that is not there.
    assert_eq!(found[0], r#"Session { start: File, setters: [Path("0")] }"#);
}

#[test]
fn setters_of_url_have_ten_bugs() {
    let texts = ["", "0", "#", "A:", "ws", "//", " /\"", "/A:"].map(String::from);
    let found = minima(9, |choices| decode::session(choices, &texts), decode::run);
    assert_eq!(
        found,
        [
            // The one above.
            r#"Session { start: File, setters: [Path("0")] }"#,
            // A path of two slashes becomes a host: `b://`.
            r#"Session { start: NoHost, setters: [Path("//")] }"#,
            // `#` and `?` stay as they are in an opaque path, where they begin a fragment and a
            // query: `b:#`.
            r##"Session { start: Opaque, setters: [Path("#")] }"##,
            // The slash that would end an opaque path is looked for before blanks are trimmed:
            // `b:/"` parses to `b:/%22`.
            r#"Session { start: Opaque, setters: [Path(" /\"")] }"#,
            // Without its host a path of two slashes becomes one: `b://`.
            r#"Session { start: Other, setters: [Path("//"), Host(None)] }"#,
            // A drive letter and a host, which the parser drops: `file://0.0.0.0/A:`.
            r#"Session { start: File, setters: [Path("/A:"), Host(Some("0"))] }"#,
            // The same the other way round.
            r#"Session { start: File, setters: [Host(Some("0")), Path("A:")] }"#,
            // A user of an empty host: `b://0@/` does not parse.
            r#"Session { start: Other, setters: [Username("0"), Host(Some(""))] }"#,
            // The scheme of a host that is gone: `ws:///` does not parse.
            r#"Session { start: File, setters: [Host(Some("0")), Host(None), Scheme("ws")] }"#,
            // `set_host(None)` asks for a slash where the query begins.
            r#"Session { start: Other, setters: [Path(""), Query(Some("")), Host(None)] }"#,
        ]
    );
}
