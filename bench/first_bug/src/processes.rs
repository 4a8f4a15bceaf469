//! The processor time of all processes that descend from this one.

use std::time::Duration;
use std::{fs, io};

use rustix::process::{Pid, Signal, WaitOptions};

/// Makes this process the parent of all orphans among its descendants, so that it can wait for
/// them.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Processor time, user and system, of all descendants so far, of those that ended too.
///
/// The system counts what ended descendants of a running process used in hundredths of a second,
/// rounded down. Half a hundredth is added for each such number. All other times are exact.
pub fn processor_time() -> Duration {
    let running = descendants().into_iter().map(|process| clock_of(process) + ended_under(process));
    ended() + running.sum::<Duration>()
}

/// Ends all descendants and waits for them.
pub fn end_all() {
    loop {
        for process in descendants() {
            if let Some(process) = Pid::from_raw(process) {
                let _ = rustix::process::kill_process(process, Signal::KILL);
            }
        }
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// The processes that descend from this one. Some of them may have just ended.
fn descendants() -> Vec<i32> {
    let mut found = vec![std::process::id().cast_signed()];
    let mut next = 0;
    while let Some(&process) = found.get(next) {
        next += 1;
        let threads = fs::read_dir(format!("/proc/{process}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_ascii_whitespace().filter_map(|id| id.parse::<i32>().ok()));
        }
    }
    found.split_off(1)
}

/// Processor time of the descendants that this process and their parents waited for.
fn ended() -> Duration {
    // SAFETY: all fields of the structure are numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call only writes to `usage`.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let of = |time: libc::timeval| {
        Duration::new(time.tv_sec.cast_unsigned(), time.tv_usec.cast_unsigned() as u32 * 1000)
    };
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// Processor time of one process. Zero if it is gone.
fn clock_of(process: i32) -> Duration {
    let mut id = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the calls only write to the two variables.
    let is_known = unsafe {
        libc::clock_getcpuclockid(process, &raw mut id) == 0
            && libc::clock_gettime(id, &raw mut time) == 0
    };
    if is_known {
        Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned() as u32)
    } else {
        Duration::ZERO
    }
}

/// Processor time of the descendants that a process waited for.
fn ended_under(process: i32) -> Duration {
    /// Linux shows all times in this unit.
    const TICK: Duration = Duration::from_millis(10);
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name is in parentheses and may hold any characters. The 14th and 15th field after it are
    // the times.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = fields.split_ascii_whitespace().skip(13).take(2);
    ticks
        .filter_map(|number| number.parse::<u32>().ok().filter(|ticks| *ticks > 0))
        .map(|ticks| TICK * ticks + TICK / 2)
        .sum()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn grandchildren_that_ended_or_run_are_counted() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}'; sh -c '{busy}; echo; read line'; :");
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut byte = [0];
        let output = child.stdout.as_mut().expect("a pipe");
        io::Read::read_exact(output, &mut byte).expect("the second has counted");
        let running = processor_time();
        assert!(descendants().len() >= 2);
        drop(child.stdin.take());
        child.wait().expect("the shell ends");
        let ended = processor_time();
        assert!(running > Duration::from_millis(20), "{running:?}");
        let difference = ended.abs_diff(running);
        assert!(difference < Duration::from_millis(60), "{running:?} and {ended:?}");
    }
}
