//! jiff 1.0: dates, times and spans. Calls.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan, Unit};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "each is its unit")]
pub enum Of {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Nanosecond,
}

/// One call on the time at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Op {
    /// Another time, by year, month, day, hour and nanosecond.
    At(i16, i8, i8, i8, i32),
    /// Adds a number of units.
    Add(i32, Of),
    /// Adds the span that a text names.
    AddText(String),
    /// Rounds to a number of units.
    Round(Of, u8),
    /// The span since another time in this unit.
    Since(Of, i16, i8, i8),
    /// Prints with a format, and reads what was printed.
    Print(String),
    /// Reads a text.
    Read(String),
}

impl Of {
    fn unit(self) -> Unit {
        match self {
            Of::Year => Unit::Year,
            Of::Month => Unit::Month,
            Of::Week => Unit::Week,
            Of::Day => Unit::Day,
            Of::Hour => Unit::Hour,
            Of::Minute => Unit::Minute,
            Of::Second => Unit::Second,
            Of::Nanosecond => Unit::Nanosecond,
        }
    }

    fn span(self, number: i32) -> Option<Span> {
        let span = Span::new();
        match self {
            Of::Year => span.try_years(number),
            Of::Month => span.try_months(number),
            Of::Week => span.try_weeks(number),
            Of::Day => span.try_days(number),
            Of::Hour => span.try_hours(number),
            Of::Minute => span.try_minutes(number),
            Of::Second => span.try_seconds(number),
            Of::Nanosecond => span.try_nanoseconds(number),
        }
        .ok()
    }
}

/// Does the calls one after the other.
///
/// # Panics
///
/// Inside `jiff`.
pub fn check(ops: &[Op]) {
    let mut time = DateTime::constant(2024, 2, 29, 12, 0, 0, 0);
    for op in ops {
        time = after(time, op).unwrap_or(time);
    }
    let _ = time.checked_add(1.day());
}

/// The time after a call, if the call is possible.
fn after(time: DateTime, op: &Op) -> Option<DateTime> {
    match op {
        Op::At(year, month, day, hour, nanosecond) => {
            DateTime::new(*year, *month, *day, *hour, 0, 0, *nanosecond).ok()
        }
        Op::Add(number, of) => time.checked_add(of.span(*number)?).ok(),
        Op::AddText(text) => time.checked_add(text.parse::<Span>().ok()?).ok(),
        Op::Round(of, number) => {
            let round = jiff::civil::DateTimeRound::new().smallest(of.unit());
            time.round(round.increment(i64::from(*number))).ok()
        }
        Op::Since(of, year, month, day) => {
            let other = DateTime::new(*year, *month, *day, 0, 0, 0, 0).ok()?;
            let span = time.since((of.unit(), other)).ok()?;
            other.checked_add(span).ok()
        }
        Op::Print(format) => {
            let printed = jiff::fmt::strtime::format(format, time).ok()?;
            DateTime::strptime(format, printed).ok()
        }
        Op::Read(text) => text.parse().ok(),
    }
}
