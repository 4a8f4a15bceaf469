//! `fuzz_mutator!` and `fuzz_crossover!`: a target's own mutations, with the syntax of
//! libfuzzer-sys.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Defines a custom mutator for this target, with the syntax and the effect of
/// `libfuzzer_sys::fuzz_mutator!`.
///
/// The input is in `data[..size]`. The body changes it in place and returns its new size, at most
/// `max_size`. dwindle cuts off longer results. The same `seed` must give the same result. With a
/// custom mutator, libFuzzer makes no mutations itself. The body can call
/// [`fuzzer_mutate`](crate::arbitrary::fuzzer_mutate) for one of libFuzzer's mutations.
///
/// ```no_run
/// #![no_main]
/// use dwindle::arbitrary::{fuzz_mutator, fuzz_target, fuzzer_mutate};
///
/// fn checksum(payload: &[u8]) -> u8 {
///     payload.iter().fold(0, |sum, byte| sum ^ byte)
/// }
///
/// fuzz_target!(|data: &[u8]| {
///     let Some((sum, payload)) = data.split_last() else { return };
///     assert!(*sum != checksum(payload) || !payload.starts_with(b"boom"));
/// });
///
/// // Without it nearly every mutation would leave a wrong checksum.
/// fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, _seed: u32| {
///     let payload = fuzzer_mutate(data, size.saturating_sub(1), max_size.saturating_sub(1));
///     data[payload] = checksum(&data[..payload]);
///     payload + 1
/// });
/// ```
///
/// Only libFuzzer calls the mutator, while it fuzzes. AFL++ and the random engine make their inputs
/// without it. So does the minimizer: it changes bytes and keeps each change that still fails. A
/// mutator that panics ends the run with exit code 2 and the place of the panic.
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_mutator {
    (
        |
            $data:ident: &mut [u8],
            $size:ident: usize,
            $max_size:ident: usize,
            $seed:ident: u32 $(,)*
        | $body:block
    ) => {
        const _: () = {
            // A separate function, so that the body may return early.
            fn __dwindle_mutate(
                $data: &mut [u8],
                $size: usize,
                $max_size: usize,
                $seed: u32,
            ) -> usize {
                $body
            }

            $crate::__dwindle_mutator_symbol! { __dwindle_mutate }
        };
    };
}

/// Defines a custom crossover for this target, with the syntax and the effect of
/// `libfuzzer_sys::fuzz_crossover!`.
///
/// The body combines two inputs into one. It writes into `out` and returns how many bytes it wrote.
/// The same `seed` must give the same result.
///
/// ```no_run
/// # #![no_main]
/// # dwindle::arbitrary::fuzz_target!(|data: &[u8]| { let _ = data; });
/// // The first half of one, the second half of the other.
/// dwindle::arbitrary::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], _seed: u32| {
///     let halves = data1[..data1.len() / 2].iter().chain(&data2[data2.len() / 2..]);
///     out.iter_mut().zip(halves).map(|(to, from)| *to = *from).count()
/// });
/// ```
///
/// The rest is as for [`fuzz_mutator!`](crate::arbitrary::fuzz_mutator).
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_crossover {
    (
        |
            $data1:ident: &[u8],
            $data2:ident: &[u8],
            $out:ident: &mut [u8],
            $seed:ident: u32 $(,)*
        | $body:block
    ) => {
        const _: () = {
            // A separate function, so that the body may return early.
            fn __dwindle_cross_over(
                $data1: &[u8],
                $data2: &[u8],
                $out: &mut [u8],
                $seed: u32,
            ) -> usize {
                $body
            }

            $crate::__dwindle_crossover_symbol! { __dwindle_cross_over }
        };
    };
}

/// The symbol that libFuzzer looks for.
#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_mutator_symbol {
    ($mutate:ident) => {
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub extern "C" fn LLVMFuzzerCustomMutator(
            data: *mut u8,
            size: usize,
            max_size: usize,
            seed: ::std::ffi::c_uint,
        ) -> usize {
            $crate::__private::libfuzzer::mutate($mutate, data, size, max_size, seed)
        }

        #[cfg(test)]
        const _: fn(&mut [u8], usize, usize, u32) -> usize = $mutate;
    };
}

/// The symbol that libFuzzer looks for.
#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_crossover_symbol {
    ($cross_over:ident) => {
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub extern "C" fn LLVMFuzzerCustomCrossOver(
            data1: *const u8,
            size1: usize,
            data2: *const u8,
            size2: usize,
            out: *mut u8,
            max_out_size: usize,
            seed: ::std::ffi::c_uint,
        ) -> usize {
            $crate::__private::libfuzzer::cross_over(
                $cross_over,
                (data1, size1),
                (data2, size2),
                (out, max_out_size),
                seed,
            )
        }

        #[cfg(test)]
        const _: fn(&[u8], &[u8], &mut [u8], u32) -> usize = $cross_over;
    };
}

/// Other engines use their own mutations. The body is compiled and not called.
#[cfg(not(feature = "libfuzzer"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_mutator_symbol {
    ($mutate:ident) => {
        const _: fn(&mut [u8], usize, usize, u32) -> usize = $mutate;
    };
}

/// Other engines use their own mutations. The body is compiled and not called.
#[cfg(not(feature = "libfuzzer"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dwindle_crossover_symbol {
    ($cross_over:ident) => {
        const _: fn(&[u8], &[u8], &mut [u8], u32) -> usize = $cross_over;
    };
}

/// Changes the first bytes of the slice in place, as many as the first number. Returns the new
/// size, which is at most the second number.
type Mutate = fn(&mut [u8], usize, usize) -> usize;

/// libFuzzer's own mutation, in processes where libFuzzer runs. It is a function pointer, so that
/// tests of a target do not link libFuzzer.
///
/// Setting the pointer compares nothing, because libFuzzer would learn from a comparison even in
/// passthrough.
static OF_LIBFUZZER: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// Records that libFuzzer runs in this process, and that `mutate` is its mutation.
#[cfg(feature = "libfuzzer")]
pub(crate) fn mutate_by(mutate: Mutate) {
    OF_LIBFUZZER.store(mutate as *mut (), Ordering::Release);
}

/// Makes one of libFuzzer's own mutations. Changes `data[..size]` in place and returns the new
/// size, at most `max_size`.
///
/// Use it in a [`fuzz_mutator!`](crate::arbitrary::fuzz_mutator) that changes the decoded form of
/// its input. With `max_size` below `size` it shrinks.
///
/// Where libFuzzer does not run (tests, other engines), the data stay unchanged, cut off at
/// `max_size`.
///
/// # Panics
/// If `size` or `max_size` is larger than `data`.
pub fn fuzzer_mutate(data: &mut [u8], size: usize, max_size: usize) -> usize {
    assert!(
        size <= data.len(),
        "the size {size} is more than the {} bytes of the data",
        data.len()
    );
    assert!(
        max_size <= data.len(),
        "the largest size {max_size} is more than the {} bytes of the data",
        data.len()
    );
    let mutate = OF_LIBFUZZER.load(Ordering::Acquire);
    if mutate.is_null() {
        return size.min(max_size);
    }
    // SAFETY: only `mutate_by` sets it, to a function of this type.
    let mutate = unsafe { std::mem::transmute::<*mut (), Mutate>(mutate) };
    mutate(data, size, max_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_libfuzzer_a_mutation_only_truncates() {
        let mut data = *b"abcd";
        assert_eq!(
            (
                fuzzer_mutate(&mut data, 3, 4),
                fuzzer_mutate(&mut data, 3, 2),
                fuzzer_mutate(&mut data, 0, 0)
            ),
            (3, 2, 0)
        );
        assert_eq!(&data, b"abcd");
    }
}
