//! Parts of earlier inputs, by key.

use fastrand::Rng;

use super::Bytes;
use super::parent::{Key, Parent};
use crate::hashed::HashedMap;

/// How many parts of one key are kept.
const KEPT: usize = 48;
/// Maximum number of keys. A target that draws from ever new places would fill the memory.
const KEYS_MAX: usize = 2048;

/// A part of an earlier input, and all bytes of that input.
#[derive(Clone, Debug)]
pub(super) struct Donor {
    input: Bytes,
    start: u32,
    end: u32,
}

impl Donor {
    /// The bytes of the part.
    pub(super) fn part(&self) -> &[u8] {
        &self.input[self.start as usize..self.end as usize]
    }

    /// The bytes of the part and everything after it.
    pub(super) fn tail(&self) -> &[u8] {
        &self.input[self.start as usize..]
    }
}

/// A random sample of the parts with each key.
#[derive(Debug, Default)]
pub(super) struct Pool(HashedMap<Key, Sample>);

#[derive(Debug, Default)]
struct Sample {
    donors: Vec<Donor>,
    seen: usize,
}

impl Pool {
    pub(super) fn add(&mut self, parent: &Parent, rng: &mut Rng) {
        for part in parent.parts() {
            if self.0.len() >= KEYS_MAX && !self.0.contains_key(&part.key) {
                continue;
            }
            let place = part.place();
            let sample = self.0.entry(part.key).or_default();
            sample.seen += 1;
            let donor = || Donor {
                input: parent.bytes().clone(),
                start: place.start as u32,
                end: place.end as u32,
            };
            if sample.donors.len() < KEPT {
                sample.donors.push(donor());
            } else if rng.usize(..sample.seen) < KEPT {
                let at = rng.usize(..KEPT);
                sample.donors[at] = donor();
            }
        }
    }

    /// A random part with this key.
    pub(super) fn donor(&self, key: Key, rng: &mut Rng) -> Option<&Donor> {
        let donors = &self.0.get(&key)?.donors;
        donors.get(rng.usize(..donors.len().max(1)))
    }
}
