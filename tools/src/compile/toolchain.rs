//! Chooses the toolchain and the platform of a build, and says what they lack.

use crate::args::{Build, Sanitizer};
use crate::exit::wrong_use;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The cargo that builds, and the platform it builds for.
pub(crate) struct Toolchain {
    name: Option<String>,
    host: String,
}

impl Toolchain {
    /// Chooses the named toolchain, else nightly for a sanitizer, else the present one.
    ///
    /// Returns an error if the toolchain cannot build what the options ask for. The error says how
    /// to install what is missing.
    pub(crate) fn choose(options: &Build) -> Result<Self> {
        let in_use = Self::probe(options.toolchain.clone())?;
        let Some(sanitizer) = options.sanitizer.name() else {
            require_platform(&in_use.0, options)?;
            return Ok(in_use.0);
        };
        let needs = format!("--sanitizer {sanitizer} needs a nightly toolchain");
        let (toolchain, nightly) = match &options.toolchain {
            None if !in_use.1 => Self::probe(Some("nightly".to_owned()))
                .with_context(|| format!("{needs}: `rustup toolchain install nightly`"))?,
            _ => in_use,
        };
        if !nightly {
            let name = toolchain.name.as_deref().unwrap_or("the current toolchain");
            bail!("{needs}, but {name} is not one");
        }
        if options.sanitizer.needs_std() {
            toolchain.require_source(sanitizer)?;
        }
        require_platform(&toolchain, options)?;
        require_sanitizer(&toolchain, options.sanitizer, toolchain.triple(options))?;
        Ok(toolchain)
    }

    /// The platform to build for.
    pub(crate) fn triple<'a>(&'a self, options: &'a Build) -> &'a str {
        options.triple.as_deref().unwrap_or(&self.host)
    }

    /// The folder of the toolchain.
    pub(crate) fn sysroot(&self) -> Result<PathBuf> {
        let words = says(self.rustc().args(["--print", "sysroot"]))?;
        Ok(PathBuf::from(words.trim_end_matches('\n')))
    }

    /// The folder of the toolchain's tools for this machine, among them those of the component
    /// `llvm-tools`.
    pub(crate) fn tools(&self) -> Result<PathBuf> {
        Ok(self.sysroot()?.join("lib/rustlib").join(&self.host).join("bin"))
    }

    /// The version of the compiler's LLVM, for example `22.1.2`.
    pub(crate) fn llvm(&self) -> Result<String> {
        let words = says(self.rustc().arg("-vV"))?;
        let version = words.lines().find_map(|line| line.strip_prefix("LLVM version: "));
        version.map(str::to_owned).context("rustc does not say which LLVM it has")
    }

    /// `rustup component add`, with the option that names this toolchain.
    pub(crate) fn component_add(&self, component: &str) -> String {
        let toolchain = self.name.as_ref().map(|name| format!(" --toolchain {name}"));
        format!("rustup component add {component}{}", toolchain.unwrap_or_default())
    }

    fn require_source(&self, sanitizer: &str) -> Result<()> {
        let source = self.sysroot()?.join("lib/rustlib/src/rust/library/Cargo.lock");
        if source.is_file() {
            return Ok(());
        }
        bail!(
            "--sanitizer {sanitizer} builds the standard library too, and its source is missing: \
             `{}`",
            self.component_add("rust-src")
        )
    }

    /// The toolchain, and whether it accepts unstable flags.
    fn probe(name: Option<String>) -> Result<(Self, bool)> {
        let mut toolchain = Self { name, host: String::new() };
        let mut command = toolchain.cargo();
        command.arg("-vV");
        let output = command
            .output()
            .with_context(|| format!("cannot start {command:?}; is Rust installed?"))?;
        let words = String::from_utf8_lossy(&output.stdout);
        let host = words.lines().find_map(|line| line.strip_prefix("host: "));
        match (&toolchain.name, host) {
            (_, Some(host)) if output.status.success() => host.clone_into(&mut toolchain.host),
            (Some(name), _) => {
                bail!("cannot use toolchain `{name}`: {}", first_line(&output.stderr))
            }
            (None, _) => bail!("`cargo -vV` failed: {}", first_line(&output.stderr)),
        }
        let nightly = words
            .lines()
            .next()
            .is_some_and(|line| line.contains("-nightly") || line.contains("-dev"));
        Ok((toolchain, nightly || std::env::var_os("RUSTC_BOOTSTRAP").is_some()))
    }

    /// The compiler.
    pub(crate) fn rustc(&self) -> Command {
        let mut command = Command::new("rustc");
        command.args(self.name.as_ref().map(|name| format!("+{name}")));
        command
    }

    /// `cargo` as the user would type it.
    pub(crate) fn as_typed(&self) -> String {
        self.name.as_ref().map_or_else(|| "cargo".to_owned(), |name| format!("cargo +{name}"))
    }

    pub(crate) fn cargo(&self) -> Command {
        let Some(name) = &self.name else {
            // Cargo sets CARGO when it starts this program. It is the cargo that the user called.
            return Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        };
        // Only rustup's `cargo` understands `+name`.
        let mut command = Command::new("cargo");
        command.arg(format!("+{name}"));
        command
    }
}

/// Returns an error unless the toolchain knows the platform and has its standard library.
fn require_platform(toolchain: &Toolchain, options: &Build) -> Result<()> {
    let Some(triple) = &options.triple else { return Ok(()) };
    let mut rustc = toolchain.rustc();
    rustc.args(["--print", "target-libdir", "--target", triple]);
    let folder = says(&mut rustc).map_err(|_| {
        wrong_use(format!(
            "rustc knows no platform `{triple}`; `rustc --print target-list` lists all"
        ))
    })?;
    if options.sanitizer.needs_std() || PathBuf::from(folder.trim_end_matches('\n')).is_dir() {
        return Ok(());
    }
    let option = toolchain.name.as_ref().map(|name| format!(" --toolchain {name}"));
    bail!(
        "the standard library for {triple} is missing: `rustup target add {triple}{}`",
        option.unwrap_or_default()
    )
}

/// Returns an error of exit code 2 if rustc has no such sanitizer for the platform.
fn require_sanitizer(toolchain: &Toolchain, sanitizer: Sanitizer, triple: &str) -> Result<()> {
    let mut rustc = toolchain.rustc();
    rustc.args(["-Zunstable-options", "--print", "target-spec-json", "--target", triple]);
    let Ok(words) = says(&mut rustc) else { return Ok(()) };
    let spec: serde_json::Value = serde_json::from_str(&words).unwrap_or_default();
    let known: Vec<&str> = spec["supported-sanitizers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_str)
        .collect();
    let name = sanitizer.name().unwrap_or_default();
    if known.contains(&name) {
        return Ok(());
    }
    let ours = [Sanitizer::Address, Sanitizer::Leak, Sanitizer::Memory, Sanitizer::Thread];
    let usable: Vec<_> = ours.into_iter().filter_map(Sanitizer::name).collect();
    let usable: Vec<_> = usable.into_iter().filter(|name| known.contains(name)).collect();
    Err(wrong_use(format!(
        "rustc has no sanitizer `{name}` for {triple}; it has {}",
        if usable.is_empty() { "none".to_owned() } else { usable.join(", ") }
    )))
}

/// What a command prints on stdout. An error if it fails.
fn says(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", first_line(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or("no reason was given").to_owned()
}
