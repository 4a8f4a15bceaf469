use dwindle::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    Push(u8),
    #[generate(skip)]
    Pop,
}
