use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Line {
    number: u32,
    text: String,
}
