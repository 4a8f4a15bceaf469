use dwindle::prelude::*;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let number = tc.draw(any::<u8>());
    assert!(number < 200);
});
