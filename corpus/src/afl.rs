//! Reads the output folder of an AFL++ campaign.

use std::fs;
use std::path::Path;

use crate::inputs::{Entries, is_failures_of_afl, name_of};

/// The number of executions of a campaign: the sum over the `fuzzer_stats` of all instances in
/// `folder`. 0 if there are no such files.
///
/// `folder` may also be the folder of a single instance.
pub fn executions_of_afl(folder: &Path) -> u64 {
    let instances = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    std::iter::once(folder.to_owned())
        .chain(instances)
        .filter_map(|instance| executions(&instance))
        .sum()
}

fn executions(instance: &Path) -> Option<u64> {
    let stats = fs::read_to_string(instance.join("fuzzer_stats")).ok()?;
    stats.lines().find_map(|line| {
        line.split_once(':').filter(|(name, _)| name.trim() == "execs_done")?.1.trim().parse().ok()
    })
}

/// Whether AFL++ keeps the file at `path` as a crash or a hang. Judges by the names of the file and
/// its folder.
pub fn is_failure_of_afl(path: &Path) -> bool {
    name_of(path).starts_with("id")
        && path.parent().is_some_and(|folder| is_failures_of_afl(name_of(folder)))
}

/// Whether `folder` is the output folder of an AFL++ campaign or of one of its instances.
pub fn is_folder_of_afl(folder: &Path) -> bool {
    let Ok(entries) = Entries::read(folder) else { return false };
    entries.is_afl_instance()
        || entries
            .folders
            .iter()
            .any(|folder| Entries::read(folder).is_ok_and(|entries| entries.is_afl_instance()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_inputs_are_distinguished_from_other_files() {
        for failure in [
            "out/main/crashes/id:000000,sig:06",
            "out/s1/hangs/id_000003",
            "out/main/crashes.2026-01-01-00:00:00/id:000001",
        ] {
            assert!(is_failure_of_afl(Path::new(failure)), "{failure}");
        }
        for other in [
            "out/main/queue/id:000000",
            "out/main/crashes/README.txt",
            "out/main/crashes/RECORD:000000",
            "id:000000",
            "out/crashes-of-mine/id:1",
        ] {
            assert!(!is_failure_of_afl(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn the_executions_of_all_instances_are_counted() {
        let out = tempfile::tempdir().unwrap();
        assert_eq!((executions_of_afl(out.path()), is_folder_of_afl(out.path())), (0, false));
        for (name, stats) in [
            ("main", "start_time        : 17\nexecs_done        : 1200\n"),
            ("s1", "execs_done : 34\n"),
            ("s2", "execs_done        : "),
        ] {
            fs::create_dir(out.path().join(name)).unwrap();
            fs::write(out.path().join(name).join("fuzzer_stats"), stats).unwrap();
        }
        assert_eq!((executions_of_afl(out.path()), is_folder_of_afl(out.path())), (1234, true));
        assert_eq!(
            (executions_of_afl(&out.path().join("s1")), is_folder_of_afl(&out.path().join("s1"))),
            (34, true)
        );
    }
}
