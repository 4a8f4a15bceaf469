//! Files and folders of a crate do not depend on each other in a circle.
//!
//! A file depends on the files whose items it names by a path that begins with `crate`, `super` or
//! `self`. A module and its own children may depend on each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, UseTree};

use crate::sources::{CRATES, is_test, library_files, root};

/// A module, as the names on the way to it. The root of a crate is empty.
type Module = Vec<String>;

/// On which modules each module depends.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The items of the files of a crate, by module. Tests do not count.
fn modules(source: &str) -> BTreeMap<Module, syn::File> {
    let base = root().join(source);
    let module = |file: &Path| -> Module {
        let inside = file.strip_prefix(&base).expect("it lies in there").with_extension("");
        let names = inside.iter().map(|name| name.to_string_lossy().into_owned());
        let is_folder = |name: &String| matches!(name.as_str(), "mod" | "lib" | "main");
        names.filter(|name| !is_folder(name)).collect()
    };
    library_files(source).into_iter().map(|(parsed, file)| (module(&file), parsed)).collect()
}

/// Collects the paths that a file names, without its tests.
struct Paths<'a> {
    module: &'a Module,
    found: BTreeSet<Module>,
}

impl Paths<'_> {
    /// Takes a path if it begins in this crate.
    fn take(&mut self, path: &[String]) {
        let (mut base, mut rest) = match path.first().map(String::as_str) {
            Some("crate") => (Vec::new(), &path[1..]),
            Some("self") => (self.module.clone(), &path[1..]),
            Some("super") => (self.module.clone(), path),
            _ => return,
        };
        while let [first, more @ ..] = rest
            && first == "super"
        {
            base.pop();
            rest = more;
        }
        base.extend_from_slice(rest);
        self.found.insert(base);
    }

    fn take_tree(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take_tree(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.take_tree(item, before));
            }
            UseTree::Name(name) => self.take_name(before, &name.ident.to_string()),
            UseTree::Rename(rename) => self.take_name(before, &rename.ident.to_string()),
            UseTree::Glob(_) => self.take(before),
        }
    }

    fn take_name(&mut self, before: &[String], name: &str) {
        let mut path = before.to_vec();
        path.extend((name != "self").then(|| name.to_owned()));
        self.take(&path);
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.take_tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.take(&names);
        visit::visit_path(self, path);
    }
}

/// What the files of a crate depend on.
fn graph(source: &str) -> Graph {
    let modules = modules(source);
    let mut graph = Graph::new();
    for (module, parsed) in &modules {
        let mut paths = Paths { module, found: BTreeSet::new() };
        parsed.items.iter().for_each(|item: &Item| paths.visit_item(item));
        let targets = paths.found.into_iter().map(|path| {
            let known =
                (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]));
            path[..known.unwrap_or(0)].to_vec()
        });
        graph.insert(module.clone(), targets.filter(|target| !is_family(module, target)).collect());
    }
    graph
}

/// Whether one of two modules is the other, or contains it. The root of a crate only names its
/// children.
fn is_family(one: &Module, other: &Module) -> bool {
    one.is_empty() || other.is_empty() || one.starts_with(other) || other.starts_with(one)
}

/// The same of folders: of modules, as far as they have `depth` names.
fn folders(graph: &Graph, depth: usize) -> Graph {
    let folder = |module: &Module| module.iter().take(depth).cloned().collect::<Module>();
    let mut folders = Graph::new();
    for (module, targets) in graph {
        let from = folder(module);
        let to = targets.iter().map(folder).filter(|to| !is_family(&from, to));
        folders.entry(from.clone()).or_default().extend(to.collect::<Vec<_>>());
    }
    folders
}

/// A way from a module back to itself, if there is one.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    graph.keys().find_map(|start| {
        let mut came_from = BTreeMap::new();
        let mut waiting: Vec<&Module> = vec![start];
        while let Some(module) = waiting.pop() {
            for target in graph.get(module).into_iter().flatten() {
                if target == start {
                    let mut way = vec![start.join("::"), module.join("::")];
                    let mut at = module;
                    while at != start {
                        at = came_from[at];
                        way.push(at.join("::"));
                    }
                    way.reverse();
                    return Some(way);
                }
                if !came_from.contains_key(target) {
                    came_from.insert(target, module);
                    waiting.push(target);
                }
            }
        }
        None
    })
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    for source in CRATES {
        let graph = graph(source);
        assert_eq!(circle(&graph), None, "files of {source}");
    }
}

#[test]
fn no_folders_depend_on_each_other_in_a_circle() {
    for source in CRATES {
        let graph = graph(source);
        for depth in 1..4 {
            assert_eq!(circle(&folders(&graph, depth)), None, "folders of {source}, {depth} deep");
        }
    }
}

#[test]
fn a_circle_is_found() {
    let module = |name: &str| -> Module { name.split("::").map(str::to_owned).collect() };
    let edge = |from: &str, to: &str| (module(from), BTreeSet::from([module(to)]));
    let graph =
        Graph::from([edge("a::x", "b"), edge("b", "c"), edge("c", "a::y"), edge("a::y", "d")]);
    assert_eq!(circle(&graph), None);
    let way = ["a", "b", "c", "a"].map(str::to_owned).to_vec();
    assert_eq!(circle(&folders(&graph, 1)), Some(way));
}
