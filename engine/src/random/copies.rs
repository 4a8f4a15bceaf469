//! Collections whose elements copy earlier elements.

use fastrand::Rng;

use crate::choice::{Choice, Value};

/// Where the elements of a collection come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// From the element at this distance before.
    Before(usize),
    /// From any earlier element.
    Any,
    /// Elements up to the middle are new. Each later element copies the one at the same distance
    /// from the other end.
    Mirrored,
}

impl Copies {
    pub(super) fn any(rng: &mut Rng) -> Copies {
        match rng.u8(..8) {
            0..4 => Copies::Before(1),
            4 => Copies::Before(rng.usize(2..=4)),
            5 => Copies::Any,
            _ => Copies::Mirrored,
        }
    }

    /// The index of the element to copy, after `count` elements, if `planned` elements come in all.
    /// No element may exist at that index.
    pub(super) fn of(self, rng: &mut Rng, count: usize, planned: usize) -> Option<usize> {
        match self {
            Copies::Before(distance) => count.checked_sub(distance),
            Copies::Any => Some(rng.usize(..count.max(1))),
            Copies::Mirrored => planned.checked_sub(count + 1),
        }
    }
}

/// A collection that is being drawn.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) planned: usize,
    pub(super) copies: Option<(Copies, u8)>,
    /// The begin and end of the choices of each element. Filled only if elements are copied.
    elements: Vec<(u32, u32)>,
    /// Whether the last element is a copy. Then the rest of the copied values ends with that
    /// element.
    pub(super) has_copied: bool,
}

impl Collection {
    pub(super) fn new(planned: usize, copies: Option<(Copies, u8)>) -> Collection {
        Collection { planned, copies, elements: Vec::new(), has_copied: false }
    }

    /// Ends the last element, if there is one, before the choice at `index`.
    pub(super) fn end_element(&mut self, index: usize) {
        if let Some(last) = self.elements.last_mut() {
            last.1 = index as u32;
        }
    }

    /// Begins one more element with the choice at `index`. Returns the values to copy, if it is a
    /// copy.
    pub(super) fn begin_element<'a>(
        &mut self,
        rng: &mut Rng,
        index: usize,
        choices: &'a [Choice],
    ) -> Option<impl Iterator<Item = Value> + use<'a>> {
        let (copies, likely) = self.copies?;
        let count = self.elements.len();
        self.elements.push((index as u32, index as u32));
        if rng.u8(..) > likely {
            return None;
        }
        let at = copies.of(rng, count, self.planned)?;
        let (start, end) = *self.elements[..count].get(at)?;
        Some(choices[start as usize..end as usize].iter().map(|choice| choice.value.clone()))
    }
}
