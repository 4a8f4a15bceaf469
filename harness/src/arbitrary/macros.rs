//! `dwindle::arbitrary::fuzz_target!`, with the whole grammar of libfuzzer-sys.

/// Defines the fuzz target of this file, which begins with `#![no_main]`, as `libfuzzer_sys::fuzz_target!` does and from the same words.
///
/// ```no_run
/// #![no_main]
/// use dwindle::arbitrary::fuzz_target;
/// use std::sync::OnceLock;
///
/// static LIMIT: OnceLock<usize> = OnceLock::new();
///
/// // `|data|` is short for `|data: &[u8]|`. In its place may stand any type with `Arbitrary` and `Debug`, and behind it `-> Corpus`.
/// fuzz_target!(
///     init: LIMIT.set(64).expect("it runs once"),
///     |data| {
///         let Ok(text) = std::str::from_utf8(data) else { return };
///         assert!(text.split(',').count() <= LIMIT.get().copied().unwrap_or(usize::MAX));
///     }
/// );
/// ```
///
/// An input is rejected, so that no corpus keeps it, if it is shorter than the type's least size, if `Arbitrary` makes no value of it, and if the target returns
/// [`Corpus::Reject`](crate::arbitrary::Corpus::Reject).
///
/// In a build for tests (`cfg(test)`) there is no fuzzer: the file is a module with one function, `dwindle_property`, for a regression test to replay.
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_drop_in {
    (|$bytes:ident| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: (), |$bytes: &[u8]| -> () { $body });
    };
    (|$bytes:ident: &[u8]| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: (), |$bytes: &[u8]| -> () { $body });
    };
    (|$bytes:ident: &[u8]| -> $rty:ty $body:block) => {
        $crate::arbitrary::fuzz_target!(init: (), |$bytes: &[u8]| -> $rty { $body });
    };
    (init: $init:expr, |$bytes:ident| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: $init, |$bytes: &[u8]| -> () { $body });
    };
    (init: $init:expr, |$bytes:ident: &[u8]| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: $init, |$bytes: &[u8]| -> () { $body });
    };
    (init: $init:expr, |$bytes:ident: &[u8]| -> $rty:ty $body:block) => {
        #[doc(hidden)]
        pub fn dwindle_property(tc: &mut $crate::TestCase) {
            // A function of its own, so that the body may return early.
            #[inline(never)]
            fn __dwindle_run($bytes: &[u8]) -> $rty {
                $body
            }

            let bytes = $crate::arbitrary::bytes(tc);
            let corpus = __dwindle_run(&bytes);
            $crate::arbitrary::end(tc, corpus);
        }

        $crate::__dwindle_entry_points! { drop_in, $init }
    };
    (|$data:ident: $dty:ty| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: (), |$data: $dty| -> () { $body });
    };
    (|$data:ident: $dty:ty| -> $rty:ty $body:block) => {
        $crate::arbitrary::fuzz_target!(init: (), |$data: $dty| -> $rty { $body });
    };
    (init: $init:expr, |$data:ident: $dty:ty| $body:expr) => {
        $crate::arbitrary::fuzz_target!(init: $init, |$data: $dty| -> () { $body });
    };
    (init: $init:expr, |$data:ident: $dty:ty| -> $rty:ty $body:block) => {
        #[doc(hidden)]
        pub fn dwindle_property(tc: &mut $crate::TestCase) {
            // A function of its own, so that the body may return early.
            #[inline(never)]
            fn __dwindle_run($data: $dty) -> $rty {
                $body
            }

            let bytes = tc.rest_of_input();
            if $crate::arbitrary::is_too_short(tc, &bytes, <$dty as $crate::arbitrary::arbitrary::Arbitrary>::size_hint(0).0) {
                return;
            }
            let value = <$dty as $crate::arbitrary::arbitrary::Arbitrary>::arbitrary_take_rest($crate::arbitrary::arbitrary::Unstructured::new(&bytes));
            match value {
                // A target may have an `Ok` of its own.
                ::std::result::Result::Ok(value) => {
                    tc.show(&value);
                    let corpus = __dwindle_run(value);
                    $crate::arbitrary::end(tc, corpus);
                }
                ::std::result::Result::Err(error) => $crate::arbitrary::no_value(tc, &error),
            }
        }

        $crate::__dwindle_entry_points! { drop_in, $init }
    };
}
