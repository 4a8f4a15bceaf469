//! Wrong use of dwindle by a target or a test: an empty range, no alternatives, a bound that is not
//! a number.
//!
//! Wrong use panics at the place of the call, with a message that begins with [`MARK`]. The harness
//! looks for the mark. It ends the run, names the place, and keeps no bug.

use std::fmt;

/// The first words of each panic message that reports wrong use.
pub const MARK: &str = "wrong use of dwindle: ";

/// Panics with the mark and `what`, at the place of the caller.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn misuse(what: fmt::Arguments<'_>) -> ! {
    panic!("{MARK}{what}")
}

/// Panics as wrong use, unless the condition holds.
macro_rules! require {
    ($condition:expr, $($what:tt)+) => {
        if !$condition {
            $crate::misuse::misuse(format_args!($($what)+))
        }
    };
}
pub(crate) use require;

/// Returns the description of wrong use in this panic message, or `None` for any other panic.
#[must_use]
pub fn of(message: &str) -> Option<&str> {
    message.strip_prefix(MARK)
}

#[cfg(test)]
#[expect(clippy::reversed_empty_ranges, reason = "they are the mistake")]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::generators as g;

    /// The panic message of `run`.
    fn said(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let payload = catch_unwind(run).unwrap_err();
        payload.downcast_ref::<String>().expect("the message is formatted").clone()
    }

    #[test]
    fn what_a_target_gets_wrong_is_marked() {
        let mistakes: [(fn(), &str); 9] = [
            (|| _ = g::integers(5..3), "holds no integer"),
            (|| _ = g::floats(f64::NAN..1.0), "holds no float"),
            (|| _ = g::weighted_booleans(f64::NAN), "a probability must lie in"),
            (|| _ = g::vec(g::booleans()).len(5..3), "holds no length"),
            (|| _ = g::sampled_from(Vec::<u8>::new()), "at least one value"),
            (|| _ = g::one_of::<[g::types::Booleans; 0]>([]), "at least one generator"),
            (|| _ = g::text().alphabet(""), "at least one character"),
            (|| _ = g::characters().range('z', 'a'), "at least one character"),
            (|| _ = g::from_regex("("), "from_regex cannot make texts"),
        ];
        for (mistake, words) in mistakes {
            let message = said(mistake);
            assert!(of(&message).is_some_and(|what| what.contains(words)), "{message}");
        }
        assert_eq!(of("the range 5 to 3 holds no integer"), None);
    }

    #[test]
    fn the_place_is_that_of_the_call() {
        use std::sync::Mutex;
        static PLACE: Mutex<Option<(String, u32)>> = Mutex::new(None);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|info| {
            if info
                .payload_as_str()
                .is_some_and(|message| of(message).is_some_and(|what| what.contains("77")))
            {
                *PLACE.lock().unwrap() =
                    info.location().map(|at| (at.file().to_owned(), at.line()));
            }
        }));
        let line = line!() + 1;
        let _ = catch_unwind(|| g::integers(77..3));
        std::panic::set_hook(before);
        assert_eq!(PLACE.lock().unwrap().take(), Some((file!().to_owned(), line)));
    }
}
