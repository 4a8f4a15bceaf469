use dwindle_engine::Generate;

#[derive(Generate)]
enum Empty {}

#[derive(Generate)]
union Either {
    a: u8,
    b: i8,
}

#[derive(Generate)]
#[dwindle(size = 3)]
struct Unknown(u8);

#[derive(Generate)]
#[dwindle(crate = "dwindle_engine", crate = "dwindle_engine")]
struct Twice(u8);

#[derive(Generate)]
enum Misplaced {
    #[dwindle(crate = "dwindle_engine")]
    Variant,
}

fn main() {}
