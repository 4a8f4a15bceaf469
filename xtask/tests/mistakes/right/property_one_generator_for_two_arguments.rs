use dwindle::prelude::*;

#[dwindle::test]
fn ordered(
    #[generate(with = g::integers(0..9u8).flat_map(|low| (g::just(low), g::integers(low..9))))]
    (low, high): (u8, u8),
) {
    assert!(low <= high);
}
