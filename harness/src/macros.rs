//! `fuzz_target!`: one source file for every engine.

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
/// // `init` runs once before the first execution and may be left out. `|tc: &mut TestCase|` in
/// // place of a value draws what it needs.
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
/// The value may be borrowed: `|text: &str|` is lent from a drawn `String`, `|data: &[u8]|` from a
/// `Vec<u8>`, and `|op: &Op|` from an `Op`.
///
/// The property of a [`#[dwindle::test]`](macro@crate::test) is also a target:
/// `dwindle::fuzz_target!(my_crate::properties::sorts);`. Its function must be `pub`, and must be
/// compiled in a build without tests too. `cargo test` can replay what the fuzzer found. For this,
/// name its store: `#[dwindle::test(store = "fuzz/crashes", name = "sorts")]`, where `sorts` is the
/// name of the target.
///
/// The feature `libfuzzer` or `afl` of the crate selects the engine. The random engine is always
/// available; the feature `fuzzing` adds it alone. A panic is a failure, even if the target catches
/// it or if it happens in another thread.
///
/// A build for tests (`cfg(test)`) has no fuzzer. The file is then a module with one function,
/// `dwindle_property`, which a regression test replays.
#[macro_export]
macro_rules! fuzz_target {
    (init: $init:expr, |$tc:ident : &mut $case:ty| $body:expr) => {
        $crate::__dwindle_target! { $init, |$tc| { let _: () = $body; } }
    };
    (init: $init:expr, |$value:ident : &$type:ty| $body:expr) => {
        $crate::__dwindle_target! { $init, |tc| {
            let lender = $crate::__private::unnamed_lender_of_type::<$type>(tc);
            let $value: &$type = $crate::__private::lend::<$type, _>(&lender);
            let _: () = $body;
        } }
    };
    (init: $init:expr, |$tc:ident : TestCase| $body:expr) => {
        $crate::__private::target_mistake! { $tc: TestCase }
        $crate::__dwindle_target! { $init, |$tc| { let _: () = $body; } }
    };
    (init: $init:expr, |$value:ident : $type:ty| $body:expr) => {
        $crate::__dwindle_target! { $init, |tc| {
            let $value: $type = $crate::__private::unnamed_of_type::<$type>(tc);
            let _: () = $body;
        } }
    };
    (init: $init:expr, |mut $value:ident : $type:ty| $body:expr) => {
        $crate::__dwindle_target! { $init, |tc| {
            let mut $value: $type = $crate::__private::unnamed_of_type::<$type>(tc);
            let _: () = $body;
        } }
    };
    (init: $init:expr, |$($value:ident : $type:ty),+ $(,)?| $body:expr) => {
        $crate::__private::target_mistake! { $($value: $type),+ }
        $crate::__dwindle_target! { $init, |_tc| { let _ = |$($value: $type),+| $body; } }
    };
    (init: $init:expr, |$($rest:tt)*) => {
        $crate::__private::target_mistake! { $($rest)* }
    };
    (init: $init:expr, $property:path) => {
        $crate::__dwindle_target! { $init, |tc| { <$property>::property(tc); } }
    };
    (|$($rest:tt)*) => {
        $crate::fuzz_target!(init: (), |$($rest)*);
    };
    ($property:path) => {
        $crate::fuzz_target!(init: (), $property);
    };
}

/// A target on choices, whose property is the block.
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_target {
    ($init:expr, |$tc:ident| $body:block) => {
        #[doc(hidden)]
        #[inline(never)]
        pub fn dwindle_property($tc: &mut $crate::TestCase) {
            $body
        }

        $crate::__dwindle_entry_points! { new, $init, |bytes| {
            $crate::__dwindle_aside_on_bytes!(bytes, __dwindle_run_aside)
        } }
    };
}

/// The symbols that libFuzzer calls. Each one jumps to dwindle's run. In passthrough it jumps to
/// the code that a target of libfuzzer-sys has, which is `$aside` for one execution.
///
/// `LLVMFuzzerInitialize` and `rust_fuzzer_test_input` are assembler, so that they add no coverage
/// edge and no stack frame.
#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_entry_points {
    ($kind:ident, $init:expr, |$bytes:ident| $aside:expr) => {
        #[cfg(not(test))]
        const _: () = {
            use ::std::ffi::{c_char, c_int};

            static TARGET: $crate::__private::Target = $crate::__private::Target::$kind(
                option_env!("CARGO_BIN_NAME"),
                env!("CARGO_MANIFEST_DIR"),
                dwindle_property,
                init,
            );

            // The compiler places functions with these names behind those that the target shares
            // with a target of libfuzzer-sys, see `passthrough`.
            #[unsafe(export_name = "zz_dwindle_init")]
            fn init() {
                $init;
            }

            #[used]
            #[unsafe(export_name = "dwindle_default")]
            static DEFAULT: u8 = $crate::__private::libfuzzer::passthrough::built_for(option_env!(
                "DWINDLE_DEFAULT"
            ));

            #[unsafe(export_name = "zz_dwindle_initialize")]
            extern "C" fn initialize(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int {
                $crate::__private::libfuzzer::initialize(&TARGET, argc, argv)
            }

            #[unsafe(export_name = "LLVMFuzzerInitialize_aside")]
            extern "C" fn initialize_aside(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int {
                $crate::__private::libfuzzer::passthrough::initialize(&TARGET, argc, argv);
                $init;
                0
            }

            #[unsafe(export_name = "zz_dwindle_test_input")]
            extern "C" fn test_input(data: &[u8]) -> i32 {
                $crate::__private::libfuzzer::test_one_input(data)
            }

            // The name has the same beginning as in libfuzzer-sys, because fuzzing services hide
            // such frames.
            #[unsafe(export_name = "rust_fuzzer_test_input_aside")]
            pub extern "C" fn test_input_aside($bytes: &[u8]) -> i32 {
                $aside
            }

            #[allow(
                dead_code,
                reason = "a drop-in target has a function of its own, which \
                                         dwindle's run leads to as well"
            )]
            #[inline(never)]
            fn __dwindle_run_aside(bytes: &[u8]) -> $crate::arbitrary::Corpus {
                use $crate::__private::libfuzzer::passthrough::{OneTestCase, decode};
                static TEST_CASE: OneTestCase =
                    ::std::sync::LazyLock::new(::std::sync::Mutex::default);
                decode(&TEST_CASE, bytes, dwindle_property)
            }

            $crate::__dwindle_fork! {
                "LLVMFuzzerInitialize",
                fork_initialize(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int,
                initialize,
                initialize_aside
            }
            $crate::__dwindle_fork! {
                "rust_fuzzer_test_input",
                fork_test_input(data: &[u8]) -> i32,
                test_input,
                test_input_aside
            }
        };
    };
}

/// One execution in passthrough, as in libfuzzer-sys for a target on bytes.
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_aside_on_bytes {
    ($bytes:ident, $run:ident) => {{
        if let Some(path) = $crate::__private::libfuzzer::passthrough::debug_path() {
            use ::std::io::Write;
            let mut file = ::std::fs::File::create(path)
                .expect("failed to create `RUST_LIBFUZZER_DEBUG_PATH` file");
            writeln!(&mut file, "{:?}", $bytes)
                .expect("failed to write to `RUST_LIBFUZZER_DEBUG_PATH` file");
            return 0;
        }
        let result = $crate::arbitrary::Corpus::from($run($bytes));
        result.to_libfuzzer_code()
    }};
}

/// A function that continues as one of two others.
#[cfg(all(feature = "libfuzzer", target_arch = "x86_64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_fork {
    (
        $symbol:literal,
        $name:ident($($argument:ident: $type:ty),*) -> $result:ty,
        $on:ident,
        $aside:ident
    ) => {
        #[unsafe(naked)]
        #[unsafe(export_name = $symbol)]
        pub extern "C" fn $name($($argument: $type),*) -> $result {
            ::core::arch::naked_asm!(
                "cmp byte ptr [rip + {mode}], 0",
                "jne {aside}",
                "jmp {on}",
                mode = sym $crate::__private::libfuzzer::passthrough::PASSTHROUGH,
                aside = sym $aside,
                on = sym $on,
            )
        }
    };
}

/// A function that continues as one of two others.
#[cfg(all(feature = "libfuzzer", target_arch = "aarch64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_fork {
    (
        $symbol:literal,
        $name:ident($($argument:ident: $type:ty),*) -> $result:ty,
        $on:ident,
        $aside:ident
    ) => {
        #[unsafe(naked)]
        #[unsafe(export_name = $symbol)]
        pub extern "C" fn $name($($argument: $type),*) -> $result {
            ::core::arch::naked_asm!(
                "adrp x9, {mode}",
                "ldrb w9, [x9, #:lo12:{mode}]",
                "cbnz w9, 2f",
                "b {on}",
                "2:",
                "b {aside}",
                mode = sym $crate::__private::libfuzzer::passthrough::PASSTHROUGH,
                aside = sym $aside,
                on = sym $on,
            )
        }
    };
}

/// A function that continues as one of two others. On this processor it adds a coverage edge, which
/// each execution takes.
#[cfg(all(feature = "libfuzzer", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_fork {
    (
        $symbol:literal,
        $name:ident($($argument:ident: $type:ty),*) -> $result:ty,
        $on:ident,
        $aside:ident
    ) => {
        #[unsafe(export_name = $symbol)]
        pub extern "C" fn $name($($argument: $type),*) -> $result {
            use ::core::sync::atomic::Ordering;
            use $crate::__private::libfuzzer::passthrough::PASSTHROUGH;
            if PASSTHROUGH.load(Ordering::Relaxed) == 0 {
                $on($($argument),*)
            } else {
                $aside($($argument),*)
            }
        }
    };
}

/// Without the feature `fuzzing` there is no engine. A build for tests needs none.
#[cfg(not(feature = "fuzzing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_entry_points {
    ($kind:ident, $init:expr, |$bytes:ident| $aside:expr) => {
        #[cfg(not(test))]
        compile_error!(
            "a fuzz target needs an engine: build dwindle with the feature `libfuzzer` or `afl`, \
             or with `fuzzing` for the random engine"
        );
    };
}

/// Without libFuzzer, dwindle defines the main function of the target.
#[cfg(all(feature = "fuzzing", not(feature = "libfuzzer")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_entry_points {
    ($kind:ident, $init:expr, |$bytes:ident| $aside:expr) => {
        #[cfg(not(test))]
        const _: () = {
            static TARGET: $crate::__private::Target = $crate::__private::Target::$kind(
                option_env!("CARGO_BIN_NAME"),
                env!("CARGO_MANIFEST_DIR"),
                dwindle_property,
                || {
                    $init;
                },
            );

            #[unsafe(no_mangle)]
            pub extern "C" fn main(
                argc: ::std::ffi::c_int,
                argv: *const *const ::std::ffi::c_char,
            ) -> ::std::ffi::c_int {
                let _ = (argc, argv);
                $crate::__private::standalone::main(&TARGET)
            }
        };
    };
}
