//! Dates and times of the crate chrono.
//!
//! 2000-01-01 is the simplest date and 00:00:00 the simplest time. Each part of them is a separate
//! choice.

use std::ops::{Bound, RangeBounds};

use chrono::{
    DateTime, Datelike, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
    TimeZone, Utc, Weekday,
};

use super::std_types::generate_with;
use super::{Generate, Generator, any, from_fn, integers, sampled_from};
use crate::misuse::misuse;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// The year that years shrink towards.
const YEAR: i32 = 2000;

/// Generates the dates of `range`. They shrink towards 2000-01-01, or towards the end of the range
/// nearer to it.
///
/// `..` covers all dates of chrono, from the year -262143 to 262142.
///
/// ```
/// use chrono::NaiveDate;
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[], 10);
///
/// let any_date = tc.draw(g::dates(..));
/// # assert_eq!(any_date.to_string(), "2000-01-01");
/// let first = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
/// let later = tc.draw(g::dates(first..));
/// assert!(later >= first);
/// # assert_eq!(later.to_string(), "2024-02-29");
/// ```
///
/// # Panics
/// If the range is empty.
#[track_caller]
pub fn dates(range: impl RangeBounds<NaiveDate>) -> Dates {
    let min = match range.start_bound() {
        Bound::Included(min) => Some(*min),
        Bound::Excluded(below) => below.succ_opt(),
        Bound::Unbounded => Some(NaiveDate::MIN),
    };
    let max = match range.end_bound() {
        Bound::Included(max) => Some(*max),
        Bound::Excluded(above) => above.pred_opt(),
        Bound::Unbounded => Some(NaiveDate::MAX),
    };
    match (min, max) {
        (Some(min), Some(max)) if min <= max => Dates { min, max },
        _ => misuse(format_args!(
            "the range {:?} to {:?} holds no date: its end must lie above its start, or on it with \
             `..=`",
            range.start_bound(),
            range.end_bound()
        )),
    }
}

/// See [`dates`].
#[derive(Clone, Copy, Debug)]
pub struct Dates {
    min: NaiveDate,
    max: NaiveDate,
}

impl Generator for Dates {
    type Value = NaiveDate;

    fn generate(&self, tc: &mut TestCase) -> NaiveDate {
        tc.span(Label::TUPLE, |tc| {
            let year = YEAR + tc.integer(self.min.year() - YEAR, self.max.year() - YEAR);
            let (is_first, is_last) = (year == self.min.year(), year == self.max.year());
            let month = tc.integer(
                if is_first { self.min.month() as u8 } else { 1 },
                if is_last { self.max.month() as u8 } else { 12 },
            );
            let is_first = is_first && u32::from(month) == self.min.month();
            let is_last = is_last && u32::from(month) == self.max.month();
            let last = if is_last { self.max.day() as u8 } else { days(year, month) };
            let day = tc.integer(if is_first { self.min.day() as u8 } else { 1 }, last);
            NaiveDate::from_ymd_opt(year, month.into(), day.into())
                .expect("the day lies in the month, and the month in the range")
        })
    }
}

fn days(year: i32, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time of day, without leap seconds.
fn time(tc: &mut TestCase) -> NaiveTime {
    let (hour, minute, second, nanosecond) =
        (integers(0..24u8), integers(0..60u8), integers(0..60u8), integers(0..1_000_000_000u32))
            .generate(tc);
    NaiveTime::from_hms_nano_opt(hour.into(), minute.into(), second.into(), nanosecond)
        .expect("every part lies in its range")
}

/// An offset of less than a day east or west, in seconds.
fn offset(tc: &mut TestCase) -> FixedOffset {
    FixedOffset::east_opt(tc.integer(-86_399, 86_399)).expect("it is less than a day")
}

/// Dates whose time of day exists in every time zone. The first and the last date of chrono are
/// left out.
fn dates_of_zones() -> Dates {
    let inside =
        |date: Option<NaiveDate>| date.expect("chrono's first and last days are not the only ones");
    Dates { min: inside(NaiveDate::MIN.succ_opt()), max: inside(NaiveDate::MAX.pred_opt()) }
}

generate_with! {
    () NaiveDate: dates(..);
    () NaiveTime: from_fn(time);
    () NaiveDateTime: any::<(NaiveDate, NaiveTime)>().map(|(date, time)| date.and_time(time));
    () DateTime<Utc>: (dates_of_zones(), from_fn(time))
        .map(|(date, time)| date.and_time(time).and_utc());
    () FixedOffset: from_fn(offset);
    () DateTime<FixedOffset>: (any::<DateTime<Utc>>(), from_fn(offset))
        .map(|(instant, offset)| offset.from_utc_datetime(&instant.naive_utc()));
    () TimeDelta: integers(-i64::MAX..).map(TimeDelta::milliseconds);
    () Month: sampled_from([
        Month::January,
        Month::February,
        Month::March,
        Month::April,
        Month::May,
        Month::June,
        Month::July,
        Month::August,
        Month::September,
        Month::October,
        Month::November,
        Month::December,
    ]);
    () Weekday: sampled_from([
        Weekday::Mon,
        Weekday::Tue,
        Weekday::Wed,
        Weekday::Thu,
        Weekday::Fri,
        Weekday::Sat,
        Weekday::Sun,
    ]);
}
