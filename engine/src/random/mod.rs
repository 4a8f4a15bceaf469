//! Seeded random choices, biased towards edges and towards earlier values.
//!
//! The values of one test case share a sampling profile, see `profile`.

mod copies;
mod numbers;
mod profile;
mod script;
mod texts;

use fastrand::Rng;

use self::copies::Collection;
pub(crate) use self::profile::ProfileSeeds;
use self::profile::{Relation, SamplingProfile, swarm};
use self::script::Script;
use crate::choice::{Choice, Coin, Constraint, IntegerRange, Length, PATH_END, Value};
use crate::codec::weighted;
use crate::shares::Shares;

/// How many earlier choices are candidates for a repeated value.
const RECENT: usize = 32;

/// A random input has fewer bytes than two to the power of this number.
const INPUT_BITS: u32 = 12;

/// Draws random values. One seed gives one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    rng: Rng,
    profile: SamplingProfile,
    /// The values to draw before any random value.
    script: Script,
    /// The remaining values of the element that is being copied.
    copy: Script,
    /// The collections that are being drawn, an outer one first.
    collections: Vec<Collection>,
}

impl Default for Random {
    fn default() -> Random {
        Random::new(0)
    }
}

impl Random {
    /// A source of the values of `seed`, under the sampling profile of the same seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random::with(SamplingProfile::of_one(seed), seed)
    }

    /// A source of the values of `seed`, under a sampling profile.
    pub(crate) fn under(profile: ProfileSeeds, seed: u64) -> Random {
        Random::with(SamplingProfile::new(profile), seed)
    }

    #[inline]
    fn with(profile: SamplingProfile, seed: u64) -> Random {
        let mut rng = Rng::with_seed(seed);
        // The profile of the same seed has drawn its first parameters from these numbers. They are
        // skipped, so that the values do not depend on these parameters.
        let _ = swarm(&mut rng);
        Random {
            rng,
            profile,
            script: Script::default(),
            copy: Script::default(),
            collections: Vec::new(),
        }
    }

    /// A source of the values of `seed` without relations, favourites and left-out alternatives,
    /// and with the usual lengths and depths. Copies and small numbers stay.
    pub(crate) fn flat(seed: u64) -> Random {
        let mut random = Random::new(seed);
        random.profile.flatten();
        random
    }

    /// Draws `values` first. A value of the wrong kind is skipped, and that choice becomes random.
    pub(crate) fn follow(&mut self, values: Vec<Value>) {
        self.script.load(values);
    }

    /// The next value of the script or of the copied element, if there is one.
    fn scripted(&mut self, constraint: &Constraint) -> Option<Value> {
        if !self.script.is_over() {
            return self.script.next(constraint);
        }
        if self.copy.is_over() { None } else { self.copy.next(constraint) }
    }

    /// The next value of the script or of the copied element, if it is an integer.
    pub(crate) fn scripted_integer(&mut self, range: &IntegerRange) -> Option<i128> {
        match self.scripted(&Constraint::Integer(*range))? {
            Value::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// Begins a collection inside `nesting` others and `depth` values of recursive types. Returns
    /// its planned number of elements.
    pub(crate) fn begin_collection(
        &mut self,
        length: Length,
        depth: usize,
        nesting: usize,
    ) -> usize {
        self.collections.truncate(nesting);
        let planned = self.length(length, depth, nesting);
        let copies = if planned > 1 { self.profile.copies() } else { None };
        self.collections.push(Collection::new(planned, copies));
        planned
    }

    /// Ends the last element of the collection inside `nesting` others, and returns whether one
    /// more follows. The next value of the script or of a copied element decides this under the
    /// constraint `coin`; without such a value, `planned` does. The first choice of the element
    /// is at `index`.
    pub(crate) fn more(&mut self, coin: Coin, planned: bool, nesting: usize, index: usize) -> bool {
        self.end_element(nesting, index);
        match self.scripted(&Constraint::Boolean(coin)) {
            Some(Value::Boolean(more)) => more,
            _ => planned,
        }
    }

    /// Ends the last element of the collection inside `nesting` others. Its choices end before
    /// `index`.
    pub(crate) fn end_element(&mut self, nesting: usize, index: usize) {
        if let Some(collection) = self.collections.get_mut(nesting) {
            collection.end_element(index);
            if std::mem::take(&mut collection.has_copied) {
                self.copy.clear();
            }
        }
    }

    /// Begins an element of the collection inside `nesting` others, after the last of `choices`.
    pub(crate) fn begin_element(&mut self, nesting: usize, choices: &[Choice]) {
        self.collections.truncate(nesting + 1);
        if let Some(collection) = self.collections.get_mut(nesting)
            && let Some(values) = collection.begin_element(&mut self.rng, choices.len(), choices)
            && self.copy.is_over()
        {
            self.copy.load(values);
            collection.has_copied = true;
        }
    }

    /// Draws one value. `earlier` holds the choices so far.
    pub(crate) fn next(&mut self, constraint: &Constraint, earlier: &[Choice]) -> Value {
        if let Some(value) = self.scripted(constraint) {
            return value;
        }
        let value = match self.profile.of(constraint) {
            None | Some(Relation::Free) => return self.free(constraint, earlier),
            Some(Relation::Likely(likely)) => {
                Some(Value::Boolean(u16::from(self.rng.u8(..)) < *likely))
            }
            Some(Relation::Few { values, count, free }) => (values.len() >= *count
                && self.rng.u8(..) >= *free)
                .then(|| values[self.rng.usize(..*count)].clone()),
            Some(Relation::Edges) if self.rng.u8(..) >= 32 => match constraint {
                Constraint::Integer(range) => Some(Value::Integer(self.edge(range))),
                _ => None,
            },
            Some(Relation::Steps { last: Some(last), bits, up, free })
                if self.rng.u8(..) >= *free =>
            {
                match constraint {
                    Constraint::Integer(range) => {
                        let step = (self.rng.u128(..1 << *bits)) as i128;
                        Some(Value::Integer(
                            if *up { last.saturating_add(step) } else { last.saturating_sub(step) }
                                .clamp(range.min, range.max),
                        ))
                    }
                    _ => None,
                }
            }
            Some(Relation::Edges | Relation::Steps { .. }) => None,
        };
        let value = value.unwrap_or_else(|| self.free(constraint, earlier));
        match (self.profile.of(constraint), &value) {
            (Some(Relation::Few { values, count, .. }), _) if values.len() < *count => {
                values.push(value.clone());
            }
            (Some(Relation::Steps { last, .. }), Value::Integer(value)) => *last = Some(*value),
            _ => {}
        }
        value
    }

    /// Draws a value as if its constraint had no relation. It may repeat an earlier value.
    fn free(&mut self, constraint: &Constraint, earlier: &[Choice]) -> Value {
        match constraint {
            Constraint::Boolean(coin) => Value::Boolean(self.coin(*coin)),
            Constraint::Integer(range) => Value::Integer(self.integer(range, earlier)),
            Constraint::Float(range) => Value::Float(self.float(range, earlier)),
            Constraint::Bytes(length) => self.again(constraint, earlier).unwrap_or_else(|| {
                let length = self.length(*length, 0, 0);
                Value::Bytes((0..length).map(|_| self.edgy_byte()).collect())
            }),
            Constraint::Rest => Value::Bytes(self.input().into()),
            Constraint::Path => Value::Bytes([PATH_END].into()),
            Constraint::Text(length, alphabet) => {
                self.again(constraint, earlier).unwrap_or_else(|| {
                    let length = self.length(*length, 0, 0);
                    Value::Text(self.text(length, alphabet).into())
                })
            }
        }
    }

    /// Sometimes repeats an earlier string or float that the constraint allows, because independent
    /// draws almost never give two equal ones.
    fn again(&mut self, constraint: &Constraint, earlier: &[Choice]) -> Option<Value> {
        if self.rng.u8(..) >= 32 {
            return None;
        }
        let recent = self.recent(earlier);
        let allowed = |choice: &&Choice| constraint.allows(&choice.value);
        let count = recent.iter().filter(allowed).count();
        if count == 0 {
            None
        } else {
            recent
                .iter()
                .filter(allowed)
                .nth(self.rng.usize(..count))
                .map(|choice| choice.value.clone())
        }
    }

    /// The latest choices, or sometimes older ones.
    fn recent<'a>(&mut self, earlier: &'a [Choice]) -> &'a [Choice] {
        let end = if earlier.len() > RECENT && self.rng.u8(..4) == 0 {
            self.rng.usize(RECENT..=earlier.len())
        } else {
            earlier.len()
        };
        &earlier[end.saturating_sub(RECENT)..end]
    }

    /// Draws the length of a collection or a string: mostly little above the minimum, sometimes the
    /// minimum, much above it, or the maximum, but then at most 64 above the minimum.
    ///
    /// From the second level of a recursive type on, each level halves the part above the minimum.
    /// Without this, a type that recurses through a collection would hardly ever end.
    fn length(&mut self, length: Length, depth: usize, nesting: usize) -> usize {
        let mean =
            if nesting > 0 { self.profile.mean_length.min(6.0) } else { self.profile.mean_length };
        let room = length.max - length.min;
        let wanted = match self.rng.u8(..) {
            0..20 => 0,
            20..28 => room.min(64),
            28..48 => self.rng.usize(0..=room.min(64)),
            48 => self.rng.usize(0..=room.min(512)),
            _ => self.geometric(if room as f64 > 2.0 * mean {
                mean
            } else {
                (room as f64 / 2.0).max(1.0)
            }),
        };
        length.min + wanted.min(room).checked_shr(depth.saturating_sub(1) as u32).unwrap_or(0)
    }

    /// Draws the place of one of `count` alternatives. The first `leaves` alternatives end a
    /// recursion, and become likelier with the depth.
    pub(crate) fn place(
        &mut self,
        shares: Shares,
        count: usize,
        leaves: usize,
        depth: usize,
    ) -> usize {
        let is_recursive = 0 < leaves && leaves < count;
        let end = is_recursive
            && (self.profile.branches_left == Some(0)
                || self.rng.f64() < depth as f64 / (depth as f64 + self.profile.depth));
        let among = shares.place_of(if end { leaves } else { count });
        if is_recursive && let Some(left) = &mut self.profile.branches_left {
            *left = left.saturating_sub(1);
        }
        if let Some(favourite) = self.profile.favourite(among)
            && self.rng.u8(..) >= 12
        {
            return favourite;
        }
        let mut place = self.rng.usize(..among);
        // The test case may leave out all alternatives. Then the last try counts.
        for _ in 0..4 {
            if !self.profile.leaves_out(shares.index_at(place), count) {
                break;
            }
            place = self.rng.usize(..among);
        }
        place
    }

    /// Draws the number of steps of a state machine, at most `max`.
    ///
    /// The mean of the geometric distribution, 12, is twice the usual 6 of a collection, because a
    /// failure often needs several steps. `nesting` is the same as for
    /// [`begin_collection`](Random::begin_collection).
    pub(crate) fn steps(&mut self, max: usize, nesting: usize) -> usize {
        let wanted = match self.rng.u8(..) {
            0..32 => self.rng.usize(0..=64),
            32..40 => self.rng.usize(0..=256),
            _ => self.geometric(12.0),
        };
        // Collections drawn in steps lie inside this entry. Steps are not copied, because the state
        // that they refer to has changed.
        self.collections.truncate(nesting);
        self.collections.push(Collection::new(wanted, None));
        wanted.min(max)
    }

    /// Draws one of the rules by their weights. If this test case leaves the rule out, draws
    /// another, up to 8 times; the last one counts.
    pub(crate) fn rule(&mut self, weights: &[u8]) -> usize {
        let total: usize = weights.iter().map(|weight| usize::from(*weight)).sum();
        let mut rule = weighted(weights, self.rng.usize(..total));
        for _ in 0..8 {
            if !self.profile.leaves_out(rule, weights.len()) {
                break;
            }
            rule = weighted(weights, self.rng.usize(..total));
        }
        rule
    }

    /// Draws a number less than `count`, all equally likely.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.rng.usize(..count)
    }

    fn geometric(&mut self, mean: f64) -> usize {
        let uniform = 1.0 - self.rng.f64();
        (uniform.ln() / (mean / (mean + 1.0)).ln()) as usize
    }

    fn coin(&mut self, coin: Coin) -> bool {
        let mask = if coin.bytes == 8 { u64::MAX } else { (1 << (8 * coin.bytes)) - 1 };
        coin.forced.unwrap_or_else(|| self.rng.u64(..) & mask >= coin.threshold)
    }

    fn edgy_byte(&mut self) -> u8 {
        match self.rng.u8(..8) {
            0 => [0, 1, 0x7F, 0x80, 0xFF][self.rng.usize(..5)],
            1..4 => self.rng.u8(b' '..=b'~'),
            _ => self.rng.u8(..),
        }
    }

    /// Draws a whole input. First draws an upper bound 2^n, each n in 0..=12 equally likely; the
    /// length is less than that. Its bytes are uniform, small, or a mixture with many edges and
    /// printable characters. Some pieces repeat.
    pub(crate) fn input(&mut self) -> Vec<u8> {
        let bits = self.rng.u32(0..=INPUT_BITS);
        let length = self.rng.usize(0..1 << bits);
        let sort = self.rng.u8(..4);
        let mut bytes: Vec<u8> = Vec::with_capacity(length);
        while bytes.len() < length {
            match self.rng.u8(..16) {
                0 if !bytes.is_empty() => {
                    let start = self.rng.usize(..bytes.len());
                    let end = (start + self.rng.usize(1..=8)).min(bytes.len());
                    bytes.extend_from_within(start..end);
                }
                1 => bytes.extend([0; 4]),
                _ => bytes.push(match sort {
                    0 => self.rng.u8(..),
                    1 => self.rng.u8(..4),
                    _ => self.edgy_byte(),
                }),
            }
        }
        bytes.truncate(length);
        bytes
    }
}
