#[dwindle::test]
fn sorts(mut values: Vec<u8>) {
    values.sort();
    assert!(values.is_sorted());
}
