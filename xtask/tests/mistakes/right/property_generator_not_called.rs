use dwindle::prelude::*;

#[dwindle::test]
fn is_itself(#[generate(with = g::booleans())] coin: bool) {
    assert_eq!(coin, !!coin);
}
