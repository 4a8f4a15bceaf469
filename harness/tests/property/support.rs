//! Running the test of a property and reading its message.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dwindle::__private::property::Property;
use dwindle::{Settings, TestCase};

/// A property of this crate.
pub(crate) fn property(name: &'static str) -> Property {
    Property { name, path: name, manifest_dir: env!("CARGO_MANIFEST_DIR"), inputs: &[] }
}

/// Settings that keep nothing.
pub(crate) fn settings(seed: u64) -> Settings {
    Settings::default().seed(seed).store(None)
}

/// What the test says if it fails.
pub(crate) fn message(
    property: Property,
    settings: Settings,
    run: fn(&mut TestCase),
) -> Option<String> {
    let ended = catch_unwind(AssertUnwindSafe(|| {
        dwindle::__private::property::run(&property, settings, run);
    }));
    ended.err().map(|payload| {
        payload.downcast::<String>().map_or_else(|_| "not a text".to_owned(), |text| *text)
    })
}

/// The lines `let name = value;` and notes of a message.
pub(crate) fn listing(message: &str) -> Vec<&str> {
    message
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with("let ") || line.starts_with("//"))
        .collect()
}

/// The string of the first `#[dwindle::reproduce_failure]` in a message.
pub(crate) fn string(message: &str) -> &'static str {
    let (_, behind) =
        message.split_once("#[dwindle::reproduce_failure(\"").expect("the message names it");
    behind.split('"').next().expect("it ends").to_owned().leak()
}
