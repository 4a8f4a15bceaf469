//! circular-buffer 0.1.5: buffers whose contents wrap at different places are compared wrongly.

use arbitrary::Arbitrary;
use circular_buffer::CircularBuffer;
use dwindle::prelude::*;

#[derive(Arbitrary, Debug, Generate)]
enum Op {
    PushBack(u8),
    PushFront(u8),
    PopBack,
    PopFront,
}

fn buffer(ops: &[Op]) -> CircularBuffer<4, u8> {
    let mut buffer = CircularBuffer::new();
    for op in ops {
        match op {
            Op::PushBack(value) => {
                buffer.push_back(*value);
            }
            Op::PushFront(value) => {
                buffer.push_front(*value);
            }
            Op::PopBack => {
                buffer.pop_back();
            }
            Op::PopFront => {
                buffer.pop_front();
            }
        }
    }
    buffer
}

/// Two buffers are equal if their elements are.
pub fn equality(tc: &mut TestCase) {
    let (left, right) = (tc.draw(any::<Vec<Op>>()), tc.draw(any::<Vec<Op>>()));
    check(&left, &right);
}

/// The same as a drop-in target.
pub fn equality_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |(left, right): (Vec<Op>, Vec<Op>)| check(&left, &right));
}

fn check(left: &[Op], right: &[Op]) {
    let (left, right) = (buffer(left), buffer(right));
    assert_eq!(left == right, left.iter().eq(right.iter()));
}
