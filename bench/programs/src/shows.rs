//! Prints what the module in a file shows in one version of wasmi. `versions.rs` builds this
//! program once for each version.

extern crate wasmi;

mod outcome;
mod engine;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let shown = std::env::args()
        .nth(1)
        .and_then(|file| std::fs::read(file).ok())
        .and_then(|module| engine::run(&module));
    if let Ok(json) = serde_json::to_string(&shown) {
        println!("{json}");
    }
}
