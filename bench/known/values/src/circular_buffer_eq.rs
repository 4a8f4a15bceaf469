//! circular-buffer 0.1.5: buffers whose contents wrap at different places are compared wrongly. Fixed
//! in 0.1.6.

use circular_buffer::CircularBuffer;

/// One call on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Adds at the back.
    PushBack(u8),
    /// Adds at the front.
    PushFront(u8),
    /// Takes from the back.
    PopBack,
    /// Takes from the front.
    PopFront,
}

fn buffer(ops: &[Op]) -> CircularBuffer<8, u8> {
    let mut buffer = CircularBuffer::new();
    for &op in ops {
        match op {
            Op::PushBack(value) => {
                buffer.push_back(value);
            }
            Op::PushFront(value) => {
                buffer.push_front(value);
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
///
/// # Panics
///
/// If they are not; or inside `circular-buffer`.
pub fn check(left: &[Op], right: &[Op]) {
    let (left, right) = (buffer(left), buffer(right));
    assert_eq!(left == right, left.iter().eq(right.iter()));
}
