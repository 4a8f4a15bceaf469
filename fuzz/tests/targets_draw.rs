//! What the choices of the targets are, as `tests/true_minima` counts them.
#![cfg(feature = "dwindle")]

use std::fmt::Debug;

use dwindle::__private::engine::internals::Driver;
use dwindle::__private::engine::internals::codec::encode;
use dwindle::prelude::*;
use dwindle_fuzz::{decimal, graphmap, roaring, url};

fn choices_of<T: Generate + Debug>(bytes: &[u8], expected: &str) -> usize {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(bytes, usize::MAX);
    assert_eq!(format!("{:?}", tc.draw(any::<T>())), expected);
    assert_eq!(encode(&tc.trace().choices), bytes);
    tc.trace().choices.len()
}

#[test]
fn the_true_minima_have_the_choices_they_are_said_to_have() {
    assert_eq!(
        choices_of::<Vec<graphmap::Op>>(&[2, 0, 1, 4, 1, 0], "[AddEdge(0, 1), RemoveNode(1)]"),
        6
    );
    assert_eq!(
        choices_of::<Vec<roaring::Op>>(
            &[3, 0, 0, 3, 1, 4, 0, 5, 3, 0],
            "[InsertRange { start: 0, len: 3 }, Insert(4), RemoveSmallest(3)]"
        ),
        8
    );
    let dividend = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    let divisor = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        choices_of::<decimal::Expr>(
            &[[4].as_slice(), &dividend, &divisor].concat(),
            "Div(Lit { lo: 0, mid: 0, hi: 1, negative: false, scale: 0 }, Lit { lo: 1, mid: 1, hi: \
             0, negative: false, scale: 0 })"
        ),
        13
    );
    assert_eq!(
        choices_of::<url::Session>(
            &[1, 1, b'0', 0xff, 0],
            r#"Session { start: File, setters: [Path("0")] }"#
        ),
        4
    );
}
