//! Converts the manifest of a fuzz crate from `libfuzzer-sys` to `dwindle`. Comments, order and
//! layout stay.

mod dependency;
mod features;

use anyhow::{Context, Result};
use toml_edit::{DocumentMut, Item, Table};

pub(crate) use self::dependency::dependency;
use self::dependency::{FROM, TO};

/// Facts about a crate that are not in its own manifest.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The features of `libfuzzer-sys` in the dependencies of the workspace.
    pub(crate) inherited_features: Vec<String>,
    /// Whether the crate has programs, which are linked with an engine. A crate without programs
    /// leaves the engine to the crates that depend on it.
    pub(crate) has_binaries: bool,
}

/// A converted manifest, and remarks for the user.
#[derive(Debug)]
pub(crate) struct Converted {
    pub(crate) text: String,
    /// The name by which the crate depended on `libfuzzer-sys`.
    pub(crate) name: String,
    pub(crate) remarks: Vec<String>,
}

/// Converts a manifest. `None` if it has no `libfuzzer-sys`. `source` is the key and the value of a
/// dependency on dwindle.
pub(crate) fn convert(
    text: &str,
    source: &(&'static str, String),
    surroundings: &Surroundings,
) -> Result<Option<Converted>> {
    let mut document: DocumentMut = text.parse().context("Cargo.toml is not valid")?;
    let name = dependency::own_name(&mut document).unwrap_or_else(|| FROM.to_owned());
    let mut is_optional = false;
    let mut is_found = false;
    for table in dependency::tables(&mut document) {
        if let Some(item) = table.get(FROM) {
            is_found = true;
            is_optional |= item.get("optional").and_then(Item::as_bool) == Some(true);
            let is_inherited = item.get("workspace").and_then(Item::as_bool) == Some(true);
            dependency::replace(
                table,
                source,
                if is_inherited { &surroundings.inherited_features } else { &[] },
            );
        }
    }
    if !is_found {
        return Ok(None);
    }
    let mut remarks = Vec::new();
    features::rename_dependency(&mut document, &name);
    if surroundings.has_binaries {
        mark(&mut document);
        remarks.extend(features::forward_engine(&mut document, is_optional)?);
    }
    if unwind(&mut document) {
        remarks.push(
            "`panic = \"abort\"` is removed from its profiles, because dwindle continues after a \
             panic"
                .to_owned(),
        );
    }
    if let Some(version) = old_arbitrary(&mut document) {
        remarks.push(format!(
            "it depends on arbitrary {version}, but dwindle needs arbitrary 1: change the \
             version, and the impls of `Arbitrary`"
        ));
    }
    Ok(Some(Converted { text: document.to_string(), name, remarks }))
}

/// Removes `libfuzzer-sys` and `panic = "abort"` from the manifest of a workspace. `None` if it has
/// neither.
///
/// All fuzz crates that inherited `libfuzzer-sys` from it are already converted.
pub(crate) fn convert_workspace(text: &str) -> Result<Option<String>> {
    let mut document: DocumentMut = text.parse().context("Cargo.toml is not valid")?;
    let dependencies = document
        .get_mut("workspace")
        .and_then(|workspace| workspace.get_mut("dependencies"))
        .and_then(Item::as_table_like_mut);
    let is_changed = dependencies.is_some_and(|dependencies| dependencies.remove(FROM).is_some());
    let is_changed = unwind(&mut document) || is_changed;
    Ok(is_changed.then(|| document.to_string()))
}

/// Marks the crate as a fuzz crate, so that `cargo dwindle` finds it.
fn mark(document: &mut DocumentMut) {
    let Some(package) = document.get_mut("package").and_then(Item::as_table_mut) else { return };
    let position = package.position();
    let metadata = package.entry("metadata").or_insert_with(|| {
        let mut table = Table::new();
        table.set_position(position);
        table.decor_mut().set_prefix("\n");
        Item::Table(table)
    });
    if let Some(metadata) = metadata
        .as_table_like_mut()
        .filter(|metadata| metadata.get("cargo-fuzz").and_then(Item::as_bool) != Some(true))
    {
        metadata.insert("cargo-fuzz", true.into());
    }
}

/// Removes `panic = "abort"` from the profiles. Returns whether there was one.
fn unwind(document: &mut DocumentMut) -> bool {
    let profiles = document.get_mut("profile").and_then(Item::as_table_like_mut);
    let mut is_changed = false;
    for profile in
        profiles.into_iter().flat_map(|profiles| profiles.iter_mut().map(|(_, profile)| profile))
    {
        if let Some(profile) = profile.as_table_like_mut()
            && profile.get("panic").and_then(Item::as_str) == Some("abort")
        {
            is_changed |= profile.remove("panic").is_some();
        }
    }
    is_changed
}

/// The requested version of `arbitrary`, if it is older than 1.
fn old_arbitrary(document: &mut DocumentMut) -> Option<String> {
    let versions = dependency::tables(document).into_iter().filter_map(|table| {
        let item = table.get("arbitrary")?;
        item.as_str().or_else(|| item.get("version")?.as_str()).map(str::to_owned)
    });
    versions
        .into_iter()
        .find(|version| version.trim_start_matches(['=', '^', '~', ' ']).starts_with("0."))
}

/// Whether the manifest depends on dwindle.
pub(crate) fn has_dwindle(text: &str) -> bool {
    depends_on(text, TO)
}

/// Whether the manifest depends on libfuzzer-sys.
pub(crate) fn has_libfuzzer(text: &str) -> bool {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return false };
    dependency::own_name(&mut document);
    depends_on(&document.to_string(), FROM)
}

fn depends_on(text: &str, name: &str) -> bool {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return false };
    dependency::tables(&mut document).iter().any(|table| table.contains_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(dependencies: &str) -> String {
        let source = ("path", "../d".to_owned());
        let surroundings = Surroundings { has_binaries: true, ..Surroundings::default() };
        convert(&format!("{HEAD}{dependencies}"), &source, &surroundings).unwrap().unwrap().text
    }

    const HEAD: &str =
        "[package]\nname = \"f\"\nedition = \"2021\"\n\n[package.metadata]\ncargo-fuzz = true\n\n";

    const FEATURES: &str = "\n[features]\ndefault = [\"libfuzzer\"]\nlibfuzzer = \
                            [\"dwindle/libfuzzer\"]\nafl = [\"dwindle/afl\"]\n";

    #[test]
    fn every_form_of_the_dependency_is_converted() {
        for (before, after) in [
            (
                "[dependencies]\na = \"1\"\nlibfuzzer-sys = \"0.4\" # why\nb = \"1\"\n",
                "[dependencies]\na = \"1\"\ndwindle = { path = \"../d\", default-features = false \
                 } # why\nb = \"1\"\n",
            ),
            (
                "[dependencies]\nlibfuzzer-sys = { workspace = true, features = \
                 [\"link_libfuzzer\"] }\n",
                "[dependencies]\ndwindle = { path = \"../d\", default-features = false }\n",
            ),
            (
                "[dependencies]\nlibfuzzer-sys.workspace = true\n",
                "[dependencies]\ndwindle = { path = \"../d\", default-features = false }\n",
            ),
        ] {
            assert_eq!(
                converted(before),
                format!("{}{FEATURES}\n{after}", &HEAD[..HEAD.len() - 1])
            );
        }
        let of_a_platform =
            converted("[target.'cfg(unix)'.dependencies]\nlibfuzzer-sys = \"0.4\"\n");
        let after = "[target.'cfg(unix)'.dependencies]\ndwindle = { path = \"../d\", \
                     default-features = false }\n";
        assert!(of_a_platform.ends_with(&format!("\n\n{after}{FEATURES}")), "{of_a_platform}");
    }

    #[test]
    fn a_dependency_with_its_table_keeps_its_place_and_its_comments() {
        let text = converted(
            "[dependencies]\na = \"1\"\n\n# The engine.\n[dependencies.libfuzzer-sys]\nversion = \
             \"0.4\"\n# For shapes.\nfeatures = [\"arbitrary-derive\"]\n\n[dependencies.b]\npath = \
             \"..\"\n",
        );
        let after = "# The engine.\n[dependencies.dwindle]\npath = \"../d\"\ndefault-features = \
                     false\n# For shapes.\nfeatures = [\"arbitrary-derive\"]\n\n[dependencies.b]\n\
                     path = \"..\"\n";
        assert!(
            text.contains(&format!("{FEATURES}\n[dependencies]\na = \"1\"\n\n{after}")),
            "{text}"
        );
    }

    #[test]
    fn existing_features_stay_and_features_of_the_engine_are_renamed() {
        let text = converted(
            "[features]\ndefault = [\"std\"] # both\nstd = []\nfuzz = [\"dep:libfuzzer-sys\", \
             \"libfuzzer-sys?/arbitrary-derive\"]\n\n[dependencies]\nlibfuzzer-sys = { version = \
             \"0.4\", optional = true }\n\n[[bin]]\nname = \"t\"\nrequired-features = \
             [\"libfuzzer-sys\"]\n",
        );
        assert!(
            text.contains(
                "[features]\ndefault = [\"std\", \"libfuzzer\"] # both\nstd = []\nfuzz = \
                 [\"dep:dwindle\", \"dwindle?/arbitrary-derive\"]\nlibfuzzer = \
                 [\"dwindle?/libfuzzer\"]\nafl = [\"dwindle?/afl\"]\n"
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "dwindle = { path = \"../d\", default-features = false, optional = true }\n"
            ),
            "{text}"
        );
        assert!(text.ends_with("required-features = [\"dwindle\"]\n"), "{text}");
    }

    #[test]
    fn an_existing_dependency_on_dwindle_gets_the_features_of_libfuzzer_sys() {
        let text = converted(
            "[dependencies]\ndwindle = \"0.1\"\nlibfuzzer-sys = { version = \"0.4\", features = \
             [\"arbitrary-derive\"] }\nb = \"1\"\n",
        );
        assert!(
            text.contains(
                "[dependencies]\ndwindle = { version = \"0.1\", features = [\"arbitrary-derive\"] \
                 }\nb = \"1\"\n"
            ),
            "{text}"
        );
        let source = ("version", "9".to_owned());
        assert_eq!(
            convert(
                "[package]\nname = \"f\"\n[dependencies]\ndwindle = \"0.1\"\n",
                &source,
                &Surroundings::default()
            )
            .unwrap()
            .map(|converted| converted.text),
            None
        );
        assert!(
            has_dwindle("[dependencies]\ndwindle.path = \"..\"\n")
                && !has_dwindle("[dependencies]\ndwindler = \"1\"\n")
        );
    }

    #[test]
    fn features_of_the_workspace_dependency_move_to_the_crate() {
        let surroundings = Surroundings {
            has_binaries: true,
            inherited_features: vec!["arbitrary-derive".to_owned()],
        };
        for (before, after) in [
            (
                "libfuzzer-sys.workspace = true",
                "dwindle = { path = \"../d\", default-features = false, features = \
                 [\"arbitrary-derive\"] }",
            ),
            (
                "libfuzzer-sys = { workspace = true, features = [\"x\"] }",
                "dwindle = { path = \"../d\", default-features = false, features = \
                 [\"arbitrary-derive\", \"x\"] }",
            ),
            ("libfuzzer-sys = \"0.4\"", "dwindle = { path = \"../d\", default-features = false }"),
        ] {
            let text = convert(
                &format!("{HEAD}[dependencies]\n{before}\n"),
                &("path", "../d".to_owned()),
                &surroundings,
            )
            .unwrap()
            .unwrap()
            .text;
            assert!(text.ends_with(&format!("[dependencies]\n{after}\n")), "{text}");
        }
        let root = "[workspace]\nmembers = [\"*\"]\n\n[workspace.dependencies]\nlibfuzzer-sys = \
                    \"0.4\"\nb = \"1\"\n";
        assert_eq!(
            convert_workspace(root).unwrap().unwrap(),
            root.replace("libfuzzer-sys = \"0.4\"\n", "")
        );
        assert_eq!(convert_workspace("[workspace]\n").unwrap(), None);
    }

    #[test]
    fn a_crate_of_targets_is_marked_and_a_library_gets_no_engine() {
        let before = "[package]\nname = \"f\"\n\n[dependencies]\nlibfuzzer-sys = \"0.4\"\n";
        let text = |has_binaries| {
            convert(
                before,
                &("path", "../d".to_owned()),
                &Surroundings { has_binaries, ..Surroundings::default() },
            )
            .unwrap()
            .unwrap()
            .text
        };
        assert!(
            text(true).starts_with(
                "[package]\nname = \"f\"\n\n[package.metadata]\ncargo-fuzz = true\n\n[features]\n"
            ),
            "{}",
            text(true)
        );
        assert_eq!(
            text(false),
            before.replace(
                "libfuzzer-sys = \"0.4\"",
                "dwindle = { path = \"../d\", default-features = false }"
            )
        );
    }

    #[test]
    fn a_crate_for_several_fuzzers_keeps_its_own_features() {
        let surroundings = Surroundings { has_binaries: true, ..Surroundings::default() };
        let before = format!(
            "{HEAD}[features]\nlibfuzzer = [\"libfuzzer-sys\"]\n\n[dependencies]\nafl = {{ version \
             = \"0.15\", optional = true }}\nlibfuzzer-sys = {{ version = \"0.4\", optional = true \
             }}\n"
        );
        let Converted { text, remarks, .. } =
            convert(&before, &("path", "../d".to_owned()), &surroundings).unwrap().unwrap();
        assert!(
            text.contains("[features]\nlibfuzzer = [\"dwindle\", \"dwindle?/libfuzzer\"]\n\n"),
            "{text}"
        );
        assert_eq!(remarks.len(), 1, "{remarks:?}");
    }

    #[test]
    fn settings_that_dwindle_cannot_use_are_removed_or_reported() {
        let surroundings = Surroundings { has_binaries: true, ..Surroundings::default() };
        let before = format!(
            "{HEAD}[dependencies]\nlibfuzzer-sys = \"0.3\"\narbitrary = {{ version = \"0.4\" }}\n\n\
             [profile.release]\npanic = \"abort\"\ndebug = 1\n"
        );
        let Converted { text, remarks, .. } =
            convert(&before, &("path", "../d".to_owned()), &surroundings).unwrap().unwrap();
        assert!(text.ends_with("[profile.release]\ndebug = 1\n"), "{text}");
        assert!(remarks.len() == 2 && remarks[1].contains("arbitrary 0.4"), "{remarks:?}");
    }

    #[test]
    fn a_dependency_with_another_name_is_converted() {
        let surroundings = Surroundings { has_binaries: true, ..Surroundings::default() };
        let source = ("path", "../d".to_owned());
        let before = format!(
            "{HEAD}[features]\nfuzz = [\"dep:engine\", \"engine?/arbitrary-derive\", \"x\"]\nx = \
             []\n\n[dependencies]\nengine = {{ package = \"libfuzzer-sys\", version = \"0.4\", \
             optional = true }} # why\n"
        );
        assert!(has_libfuzzer(&before));
        let converted = convert(&before, &source, &surroundings).unwrap().unwrap();
        assert_eq!(converted.name, "engine");
        assert!(
            converted
                .text
                .contains("fuzz = [\"dep:dwindle\", \"dwindle?/arbitrary-derive\", \"x\"]")
                && converted.text.ends_with(
                    "[dependencies]\ndwindle = { path = \"../d\", default-features = false, \
                     optional = true } # why\n"
                ),
            "{}",
            converted.text
        );
        // A feature of the same name stays a feature.
        let before = format!(
            "{HEAD}[features]\nall = [\"engine\"]\nengine = [\"dep:engine\"]\n\n\
             [dependencies.engine]\npackage = \"libfuzzer-sys\"\nversion = \"0.4\"\noptional = \
             true\n"
        );
        let text = convert(&before, &source, &surroundings).unwrap().unwrap().text;
        assert!(text.contains("all = [\"engine\"]\nengine = [\"dep:dwindle\"]\n"), "{text}");
        assert!(text.contains("[dependencies.dwindle]\npath = \"../d\"\n"), "{text}");
    }
}
