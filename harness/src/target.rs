//! A fuzz target, as the macro passes it to the engines.

use std::path::Path;

use dwindle_engine::TestCase;

/// One fuzz target: its name, the folder of its crate, its property and its `init:`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    name: Option<&'static str>,
    manifest_dir: &'static str,
    property: fn(&mut TestCase),
    initialize: fn(),
    is_drop_in: bool,
}

impl Target {
    /// A target of the crate in `manifest_dir`. Without a name it has the name of the executable.
    ///
    /// `initialize` runs once in each process that runs the property, before the property.
    pub const fn new(
        name: Option<&'static str>,
        manifest_dir: &'static str,
        property: fn(&mut TestCase),
        initialize: fn(),
    ) -> Target {
        Target { name, manifest_dir, property, initialize, is_drop_in: false }
    }

    /// A target that replaces one of libfuzzer-sys: it takes the fuzzer's bytes unchanged.
    pub const fn drop_in(
        name: Option<&'static str>,
        manifest_dir: &'static str,
        property: fn(&mut TestCase),
        initialize: fn(),
    ) -> Target {
        Target { name, manifest_dir, property, initialize, is_drop_in: true }
    }

    pub(crate) fn is_drop_in(&self) -> bool {
        self.is_drop_in
    }

    pub(crate) fn initialize(&self) {
        (self.initialize)();
    }

    pub(crate) fn name(&self) -> String {
        match self.name {
            Some(name) => name.to_owned(),
            None => std::env::current_exe()
                .ok()
                .and_then(|path| Some(path.file_stem()?.to_str()?.to_owned()))
                .unwrap_or_else(|| "target".to_owned()),
        }
    }

    /// The fuzz crate's folder at build time. It may no longer exist.
    pub(crate) fn manifest_dir(&self) -> &'static Path {
        Path::new(self.manifest_dir)
    }

    pub(crate) fn property(&self) -> fn(&mut TestCase) {
        self.property
    }

    /// The place in memory that holds the address of the property.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn property_in_memory(&'static self) -> *const usize {
        std::ptr::from_ref(&self.property).cast()
    }
}
