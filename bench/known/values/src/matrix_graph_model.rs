//! petgraph 0.5.1: a directed `MatrixGraph` loses edges when its matrix grows. Fixed in 0.6.0,
//! <https://github.com/petgraph/petgraph/issues/425>.

use std::collections::BTreeSet;

use petgraph::matrix_graph::{DiMatrix, node_index};

/// One call on the graph. A node is named by its index, modulo the number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Adds a node.
    AddNode,
    /// Adds the edge between two nodes if there is none.
    AddEdge(u8, u8),
    /// Removes the edge between two nodes if there is one.
    RemoveEdge(u8, u8),
}

/// Nodes of a graph.
const NODES_MAX: usize = 40;

/// The graph has the edges of a set.
///
/// # Panics
///
/// If it has others; or inside `petgraph`.
pub fn check(ops: &[Op]) {
    let mut graph = DiMatrix::<(), ()>::new();
    let mut nodes = 0;
    let mut edges = BTreeSet::new();
    for &op in ops {
        match op {
            Op::AddNode if nodes < NODES_MAX => {
                graph.add_node(());
                nodes += 1;
            }
            Op::AddEdge(from, to) if nodes > 0 => {
                let (from, to) = (usize::from(from) % nodes, usize::from(to) % nodes);
                if edges.insert((from, to)) {
                    graph.add_edge(node_index(from), node_index(to), ());
                }
            }
            Op::RemoveEdge(from, to) if nodes > 0 => {
                let (from, to) = (usize::from(from) % nodes, usize::from(to) % nodes);
                if edges.remove(&(from, to)) {
                    graph.remove_edge(node_index(from), node_index(to));
                }
            }
            _ => {}
        }
        assert_eq!((graph.node_count(), graph.edge_count()), (nodes, edges.len()));
    }
    for from in 0..nodes {
        let found: BTreeSet<_> =
            graph.neighbors(node_index(from)).map(|to| (from, to.index())).collect();
        assert_eq!(found, edges.range((from, 0)..(from + 1, 0)).copied().collect());
    }
}
