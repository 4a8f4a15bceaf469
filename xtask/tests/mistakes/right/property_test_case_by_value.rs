use dwindle::prelude::*;

#[dwindle::test]
fn is_small(tc: &mut TestCase) {
    let number = tc.draw(any::<u8>());
    assert!(u16::from(number) < 256);
}
