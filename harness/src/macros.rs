//! `fuzz_target!`: one source file, every engine.

/// Defines the fuzz target of this file, which begins with `#![no_main]`.
///
/// ```no_run
/// #![no_main]
/// use dwindle::prelude::*;
///
/// #[derive(Debug, Generate)]
/// enum Op {
///     Push(u32),
///     Pop,
/// }
///
/// // `init` runs once before the first execution and may be left out. `|tc: &mut TestCase|` in place of a value draws what it needs.
/// dwindle::fuzz_target!(init: println!("ready"), |ops: Vec<Op>| {
///     let mut stack = Vec::new();
///     for op in ops {
///         match op {
///             Op::Push(value) => stack.push(value),
///             Op::Pop => assert!(stack.pop().is_some(), "popped an empty stack"),
///         }
///     }
/// });
/// ```
///
/// The property of a [`#[dwindle::test]`](macro@crate::test) is a target too: `dwindle::fuzz_target!(my_crate::properties::sorts);`. Its function is then `pub`, and
/// stands where a build without tests finds it. To have `cargo test` replay what the fuzzer found, name its store:
/// `#[dwindle::test(store = "fuzz/crashes", name = "sorts")]`, `sorts` being the name of the target.
///
/// The engine is the one the crate is built with (feature `libfuzzer` or `afl`); the random engine is always there. A panic is a failure, also one that the target
/// catches or that happens in another thread.
///
/// In a build for tests (`cfg(test)`) there is no fuzzer: the file is a module with one function, `dwindle_property`, for a regression test to replay.
#[macro_export]
macro_rules! fuzz_target {
    (init: $init:expr, |$tc:ident : &mut $case:ty| $body:expr) => {
        #[doc(hidden)]
        pub fn dwindle_property($tc: &mut $crate::TestCase) {
            let _: () = $body;
        }

        $crate::__dwindle_entry_points! { new, $init }
    };
    (init: $init:expr, |$value:ident : $type:ty| $body:expr) => {
        #[doc(hidden)]
        pub fn dwindle_property(tc: &mut $crate::TestCase) {
            let $value: $type = tc.draw($crate::any::<$type>());
            let _: () = $body;
        }

        $crate::__dwindle_entry_points! { new, $init }
    };
    (init: $init:expr, $property:path) => {
        #[doc(hidden)]
        pub fn dwindle_property(tc: &mut $crate::TestCase) {
            <$property>::property(tc);
        }

        $crate::__dwindle_entry_points! { new, $init }
    };
    (|$tc:ident : &mut $case:ty| $body:expr) => {
        $crate::fuzz_target!(init: (), |$tc: &mut $case| $body);
    };
    (|$value:ident : $type:ty| $body:expr) => {
        $crate::fuzz_target!(init: (), |$value: $type| $body);
    };
    ($property:path) => {
        $crate::fuzz_target!(init: (), $property);
    };
}

/// The symbols that libFuzzer's main function looks for.
#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_entry_points {
    ($kind:ident, $init:expr) => {
        #[cfg(not(test))]
        const _: () = {
            static TARGET: $crate::Target = $crate::Target::$kind(option_env!("CARGO_BIN_NAME"), env!("CARGO_MANIFEST_DIR"), dwindle_property, || {
                $init;
            });

            #[unsafe(no_mangle)]
            pub extern "C" fn LLVMFuzzerInitialize(argc: *mut ::std::ffi::c_int, argv: *mut *mut *mut ::std::ffi::c_char) -> ::std::ffi::c_int {
                $crate::engines::libfuzzer::initialize(&TARGET, argc, argv)
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn rust_fuzzer_test_input(data: &[u8]) -> i32 {
                $crate::engines::libfuzzer::test_one_input(data)
            }
        };
    };
}

/// Without libFuzzer the target has a main function of ours.
#[cfg(not(feature = "libfuzzer"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_entry_points {
    ($kind:ident, $init:expr) => {
        #[cfg(not(test))]
        const _: () = {
            static TARGET: $crate::Target = $crate::Target::$kind(option_env!("CARGO_BIN_NAME"), env!("CARGO_MANIFEST_DIR"), dwindle_property, || {
                $init;
            });

            #[unsafe(no_mangle)]
            pub extern "C" fn main(argc: ::std::ffi::c_int, argv: *const *const ::std::ffi::c_char) -> ::std::ffi::c_int {
                let _ = (argc, argv);
                $crate::engines::standalone::main(&TARGET)
            }
        };
    };
}
