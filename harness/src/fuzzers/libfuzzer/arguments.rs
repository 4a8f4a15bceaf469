//! libFuzzer's arguments: what they ask for, and how they are edited.
#![expect(clippy::similar_names, reason = "argc and argv have no other names")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The arguments that dwindle uses. libFuzzer uses the last value of a flag that appears twice.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of libFuzzer's")]
pub(crate) struct Given {
    pub(crate) artifact_prefix: Option<String>,
    pub(crate) exact_artifact_path: Option<String>,
    pub(crate) inputs: Vec<String>,
    pub(crate) len_control: bool,
    pub(crate) minimize_crash: bool,
    pub(crate) cleanse_crash: bool,
    /// Whether libFuzzer does other work than fuzzing, for example merging. The target then behaves
    /// as one of libfuzzer-sys.
    pub(crate) is_plain: bool,
    /// How many processes fuzz.
    pub(crate) fork: Option<u64>,
    /// How many runs to make. `workers` is how many of them fuzz at once.
    pub(crate) jobs: Option<u64>,
    pub(crate) workers: Option<u64>,
    pub(crate) help: bool,
    /// Whether libFuzzer needs all counters from the start. This is so for flags that compare the
    /// coverage of processes, or that name a function which no input has reached. It is also so for
    /// flags that number features after all counters.
    pub(crate) all_counters: bool,
    pub(crate) quiet: bool,
    pub(crate) dictionary: bool,
    pub(crate) final_stats: bool,
    /// In seconds.
    pub(crate) max_total_time: Option<u64>,
    pub(crate) runs: Option<u64>,
    pub(crate) seed: Option<u32>,
    /// In MiB.
    rss_limit: Option<u64>,
    /// In seconds.
    pub(crate) timeout: Option<u32>,
    malloc_limit: Option<u64>,
    mutate_depth: Option<u32>,
}

impl Given {
    pub(crate) fn of(arguments: &[String]) -> Given {
        let mut given = Given::default();
        for argument in arguments.iter().skip(1) {
            let Some(flag) = argument.strip_prefix('-') else {
                given.inputs.push(argument.clone());
                continue;
            };
            let (name, value) = flag.trim_start_matches('-').split_once('=').unwrap_or((flag, ""));
            let on = value != "0" && !value.is_empty();
            match name {
                "artifact_prefix" => given.artifact_prefix = Some(value.to_owned()),
                "exact_artifact_path" => given.exact_artifact_path = Some(value.to_owned()),
                "len_control" => given.len_control = true,
                "minimize_crash" => given.minimize_crash = on,
                "cleanse_crash" => {
                    given.cleanse_crash = on;
                    given.is_plain |= on;
                }
                "merge"
                | "merge_inner"
                | "set_cover_merge"
                | "collect_data_flow"
                | "minimize_crash_internal_step" => {
                    given.is_plain |= on;
                }
                "fork" => given.fork = value.parse().ok().filter(|jobs| *jobs > 0),
                "jobs" => given.jobs = value.parse().ok().filter(|jobs| *jobs > 0),
                "workers" => given.workers = value.parse().ok().filter(|workers| *workers > 0),
                "help" => given.help = on,
                "verbosity" => given.quiet = value == "0",
                "features_dir" | "focus_function" | "data_flow_trace" => {
                    given.all_counters |= !value.is_empty();
                }
                "print_coverage" | "print_full_coverage" | "use_value_profile" => {
                    given.all_counters |= on;
                }
                "dict" => given.dictionary = true,
                "print_final_stats" => given.final_stats = on,
                // Without a number, or with -1, there is no limit.
                "max_total_time" => given.max_total_time = value.parse().ok(),
                "runs" => given.runs = value.parse().ok(),
                "timeout" => given.timeout = value.parse().ok(),
                "rss_limit_mb" => given.rss_limit = value.parse().ok(),
                "malloc_limit_mb" => given.malloc_limit = value.parse().ok(),
                "mutate_depth" => given.mutate_depth = value.parse().ok(),
                "seed" => given.seed = value.parse().ok(),
                "ignore_remaining_args" if on => break,
                _ => {}
            }
        }
        given
    }

    /// Whether several processes fuzz. This process then keeps their session.
    pub(crate) fn has_several_fuzzers(&self) -> bool {
        self.fork.is_some() || self.jobs.is_some()
    }

    /// How much memory the fuzzer may use, in MiB. 0 means no limit.
    pub(crate) fn rss_limit(&self) -> u64 {
        self.rss_limit.unwrap_or(2048)
    }

    /// How much memory the target may request in one allocation, in MiB. 0 means no limit. The
    /// default is the limit of [`rss_limit`](Given::rss_limit). libFuzzer sees allocations only in
    /// a build with a sanitizer.
    pub(crate) fn malloc_limit(&self) -> u64 {
        self.malloc_limit.filter(|limit| *limit != 0).unwrap_or_else(|| self.rss_limit())
    }

    /// How many mutations libFuzzer makes of one input in a row.
    pub(crate) fn mutate_depth(&self) -> u32 {
        self.mutate_depth.unwrap_or(5)
    }

    /// Whether libFuzzer will run files and end.
    pub(crate) fn only_files(&self) -> bool {
        !self.inputs.is_empty() && self.inputs.iter().all(|input| Path::new(input).is_file())
    }
}

/// Reads the arguments of main.
///
/// # Safety
/// `argc` and `argv` are those of main: `*argv` holds `*argc` strings.
pub(crate) unsafe fn read(argc: *const c_int, argv: *const *mut *mut c_char) -> Vec<String> {
    // SAFETY: as promised by the caller.
    unsafe {
        let count = usize::try_from(*argc).unwrap_or(0);
        (0..count)
            .map(|index| CStr::from_ptr(*(*argv).add(index)).to_string_lossy().into_owned())
            .collect()
    }
}

/// Makes the path of a corpus folder absolute, because the target may change its working directory.
/// Returns other arguments unchanged.
///
/// libFuzzer reads the folder again and again, and ends the run if it cannot find the folder.
///
/// # Safety
/// `argument` is a string that lives as long as the process.
unsafe fn absolute(argument: *mut c_char) -> *mut c_char {
    // SAFETY: as promised by the caller.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(argument) }.to_bytes()));
    if !path.is_relative() || !path.is_dir() || path.as_os_str().as_bytes().starts_with(b"-") {
        return argument;
    }
    let absolute = std::path::absolute(path)
        .ok()
        .and_then(|path| CString::new(path.into_os_string().into_vec()).ok());
    absolute.map_or(argument, CString::into_raw)
}

/// Appends arguments and makes the paths of corpus folders absolute. Changes nothing if `more` is
/// empty.
///
/// # Safety
/// `argc` and `argv` are those of main, and may be written, as libFuzzer allows.
pub(crate) unsafe fn append(more: Vec<String>, argc: *mut c_int, argv: *mut *mut *mut c_char) {
    if more.is_empty() {
        // After libFuzzer's main function has returned, no pointer to a new array remains. A leak
        // checker would report the array.
        return;
    }
    // SAFETY: as promised by the caller. The added strings and the array live as long as the
    // process, because libFuzzer keeps pointers to both.
    unsafe {
        let count = usize::try_from(*argc).unwrap_or(0);
        let given = (0..count)
            .map(|index| *(*argv).add(index))
            .enumerate()
            .map(|(index, given)| if index == 0 { given } else { absolute(given) });
        let added = more
            .into_iter()
            .filter_map(|argument| CString::new(argument).ok())
            .map(CString::into_raw);
        let all: &'static mut [*mut c_char] =
            given.chain(added).chain([std::ptr::null_mut()]).collect::<Vec<_>>().leak();
        *argc = (all.len() - 1) as c_int;
        *argv = all.as_mut_ptr();
    }
}
