//! How many processes a run gets: `--jobs`, the cores, and the memory that is available.

use crate::args::{Engine, Run};
use crate::screen::json;
use anyhow::Result;
use dwindle_corpus::events::Event;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;

/// The memory limit of a process in MiB, if the user sets no other: libFuzzer's.
const MEMORY_MAX: u64 = 2048;

/// The number of processes for a run. Warns if fewer fit into memory than the user wants.
pub(crate) fn jobs(options: &Run) -> Result<u32> {
    let wanted = match options.jobs {
        None => 1,
        Some(0) => available_parallelism().map_or(1, NonZeroUsize::get) as u32,
        Some(jobs) => jobs,
    };
    // afl-fuzz gives its instances no limit.
    let limit = if options.engine == Engine::Afl { None } else { limit(options) };
    let (Some(limit), Some(available)) = (limit, available()) else { return Ok(wanted) };
    let jobs = carried(wanted, limit, available);
    if jobs < wanted {
        let run = if jobs == 1 { "process runs" } else { "processes run" };
        let words = format!(
            "{wanted} processes may take {limit} MiB each, but {available} MiB are available: \
             {jobs} {run} instead; a lower limit allows more, for example `-- -rss_limit_mb={}`",
            (available / u64::from(wanted)).max(1)
        );
        eprintln!("warning: {words}");
        if options.build.json {
            json::write_words(Event::Warning, &words)?;
        }
    }
    Ok(jobs)
}

/// How many of the wanted processes fit, at least one.
fn carried(wanted: u32, limit: u64, available: u64) -> u32 {
    u32::try_from(available / limit.max(1)).unwrap_or(u32::MAX).clamp(1, wanted.max(1))
}

/// The memory limit of one process in MiB. `None` if it has no limit.
fn limit(options: &Run) -> Option<u64> {
    let given = options.engine_args.iter().rev().find_map(|argument| {
        argument.to_str()?.trim_start_matches('-').strip_prefix("rss_limit_mb=")?.parse().ok()
    });
    Some(given.unwrap_or(MEMORY_MAX)).filter(|limit| *limit > 0)
}

/// The memory in MiB that new processes can take. `None` if the system does not say.
fn available() -> Option<u64> {
    let of_system = of_system(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    Some(of_group(&groups, Path::new("/sys/fs/cgroup")).map_or(of_system, |of| of.min(of_system)))
}

/// The field `MemAvailable`, in MiB.
fn of_system(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

/// The memory that the control groups of this process leave free, in MiB: the least of them.
/// `None` without a limit.
fn of_group(groups: &str, root: &Path) -> Option<u64> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let number = |folder: &Path, name| {
        fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok()
    };
    let folder = root.join(group);
    let folders = folder.ancestors().take_while(|folder| folder.starts_with(root));
    folders
        .filter_map(|folder| {
            let limit = number(folder, "memory.max")?;
            let taken = number(folder, "memory.current").unwrap_or(0);
            Some(limit.saturating_sub(taken) >> 20)
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_gets_as_many_processes_as_fit_into_memory_and_at_least_one() {
        assert_eq!(carried(4, 2048, 16_000), 4);
        assert_eq!(carried(16, 2048, 16_384), 8);
        assert_eq!(carried(16, 2048, 100), 1);
        assert_eq!(carried(1, 2048, 100), 1);
    }

    #[test]
    fn the_available_memory_is_read_from_the_system_and_its_groups() {
        let meminfo = "MemTotal:  24000000 kB\nMemAvailable:   2097152 kB\n";
        assert_eq!(of_system(meminfo), Some(2048));
        assert_eq!(of_system("MemTotal: 1 kB\n"), None);

        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("outer/inner");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(of_group("0::/outer/inner\n", root.path()), None);
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        fs::write(root.path().join("outer/memory.max"), "3221225472\n").unwrap();
        fs::write(root.path().join("outer/memory.current"), "1073741824\n").unwrap();
        assert_eq!(of_group("1:cpu:/x\n0::/outer/inner\n", root.path()), Some(2048));
    }
}
