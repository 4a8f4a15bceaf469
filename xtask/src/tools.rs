//! Where things are, how cargo is called, and what a bare machine lacks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

/// The version of cargo-fuzz that everything here is tried with.
pub const CARGO_FUZZ_VERSION: &str = "0.13.2";

/// The version of cargo-afl that everything here is tried with; it brings AFL++ with it.
pub const CARGO_AFL_VERSION: &str = "0.18.2";

/// The version of the Python package clusterfuzz that reads what targets print.
pub const CLUSTERFUZZ_VERSION: &str = "2.6.0";

/// The repository's folder, absolute.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo builds `fuzz/`. Other fuzz crates that are built here too share what they have in
/// common with it.
pub fn fuzz_target_dir() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "fuzz/target".into()))
}

/// Lets a crate share what the fixture of the tests has built. The crate gets the versions of the
/// fixture's lock file. A crate that has a fuzz target and names no features of dwindle gets the
/// fixture's, too: with others, cargo builds dwindle and libFuzzer again.
///
/// # Errors
/// The manifest cannot be read, or a file cannot be written.
pub fn share_builds(of: &Path) -> Result<()> {
    let lock = root().join("xtask/tests/fixture/Cargo.lock");
    fs::copy(lock, of.join("Cargo.lock")).context("cannot copy a lock file")?;
    let manifest = of.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).context("cannot read a manifest")?;
    let dependency =
        Regex::new(r#"(?m)^(dwindle = \{ path = "[^"]*"(, default-features = false)?) \}$"#)?;
    if of.join("fuzz_targets").is_dir() && dependency.is_match(&text) {
        let shared = dependency.replace(&text, "$1, features = [\"arbitrary-derive\"] }");
        fs::write(&manifest, &*shared).context("cannot write a manifest")?;
    }
    Ok(())
}

/// The `cargo` that runs this, in the repository's folder.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    free_of_dwindle(&mut command);
    command
}

/// `cargo +nightly`, in the repository's folder.
pub fn cargo_nightly() -> Command {
    // Rustup's cargo, which understands `+nightly`, not that of the toolchain we are built with.
    let mut command = Command::new("cargo");
    command.arg("+nightly").current_dir(root());
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTFLAGS"] {
        command.env_remove(name);
    }
    free_of_dwindle(&mut command);
    command
}

/// `cargo +nightly fuzz`, in the repository's folder; the binary is the one of
/// [`install_cargo_fuzz`].
///
/// # Errors
/// It cannot be installed.
pub fn cargo_fuzz() -> Result<Command> {
    let installed = install_cargo_fuzz()?;
    let folder = installed.parent().context("cargo-fuzz lies in no folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&path)))?;
    let mut command = cargo_nightly();
    command.arg("fuzz").env("PATH", path);
    Ok(command)
}

/// Builds the command line and gives the executable.
///
/// # Errors
/// It does not build.
pub fn build_cargo_dwindle() -> Result<PathBuf> {
    let output = cargo()
        .args(["build", "--locked", "--package", "cargo-dwindle"])
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo-dwindle does not build");
    let words = String::from_utf8_lossy(&output.stdout);
    let messages =
        words.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut executables =
        messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    executables.next_back().context("cargo names no executable")
}

/// Nothing of dwindle's in the caller's environment changes what is tested.
pub(crate) fn free_of_dwindle(command: &mut Command) {
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DWINDLE"))
    {
        command.env_remove(name);
    }
}

/// Installs cargo-fuzz under `target/tools`, unless that version is there, and gives the
/// executable.
///
/// # Errors
/// It cannot be fetched or built.
pub fn install_cargo_fuzz() -> Result<PathBuf> {
    let folder = root().join("target/tools");
    let executable = folder.join("bin/cargo-fuzz");
    if says(Command::new(&executable).arg("--version"))
        .is_some_and(|words| words.trim() == format!("cargo-fuzz {CARGO_FUZZ_VERSION}"))
    {
        return Ok(executable);
    }
    eprintln!("installing cargo-fuzz {CARGO_FUZZ_VERSION} into {}", folder.display());
    let status = cargo()
        .args([
            "install",
            "cargo-fuzz",
            "--version",
            CARGO_FUZZ_VERSION,
            "--locked",
            "--force",
            "--root",
        ])
        .arg(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "cargo-fuzz {CARGO_FUZZ_VERSION} cannot be installed");
    Ok(executable)
}

/// Installs cargo-afl beside cargo-fuzz, unless that version is there, and has it build AFL++ for
/// the toolchain in use; gives the executable.
///
/// # Errors
/// It cannot be fetched or built.
pub fn install_cargo_afl() -> Result<PathBuf> {
    // Tests run at once, and a second build would remove what the first one makes.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = root().join("target/tools");
    let executable = folder.join("bin/cargo-afl");
    let version = says(Command::new(&executable).args(["afl", "--version"]));
    if version.is_none_or(|words| !words.starts_with(&format!("cargo-afl {CARGO_AFL_VERSION}"))) {
        eprintln!("installing cargo-afl {CARGO_AFL_VERSION} into {}", folder.display());
        let mut install = cargo();
        install
            .args([
                "install",
                "cargo-afl",
                "--version",
                CARGO_AFL_VERSION,
                "--locked",
                "--force",
                "--root",
            ])
            .arg(&folder);
        let status =
            install.env_remove("CARGO_TARGET_DIR").status().context("cannot start cargo")?;
        ensure!(status.success(), "cargo-afl {CARGO_AFL_VERSION} cannot be installed");
    }
    // It names the version of AFL++ that it has built for this toolchain.
    if !says(Command::new(&executable).args(["afl", "--version"]))
        .is_some_and(|words| words.contains("AFL++"))
    {
        require_program("make", "make")?;
        require_cpp_compiler()?;
        eprintln!("building AFL++ for this toolchain");
        let status = Command::new(&executable)
            .args(["afl", "config", "--build", "--force"])
            .status()
            .context("cannot start cargo-afl")?;
        ensure!(status.success(), "`cargo afl config --build` failed; with --verbose it says why");
    }
    Ok(executable)
}

/// Installs the package clusterfuzz beside cargo-fuzz, unless that version is there; gives the
/// Python that has it.
///
/// # Errors
/// There is no Python 3 with `venv`, or the package cannot be fetched.
pub fn install_clusterfuzz() -> Result<PathBuf> {
    let folder = root().join("target/tools/clusterfuzz");
    let python = folder.join("bin/python");
    let version = "import importlib.metadata as packages; print(packages.version('clusterfuzz'))";
    if says(Command::new(&python).args(["-c", version]))
        .is_some_and(|words| words.trim() == CLUSTERFUZZ_VERSION)
    {
        return Ok(python);
    }
    eprintln!("installing clusterfuzz {CLUSTERFUZZ_VERSION} into {}", folder.display());
    let status = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .status()
        .context("cannot start python3")?;
    ensure!(
        status.success(),
        "`python3 -m venv` fails; on Debian and Ubuntu the package is called python3-venv"
    );
    let package = format!("clusterfuzz=={CLUSTERFUZZ_VERSION}");
    let status = Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", &package])
        .status()
        .context("cannot start pip")?;
    ensure!(status.success(), "{package} cannot be installed");
    Ok(python)
}

/// Lets `command` find cargo-afl, and with it AFL++.
///
/// # Errors
/// Those of [`install_cargo_afl`].
pub fn with_cargo_afl(command: &mut Command) -> Result<&mut Command> {
    let installed = install_cargo_afl()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        installed.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path)),
    )?;
    Ok(command.env("PATH", path))
}

/// Installs a C++ compiler if the machine has none. Cargo builds libFuzzer with it.
///
/// # Errors
/// The machine has no C++ compiler, and `apt-get` cannot install it.
pub fn require_cpp_compiler() -> Result<()> {
    require_program("c++", "g++")
}

/// Installs Chromium, which shows the page of `cargo dwindle report` to tests.
///
/// # Errors
/// It is not there, and `apt-get` cannot install it.
pub fn require_chromium() -> Result<()> {
    require_program("chromium", "chromium")
}

/// Installs valgrind, which counts instructions, if it is not there.
///
/// # Errors
/// It is not there, and `apt-get` cannot install it.
pub fn require_valgrind() -> Result<()> {
    require_program("valgrind", "valgrind")
}

/// # Errors
/// There is no nightly toolchain, which `cargo fuzz` builds with; says how to install one.
pub fn require_nightly() -> Result<()> {
    let toolchains = says(Command::new("rustup").args(["toolchain", "list"]))
        .context("rustup does not answer; install it from https://rustup.rs")?;
    ensure!(
        toolchains.lines().any(|line| line.starts_with("nightly-") || line == "nightly"),
        "`cargo fuzz` needs a nightly toolchain: `rustup toolchain install nightly --profile \
         minimal`"
    );
    Ok(())
}

/// Installs Miri for the nightly toolchain, with the sources of the standard library that it needs,
/// if it is not there.
///
/// # Errors
/// There is no nightly toolchain, or it has no Miri: some days' nightly comes without.
pub fn require_miri() -> Result<()> {
    require_nightly()?;
    let is_there = || says(cargo_nightly().args(["miri", "--version"])).is_some();
    let installs = || {
        Command::new("rustup")
            .args(["component", "add", "miri", "rust-src", "--toolchain", "nightly"])
            .status()
    };
    if !is_there() {
        eprintln!("installing Miri");
        ensure!(
            installs().is_ok_and(|status| status.success()) && is_there(),
            "`rustup component add miri rust-src --toolchain nightly` does not help"
        );
    }
    Ok(())
}

/// Installs LLVM's tools for the toolchain in use, which `cargo dwindle coverage` needs, unless
/// they are there or `LLVM_COV` names them.
///
/// # Errors
/// They are not there, and rustup cannot install them.
pub fn require_llvm_tools() -> Result<()> {
    if std::env::var_os("LLVM_COV").is_some() {
        return Ok(());
    }
    let is_there = || {
        let folder = says(Command::new("rustc").args(["--print", "target-libdir"]))?;
        let tool = Path::new(folder.trim_end()).parent()?.join("bin/llvm-cov");
        tool.is_file().then_some(())
    };
    if is_there().is_some() {
        return Ok(());
    }
    eprintln!("installing llvm-tools");
    let status = Command::new("rustup").args(["component", "add", "llvm-tools"]).status();
    ensure!(
        status.is_ok_and(|status| status.success()) && is_there().is_some(),
        "`rustup component add llvm-tools` does not help"
    );
    Ok(())
}

fn require_program(program: &str, package: &str) -> Result<()> {
    if says(Command::new(program).arg("--version")).is_some() {
        return Ok(());
    }
    eprintln!("installing {package}, which `{program}` belongs to");
    let apt = |arguments: &[&str]| {
        let status = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status();
        status.is_ok_and(|status| status.success())
    };
    let install = || apt(&["install", "-y", package]);
    // The lists of a bare machine are empty.
    let is_installed = install() || (apt(&["update"]) && install());
    if !is_installed {
        bail!(
            "`{program}` is not there, and `apt-get install -y {package}` does not help; install \
             it as this system does"
        );
    }
    ensure!(
        says(Command::new(program).arg("--version")).is_some(),
        "`{program}` does not start, although {package} is installed"
    );
    Ok(())
}

/// What a command prints on stdout; nothing if it cannot be started or fails.
fn says(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
