//! circular-buffer 0.1.5: buffers whose contents wrap at different places are compared wrongly.
//! Fixed in 0.1.6.

use circular_buffer::CircularBuffer;

/// One call on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Adds at the back. A full buffer loses its front.
    Push(u8),
    /// Takes from the front.
    Pop,
}

fn buffer(ops: &[Op]) -> CircularBuffer<16, u8> {
    let mut buffer = CircularBuffer::new();
    for &op in ops {
        match op {
            Op::Push(value) => {
                buffer.push_back(value);
            }
            Op::Pop => {
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
    let are_equal = left.iter().eq(right.iter());
    assert_eq!(left == right, are_equal);
    assert_eq!(right == left, are_equal);
}
