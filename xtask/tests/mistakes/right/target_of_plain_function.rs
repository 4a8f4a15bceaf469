mod properties {
    #[dwindle::test]
    pub(crate) fn is_small(number: u8) {
        assert!(u16::from(number) < 256);
    }
}

dwindle::fuzz_target!(properties::is_small);
