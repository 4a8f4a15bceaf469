//! Properties over vectors of operations.

use std::collections::{BTreeMap, BTreeSet};

use dwindle_engine::generators as g;
use dwindle_engine::{Generator, TestCase};

use super::properties::Case;

/// What a fuzzer's user has: operations with numbers and strings, run against a model.
pub(crate) const MACHINES: &[Case] = &[
    Case {
        name: "stack",
        property: stack,
        minimum: &["[Push(50), Dup, Dup]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "store",
        property: store,
        minimum: &[r#"[Set("", ":"), Get("")]"#],
        reference: "",
        calls_max: 300,
        is_hard: false,
    },
    Case {
        name: "named store",
        property: named_store,
        minimum: &[r#"[Set("0", "0"), Rename("0", "1"), Get("1")]"#],
        reference: "",
        calls_max: 500,
        is_hard: false,
    },
    Case {
        name: "graph",
        property: graph,
        minimum: &["[AddEdge(0, 1), RemoveNode(1)]"],
        reference: "",
        calls_max: 200,
        is_hard: false,
    },
    Case {
        name: "graph by index",
        property: graph_by_index,
        minimum: &["[AddNode, AddNode, AddEdge(0, 1), RemoveNode(1)]"],
        reference: "",
        calls_max: 500,
        is_hard: false,
    },
    Case {
        name: "runs",
        property: runs,
        minimum: &["[Insert(0), InsertRange(2, 5), Optimize, RemoveSmallest(1)]"],
        reference: "",
        calls_max: 3000,
        is_hard: true,
    },
    Case {
        name: "handles",
        property: handles,
        minimum: &["[Open, Open, Link(0, 1), Close(0), Use(1)]"],
        reference: "",
        calls_max: 700,
        is_hard: false,
    },
    Case {
        name: "ledger",
        property: ledger,
        minimum: &["[Deposit(101), Split(2), Withdraw(51)]"],
        reference: "",
        calls_max: 1200,
        is_hard: false,
    },
];

#[derive(Clone, Copy, Debug)]
enum Stack {
    Push(i16),
    Pop,
    Dup,
    Swap,
    Clear,
}

fn stack(tc: &mut TestCase) -> bool {
    let op = g::one_of((
        g::integers(..).map(Stack::Push),
        g::just(Stack::Pop),
        g::just(Stack::Dup),
        g::just(Stack::Swap),
        g::just(Stack::Clear),
    ));
    let mut stack = Vec::new();
    for op in tc.draw(g::vec(op)) {
        match op {
            Stack::Push(value) => stack.push(value),
            Stack::Pop => drop(stack.pop()),
            Stack::Dup => stack.extend(stack.last().copied()),
            Stack::Swap => {
                if let [.., one, other] = &mut stack[..] {
                    std::mem::swap(one, other);
                }
            }
            Stack::Clear => stack.clear(),
        }
        if matches!(stack[..], [_, one, other] if one == other && one >= 50) {
            return false;
        }
    }
    true
}

#[derive(Clone, Debug)]
enum Store {
    Get(String),
    Set(String, String),
    Remove(String),
    Rename(String, String),
    Clear,
}

fn store_ops() -> impl Generator<Value = Vec<Store>> {
    let key = || g::text().len(..=6).alphabet("0123456789abc:");
    g::vec(g::one_of((
        key().map(Store::Get),
        (key(), key()).map(|(key, value)| Store::Set(key, value)),
        key().map(Store::Remove),
        (key(), key()).map(|(from, to)| Store::Rename(from, to)),
        g::just(Store::Clear),
    )))
}

/// Values with a colon come back cut.
fn store(tc: &mut TestCase) -> bool {
    let mut map = BTreeMap::new();
    for op in tc.draw(store_ops()) {
        match op {
            Store::Get(key) => {
                if map.get(&key).is_some_and(|value: &String| value.contains(':')) {
                    return false;
                }
            }
            Store::Set(key, value) => drop(map.insert(key, value)),
            Store::Remove(key) => drop(map.remove(&key)),
            Store::Rename(from, to) => {
                if let Some(value) = map.remove(&from) {
                    map.insert(to, value);
                }
            }
            Store::Clear => map.clear(),
        }
    }
    true
}

/// A renamed key whose name is not empty is not found again.
fn named_store(tc: &mut TestCase) -> bool {
    let mut map: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for op in tc.draw(store_ops()) {
        match op {
            Store::Get(key) => {
                if map.get(&key).is_some_and(|(value, renamed)| *renamed && !value.is_empty()) {
                    return false;
                }
            }
            Store::Set(key, value) => drop(map.insert(key, (value, false))),
            Store::Remove(key) => drop(map.remove(&key)),
            Store::Rename(from, to) => {
                if from != to
                    && !from.is_empty()
                    && !to.is_empty()
                    && let Some((value, _)) = map.remove(&from)
                {
                    map.insert(to, (value, true));
                }
            }
            Store::Clear => map.clear(),
        }
    }
    true
}

#[derive(Clone, Copy, Debug)]
enum Graph {
    AddNode(u8),
    AddEdge(u8, u8),
    RemoveEdge(u8, u8),
    RemoveNode(u8),
}

/// Edges that come into a removed node stay behind.
fn graph(tc: &mut TestCase) -> bool {
    let node = || g::integers(0u8..);
    let op = g::one_of((
        node().map(Graph::AddNode),
        (node(), node()).map(|(from, to)| Graph::AddEdge(from, to)),
        (node(), node()).map(|(from, to)| Graph::RemoveEdge(from, to)),
        node().map(Graph::RemoveNode),
    ));
    let (mut nodes, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for op in tc.draw(g::vec(op)) {
        match op {
            Graph::AddNode(node) => drop(nodes.insert(node)),
            Graph::AddEdge(from, to) => {
                nodes.extend([from, to]);
                edges.insert((from, to));
            }
            Graph::RemoveEdge(from, to) => drop(edges.remove(&(from, to))),
            Graph::RemoveNode(node) => {
                nodes.remove(&node);
                edges.retain(|(from, _)| *from != node);
            }
        }
        if edges.iter().any(|(_, to)| !nodes.contains(to)) {
            return false;
        }
    }
    true
}

#[derive(Clone, Copy, Debug)]
enum Indexed {
    AddNode,
    AddEdge(usize, usize),
    RemoveNode(usize),
}

/// The same where nodes are numbered as they are added.
fn graph_by_index(tc: &mut TestCase) -> bool {
    let index = || g::integers(0usize..20);
    let op = g::one_of((
        g::just(Indexed::AddNode),
        (index(), index()).map(|(from, to)| Indexed::AddEdge(from, to)),
        index().map(Indexed::RemoveNode),
    ));
    let mut alive: Vec<bool> = Vec::new();
    let mut edges = BTreeSet::new();
    for op in tc.draw(g::vec(op)) {
        match op {
            Indexed::AddNode => alive.push(true),
            Indexed::AddEdge(from, to) => {
                if from != to && alive.get(from) == Some(&true) && alive.get(to) == Some(&true) {
                    edges.insert((from, to));
                }
            }
            Indexed::RemoveNode(node) => {
                if let Some(alive) = alive.get_mut(node) {
                    *alive = false;
                    edges.retain(|(from, _)| *from != node);
                }
            }
        }
        if edges.iter().any(|(_, to)| !alive[*to]) {
            return false;
        }
    }
    true
}

#[derive(Clone, Copy, Debug)]
enum Runs {
    Insert(u16),
    InsertRange(u16, u8),
    RemoveRange(u16, u8),
    RemoveSmallest(u8),
    Optimize,
}

/// Removing just the first runs of a set kept as runs goes wrong.
fn runs(tc: &mut TestCase) -> bool {
    let op = g::one_of((
        g::integers(..).map(Runs::Insert),
        (g::integers(..), g::integers(..)).map(|(start, len)| Runs::InsertRange(start, len)),
        (g::integers(..), g::integers(..)).map(|(start, len)| Runs::RemoveRange(start, len)),
        g::integers(..).map(Runs::RemoveSmallest),
        g::just(Runs::Optimize),
    ));
    let mut set: BTreeSet<u32> = BTreeSet::new();
    let mut is_runs = false;
    for op in tc.draw(g::vec(op)) {
        match op {
            Runs::Insert(value) => drop(set.insert(u32::from(value))),
            Runs::InsertRange(start, len) => {
                set.extend(u32::from(start)..u32::from(start) + u32::from(len));
            }
            Runs::RemoveRange(start, len) => set.retain(|value| {
                !(u32::from(start)..u32::from(start) + u32::from(len)).contains(value)
            }),
            Runs::RemoveSmallest(count) => {
                let removed: Vec<u32> = set.iter().copied().take(usize::from(count)).collect();
                let next = set.iter().copied().nth(usize::from(count));
                if is_runs && removed.last().zip(next).is_some_and(|(last, next)| last + 1 < next) {
                    return false;
                }
                set.retain(|value| !removed.contains(value));
            }
            Runs::Optimize => {
                let count = set
                    .iter()
                    .filter(|value| **value == 0 || !set.contains(&(**value - 1)))
                    .count();
                is_runs = count > 0 && set.len() >= 3 * count;
            }
        }
    }
    true
}

#[derive(Clone, Copy, Debug)]
enum Handle {
    Open,
    Link(usize, usize),
    Close(usize),
    Use(usize),
}

/// A handle linked from a closed one is used after it was freed.
fn handles(tc: &mut TestCase) -> bool {
    let index = || g::integers(0usize..16);
    let op = g::one_of((
        g::just(Handle::Open),
        (index(), index()).map(|(from, to)| Handle::Link(from, to)),
        index().map(Handle::Close),
        index().map(Handle::Use),
    ));
    let mut open: Vec<bool> = Vec::new();
    let mut links = BTreeSet::new();
    for op in tc.draw(g::vec(op)) {
        match op {
            Handle::Open => open.push(true),
            Handle::Link(from, to) => {
                if from != to && from < open.len() && to < open.len() && open[from] && open[to] {
                    links.insert((from, to));
                }
            }
            Handle::Close(index) => {
                if index < open.len() {
                    open[index] = false;
                }
            }
            Handle::Use(index) => {
                if links.iter().any(|(from, to)| *to == index && open[index] && !open[*from]) {
                    return false;
                }
            }
        }
    }
    true
}

#[derive(Clone, Copy, Debug)]
enum Ledger {
    Deposit(u32),
    Withdraw(u32),
    Split(u8),
    Note,
}

/// An odd balance above 100 is split and then more than its half drawn.
fn ledger(tc: &mut TestCase) -> bool {
    let op = g::one_of((
        g::integers(0u32..=100_000).map(Ledger::Deposit),
        g::integers(0u32..=100_000).map(Ledger::Withdraw),
        g::integers(..).map(Ledger::Split),
        g::just(Ledger::Note),
    ));
    let (mut balance, mut split) = (0u64, 0u64);
    for op in tc.draw(g::vec(op)) {
        match op {
            Ledger::Deposit(amount) => balance += u64::from(amount),
            Ledger::Withdraw(amount) => {
                if split > 0 && u64::from(amount) > split && u64::from(amount) <= balance {
                    return false;
                }
                balance = balance.saturating_sub(u64::from(amount));
            }
            Ledger::Split(parts) if parts > 1 && balance > 100 => {
                split = balance / u64::from(parts);
            }
            Ledger::Split(_) | Ledger::Note => {}
        }
    }
    true
}
