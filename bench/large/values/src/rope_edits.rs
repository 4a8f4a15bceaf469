//! ropey 1.6: a text in a tree. Calls.

use ropey::Rope;

/// One call on the text. A place counts modulo the length and one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Puts a text so often at a place.
    Insert(u16, String, u8),
    /// Takes out what lies between two places.
    Remove(u16, u16),
    /// Cuts the text at a place, and puts the rest first.
    Turn(u16),
    /// Reads what lies between two places, line by line.
    Lines(u16, u16),
    /// Where a place is, counted in lines, bytes and units of UTF-16.
    Find(u16),
    /// Compares with a text.
    Compare(String),
}

/// Characters of the text.
const LENGTH_MAX: usize = 20_000;

/// Does the calls one after the other.
///
/// # Panics
///
/// Inside `ropey`.
pub fn check(ops: &[Op]) {
    let mut rope = Rope::new();
    for op in ops {
        apply(&mut rope, op);
    }
    let _ = rope.to_string();
}

fn apply(rope: &mut Rope, op: &Op) {
    let length = rope.len_chars();
    let place = |place: u16| usize::from(place) % (length + 1);
    let range = |from: u16, to: u16| place(from).min(place(to))..place(from).max(place(to));
    match op {
        Op::Insert(at, text, times) => {
            let text = text.repeat(usize::from(*times));
            if length + text.len() <= LENGTH_MAX {
                rope.insert(place(*at), &text);
            }
        }
        Op::Remove(from, to) => rope.remove(range(*from, *to)),
        Op::Turn(at) => {
            let mut rest = rope.split_off(place(*at));
            rest.append(std::mem::take(rope));
            *rope = rest;
        }
        Op::Lines(from, to) => {
            let slice = rope.slice(range(*from, *to));
            for line in slice.lines() {
                let _ = line.chars().count();
            }
        }
        Op::Find(at) => {
            let at = place(*at);
            let (line, byte) = (rope.char_to_line(at), rope.char_to_byte(at));
            let _ = (rope.line_to_char(line), rope.byte_to_char(byte));
            let _ = rope.utf16_cu_to_char(rope.char_to_utf16_cu(at));
        }
        Op::Compare(text) => {
            let _ = *rope == Rope::from_str(text);
        }
    }
}
