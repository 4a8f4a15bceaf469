#[dwindle::test(max_cases = 500, seed = 3)]
fn is_small(number: u8) {
    assert!(u16::from(number) < 256);
}
