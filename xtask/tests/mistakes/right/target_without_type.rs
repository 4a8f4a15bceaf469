dwindle::fuzz_target!(|data: Vec<u8>| {
    assert!(data.len() < 1000);
});
