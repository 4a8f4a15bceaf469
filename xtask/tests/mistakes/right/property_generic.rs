fn reverses<T: Clone + PartialEq>(values: Vec<T>) {
    let mut twice = values.clone();
    twice.reverse();
    twice.reverse();
    assert!(values == twice);
}

#[dwindle::test]
fn reverses_numbers(values: Vec<u32>) {
    reverses(values);
}
