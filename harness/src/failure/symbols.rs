//! The symbols of return addresses: function, source file and line.
//!
//! The symbols of this executable come from `/proc/self/exe`. This stays the running file even if a
//! rebuild replaces the file on disk. Otherwise two builds of one bug would give two names, and one
//! of them would be meaningless.

mod calls;

use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::sync::OnceLock;

use memmap2::Mmap;

use self::calls::Calls;
use crate::failure::libraries::{is_of_the_system, loaded_from};

/// The running file, even if a rebuild has replaced the file on disk.
const EXECUTABLE_FILE: &str = "/proc/self/exe";

/// One call, from the compiler's debug information.
#[derive(Debug)]
pub(crate) struct Symbol {
    /// The name without a hash.
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) line: u32,
}

thread_local! {
    static EXECUTABLE: Option<Executable> = Executable::read();
}

struct Executable {
    calls: Calls,
    /// The address where the file was loaded, minus the address in the file.
    moved_by: usize,
    addresses: Range<usize>,
}

/// The calls at an address, innermost first. Inlined functions give several calls. The result is
/// empty if the compiler recorded nothing there, and in libraries of the system.
pub(crate) fn at(address: usize) -> Vec<Symbol> {
    EXECUTABLE.with(|executable| match executable {
        Some(executable) if executable.addresses.contains(&address) => executable.at(address),
        _ => elsewhere(address),
    })
}

/// Whether the function at an address is one of dwindle that calls the target. This answers without
/// the lines of dwindle's large unit. `false` does not say that it is another function.
pub(crate) fn calls_the_target(address: usize) -> bool {
    EXECUTABLE.with(|executable| {
        executable.as_ref().is_some_and(|executable| {
            executable.addresses.contains(&address)
                && executable
                    .calls
                    .is_of_dwindle("execution::in_process", (address - executable.moved_by) as u64)
        })
    })
}

impl Executable {
    fn read() -> Option<Executable> {
        static FILE: OnceLock<Option<Mmap>> = OnceLock::new();
        let Loaded { moved_by, parts } = loaded()?;
        let addresses = parts.iter().map(|(part, _)| part.start).min()?
            ..parts.iter().map(|(part, _)| part.end).max()?;
        let file = FILE.get_or_init(file).as_ref()?;
        Some(Executable { calls: Calls::read(file)?, moved_by, addresses })
    }

    fn at(&self, address: usize) -> Vec<Symbol> {
        self.calls.at((address - self.moved_by) as u64)
    }
}

/// The file of this executable.
pub(crate) fn file() -> Option<Mmap> {
    let file = File::open(EXECUTABLE_FILE).ok()?;
    // SAFETY: the system forbids writing to the file of a running program.
    unsafe { Mmap::map(&file) }.ok()
}

/// Symbols in libraries that were loaded beside the executable. Libraries of the system have no
/// code of the user. Their debug information is compressed, and takes longer to read than the rest.
fn elsewhere(address: usize) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    if loaded_from(address).is_some_and(|(library, _)| is_of_the_system(&library)) {
        return symbols;
    }
    backtrace::resolve(address as *mut _, |symbol| {
        let Some(file) = symbol.filename().and_then(std::path::Path::to_str) else { return };
        let function = symbol.name().map_or_else(|| "?".to_owned(), |name| format!("{name:#}"));
        symbols.push(Symbol {
            function,
            file: file.to_owned(),
            line: symbol.lineno().unwrap_or(0),
        });
    });
    symbols
}

/// This executable as it is in memory.
struct Loaded {
    /// The address where the file was loaded, minus the address in the file.
    moved_by: usize,
    /// The address ranges, and whether each contains code.
    parts: Vec<(Range<usize>, bool)>,
}

fn loaded() -> Option<Loaded> {
    unsafe extern "C" fn first(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        found: *mut c_void,
    ) -> libc::c_int {
        // SAFETY: the description is valid during the call, with as many headers as it states.
        // `found` is the pointer that `loaded` passes.
        unsafe {
            let info = &*info;
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
            let moved_by = info.dlpi_addr as usize;
            let parts = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
            let parts = parts.map(|header| {
                let start = moved_by + header.p_vaddr as usize;
                (start..start + header.p_memsz as usize, header.p_flags & libc::PF_X != 0)
            });
            *found.cast::<Option<Loaded>>() = Some(Loaded { moved_by, parts: parts.collect() });
        }
        // The executable comes first. The other objects are not needed.
        1
    }
    let mut found: Option<Loaded> = None;
    // SAFETY: `first` expects the kind of pointer that is passed here.
    unsafe {
        libc::dl_iterate_phdr(Some(first), (&raw mut found).cast());
    }
    found
}

/// The address where this executable was loaded, minus the address in the file.
#[cfg(feature = "libfuzzer")]
pub(crate) fn moved_by() -> Option<usize> {
    loaded().map(|loaded| loaded.moved_by)
}

/// Whether these addresses all lie in one part of this executable.
#[cfg(feature = "libfuzzer")]
pub(crate) fn holds(addresses: Range<usize>) -> bool {
    loaded().is_some_and(|loaded| {
        loaded
            .parts
            .iter()
            .any(|(part, _)| part.start <= addresses.start && addresses.end <= part.end)
    })
}

/// The code of this executable.
#[cfg(feature = "libfuzzer")]
pub(crate) fn code() -> Vec<&'static [u8]> {
    let parts =
        loaded().into_iter().flat_map(|loaded| loaded.parts).filter(|(_, is_code)| *is_code);
    // SAFETY: the system mapped this range, no code writes to it, and it stays mapped.
    parts
        .map(|(part, _)| unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(part.start), part.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_the_names_that_the_compiler_gave() {
        let here = at(loaded as *const () as usize + 1);
        let [symbol] = &here[..] else { panic!("{here:#?}") };
        assert!(
            symbol.function.ends_with("symbols::loaded")
                && symbol.file.ends_with("harness/src/failure/symbols.rs")
                && symbol.line > 60,
            "{symbol:#?}"
        );
        assert!(at(1).is_empty());
    }

    #[test]
    fn a_unit_read_alone_has_the_calls_of_the_whole_file() {
        EXECUTABLE.with(|executable| {
            let Executable { calls, moved_by, .. } = executable.as_ref().unwrap();
            // A function of this crate, one of the engine and one of the standard library.
            for function in [
                file as *const (),
                dwindle_engine::internals::codec::encode as *const (),
                std::env::current_dir as *const (),
            ] {
                for address in (0..60).map(|offset| function as usize - moved_by + offset) {
                    let shown = |symbols: Vec<Symbol>| {
                        assert!(!symbols.is_empty());
                        format!("{symbols:?}")
                    };
                    assert_eq!(
                        calls.in_unit(address as u64).map(shown),
                        Some(shown(calls.in_all(address as u64)))
                    );
                }
            }
        });
    }

    #[test]
    fn the_functions_that_call_the_target_are_known_by_unit_and_name() {
        use crate::execution::{Executor, InProcess};
        type Target = fn(&mut crate::TestCase);
        let caller = <InProcess<Target> as Executor>::run_input as *const ();
        // An incremental build does not name the crate of a unit.
        let is_incremental =
            option_env!("CARGO_INCREMENTAL").map_or(cfg!(debug_assertions), |value| value != "0");
        assert_eq!(calls_the_target(caller as usize + 1), !is_incremental);
        for other in [file as *const (), std::env::current_dir as *const ()] {
            assert!(!calls_the_target(other as usize + 1));
        }
    }
}
