//! The descendants of a process: the processes that it has started, and those that these have
//! started.

use std::fs;
use std::time::{Duration, Instant};

use super::process;
use crate::system::children;

/// Maximum time for killing children.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The running descendants of `process`.
pub(crate) fn of(process: libc::pid_t) -> Vec<libc::pid_t> {
    let mut all = children(process);
    let mut at = 0;
    while let Some(parent) = all.get(at) {
        let next = children(*parent);
        all.extend(next);
        at += 1;
    }
    all
}

/// The children of all threads of a process.
pub(crate) fn children(process: libc::pid_t) -> Vec<libc::pid_t> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_ascii_whitespace()
                .filter_map(|number| number.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Kills the children of this process except `wanted`. Also kills their descendants, if this
/// process adopts orphans.
pub(crate) fn end_all_but(wanted: &[libc::pid_t]) {
    let began = Instant::now();
    loop {
        let left: Vec<_> =
            children(process::id()).into_iter().filter(|child| !wanted.contains(child)).collect();
        if left.is_empty() || began.elapsed() >= PATIENCE {
            return;
        }
        for child in &left {
            children::kill(*child);
        }
        while began.elapsed() < PATIENCE && !left.iter().all(|child| children::has_ended(*child)) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn children_of_children_are_found() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        std::io::BufRead::read_line(
            &mut std::io::BufReader::new(shell.stdout.take().unwrap()),
            &mut said,
        )
        .unwrap();
        let sleeper: libc::pid_t = said.trim().parse().unwrap();
        let found = of(std::process::id() as libc::pid_t);
        crate::system::children::kill(sleeper);
        shell.wait().unwrap();
        assert!(
            found.contains(&(shell.id() as libc::pid_t)) && found.contains(&sleeper),
            "{found:?}"
        );
    }
}
