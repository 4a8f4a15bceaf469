//! Samples of the inputs that failed as a known bug. Some of them may have another cause.
//!
//! A run that fails often has thousands of such inputs each second. The session keeps few of them,
//! and hands them to an explainer process through a pipe. It hands over no more than fits into the
//! pipe's buffer, so writing never waits.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The least time between two samples of one bug.
const BETWEEN: Duration = Duration::from_millis(5);
/// The most samples of one bug. A new one replaces the oldest.
const COUNT_MAX: usize = 64;
/// The most bytes of one sample.
const SAMPLE_MAX: usize = 4096;
/// The most bytes that one explainer process gets. Samples beyond it are lost.
const ALL_MAX: usize = 48 << 10;
/// The time between two looks at the samples of one bug. Each look that shows nothing new doubles
/// it.
const PAUSE_MIN: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// The samples of one bug.
#[derive(Debug, Default)]
pub(super) struct Samples {
    inputs: VecDeque<Vec<u8>>,
    last: Option<Instant>,
    pub(super) looked: Option<Instant>,
    pause: Duration,
}

impl Samples {
    /// Keeps an input, unless the last one came a moment ago. Also ignores known and large inputs.
    pub(super) fn add(&mut self, input: &[u8]) {
        let is_early = self.last.is_some_and(|last| last.elapsed() < BETWEEN);
        if is_early || input.len() > SAMPLE_MAX || self.inputs.iter().any(|known| known == input) {
            return;
        }
        self.last = Some(Instant::now());
        if self.inputs.len() == COUNT_MAX {
            self.inputs.pop_front();
        }
        self.inputs.push_back(input.to_owned());
    }

    /// Whether it is time to look at the samples.
    pub(super) fn is_due(&self) -> bool {
        let pause = self.pause.max(PAUSE_MIN);
        !self.inputs.is_empty() && self.looked.is_none_or(|looked| looked.elapsed() >= pause)
    }

    /// Takes the samples, for [`read`].
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.looked = Some(Instant::now());
        let mut bytes = Vec::new();
        for input in self.inputs.drain(..) {
            if bytes.len() + 4 + input.len() <= ALL_MAX {
                bytes.extend((input.len() as u32).to_le_bytes());
                bytes.extend(input);
            }
        }
        bytes
    }

    /// Notes whether the last look showed something new.
    pub(super) fn looked(&mut self, found: bool) {
        self.pause = if found { PAUSE_MIN } else { (2 * self.pause).clamp(PAUSE_MIN, PAUSE_MAX) };
    }
}

/// Says when a fuzzer reports another sample to its session.
#[cfg(feature = "libfuzzer")]
#[derive(Debug)]
pub(crate) struct SamplePace {
    last: Option<Instant>,
    is_on: bool,
}

#[cfg(feature = "libfuzzer")]
impl SamplePace {
    /// `is_on`: whether the session wants samples at all.
    pub(crate) fn new(is_on: bool) -> SamplePace {
        SamplePace { last: None, is_on }
    }

    /// Whether to report this failure. `false` if the last report was a moment ago.
    pub(crate) fn is_due(&mut self) -> bool {
        if !self.is_on || self.last.is_some_and(|last| last.elapsed() < 2 * BETWEEN) {
            return false;
        }
        self.last = Some(Instant::now());
        true
    }
}

/// The samples that [`Samples::take`] wrote. Ends early where the bytes are cut off.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut samples = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let Some((sample, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
        else {
            break;
        };
        samples.push(sample);
        bytes = rest;
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(inputs: &[&[u8]]) -> Samples {
        let mut samples = Samples::default();
        for input in inputs {
            samples.last = None;
            samples.add(input);
        }
        samples
    }

    #[test]
    fn samples_are_read_as_they_were_taken() {
        let mut samples = of(&[b"one", b"", b"three", b"one"]);
        assert!(samples.is_due());
        let bytes = samples.take();
        assert_eq!(read(&bytes), [&b"one"[..], b"", b"three"]);
        assert_eq!(read(&bytes[..bytes.len() - 1]), [&b"one"[..], b""]);
        assert!(!samples.is_due() && samples.take().is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded_and_fits_into_a_pipe() {
        let inputs: Vec<Vec<u8>> = (0..200u32).map(|n| n.to_le_bytes().repeat(1000)).collect();
        let mut samples = of(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(samples.inputs.len(), COUNT_MAX);
        samples.add(&[0; SAMPLE_MAX + 1]);
        assert_eq!(samples.inputs.len(), COUNT_MAX);
        assert!(samples.take().len() <= ALL_MAX);
    }

    #[test]
    fn looks_that_show_nothing_become_rare() {
        let mut samples = of(&[b"one"]);
        for _ in 0..10 {
            samples.looked(false);
        }
        assert_eq!(samples.pause, PAUSE_MAX);
        samples.looked(true);
        assert_eq!(samples.pause, PAUSE_MIN);
    }
}
