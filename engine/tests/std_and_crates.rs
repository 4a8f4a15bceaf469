//! Addresses, paths, and with their features the types of other crates: what they hold, and what is
//! simplest.

mod drawn;
mod shrink_support;

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::path::{Component, PathBuf};

use drawn::{decoded, random};
use dwindle_engine::generators as g;
use dwindle_engine::{Generate, Generator, TestCase, any};
use shrink_support::minimal;

fn simplest<T: Generate>() -> T {
    decoded(&[])
}

#[track_caller]
fn shrinks_to(minimum: &str, calls_max: u64, property: impl Fn(&mut TestCase) -> bool + 'static) {
    for seed in 0..10 {
        let minimal = minimal(seed, &property);
        assert_eq!(minimal.draws, [minimum], "from seed {seed}");
        assert!(
            minimal.shrunk.calls <= calls_max,
            "{} calls from seed {seed}",
            minimal.shrunk.calls
        );
    }
}

#[test]
fn addresses_begin_at_zero_and_each_part_shrinks() {
    assert_eq!(simplest::<IpAddr>(), IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    assert_eq!(simplest::<Ipv6Addr>(), Ipv6Addr::UNSPECIFIED);
    assert_eq!(simplest::<SocketAddr>().to_string(), "0.0.0.0:0");
    assert_eq!(simplest::<SocketAddrV6>().to_string(), "[::]:0");
    let all = random(&any::<(IpAddr, SocketAddr)>(), 500);
    assert!(
        all.iter().any(|(ip, _)| ip.is_ipv6())
            && all.iter().any(|(_, socket)| socket.is_ipv6() && socket.port() > 0x1000)
    );
    shrinks_to("0.0.0.200", 40, |tc| tc.draw(any::<Ipv4Addr>()).octets()[3] < 200);
    shrinks_to(
        "127.0.0.0",
        100,
        |tc| !matches!(tc.draw(any::<IpAddr>()), IpAddr::V4(address) if address.is_loopback()),
    );
    shrinks_to(
        "::1:0",
        100,
        |tc| !matches!(tc.draw(any::<IpAddr>()), IpAddr::V6(address) if address.segments()[6] > 0),
    );
    shrinks_to("0.0.0.0:1024", 100, |tc| tc.draw(any::<SocketAddr>()).port() < 1024);
}

#[test]
fn paths_are_relative_and_of_plain_components() {
    assert_eq!(simplest::<PathBuf>().to_str(), Some("a"));
    let mut sizes = HashSet::new();
    for path in random(&g::paths(), 500) {
        let components: Vec<_> = path.components().collect();
        assert!(
            components.iter().all(|component| matches!(component, Component::Normal(_))),
            "{path:?}"
        );
        let rebuilt: Vec<&str> =
            components.iter().filter_map(|component| component.as_os_str().to_str()).collect();
        assert_eq!(
            path.to_str(),
            Some(&*rebuilt.join("/")),
            "nothing but its components and single separators"
        );
        assert!(rebuilt.iter().all(|component| component.len() <= 32), "{path:?}");
        sizes.insert(components.len());
    }
    assert_eq!(sizes, (1..=8).collect());
    assert_eq!(random(&g::paths().len(0..=0), 500)[0], PathBuf::new());
    shrinks_to("\"a/a/a\"", 100, |tc| tc.draw(any::<PathBuf>()).components().count() < 3);
    shrinks_to("\"a.txt\"", 100, |tc| {
        tc.draw(
            g::paths()
                .filter(|path| path.to_str().is_some_and(|path| path.len() < 40))
                .map(|path| path.with_extension("txt")),
        )
        .as_os_str()
        .is_empty()
    });
}

#[cfg(feature = "uuid")]
#[test]
fn uuids_are_any_bits_and_the_nil_one_is_simplest() {
    use uuid::Uuid;

    assert!(simplest::<Uuid>().is_nil());
    assert!(random(&any::<Uuid>(), 500).iter().collect::<HashSet<_>>().len() > 350);
    shrinks_to("00000000-0000-0000-0000-000000000001", 100, |tc| tc.draw(any::<Uuid>()).is_nil());
}

#[cfg(feature = "chrono")]
mod dates {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use chrono::{
        DateTime, Datelike, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
        Timelike, Utc, Weekday,
    };

    use super::*;

    fn date(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).expect("it is a date")
    }

    #[test]
    fn times_begin_at_the_year_2000() {
        assert_eq!(simplest::<NaiveDateTime>().to_string(), "2000-01-01 00:00:00");
        assert_eq!(simplest::<DateTime<Utc>>().to_rfc3339(), "2000-01-01T00:00:00+00:00");
        assert_eq!(simplest::<DateTime<FixedOffset>>().to_rfc3339(), "2000-01-01T00:00:00+00:00");
        assert_eq!(
            (simplest::<TimeDelta>(), simplest::<Month>(), simplest::<Weekday>()),
            (TimeDelta::zero(), Month::January, Weekday::Mon)
        );
    }

    #[test]
    fn every_value_there_is_can_be_drawn() {
        let all =
            random(&any::<(NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>, TimeDelta)>(), 500);
        assert!(
            all.iter().any(|(naive, ..)| naive.year() < 0)
                && all.iter().any(|(naive, ..)| naive.year() > 9999)
        );
        assert!(all.iter().any(|(_, _, fixed, _)| fixed.offset().local_minus_utc() < 0));
        // In their zone too: chrono panics where that is beyond its last day.
        assert!(all.iter().all(
            |(_, utc, fixed, _)| !utc.to_rfc3339().is_empty() && !fixed.to_rfc3339().is_empty()
        ));
        let ends = [NaiveDate::MIN, NaiveDate::MAX].map(|end| (end.year() - 2000).to_le_bytes());
        let input = [&ends[0][..], &[1, 1], &ends[1][..], &[12, 31]].concat();
        assert_eq!(decoded::<[NaiveDate; 2]>(&input), [NaiveDate::MIN, NaiveDate::MAX]);
    }

    #[test]
    fn dates_lie_in_their_range() {
        for (first, last) in [
            (date(2024, 2, 28), date(2024, 3, 1)),
            (date(1999, 12, 31), date(2000, 1, 1)),
            (date(1900, 2, 1), date(1900, 2, 28)),
            (date(2023, 5, 7), date(2023, 5, 7)),
        ] {
            let days = last.signed_duration_since(first).num_days() + 1;
            let seen: HashSet<NaiveDate> =
                random(&g::dates(first..=last), 500).into_iter().collect();
            assert!(seen.iter().all(|date| (first..=last).contains(date)));
            assert_eq!(seen.len() as i64, days, "every day of {first} to {last}");
        }
        assert!(
            random(&g::dates(..date(1970, 1, 1)), 500)
                .iter()
                .all(|drawn| *drawn < date(1970, 1, 1))
        );
    }

    #[test]
    fn an_empty_range_of_dates_is_refused_with_what_to_do() {
        let Err(payload) =
            catch_unwind(AssertUnwindSafe(|| g::dates(date(2001, 1, 1)..date(2000, 1, 1))))
        else {
            panic!("it was taken")
        };
        let message = payload.downcast_ref::<String>().expect("panics carry text");
        let what = "the range Included(2001-01-01) to Excluded(2000-01-01) holds no date: its end \
                    must lie above its start, or on it with `..=`";
        assert_eq!(dwindle_engine::internals::misuse::of(message), Some(what));
    }

    #[test]
    fn dates_and_times_shrink_part_by_part() {
        shrinks_to("2000-02-29", 100, |tc| {
            let drawn = tc.draw(any::<NaiveDate>());
            drawn.month() != 2 || drawn.day() != 29
        });
        shrinks_to("2001-01-01", 100, |tc| {
            tc.draw(any::<NaiveDate>()) < date(2000, 12, 31) + TimeDelta::days(1)
        });
        shrinks_to("1999-01-01", 100, |tc| tc.draw(any::<NaiveDate>()) >= date(2000, 1, 1));
        shrinks_to("00:59:00", 100, |tc| tc.draw(any::<NaiveTime>()).minute() < 59);
        shrinks_to("2000-01-01T00:00:00.000000001Z", 100, |tc| {
            tc.draw(any::<DateTime<Utc>>()).nanosecond() == 0
        });
        shrinks_to("Wed", 20, |tc| tc.draw(any::<Weekday>()).num_days_from_monday() < 2);
    }
}
