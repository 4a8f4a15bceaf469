use dwindle::prelude::*;

#[dwindle::test]
fn is_itself(#[generate(with = g::booleans())] coin: bool) {
    assert!(u8::from(coin) < 2);
}
