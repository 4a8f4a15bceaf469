//! Versions of wasmi that the workspace cannot hold, each built into a library.

use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libloading::{Library, Symbol};

use crate::outcome::Shown;

/// The versions after the old one, in order. The last one is right about what the others mend.
pub const AFTER: [&str; 5] = ["1.0.5", "1.0.6", "1.0.7", "1.0.8", "1.0.9"];

/// What [`shows.rs`](../shows.rs) has.
type Shows = unsafe extern "C" fn(
    *const u8,
    usize,
    *mut c_void,
    extern "C" fn(*mut c_void, *const u8, usize),
);

/// One version, loaded into this process.
pub struct Version {
    /// Its number.
    pub number: &'static str,
    library: Library,
}

/// Builds all versions. Each has a crate that is written where builds go.
///
/// # Errors
/// If one does not build.
pub fn build() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for version in AFTER {
        let folder = folder(version);
        fs::create_dir_all(&folder).context("making a folder for a version")?;
        let manifest = format!(
            "[workspace]\n[package]\nname = \"shows\"\nversion = \"0.0.0\"\nedition = \
             \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\npath = \"{}\"\n[dependencies]\nserde = {{ \
             version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\nwasmi = {{ \
             version = \"={version}\", default-features = false, features = [\"std\"] }}\n",
            here.join("src/shows.rs").display()
        );
        let file = folder.join("Cargo.toml");
        if fs::read_to_string(&file).ok().as_ref() != Some(&manifest) {
            fs::write(&file, manifest).context("writing a manifest")?;
        }
        let status = Command::new(&cargo)
            .args(["build", "--release", "--quiet"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .status()
            .context("starting cargo")?;
        ensure!(status.success(), "wasmi {version} does not build");
    }
    Ok(())
}

fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/programs").join(version)
}

impl Version {
    /// Loads a version that [`build`] has built.
    ///
    /// # Errors
    /// If it is not there.
    pub fn load(number: &'static str) -> Result<Version> {
        let file = folder(number).join("target/release/libshows.so");
        // SAFETY: the library is ours, and nothing runs when it is loaded.
        let library = unsafe { Library::new(&file) }
            .with_context(|| format!("wasmi {number} is not built; `programs build` builds it"))?;
        Ok(Version { number, library })
    }

    /// What the module shows. `None` if this version refuses the module.
    ///
    /// # Errors
    /// If the library has another form.
    pub fn run(&self, module: &[u8]) -> Result<Option<Shown>> {
        extern "C" fn take(context: *mut c_void, json: *const u8, length: usize) {
            // SAFETY: `context` is the vector below, and the library gives `length` bytes.
            unsafe {
                (*context.cast::<Vec<u8>>())
                    .extend_from_slice(std::slice::from_raw_parts(json, length));
            }
        }
        let mut json: Vec<u8> = Vec::new();
        // SAFETY: `shows.rs` has the function in this form.
        let shows: Symbol<'_, Shows> = unsafe { self.library.get(b"shows") }?;
        // SAFETY: the module has these bytes, and `take` accepts the vector.
        unsafe { shows(module.as_ptr(), module.len(), (&raw mut json).cast(), take) };
        Ok(serde_json::from_slice(&json)?)
    }
}
