fn reverses<T: Clone + PartialEq>(values: &[T]) {
    let mut twice = values.to_vec();
    twice.reverse();
    twice.reverse();
    assert!(values == twice);
}

#[dwindle::test]
fn reverses_numbers(values: &[u32]) {
    reverses(values);
}
