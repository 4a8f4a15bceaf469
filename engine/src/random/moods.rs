//! Sampling profiles: what the values of one test case have in common.
//!
//! Each parameter is drawn once for a test case, and then the values are drawn under it.
//! Independent draws from one flat distribution almost never give twenty equal values, a long run
//! of one operation, or a sorted list. The ideas come from swarm testing, Groce et al. 2012, and
//! from the parametrization of early Hypothesis.

use fastrand::Rng;

use crate::choice::{Choice, Coin, Constraint, Value};

/// Maximum constraints of a test case that have their own sampling profile. All other constraints
/// are sampled without a profile.
const KEPT_MAX: usize = 16;

/// The parameters of one test case.
#[derive(Clone, Debug)]
pub(super) struct Moods {
    rng: Rng,
    /// A bit set of the alternatives to leave out; 0 leaves out none.
    left_out: u64,
    /// The preferred alternative, modulo the number of alternatives.
    favourite: Option<usize>,
    /// Maximum bits of most numbers.
    pub(super) small_bits: Option<u32>,
    /// Mean number of elements of a collection.
    pub(super) mean_length: f64,
    /// The depth at which half of the values of a recursive type end.
    pub(super) depth: f64,
    /// How many more values of recursive types may recurse before all of them end. Set only for
    /// deep test cases.
    pub(super) branches_left: Option<u32>,
    of_values: Vec<(Constraint, Mood)>,
    /// Maximum constraints with a sampling profile.
    kept_max: usize,
}

/// The sampling profile of one constraint: how its values are related.
#[derive(Clone, Debug)]
pub(super) enum Mood {
    /// The values have nothing in common.
    Free,
    /// The values are a few different ones, except for `free` of 256.
    Few { values: Vec<Value>, count: usize, free: u8 },
    /// Each value is a step up or down from the one before, except for `free` of 256. A step is
    /// less than two to the power of `bits`.
    Steps { last: Option<i128>, bits: u32, up: bool, free: u8 },
    /// Most values lie at an edge.
    Edges,
    /// `likely` of 256 coins are `true`.
    Likely(u16),
}

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

impl Moods {
    pub(super) fn new(seed: u64) -> Moods {
        let (left_out, small_bits) = swarm(&mut Rng::with_seed(seed));
        let mut rng = Rng::with_seed(!seed);
        let favourite = if rng.u8(..4) == 0 { Some(rng.usize(..)) } else { None };
        let mean_length = [6.0, 6.0, 6.0, 6.0, 6.0, 2.0, 24.0, 40.0][rng.usize(..8)];
        let is_deep = rng.u8(..8) == 0;
        let (depth, branches_left) =
            if is_deep { (24.0, Some(rng.u32(8..128))) } else { (3.0, None) };
        Moods {
            rng,
            left_out,
            favourite,
            small_bits,
            mean_length,
            depth,
            branches_left,
            of_values: Vec::new(),
            kept_max: KEPT_MAX,
        }
    }

    /// Removes the common parameters of the draws, except for the limit of small numbers.
    pub(super) fn flatten(&mut self) {
        *self = Moods {
            left_out: 0,
            favourite: None,
            mean_length: 6.0,
            depth: 3.0,
            branches_left: None,
            kept_max: 0,
            ..self.clone()
        };
    }

    /// Whether an alternative is left out. This holds for about half of the alternatives, a
    /// different half for each `count`.
    pub(super) fn leaves_out(&self, alternative: usize, count: usize) -> bool {
        self.left_out != 0
            && (self.left_out.rotate_left(count as u32) >> (alternative % 64)) & 1 == 1
    }

    /// The alternative that most draws take, if there is one.
    pub(super) fn favourite(&self, count: usize) -> Option<usize> {
        self.favourite.map(|favourite| favourite % count)
    }

    /// How the elements of one collection copy earlier ones, and how many of 256 elements do.
    pub(super) fn copies(&mut self) -> Option<(Copies, u8)> {
        if self.rng.u8(..5) != 0 {
            return None;
        }
        let copies = Copies::any(&mut self.rng);
        Some((copies, [255, 255, 255, 230, 128][self.rng.usize(..5)]))
    }

    /// The sampling profile of `constraint`. `None` if the test case already has the maximum of
    /// profiles.
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
                    let bits = rng.u32(
                        1..=(128 - range.max.abs_diff(range.min).leading_zeros()).clamp(1, 100),
                    );
                    Mood::Steps {
                        last: None,
                        bits,
                        up: rng.bool(),
                        free: [0, 0, 16][rng.usize(..3)],
                    }
                }
                4 => Mood::Edges,
                _ => Mood::Free,
            },
            Constraint::Float(_) | Constraint::Bytes(_) | Constraint::Text(..) => {
                if rng.u8(..8) == 0 { Mood::few(rng) } else { Mood::Free }
            }
        }
    }

    fn few(rng: &mut Rng) -> Mood {
        Mood::Few {
            values: Vec::new(),
            count: [1, 2, 2, 3, 5][rng.usize(..5)],
            free: [0, 0, 16, 96][rng.usize(..4)],
        }
    }
}

fn is_fair(coin: Coin) -> bool {
    coin.forced.is_none() && !coin.more && coin.bytes == 1 && coin.threshold == 0x80
}

/// Draws the alternatives to leave out, and the limit of small numbers.
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
