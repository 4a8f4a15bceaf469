//! What the values of one test case have in common.
//!
//! Each parameter is drawn once for a test case, and the values then under it: independent draws from one flat distribution almost never give twenty equal values, a
//! long run of one operation, or a sorted list. The ideas: swarm testing, Groce et al. 2012, and the parametrization of early Hypothesis.

use fastrand::Rng;

use crate::choice::{Choice, Coin, Constraint, Value};

/// Maximum constraints of a test case that have their own parameters. All other constraints have flat ones.
const KEPT_MAX: usize = 16;

/// The parameters of one test case.
#[derive(Clone, Debug)]
pub(super) struct Moods {
    rng: Rng,
    /// Which alternatives are left out; 0 for none.
    left_out: u64,
    /// The alternative that is mostly taken, before it is divided by how many there are.
    favourite: Option<usize>,
    /// How many bits most numbers have at most.
    pub(super) small_bits: Option<u32>,
    /// How many elements a collection has on average.
    pub(super) mean_length: f64,
    /// The depth at which every other value of a recursive type ends.
    pub(super) depth: f64,
    /// How many more values of recursive types may go on; then all come to their end. Only if they are to become deep.
    pub(super) branches_left: Option<u32>,
    of_values: Vec<(Constraint, Mood)>,
    /// How many constraints may have parameters.
    kept_max: usize,
}

/// How the values drawn from one constraint belong together.
#[derive(Clone, Debug)]
pub(super) enum Mood {
    /// They do not.
    Free,
    /// They are few different ones, but for `free` of 256.
    Few { values: Vec<Value>, count: usize, free: u8 },
    /// Each is a step of less than two to the power of `bits` up or down from the one before, but for `free` of 256.
    Steps { last: Option<i128>, bits: u32, up: bool, free: u8 },
    /// Most lie at an edge.
    Edges,
    /// `likely` of 256 coins are `true`.
    Likely(u16),
}

/// Where the elements of a collection come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// The element that stands this number of elements before.
    Before(usize),
    /// Any one before.
    Any,
    /// Before the middle none, behind it the one as far from the other end.
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

    /// Which element one is a copy of that has `count` before it, if `planned` are to come in all. The one named may not be there.
    pub(super) fn of(self, rng: &mut Rng, count: usize, planned: usize) -> Option<usize> {
        match self {
            Copies::Before(distance) => count.checked_sub(distance),
            Copies::Any => Some(rng.usize(..count.max(1))),
            Copies::Mirrored => planned.checked_sub(count + 1),
        }
    }
}

impl Moods {
    pub(super) fn new(seed: u64) -> Moods {
        let (left_out, small_bits) = swarm(&mut Rng::with_seed(seed));
        let mut rng = Rng::with_seed(!seed);
        let favourite = if rng.u8(..4) == 0 { Some(rng.usize(..)) } else { None };
        let mean_length = [6.0, 6.0, 6.0, 6.0, 6.0, 2.0, 24.0, 40.0][rng.usize(..8)];
        let is_deep = rng.u8(..8) == 0;
        let (depth, branches_left) = if is_deep { (24.0, Some(rng.u32(8..128))) } else { (3.0, None) };
        Moods { rng, left_out, favourite, small_bits, mean_length, depth, branches_left, of_values: Vec::new(), kept_max: KEPT_MAX }
    }

    /// Leaves nothing that draws have in common but how small numbers are.
    pub(super) fn flatten(&mut self) {
        *self = Moods { left_out: 0, favourite: None, mean_length: 6.0, depth: 3.0, branches_left: None, kept_max: 0, ..self.clone() };
    }

    /// About half of the alternatives, another half for each number of them.
    pub(super) fn leaves_out(&self, alternative: usize, count: usize) -> bool {
        self.left_out != 0 && (self.left_out.rotate_left(count as u32) >> (alternative % 64)) & 1 == 1
    }

    /// The alternative to take at most places, if there is one.
    pub(super) fn favourite(&self, count: usize) -> Option<usize> {
        self.favourite.map(|favourite| favourite % count)
    }

    /// How the elements of one collection are copied from those before, and how many of 256 are.
    pub(super) fn copies(&mut self) -> Option<(Copies, u8)> {
        if self.rng.u8(..5) != 0 {
            return None;
        }
        let copies = Copies::any(&mut self.rng);
        Some((copies, [255, 255, 255, 230, 128][self.rng.usize(..5)]))
    }

    /// What the values drawn from `constraint` have in common.
    pub(super) fn of(&mut self, constraint: &Constraint) -> Option<&mut Mood> {
        let at = match self.of_values.iter().position(|(kept, _)| kept == constraint) {
            Some(at) => at,
            None if self.of_values.len() < self.kept_max => {
                let mood = Mood::new(&mut self.rng, constraint);
                self.of_values.push((constraint.clone(), mood));
                self.of_values.len() - 1
            }
            None => return None,
        };
        Some(&mut self.of_values[at].1)
    }
}

impl Mood {
    fn new(rng: &mut Rng, constraint: &Constraint) -> Mood {
        match constraint {
            Constraint::Boolean(coin) if is_fair(*coin) => match rng.u8(..4) {
                0 => Mood::Likely(rng.u16(0..=256)),
                1 => Mood::Likely([0, 8, 248, 256][rng.usize(..4)]),
                _ => Mood::Free,
            },
            Constraint::Boolean(_) | Constraint::Rest | Constraint::Path => Mood::Free,
            Constraint::Integer(range) => match rng.u8(..16) {
                0 | 1 => Mood::few(rng),
                2 | 3 => {
                    let bits = rng.u32(1..=(128 - range.max.abs_diff(range.min).leading_zeros()).clamp(1, 100));
                    Mood::Steps { last: None, bits, up: rng.bool(), free: [0, 0, 16][rng.usize(..3)] }
                }
                4 => Mood::Edges,
                _ => Mood::Free,
            },
            Constraint::Float(_) | Constraint::Bytes(_) | Constraint::Text(..) => {
                if rng.u8(..8) == 0 {
                    Mood::few(rng)
                } else {
                    Mood::Free
                }
            }
        }
    }

    fn few(rng: &mut Rng) -> Mood {
        Mood::Few { values: Vec::new(), count: [1, 2, 2, 3, 5][rng.usize(..5)], free: [0, 0, 16, 96][rng.usize(..4)] }
    }
}

fn is_fair(coin: Coin) -> bool {
    coin.forced.is_none() && !coin.more && coin.bytes == 1 && coin.threshold == 0x80
}

/// Alternatives to leave out, and how small numbers are.
pub(super) fn swarm(rng: &mut Rng) -> (u64, Option<u32>) {
    let left_out = if rng.bool() { rng.u64(1..) } else { 0 };
    let small_bits = if rng.u8(..4) == 0 { Some(rng.u32(1..=6)) } else { None };
    (left_out, small_bits)
}

/// A collection that is being drawn.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) planned: usize,
    pub(super) copies: Option<(Copies, u8)>,
    /// Where the choices of its elements begin and end. Kept only where elements are copied.
    elements: Vec<(u32, u32)>,
    /// Whether the element drawn last was copied, so that what is left of the copy is its own.
    pub(super) has_copied: bool,
}

impl Collection {
    pub(super) fn new(planned: usize, copies: Option<(Copies, u8)>) -> Collection {
        Collection { planned, copies, elements: Vec::new(), has_copied: false }
    }

    /// The last element, if there is one, ends before the choice at `index`.
    pub(super) fn end_element(&mut self, index: usize) {
        if let Some(last) = self.elements.last_mut() {
            last.1 = index as u32;
        }
    }

    /// One more element begins with the choice at `index`. The values that it is to copy, if it is to.
    pub(super) fn begin_element<'a>(&mut self, rng: &mut Rng, index: usize, choices: &'a [Choice]) -> Option<impl Iterator<Item = Value> + use<'a>> {
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
