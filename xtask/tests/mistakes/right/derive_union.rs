use dwindle::prelude::*;

#[derive(Clone, Copy)]
union Bits {
    whole: u32,
    bytes: [u8; 4],
}

impl Generate for Bits {
    fn generate(tc: &mut TestCase) -> Bits {
        Bits { whole: tc.draw_silent(any::<u32>()) }
    }
}
