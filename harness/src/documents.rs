//! The Rust code of README and of the book compiles: its blocks are doctests.

macro_rules! documents {
    ($($name:ident: $path:literal),* $(,)?) => {$(
        #[doc = include_str!($path)]
        struct $name;
    )*};
}

documents! {
    Readme: "../../README.md",
    CargoFuzz: "../../docs/cargo-fuzz.md",
    Machines: "../../docs/machines.md",
    OneProperty: "../../docs/one-property.md",
    Proptest: "../../docs/proptest.md",
    Shrinking: "../../docs/shrinking.md",
    Targets: "../../docs/targets.md",
    Tests: "../../docs/tests.md",
}
