//! petgraph 0.8: graphs and algorithms on them. Calls.

use petgraph::algo;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Bfs, Dfs};

/// One call on the graph. A node counts modulo the number of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Puts a node.
    AddNode,
    /// Puts an edge.
    AddEdge(u8, u8, u8),
    /// Takes a node out.
    RemoveNode(u8),
    /// Turns all edges.
    Reverse,
    /// An algorithm.
    Run(Algorithm, u8, u8),
}

/// An algorithm of petgraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "each is its algorithm")]
pub enum Algorithm {
    Astar,
    BellmanFord,
    Bridges,
    Bipartite,
    Components,
    Condensation,
    Dijkstra,
    Dominators,
    FeedbackArcs,
    FloydWarshall,
    Flow,
    Isomorphism,
    Johnson,
    Matching,
    PageRank,
    Paths,
    Sort,
    SpanningTree,
    Walks,
}

/// Nodes of a graph.
const NODES_MAX: usize = 12;

type Graph = DiGraph<u8, u32>;
/// The same in each process.
type Fixed = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

/// Does the calls one after the other.
///
/// # Panics
///
/// Inside `petgraph`.
pub fn check(ops: &[Op]) {
    let mut graph = Graph::new();
    for op in ops {
        let nodes = graph.node_count();
        let node = |node: u8| NodeIndex::new(usize::from(node) % nodes.max(1));
        match *op {
            Op::AddNode if nodes < NODES_MAX => {
                graph.add_node(0);
            }
            Op::AddEdge(from, to, weight) if nodes > 0 => {
                graph.update_edge(node(from), node(to), weight.into());
            }
            Op::RemoveNode(at) if nodes > 0 => {
                graph.remove_node(node(at));
            }
            Op::Reverse => graph.reverse(),
            Op::Run(algorithm, from, to) if nodes > 0 => {
                run(&graph, algorithm, node(from), node(to));
            }
            _ => {}
        }
    }
}

fn run(graph: &Graph, algorithm: Algorithm, from: NodeIndex, to: NodeIndex) {
    let weight = |edge: petgraph::graph::EdgeReference<'_, u32>| *edge.weight();
    match algorithm {
        Algorithm::Astar => {
            let _ = algo::astar(graph, from, |node| node == to, weight, |_| 0);
        }
        Algorithm::BellmanFord => {
            let floats = graph.map(|_, _| (), |_, weight| f64::from(*weight) - 3.0);
            let _ = algo::bellman_ford(&floats, from).is_ok();
        }
        Algorithm::Bridges => {
            let plain = graph.clone().into_edge_type::<petgraph::Undirected>();
            let _ = algo::articulation_points::articulation_points(&plain).len();
        }
        Algorithm::Bipartite => {
            let _ = algo::is_bipartite_undirected(graph, from);
        }
        Algorithm::Components => {
            let _ = (algo::tarjan_scc(graph).len(), algo::kosaraju_scc(graph).len());
        }
        Algorithm::Condensation => {
            let _ = algo::condensation(graph.clone(), true).node_count();
        }
        Algorithm::Dijkstra => {
            let _ = algo::dijkstra(graph, from, Some(to), weight).len();
            let _ = algo::k_shortest_path(graph, from, Some(to), 2, weight).len();
        }
        Algorithm::Dominators => {
            let _ = algo::dominators::simple_fast(graph, from).immediate_dominator(to);
        }
        Algorithm::FeedbackArcs => {
            let _ = algo::greedy_feedback_arc_set(graph).count();
        }
        Algorithm::FloydWarshall => {
            let _ = algo::floyd_warshall(graph, weight).is_ok();
        }
        Algorithm::Flow => {
            let _ = algo::ford_fulkerson(graph, from, to);
        }
        Algorithm::Isomorphism => {
            let _ = algo::is_isomorphic_subgraph(graph, graph);
        }
        Algorithm::Johnson => {
            let signed = graph.map(|_, _| (), |_, weight| i64::from(*weight) - 3);
            let _ = algo::johnson(&signed, |edge| *edge.weight()).is_ok();
        }
        Algorithm::Matching => {
            let plain = graph.clone().into_edge_type::<petgraph::Undirected>();
            let _ = (algo::greedy_matching(&plain).len(), algo::maximum_matching(&plain).len());
        }
        Algorithm::PageRank => {
            let _ = algo::page_rank(graph, 0.5_f64, 3).len();
        }
        Algorithm::Paths => {
            let paths = algo::all_simple_paths::<Vec<_>, _, Fixed>(graph, from, to, 0, None);
            let _ = paths.take(8).count();
        }
        Algorithm::Sort => {
            let _ = (algo::toposort(graph, None).is_ok(), algo::is_cyclic_directed(graph));
        }
        Algorithm::SpanningTree => {
            let _ = algo::min_spanning_tree(graph).count();
        }
        Algorithm::Walks => {
            let (mut wide, mut deep) = (Bfs::new(graph, from), Dfs::new(graph, to));
            while wide.next(graph).is_some() || deep.next(graph).is_some() {}
            let _ = algo::has_path_connecting(graph, from, to, None);
        }
    }
}
