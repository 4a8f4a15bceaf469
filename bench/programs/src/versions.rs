//! Which bug a module shows: the first version after the old one that agrees with the new one. If
//! none does, it is a bug of the new one, or of all old ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::outcome::Shown;
use crate::{new, oracle};

/// The versions between the old one and the new one, in order.
const BETWEEN: [&str; 5] = ["1.0.5", "1.0.6", "1.0.7", "1.0.8", "1.0.9"];

/// The versions, each built into a program.
pub struct Versions {
    programs: Vec<(&'static str, PathBuf)>,
}

impl Versions {
    /// Builds the versions. A workspace can hold only one of them, so each has a crate that is
    /// written where builds go.
    ///
    /// # Errors
    /// If one does not build.
    pub fn build() -> Result<Versions> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let built = here.join("../target/programs");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut programs = Vec::new();
        for version in BETWEEN {
            let folder = built.join(version);
            fs::create_dir_all(&folder).context("making a folder for a version")?;
            let manifest = format!(
                "[workspace]\n[package]\nname = \"shows\"\nversion = \"0.0.0\"\nedition = \
                 \"2024\"\n[[bin]]\nname = \"shows\"\npath = \"{}\"\n[dependencies]\nserde = {{ \
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
            programs.push((version, folder.join("target/release/shows")));
        }
        Ok(Versions { programs })
    }

    /// The name of the bug: the version that mends it. A module with several bugs has the name of
    /// the last one.
    ///
    /// # Errors
    /// If a program fails.
    pub fn bug(&self, module: &[u8]) -> Result<&'static str> {
        let Some(new) = new::engine::run(module) else { return Ok("none") };
        let file = tempfile::NamedTempFile::new().context("making a temporary file")?;
        fs::write(file.path(), module).context("writing a module")?;
        for (version, program) in &self.programs {
            let output = Command::new(program).arg(file.path()).output()?;
            // A version that dies is not right.
            let Ok(shown) = serde_json::from_slice::<Option<Shown>>(&output.stdout) else {
                continue;
            };
            if shown.is_none_or(|shown| oracle::first_difference(&shown, &new).is_none()) {
                return Ok(version);
            }
        }
        Ok("of 2.0.0")
    }
}
