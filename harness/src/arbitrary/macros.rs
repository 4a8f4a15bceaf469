//! `dwindle::arbitrary::fuzz_target!`, with the whole grammar of libfuzzer-sys.

/// Defines the fuzz target of this file, which begins with `#![no_main]`. It has the grammar and
/// the effect of `libfuzzer_sys::fuzz_target!`.
///
/// ```no_run
/// #![no_main]
/// use dwindle::arbitrary::fuzz_target;
/// use std::sync::OnceLock;
///
/// static LIMIT: OnceLock<usize> = OnceLock::new();
///
/// // `|data|` is short for `|data: &[u8]|`. In its place may stand any type with `Arbitrary` and
/// // `Debug`, and behind it `-> Corpus`.
/// fuzz_target!(
///     init: LIMIT.set(64).expect("it runs once"),
///     |data| {
///         let Ok(text) = std::str::from_utf8(data) else { return };
///         assert!(text.split(',').count() <= LIMIT.get().copied().unwrap_or(usize::MAX));
///     }
/// );
/// ```
///
/// An input is rejected in three cases, and no corpus keeps it. It is shorter than the minimum size
/// of the type, or `Arbitrary` makes no value of it. Or the target returns
/// [`Corpus::Reject`](crate::arbitrary::Corpus::Reject).
///
/// A build for tests (`cfg(test)`) has no fuzzer. The file is then a module with one function,
/// `dwindle_property`, which a regression test replays.
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
            // A separate function, so that the body may return early. Both entry points call this
            // one function, because a second copy of the body would be a different target.
            #[inline(never)]
            fn __dwindle_run($bytes: &[u8]) -> $rty {
                $body
            }

            $crate::__dwindle_entry_points! { drop_in, $init, |bytes| {
                $crate::__dwindle_aside_on_bytes!(bytes, __dwindle_run)
            } }

            let bytes = $crate::__private::drop_in::bytes(tc);
            let corpus = __dwindle_run(&bytes);
            $crate::__private::drop_in::end(tc, corpus);
        }
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
            // A separate function, so that the body may return early. Both entry points call this
            // one function, because a second copy of the body would be a different target.
            #[inline(never)]
            fn __dwindle_run($data: $dty) -> $rty {
                $body
            }

            $crate::__dwindle_entry_points! { drop_in, $init, |bytes| {
                use $crate::arbitrary::arbitrary::{Arbitrary, Unstructured};

                if bytes.len() < <$dty as Arbitrary>::size_hint(0).0 {
                    return -1;
                }
                let data = <$dty as Arbitrary>::arbitrary_take_rest(Unstructured::new(bytes));
                if let Some(path) = $crate::__private::libfuzzer::passthrough::debug_path() {
                    use ::std::io::Write;
                    let mut file = ::std::fs::File::create(path).expect("failed to create \
                        `RUST_LIBFUZZER_DEBUG_PATH` file");
                    (match data {
                        Ok(data) => writeln!(&mut file, "{:#?}", data),
                        Err(err) => writeln!(&mut file, "Arbitrary Error: {}", err),
                    })
                    .expect("failed to write to `RUST_LIBFUZZER_DEBUG_PATH` file");
                    return -1;
                }
                let data = match data {
                    Ok(data) => data,
                    Err(_) => return -1,
                };
                let result = $crate::arbitrary::Corpus::from(__dwindle_run(data));
                result.to_libfuzzer_code()
            } }

            let bytes = $crate::__private::drop_in::Bytes::of(tc);
            let size_hint = <$dty as $crate::arbitrary::arbitrary::Arbitrary>::size_hint(0);
            if $crate::__private::drop_in::is_too_short(tc, &bytes, size_hint.0) {
                return;
            }
            let unstructured = $crate::arbitrary::arbitrary::Unstructured::new(&bytes);
            let value = <$dty as $crate::arbitrary::arbitrary::Arbitrary>::arbitrary_take_rest(
                unstructured,
            );
            match value {
                // The full path, because a target may define another `Ok`.
                ::std::result::Result::Ok(value) => {
                    tc.show(&value);
                    let corpus = __dwindle_run(value);
                    $crate::__private::drop_in::end(tc, corpus);
                }
                ::std::result::Result::Err(error) => {
                    $crate::__private::drop_in::no_value(tc, &error)
                }
            }
        }
    };
}
