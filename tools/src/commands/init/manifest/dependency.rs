//! The dependency of a manifest: `libfuzzer-sys` in all its forms, and `dwindle` in its place.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Key, Table, Value};

/// The dependency that is replaced, and the one that replaces it.
pub(super) const FROM: &str = "libfuzzer-sys";
pub(super) const TO: &str = "dwindle";

/// Keys that give the source of a dependency, and keys that the conversion sets itself.
const SOURCE_KEYS: &[&str] = &[
    "version",
    "path",
    "git",
    "branch",
    "tag",
    "rev",
    "registry",
    "workspace",
    "package",
    "default-features",
    "default_features",
];

/// A dependency with only its source: `{ path = "..", default-features = false }`.
pub(crate) fn dependency(source: &(&'static str, String)) -> InlineTable {
    let mut dependency = InlineTable::new();
    dependency.insert(source.0, source.1.as_str().into());
    dependency.insert("default-features", false.into());
    dependency
}

/// The tables `[dependencies]`, for all platforms and for single ones.
pub(super) fn tables(document: &mut DocumentMut) -> Vec<&mut Table> {
    let mut tables = Vec::new();
    for (name, item) in document.iter_mut() {
        if name == "dependencies" {
            tables.extend(item.as_table_mut());
        } else if name == "target" {
            let platforms = item
                .as_table_mut()
                .into_iter()
                .flat_map(|table| table.iter_mut().map(|(_, item)| item));
            tables.extend(platforms.filter_map(|platform| {
                platform.get_mut("dependencies").and_then(Item::as_table_mut)
            }));
        }
    }
    tables
}

/// Gives the dependency on libfuzzer-sys its own name. Returns the name that it had. `None` if it
/// has its own name.
pub(super) fn own_name(document: &mut DocumentMut) -> Option<String> {
    let mut had = None;
    for table in tables(document) {
        let renamed = table.iter().find(|(name, item)| {
            *name != FROM && item.get("package").and_then(Item::as_str) == Some(FROM)
        });
        let Some(name) = renamed.map(|(name, _)| name.to_owned()) else { continue };
        for (key, mut item) in drain(table) {
            if key.get() != name {
                table.insert_formatted(&key, item);
                continue;
            }
            if let Some(item) = item.as_table_like_mut() {
                item.remove("package");
            }
            let key = Key::new(FROM)
                .with_leaf_decor(key.leaf_decor().clone())
                .with_dotted_decor(key.dotted_decor().clone());
            table.insert_formatted(&key, item);
        }
        had = Some(name);
    }
    had
}

/// Replaces libfuzzer-sys by dwindle, with the requested features.
pub(super) fn replace(table: &mut Table, source: &(&'static str, String), inherited: &[String]) {
    let had = table.contains_key(TO);
    let mut features = Vec::new();
    for (key, item) in drain(table) {
        if key.get() != FROM {
            table.insert_formatted(&key, item);
            continue;
        }
        features = inherited.to_vec();
        features
            .extend(features_of(&item).into_iter().filter(|feature| !inherited.contains(feature)));
        if had {
            continue;
        }
        let key = Key::new(TO)
            .with_leaf_decor(key.leaf_decor().clone())
            .with_dotted_decor(key.dotted_decor().clone());
        let item = match item {
            Item::Table(table) if !table.is_dotted() => {
                Item::Table(of_table(table, source, &features))
            }
            item => {
                let mut value = dependency(source);
                if item.get("optional").and_then(Item::as_bool) == Some(true) {
                    value.insert("optional", true.into());
                }
                if !features.is_empty() {
                    value.insert("features", features.iter().collect::<Array>().into());
                }
                let mut value = Value::from(value);
                if let Item::Value(before) = &item {
                    *value.decor_mut() = before.decor().clone();
                }
                Item::Value(value)
            }
        };
        table.insert_formatted(&key, item);
    }
    if had {
        add_features(&mut table[TO], &features);
    }
}

/// Converts a dependency table that has its own header. The header and the comments stay.
fn of_table(mut table: Table, source: &(&'static str, String), features: &[String]) -> Table {
    let kept = drain(&mut table);
    for (key, value) in &dependency(source) {
        table.insert(key, Item::Value(value.clone()));
    }
    if !features.is_empty() {
        table.insert("features", Item::Value(features.iter().collect::<Array>().into()));
    }
    for (key, item) in kept {
        if key.get() == "features" {
            // The features are inserted already. Their old comments stay with them.
            if let (Some(mut known), false) = (table.key_mut("features"), features.is_empty()) {
                *known.leaf_decor_mut() = key.leaf_decor().clone();
            }
        } else if !SOURCE_KEYS.contains(&key.get()) {
            table.insert_formatted(&key, item);
        }
    }
    table
}

fn drain(table: &mut Table) -> Vec<(Key, Item)> {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    names.iter().filter_map(|name| table.remove_entry(name)).collect()
}

/// The features of the dependency, without `link_libfuzzer`: dwindle has a separate feature for
/// that.
fn features_of(item: &Item) -> Vec<String> {
    let features = item.get("features").and_then(Item::as_array).into_iter().flatten();
    features
        .filter_map(Value::as_str)
        .filter(|feature| *feature != "link_libfuzzer")
        .map(str::to_owned)
        .collect()
}

/// Adds features to an existing dependency.
fn add_features(item: &mut Item, more: &[String]) {
    let known = features_of(item);
    let missing = || more.iter().filter(|feature| !known.contains(feature));
    if missing().next().is_none() {
        return;
    }
    if let Some(version) = item.as_str() {
        let mut table = InlineTable::new();
        table.insert("version", version.into());
        *item = Item::Value(table.into());
    }
    if let Some(table) = item.as_table_like_mut() {
        let features = table.entry("features").or_insert(Item::Value(Array::new().into()));
        if let Some(features) = features.as_array_mut() {
            missing().for_each(|feature| features.push(feature));
        }
    }
}
