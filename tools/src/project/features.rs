//! The features of a fuzz crate, and those that a target needs.

use cargo_metadata::Package;
use std::collections::{BTreeMap, BTreeSet};

/// The crate that each target needs.
const DWINDLE: &str = "dwindle";

/// The features of a fuzz crate, and those that its targets require.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// The entries of each feature.
    entries: BTreeMap<String, Vec<String>>,
    /// The required features of each target.
    required: BTreeMap<String, Vec<String>>,
    /// Whether the crate depends on dwindle only if a feature says so.
    is_dwindle_optional: bool,
}

impl Features {
    pub(super) fn of(package: &Package) -> Self {
        let entries = package.features.iter().map(|(name, list)| (name.clone(), list.clone()));
        let binaries = package.targets.iter().filter(|target| target.is_bin());
        Self {
            entries: entries.collect(),
            required: binaries
                .map(|target| (target.name.clone(), target.required_features.clone()))
                .collect(),
            is_dwindle_optional: package
                .dependencies
                .iter()
                .any(|dependency| dependency.name == DWINDLE && dependency.optional),
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The features that a target needs beside those that are on: its `required-features`, and one
    /// that turns dwindle on if dwindle is optional. Each text of `on` may name several features.
    pub(crate) fn missing<'a>(
        &self,
        target: &str,
        on: impl IntoIterator<Item = &'a str>,
    ) -> Vec<String> {
        let on = on.into_iter().flat_map(|list| list.split([',', ' '])).map(str::to_owned);
        let mut on = self.reach(on);
        let required = self.required.get(target).into_iter().flatten();
        let mut missing: Vec<String> =
            required.filter(|feature| !on.contains(*feature)).cloned().collect();
        on.extend(self.reach(missing.iter().cloned()));
        if self.is_dwindle_optional && !has_dwindle(&on) {
            missing.extend(self.switch(&on));
        }
        missing
    }

    /// The feature that turns on dwindle and the least beside it, and no second engine. A feature
    /// that the user has named comes before the one that cargo makes of the dependency.
    fn switch(&self, on: &BTreeSet<String>) -> Option<String> {
        let reached = self.entries.keys().map(|name| (name, self.reach([name.clone()])));
        let switches = reached.filter(|(_, more)| {
            let has = |engine| has_engine(on, engine) || has_engine(more, engine);
            has_dwindle(more) && !(has("libfuzzer") && has("afl"))
        });
        switches.min_by_key(|(name, on)| (*name == DWINDLE, on.len())).map(|(name, _)| name.clone())
    }

    /// All entries of these features, also of those that they turn on.
    fn reach(&self, features: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        let mut waiting: Vec<String> = features.into_iter().collect();
        let mut on = BTreeSet::new();
        while let Some(feature) = waiting.pop() {
            if on.insert(feature.clone()) {
                waiting.extend(self.entries.get(&feature).into_iter().flatten().cloned());
            }
        }
        on
    }
}

fn has_dwindle(on: &BTreeSet<String>) -> bool {
    on.iter().any(|entry| entry == "dep:dwindle" || entry.starts_with("dwindle/"))
}

fn has_engine(on: &BTreeSet<String>, engine: &str) -> bool {
    on.contains(&format!("dwindle/{engine}")) || on.contains(&format!("dwindle?/{engine}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(entries: &[(&str, &[&str])], required: &[&str]) -> Features {
        let list = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect();
        Features {
            entries: entries.iter().map(|(name, has)| ((*name).to_owned(), list(has))).collect(),
            required: BTreeMap::from([("t".to_owned(), list(required))]),
            is_dwindle_optional: true,
        }
    }

    fn missing(features: &Features, asked: &[&'static str]) -> Vec<String> {
        features.missing("t", asked.iter().copied().chain(["default"]))
    }

    /// A crate for several fuzzers, as `init` converts it.
    const SEVERAL: &[(&str, &[&str])] = &[
        ("default", &["libfuzzer"]),
        ("libfuzzer", &["dwindle?/libfuzzer"]),
        ("dwindle", &["dep:dwindle"]),
        ("fuzz_all", &["fuzz_libfuzzer", "honggfuzz"]),
        ("fuzz_libfuzzer", &["dwindle"]),
        ("honggfuzz", &["dep:honggfuzz"]),
    ];

    #[test]
    fn required_features_are_missing_unless_they_are_on() {
        let features = features(SEVERAL, &["dwindle", "honggfuzz"]);
        assert_eq!(missing(&features, &[]), ["dwindle", "honggfuzz"]);
        assert_eq!(missing(&features, &["a,fuzz_libfuzzer", "b"]), ["honggfuzz"]);
        assert!(missing(&features, &["fuzz_all"]).is_empty());
        assert!(features.contains("fuzz_all") && !features.contains("a"));
    }

    #[test]
    fn optional_dwindle_is_turned_on_by_the_feature_with_the_least_beside_it() {
        assert_eq!(missing(&features(SEVERAL, &[]), &[]), ["fuzz_libfuzzer"]);
        assert!(missing(&features(SEVERAL, &[]), &["fuzz_libfuzzer"]).is_empty());
        assert_eq!(missing(&features(SEVERAL, &["fuzz_libfuzzer"]), &[]), ["fuzz_libfuzzer"]);
        assert_eq!(missing(&features(&SEVERAL[..3], &[]), &[]), ["dwindle"]);
        let on = [("default", &["libfuzzer"][..]), ("libfuzzer", &["dwindle/libfuzzer"])];
        assert!(missing(&features(&on, &[]), &[]).is_empty());
        let both =
            [("afl", &["dwindle?/afl"][..]), ("fuzz", &["dep:dwindle", "dwindle?/libfuzzer"])];
        let both = features(&[&both[..], &SEVERAL[2..3]].concat(), &[]);
        assert_eq!(both.missing("t", ["afl"]), ["dwindle"]);
        assert_eq!(both.missing("t", [""]), ["fuzz"]);
        let required = Features { is_dwindle_optional: false, ..features(SEVERAL, &[]) };
        assert!(missing(&required, &[]).is_empty());
    }
}
