dwindle::fuzz_target!(|values: (u8, u16)| {
    let (small, large) = values;
    assert!(u16::from(small) <= large);
});
