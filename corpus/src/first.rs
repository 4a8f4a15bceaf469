//! When a bug was first seen and by which engine: the earliest hit in any of the merged stores.

use crate::Report;

/// The first hit of a bug. The earlier hit sorts first; an unknown time sorts last.
///
/// Two hits of the same second sort by engine, so that the result does not depend on their order of
/// arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct First {
    /// The time is 0 if the clock was never set.
    is_unknown: bool,
    seconds: u64,
    has_no_engine: bool,
    engine: String,
}

impl First {
    fn of(report: &Report) -> First {
        First {
            is_unknown: report.first_seen == 0,
            seconds: report.first_seen,
            has_no_engine: report.engine.is_empty(),
            engine: report.engine.clone(),
        }
    }
}

/// The earlier of the first hits in two reports.
pub(crate) fn first_of(left: &Report, right: &Report) -> First {
    First::of(left).min(First::of(right))
}

/// The report with `first` as its first hit.
pub(crate) fn with_first(report: &Report, first: &First) -> Report {
    Report { first_seen: first.seconds, engine: first.engine.clone(), ..report.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BugId, BugKind};

    fn report(first_seen: u64, engine: &str) -> Report {
        Report {
            first_seen,
            engine: engine.to_owned(),
            ..Report::pending("parse", BugId::of("x"), BugKind::Panic)
        }
    }

    #[test]
    fn the_earliest_hit_wins_in_either_order() {
        for (first, later) in [
            (report(5, "libfuzzer"), report(6, "afl")),
            (report(5, "afl"), report(5, "libfuzzer")),
            (report(5, "random"), report(5, "")),
            (report(5, "random"), report(0, "afl")),
            (report(0, "afl"), report(0, "")),
        ] {
            for first_hit in [first_of(&first, &later), first_of(&later, &first)] {
                assert_eq!(with_first(&later, &first_hit), with_first(&later, &First::of(&first)));
                assert_eq!(
                    (first_hit.seconds, &first_hit.engine),
                    (first.first_seen, &first.engine)
                );
            }
        }
    }
}
