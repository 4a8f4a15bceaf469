//! Reads what a writer wrote, which may be cut off or damaged.

use std::path::Path;
use std::sync::Arc;

use dwindle_corpus::BugId;
use dwindle_engine::internals::choice::{
    Alphabet, Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Shares, Value,
};
use dwindle_engine::internals::{Label, Outcome, Span, Trace};

use super::{ANY, CLOSED, DISCARDED, NEW, OPENED, end};
use crate::execution::Run;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::failure::panics::{Panic, Place};

/// Reads the bytes of a [`Writer`]. Each method returns `None` if its bytes do not fit, because a
/// record may be cut off.
pub(crate) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    alphabets: Vec<Alphabet>,
    /// The ends of shares, and the shares if the thread can keep them.
    shares: Vec<(Vec<u32>, Option<Shares>)>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, alphabets: Vec::new(), shares: Vec::new() }
    }

    fn raw(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.raw(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        Some(self.raw(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn wide(&mut self) -> Option<i128> {
        self.array().map(i128::from_le_bytes)
    }

    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.raw(usize::try_from(length).ok()?)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        self.string().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Reads the number of items that follow. `None` if the rest is too short, because each item
    /// takes at least one byte.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(crate) fn addresses(&mut self) -> Option<Vec<usize>> {
        let count = self.count()?;
        (0..count).map(|_| self.number().map(|address| address as usize)).collect()
    }

    /// Reads how a run ended.
    pub(crate) fn run(&mut self, manifest_dir: &Path) -> Option<Run> {
        self.ended(|reader| reader.failed(manifest_dir), |reader| reader.text().map(Misuse))
    }

    /// Reads how a run ended, without the details of a failure or misuse.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn run_in_short(&mut self) -> Option<Outcome<BugId, ()>> {
        self.ended(|reader| reader.number().map(BugId::from_bits), |_| Some(()))
    }

    fn ended<F, M>(
        &mut self,
        failed: impl FnOnce(&mut Self) -> Option<F>,
        misused: impl FnOnce(&mut Self) -> Option<M>,
    ) -> Option<Outcome<F, M>> {
        Some(match self.byte()? {
            end::OVERRUN => Outcome::Overrun,
            end::REJECTED => Outcome::Rejected,
            end::PASSED => Outcome::Passed,
            end::MISUSED => Outcome::Misused(misused(self)?),
            _ => Outcome::Failed(failed(self)?),
        })
    }

    /// Reads a panic.
    pub(crate) fn failed(&mut self, manifest_dir: &Path) -> Option<Failed> {
        let id = BugId::from_bits(self.number()?);
        let (place, message) = (self.panic_place()?, self.text()?);
        Some(
            Failed::of_panic(Panic { message, place, addresses: self.addresses()? }, id)
                .located(manifest_dir),
        )
    }

    /// Reads where a panic occurred.
    pub(crate) fn panic_place(&mut self) -> Option<Place> {
        Some(Place {
            file: self.text()?.into(),
            line: self.number()? as u32,
            column: self.number()? as u32,
        })
    }

    /// Reads values, and appends them to `values`.
    pub(crate) fn values(&mut self, values: &mut Vec<Value>) -> Option<()> {
        for _ in 0..self.count()? {
            values.push(self.value()?);
        }
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        let tag = self.byte()?;
        self.value_of(tag)
    }

    fn value_of(&mut self, tag: u8) -> Option<Value> {
        Some(match tag {
            0 => Value::Boolean(self.byte()? != 0),
            1 => Value::Integer(i128::from(self.number()? as i64)),
            2 => Value::Integer(self.wide()?),
            3 => Value::Float(f64::from_bits(self.number()?)),
            4 => Value::Bytes(self.string()?.into()),
            5 => Value::Text(Arc::from(str::from_utf8(self.string()?).ok()?)),
            _ => return None,
        })
    }

    fn choice(&mut self, tag: u8) -> Option<Choice> {
        let mut value = self.value_of(tag)?;
        let constraint = self.constraint(&mut value)?;
        Some(Choice { value, constraint })
    }

    /// The constraint of `value`.
    fn constraint(&mut self, value: &mut Value) -> Option<Constraint> {
        Some(match self.byte()? {
            0 => {
                let [bytes, more, forced] = self.array()?;
                let forced = [Some(false), Some(true), None].get(usize::from(forced)).copied()?;
                Constraint::Boolean(Coin {
                    threshold: self.number()?,
                    bytes,
                    more: more != 0,
                    forced,
                })
            }
            1 => {
                let [type_bytes, offset, role, numbers @ ..] = self.array::<51>()?;
                let role = [Role::Number, Role::Alternative, Role::Element]
                    .get(usize::from(role))
                    .copied()?;
                let [min, max, towards] = [0, 16, 32].map(|at| {
                    i128::from_le_bytes(std::array::from_fn(|index| numbers[at + index]))
                });
                let (offset, shares) = (offset != 0, Shares::EQUAL);
                let range = IntegerRange { min, max, towards, type_bytes, offset, role, shares };
                Constraint::Integer(self.weighted(range, value)?)
            }
            2 => {
                let [type_bytes, nan] = self.array()?;
                let (min, max) = (f64::from_bits(self.number()?), f64::from_bits(self.number()?));
                Constraint::Float(FloatRange { min, max, nan: nan != 0, type_bytes })
            }
            3 => Constraint::Bytes(self.length()?),
            4 => Constraint::Text(self.length()?, self.alphabet()?),
            5 => Constraint::Rest,
            6 => Constraint::Path,
            _ => return None,
        })
    }

    /// The range with its shares. If the thread cannot keep them, each place of an alternative is
    /// an alternative.
    fn weighted(&mut self, range: IntegerRange, value: &mut Value) -> Option<IntegerRange> {
        let at = match self.byte()? {
            ANY => return Some(range),
            NEW => {
                let count = self.count()?;
                let ends = (0..count).map(|_| self.short()).collect::<Option<Vec<u32>>>()?;
                let kept = Shares::kept(&ends);
                self.shares.push((ends, kept));
                self.shares.len() - 1
            }
            known => usize::from(known),
        };
        let (ends, kept) = self.shares.get(at)?;
        let Value::Integer(index) = value else { return None };
        let fits = range.max == ends.len() as i128 - i128::from(range.role != Role::Element);
        if !fits || !(range.min..=range.max).contains(index) {
            return None;
        }
        if let Some(shares) = *kept {
            return Some(IntegerRange { shares, ..range });
        }
        let (place, range) = range.in_places(*index, ends);
        *value = Value::Integer(place);
        Some(range)
    }

    fn length(&mut self) -> Option<Length> {
        Some(Length { min: self.number()? as usize, max: self.number()? as usize })
    }

    fn alphabet(&mut self) -> Option<Alphabet> {
        match self.byte()? {
            ANY => Some(Alphabet::ANY),
            NEW => {
                let count = self.count()?;
                let range =
                    |_| Some((char::from_u32(self.short()?)?, char::from_u32(self.short()?)?));
                let ranges: Option<Vec<(char, char)>> = (0..count).map(range).collect();
                // `Alphabet::new` panics without a character.
                let alphabet = Alphabet::new(
                    ranges.filter(|ranges| ranges.iter().any(|(first, last)| first <= last))?,
                );
                self.alphabets.push(alphabet.clone());
                Some(alphabet)
            }
            known => self.alphabets.get(usize::from(known)).cloned(),
        }
    }

    /// Reads all remaining bytes as the entries of an execution, and replaces the contents of
    /// `trace` with them. The execution may be incomplete: spans that are still open end with the
    /// last choice.
    pub(crate) fn drawn(&mut self, trace: &mut Trace) -> Option<()> {
        let mut open: Vec<u32> = Vec::new();
        trace.clear();
        while !self.bytes.is_empty() {
            match self.byte()? {
                OPENED => {
                    let label = Label(self.number()?);
                    let start =
                        self.short().filter(|start| *start as usize <= trace.choices.len())?;
                    let parent = open.last().copied();
                    open.push(trace.spans.len() as u32);
                    trace.spans.push(Span { start, end: start, label, parent, discarded: false });
                }
                tag @ (CLOSED | DISCARDED) => {
                    // A target that catches a rejection may close more spans than are open.
                    if let Some(index) = open.pop() {
                        let span = &mut trace.spans[index as usize];
                        (span.end, span.discarded) = (trace.choices.len() as u32, tag == DISCARDED);
                    }
                }
                tag => trace.choices.push(self.choice(tag)?),
            }
        }
        for index in open {
            trace.spans[index as usize].end = trace.choices.len() as u32;
        }
        Some(())
    }
}
