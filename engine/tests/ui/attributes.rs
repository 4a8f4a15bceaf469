use dwindle_engine::Generate;

#[derive(Generate)]
#[generate(weight = 3)]
struct OnType(u8);

#[derive(Generate)]
#[generate(depth = 4)]
struct DepthOfStruct(u8);

#[derive(Generate)]
#[generate(depth = 4)]
enum Flat {
    A,
    B(u8),
}

#[derive(Generate)]
enum OnVariant {
    #[generate(with = 3)]
    A,
    B,
}

#[derive(Generate)]
enum Never {
    #[generate(weight = 0)]
    A,
    B,
}

#[derive(Generate)]
enum Wordy {
    #[generate(weight = "three")]
    A,
    B,
}

#[derive(Generate)]
enum Heavy {
    #[generate(weight = 65536)]
    A,
    B,
}

#[derive(Generate)]
enum Skipped {
    #[generate(skip)]
    A,
    #[generate(skip)]
    B,
}

#[derive(Generate)]
struct OnField {
    #[generate(weight = 2)]
    a: u8,
}

#[derive(Generate)]
struct NoGenerator {
    #[generate(with)]
    a: u8,
    #[generate(with = )]
    b: u8,
}

#[derive(Generate)]
struct NotAGenerator {
    #[generate(with = 5u8)]
    a: u8,
}

#[derive(Generate)]
struct OtherType {
    #[generate(with = dwindle_engine::generators::booleans())]
    a: u8,
}

fn main() {}
