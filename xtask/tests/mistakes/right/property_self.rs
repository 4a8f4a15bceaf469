use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

#[dwindle::test]
fn is_small(config: Config) {
    assert!(u16::from(config.depth) < 256);
}
