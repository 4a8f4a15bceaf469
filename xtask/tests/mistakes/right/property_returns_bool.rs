#[dwindle::test]
fn is_small(number: u8) {
    assert!(u16::from(number) < 256);
}
