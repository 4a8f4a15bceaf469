use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

#[dwindle::test]
fn depth_is_small(name: String, config: Config) {
    assert!(usize::from(config.depth) < 256 + name.len());
}
