//! The features of a fuzz crate: they name dwindle, and choose the engine.

use anyhow::Result;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::dependency::{TO, tables};
use crate::exit::wrong_use;

/// The feature that links libFuzzer, both in the fuzz crate and in dwindle.
const ENGINE: &str = "libfuzzer";
const AFL: &str = "afl";

/// Renames the dependency `from` in the features of the fuzz crate and in the required features of
/// its targets. A feature that is named like the dependency stays.
pub(super) fn rename_dependency(document: &mut DocumentMut, from: &str) {
    let is_feature = has_feature(document, from);
    let rename_in = |features: &mut Array| rename_in(features, from, is_feature);
    if let Some(features) = document.get_mut("features").and_then(Item::as_table_like_mut) {
        for (_, item) in features.iter_mut() {
            item.as_array_mut().into_iter().for_each(rename_in);
        }
    }
    if let Some(targets) = document.get_mut("bin").and_then(Item::as_array_of_tables_mut) {
        for target in targets.iter_mut() {
            target
                .get_mut("required-features")
                .and_then(Item::as_array_mut)
                .into_iter()
                .for_each(rename_in);
        }
    }
}

/// Whether the crate defines this feature itself.
pub(super) fn has_feature(document: &DocumentMut, name: &str) -> bool {
    let features = document.get("features").and_then(Item::as_table_like);
    features.is_some_and(|features| features.contains_key(name))
}

fn rename_in(features: &mut Array, from: &str, is_feature: bool) {
    for feature in features.iter_mut() {
        let renamed = feature.as_str().and_then(|name| {
            let (prefix, bare) =
                name.strip_prefix("dep:").map_or(("", name), |bare| ("dep:", bare));
            let rest = bare
                .strip_prefix(from)
                .filter(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
                .filter(|rest| !(is_feature && rest.is_empty() && prefix.is_empty()))?;
            Some(format!("{prefix}{TO}{rest}").replace("link_libfuzzer", ENGINE))
        });
        if let Some(renamed) = renamed {
            let decor = feature.decor().clone();
            *feature = Value::from(renamed);
            *feature.decor_mut() = decor;
        }
    }
}

/// Adds the features `libfuzzer`, on by default, and `afl`. Each links its engine.
///
/// If the crate already has a feature or dependency named `afl`, it stays, and a remark says so.
pub(super) fn forward_engine(document: &mut DocumentMut, is_optional: bool) -> Result<Vec<String>> {
    let engine = |engine: &str| {
        if is_optional { format!("{TO}?/{engine}") } else { format!("{TO}/{engine}") }
    };
    let is_dependency = |document: &mut DocumentMut, name| {
        tables(document).iter().any(|table| table.contains_key(name))
    };
    let has_own_afl = is_dependency(document, AFL);
    if !document.contains_key("features") {
        let mut table = Table::new();
        // Puts the table before the dependencies, because after them cargo-fuzz has a long list of
        // targets.
        let dependencies =
            document.get("dependencies").and_then(Item::as_table).and_then(|dependencies| {
                let headers =
                    dependencies.iter().filter_map(|(_, item)| item.as_table()?.position());
                dependencies.position().or_else(|| headers.min())
            });
        table.set_position(dependencies.map(|position| position - 1));
        table.decor_mut().set_prefix("\n");
        document.insert("features", Item::Table(table));
    }
    let odd = || {
        wrong_use(
            "this command cannot change [features] in Cargo.toml as it is written; add by hand: \
             libfuzzer = [\"dwindle/libfuzzer\"], afl = [\"dwindle/afl\"], and \"libfuzzer\" to \
             default",
        )
    };
    let features =
        document.get_mut("features").and_then(Item::as_table_like_mut).ok_or_else(odd)?;
    let mut wanted = vec![(ENGINE, engine(ENGINE))];
    // A crate for several fuzzers chooses one by its features, so its default stays.
    if !(is_optional && features.contains_key(ENGINE)) {
        wanted.insert(0, ("default", ENGINE.to_owned()));
    }
    let mut remarks = Vec::new();
    if has_own_afl || features.contains_key(AFL) {
        remarks.push(format!(
            "it has another feature or dependency `{AFL}`, so `--engine afl` does not work: that \
             needs the feature `{AFL} = [\"{}\"]`",
            engine(AFL)
        ));
    } else {
        wanted.push((AFL, engine(AFL)));
    }
    for (feature, needs) in wanted {
        let list = features
            .entry(feature)
            .or_insert(Item::Value(Array::new().into()))
            .as_array_mut()
            .ok_or_else(odd)?;
        if !list.iter().any(|known| known.as_str() == Some(needs.as_str())) {
            list.push(needs);
        }
    }
    Ok(remarks)
}
