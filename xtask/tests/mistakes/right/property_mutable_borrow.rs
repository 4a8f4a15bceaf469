#[dwindle::test]
fn sorts(mut values: Vec<u8>) {
    values.sort_unstable();
    assert!(values.is_sorted());
}
