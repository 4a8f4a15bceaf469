use dwindle::prelude::*;

#[dwindle::test]
fn is_short(count: u8, tc: &mut TestCase) {
    let text = tc.draw(g::text().len(usize::from(count)));
    assert_eq!(text.chars().count(), usize::from(count));
}
