//! petgraph's `DiGraphMap` beside a set of nodes and a map of edges.
//!
//! petgraph 0.5.1: `remove_node` leaves the edges that come *into* the removed node behind.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction::{Incoming, Outgoing};
use petgraph::graphmap::DiGraphMap;

/// One call on the graph; nodes are named by small numbers so that calls meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Adds a node.
    AddNode(u8),
    /// Adds an edge from the first node to the second, and both nodes.
    AddEdge(u8, u8),
    /// Removes the edge from the first node to the second.
    RemoveEdge(u8, u8),
    /// Removes a node and every edge that touches it.
    RemoveNode(u8),
}

/// Runs the calls on the graph and on the model and compares all that can be seen of both after
/// each call.
///
/// # Panics
///
/// Where they differ.
pub fn check(ops: &[Op]) {
    let mut graph = DiGraphMap::<u8, usize>::new();
    let mut nodes = BTreeSet::new();
    let mut edges = BTreeMap::new();
    for (weight, &op) in ops.iter().enumerate() {
        match op {
            Op::AddNode(node) => {
                graph.add_node(node);
                nodes.insert(node);
            }
            Op::AddEdge(from, to) => {
                assert_eq!(graph.add_edge(from, to, weight), edges.insert((from, to), weight));
                nodes.extend([from, to]);
            }
            Op::RemoveEdge(from, to) => {
                assert_eq!(graph.remove_edge(from, to), edges.remove(&(from, to)));
            }
            Op::RemoveNode(node) => {
                assert_eq!(graph.remove_node(node), nodes.remove(&node));
                edges.retain(|&(from, to), _| from != node && to != node);
            }
        }
        assert_eq!(graph.nodes().collect::<BTreeSet<_>>(), nodes);
        assert_eq!(
            graph
                .all_edges()
                .map(|(from, to, &weight)| ((from, to), weight))
                .collect::<BTreeMap<_, _>>(),
            edges
        );
        for &node in &nodes {
            let successors: BTreeSet<_> =
                edges.keys().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
            let predecessors: BTreeSet<_> =
                edges.keys().filter(|edge| edge.1 == node).map(|edge| edge.0).collect();
            assert_eq!(
                graph.neighbors_directed(node, Outgoing).collect::<BTreeSet<_>>(),
                successors
            );
            assert_eq!(
                graph.neighbors_directed(node, Incoming).collect::<BTreeSet<_>>(),
                predecessors
            );
        }
    }
}
