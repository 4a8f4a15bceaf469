//! An argument has a type without a generator
//!
//! Derive `Generate` for the type, or name a generator for the argument.

#[derive(Debug)]
struct Config {
    depth: u8,
}

#[dwindle::test]
fn depth_is_small(name: String, config: Config) {
    assert!(usize::from(config.depth) < 256 + name.len());
}

fn main() {}
