use dwindle_engine::Generate;

struct Opaque;

#[derive(Generate)]
struct Holder {
    fine: u8,
    opaque: Opaque,
}

fn main() {}
