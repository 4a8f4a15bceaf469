//! `cargo xtask ci`, and `cargo xtask evidence`.

use std::process::ExitCode;

use xtask::{ci, evidence};

const HELP: &str = "\
cargo xtask ci               every check and every test, quick ones first; what CI runs
cargo xtask evidence         the long measurements there are
cargo xtask evidence NAME    run one of them and print its table";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["ci"] => ci::run(),
        ["evidence"] => {
            evidence::list();
            Ok(())
        }
        ["evidence", name] => evidence::run(name),
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
            ExitCode::FAILURE
        }
    }
}
