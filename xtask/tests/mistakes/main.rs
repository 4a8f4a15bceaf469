//! What a user reads after a mistake with a macro of dwindle.

#[test]
fn each_mistake_has_its_message() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/[!m]*.rs");
    trybuild::TestCases::new().compile_fail("tests/mistakes/machine_*.rs");
}
