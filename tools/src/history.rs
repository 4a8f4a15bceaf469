//! The figures of runs over time: a file in the store, beside the target's folder.
//!
//! Each line is one point of one run, as JSON. Runs at the same time append to one file. A line
//! that a killed process left unfinished is skipped. A file that grows too large keeps every second
//! point of each run.

use anyhow::Result;
use dwindle_corpus::events::{Event, Rejected, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The end of the file's name, after the name of the target.
const FILE: &str = ".history.jsonl";
/// A file that is larger than this becomes at most half as large.
const FILE_MAX_BYTES: u64 = 64 << 10;
/// The time between two moments of a run, as a part of its time so far, and at least this.
const PAUSE_PART: f64 = 0.03;
const PAUSE_MIN_SECONDS: f64 = 1.0;
/// What is read of a file that another program made larger: its end.
const READ_MAX_BYTES: u64 = 1 << 20;

/// The figures of a run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// Names the run.
    run: String,
    /// When it was, in seconds since 1970.
    at: u64,
    /// Seconds since the run began.
    pub(crate) seconds: f64,
    /// Executions of this run.
    pub(crate) executions: u64,
    /// Bugs in the store.
    pub(crate) bugs: u64,
    /// Edges that are covered, where the engine counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) coverage: Option<u64>,
    /// Inputs in the corpus, where the engine has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) corpus: Option<u64>,
    /// Executions that were rejected, where the engine counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rejected: Option<Rejected>,
}

/// Edges and inputs, from libFuzzer's own lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) coverage: Option<u64>,
    pub(crate) corpus: Option<u64>,
}

/// Writes the moments of one run.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// `None` before the run begins, and for commands that do not fuzz.
    file: Option<PathBuf>,
    run: String,
    /// The bugs of the store when the run began.
    known: u64,
    /// The next heartbeat that is written: the first one from this second of the run on.
    next: f64,
}

impl Recorder {
    /// Takes an event of a run. Returns an error if a moment cannot be written. Then no further one
    /// is tried.
    pub(crate) fn take(&mut self, event: Option<&Event>, gauges: Gauges) -> io::Result<()> {
        let (seconds, executions, new_bugs, rejected) = match event {
            Some(Event::Start(start)) => {
                if let (Some(_), Some(store)) = (&start.engine, &start.store) {
                    let millis = now().as_millis();
                    self.run = format!("{millis:x}-{:x}", std::process::id());
                    self.known = start.known;
                    self.file = Path::new(store).parent().map(|root| path(root, &start.target));
                }
                return Ok(());
            }
            Some(Event::Heartbeat(beat)) if beat.seconds < self.next => return Ok(()),
            Some(Event::Heartbeat(beat)) => {
                self.next = beat.seconds + (beat.seconds * PAUSE_PART).max(PAUSE_MIN_SECONDS);
                (beat.seconds, beat.executions, beat.new_bugs, beat.rejected)
            }
            Some(Event::End(totals)) => match &**totals {
                Totals::Run(end) => (end.seconds, end.executions, end.new_bugs, end.rejected),
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let Some(file) = &self.file else { return Ok(()) };
        let moment = Moment {
            run: self.run.clone(),
            at: now().as_secs(),
            seconds,
            executions,
            bugs: self.known + new_bugs,
            coverage: gauges.coverage,
            corpus: gauges.corpus,
            rejected,
        };
        append(file, &moment).inspect_err(|_| self.file = None)
    }
}

fn now() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn path(root: &Path, target: &str) -> PathBuf {
    root.join(format!("{target}{FILE}"))
}

fn line(moment: &Moment) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(moment)?;
    line.push(b'\n');
    Ok(line)
}

fn append(path: &Path, moment: &Moment) -> io::Result<()> {
    let mut file = loop {
        let file = File::options().append(true).read(true).create(true).open(path)?;
        // An error means that the file system does not support locks.
        let _ = file.lock();
        // Another process may have replaced the file before this one had the lock.
        if fs::metadata(path)
            .is_ok_and(|now| file.metadata().is_ok_and(|own| now.ino() == own.ino()))
        {
            break file;
        }
    };
    let mut bytes = line(moment)?;
    let length = file.metadata()?.len();
    if length > 0 && !ends_a_line(&mut file, length)? {
        // A killed process left half a line.
        bytes.insert(0, b'\n');
    }
    file.write_all(&bytes)?;
    if length > FILE_MAX_BYTES {
        thin_out(path)?;
    }
    Ok(())
}

fn ends_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Replaces the file by a smaller one. The caller holds the lock.
fn thin_out(path: &Path) -> io::Result<()> {
    let mut runs = runs(path)?;
    let mut text = Vec::new();
    loop {
        text.clear();
        for moment in runs.iter().flatten() {
            text.extend(line(moment)?);
        }
        if text.len() as u64 <= FILE_MAX_BYTES / 2 {
            break;
        }
        if runs.iter().any(|run| run.len() > 2) {
            runs.iter_mut().for_each(keep_every_second);
        } else {
            runs.drain(..runs.len().div_ceil(2));
        }
    }
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(&text)?;
    // A temporary file is for this user alone; a store may have several.
    let permissions = fs::metadata(path)?.permissions();
    file.as_file().set_permissions(permissions)?;
    file.persist(path)?;
    Ok(())
}

/// Keeps the first moment of a run, the last one, and every second one between them.
fn keep_every_second(run: &mut Vec<Moment>) {
    let last = run.len().saturating_sub(1);
    let mut at = 0;
    run.retain(|_| {
        at += 1;
        at == 1 || at - 1 == last || at % 2 == 1
    });
}

/// The runs of a target that the store in the folder `root` knows, oldest first. Empty without a
/// file. Lines that cannot be read are left out.
pub(crate) fn read(root: &Path, target: &str) -> Result<Vec<Vec<Moment>>> {
    Ok(runs(&path(root, target))?)
}

fn runs(path: &Path) -> io::Result<Vec<Vec<Moment>>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ_MAX_BYTES)))?;
    let mut text = Vec::new();
    file.take(READ_MAX_BYTES).read_to_end(&mut text)?;
    let lines = text.split(|byte| *byte == b'\n');
    let mut by_run: BTreeMap<String, Vec<Moment>> = BTreeMap::new();
    for moment in lines.filter_map(|line| serde_json::from_slice::<Moment>(line).ok()) {
        if (0.0..1e12).contains(&moment.seconds) {
            by_run.entry(moment.run.clone()).or_default().push(moment);
        }
    }
    let mut runs: Vec<Vec<Moment>> = by_run.into_values().collect();
    for run in &mut runs {
        run.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    }
    runs.sort_by_key(|run| run.first().map(|moment| (moment.at, moment.run.clone())));
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_corpus::events::{EndOfRun, Heartbeat, RunStart};

    fn started(root: &Path) -> Recorder {
        let mut recorder = Recorder::default();
        let start = Event::Start(RunStart {
            target: "parse".to_owned(),
            known: 3,
            engine: Some("libfuzzer".to_owned()),
            store: Some(root.join("parse").to_string_lossy().into_owned()),
            known_contents: None,
            switches_on: Vec::new(),
            switches_off: Vec::new(),
        });
        recorder.take(Some(&start), Gauges::default()).unwrap();
        recorder
    }

    fn beat(recorder: &mut Recorder, seconds: f64) {
        let beat = Heartbeat { seconds, executions: 10, new_bugs: 1, ..Heartbeat::default() };
        let gauges = Gauges { coverage: Some(100), corpus: Some(7) };
        recorder.next = 0.0;
        recorder.take(Some(&Event::Heartbeat(beat)), gauges).unwrap();
    }

    #[test]
    fn the_moments_of_a_run_are_kept_with_all_bugs_of_the_store() {
        let root = tempfile::tempdir().unwrap();
        let mut recorder = started(root.path());
        beat(&mut recorder, 5.0);
        let end = EndOfRun { seconds: 6.0, executions: 12, ..EndOfRun::default() };
        let end = Event::End(Box::new(Totals::Run(end)));
        recorder.take(Some(&end), Gauges::default()).unwrap();
        let runs = read(root.path(), "parse").unwrap();
        let [run] = &runs[..] else { panic!("{runs:?}") };
        assert_eq!(run.iter().map(|moment| moment.seconds).collect::<Vec<_>>(), [5.0, 6.0]);
        assert_eq!((run[0].bugs, run[0].coverage, run[1].executions), (4, Some(100), 12));
        assert!(read(root.path(), "other").unwrap().is_empty());
    }

    #[test]
    fn the_moments_of_a_long_run_are_further_and_further_apart() {
        let root = tempfile::tempdir().unwrap();
        let mut recorder = started(root.path());
        for half_seconds in 0..20_000_u32 {
            let seconds = f64::from(half_seconds) / 2.0;
            let beat = Event::Heartbeat(Heartbeat { seconds, ..Heartbeat::default() });
            recorder.take(Some(&beat), Gauges::default()).unwrap();
        }
        let runs = read(root.path(), "parse").unwrap();
        assert!((100..300).contains(&runs[0].len()), "{}", runs[0].len());
    }

    #[test]
    fn a_command_that_does_not_fuzz_writes_nothing() {
        let root = tempfile::tempdir().unwrap();
        beat(&mut Recorder::default(), 5.0);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn lines_that_cannot_be_read_are_left_out_and_half_a_line_takes_none_with_it() {
        let root = tempfile::tempdir().unwrap();
        let mut recorder = started(root.path());
        beat(&mut recorder, 5.0);
        let file = path(root.path(), "parse");
        let mut text = fs::read(&file).unwrap();
        text.extend(b"\xff\xfe\n{}\n[1]\n{\"run\":\"x\",\"at\":1,\"seco");
        fs::write(&file, text).unwrap();
        beat(&mut recorder, 10.0);
        let runs = read(root.path(), "parse").unwrap();
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_long_run_is_thinned_out_and_keeps_its_ends() {
        let root = tempfile::tempdir().unwrap();
        let mut recorder = started(root.path());
        for number in 0..3_000_u32 {
            beat(&mut recorder, f64::from(number));
        }
        let file = fs::metadata(path(root.path(), "parse")).unwrap();
        assert!(file.len() <= FILE_MAX_BYTES + 1_000, "{}", file.len());
        let runs = read(root.path(), "parse").unwrap();
        let [run] = &runs[..] else { panic!("{}", runs.len()) };
        assert!(run.len() > 100, "{}", run.len());
        assert_eq!((run[0].seconds, run[run.len() - 1].seconds), (0.0, 2_999.0));
    }

    #[test]
    fn of_many_short_runs_the_latest_stay() {
        let root = tempfile::tempdir().unwrap();
        let mut recorder = started(root.path());
        for number in 0..2_000_u32 {
            recorder.run = format!("{number:05}");
            beat(&mut recorder, 1.0);
        }
        let runs = read(root.path(), "parse").unwrap();
        assert!((100..1_000).contains(&runs.len()), "{}", runs.len());
        assert_eq!(runs[runs.len() - 1][0].run, "01999");
    }

    #[test]
    fn two_runs_write_at_once() {
        let root = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for name in ["a", "b"] {
                let root = root.path();
                scope.spawn(move || {
                    let mut recorder = started(root);
                    recorder.run = name.to_owned();
                    for number in 0..200_u32 {
                        beat(&mut recorder, f64::from(number));
                    }
                });
            }
        });
        let runs = read(root.path(), "parse").unwrap();
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [200, 200]);
    }
}
