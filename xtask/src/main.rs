//! `cargo xtask ci`, `cargo xtask transcripts`, `cargo xtask evidence`, and the checks before a
//! release.

use std::process::ExitCode;

use xtask::publish::Semver;
use xtask::{ci, evidence, publish, transcripts};

const HELP: &str = "\
cargo xtask ci               every check and every test, quick ones first; what CI runs
cargo xtask transcripts      run the commands of README and docs/, and write what they print there
cargo xtask transcripts NAME the same for documents whose path contains NAME
cargo xtask evidence         the long measurements there are
cargo xtask evidence NAME    run one of them and print its table
                             (`conversions` takes options: --folder DIR, --seconds, --targets)
cargo xtask package          package and build each crate as it would be published
cargo xtask semver           compare the interfaces with those of the last tag";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["ci"] => ci::run(),
        ["transcripts"] => transcripts::rewrite(""),
        ["transcripts", name] => transcripts::rewrite(name),
        ["evidence"] => {
            evidence::list();
            Ok(())
        }
        ["evidence", name, ref options @ ..] => evidence::run(name, options),
        ["package"] => publish::package(),
        ["semver"] => match publish::semver() {
            Ok(Semver::NoTag) => return ExitCode::from(2),
            compared => compared.map(drop),
        },
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            if error.is::<evidence::WrongUse>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
