//! The source lines of edges, and their nearness to a failure.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use dwindle_corpus::{LINES_MAX, SuspiciousLine, excerpt, source_digest};
use dwindle_engine::internals::sorted::sort_by;

use super::spectrum::Spectrum;
use crate::failure::failed::Failed;
use crate::failure::frames::{Frame, is_machinery_file, user_frames};
use crate::failure::location::portable_path;
use crate::failure::symbols::{self, Symbol};
use crate::isolation::counters::{code_at, entry_of};

/// The most edges whose source is looked up. A lookup takes some microseconds.
const EDGES_MAX: usize = 2000;
/// The most bytes of the name of a function. Type parameters can make it much longer.
const FUNCTION_MAX_BYTES: usize = 200;
/// A larger file is not source code.
const FILE_MAX_BYTES: u64 = 4 << 20;

/// A line with its rank.
struct Candidate {
    /// The path that the compiler recorded.
    file: String,
    /// Whether it belongs to the crate of the target. The code under test is elsewhere, if there is
    /// any.
    is_of_the_target: bool,
    nearness: usize,
    line: SuspiciousLine,
}

/// The most suspicious lines: by score, then the code under test before the target itself, then
/// the nearest to `origin` first. Leaves out the lines of the failure and of its frames, because
/// the report has them already.
pub(super) fn lines(
    spectrum: &Spectrum,
    origin: &Failed,
    manifest_dir: &Path,
) -> Vec<SuspiciousLine> {
    let stack = Stack::of(origin, manifest_dir);
    let mut seen = BTreeSet::new();
    let mut candidates = Vec::new();
    for scored in spectrum.ranked().iter().take(EDGES_MAX) {
        let Some((symbol, path)) = code_at(scored.edge).and_then(|at| source(at, manifest_dir))
        else {
            continue;
        };
        let Symbol { function, file, line } = symbol;
        if formats(&function) && !spectrum.is_passed(entry_of(scored.edge)) {
            continue;
        }
        // Of several parts of a line, the first has the best score.
        if stack.holds(&path, line) || !seen.insert((path.clone(), line)) {
            continue;
        }
        candidates.push(Candidate {
            is_of_the_target: Path::new(&file).starts_with(manifest_dir),
            nearness: stack.nearness(&function, &path),
            line: SuspiciousLine {
                file: path,
                line,
                function: excerpt(&function, FUNCTION_MAX_BYTES).into_owned(),
                failing: scored.failing,
                passing: scored.passing,
                source: None,
            },
            file,
        });
    }
    sort_by(&mut candidates, |one, other| {
        let key = |candidate: &Candidate| (candidate.is_of_the_target, candidate.nearness);
        let by_score = other.line.score().total_cmp(&one.line.score());
        by_score.then_with(|| key(one).cmp(&key(other)))
    });
    candidates.truncate(LINES_MAX);
    let mut sources = Sources::default();
    let lines = candidates.into_iter().map(|Candidate { file, line, .. }| SuspiciousLine {
        source: sources.digest(&file, line.line),
        ..line
    });
    lines.collect()
}

/// Whether a function formats a value. A panic formats its message before the hook gets it. So code
/// that formats and that no passing run calls belongs to the message.
fn formats(function: &str) -> bool {
    function == "fmt" || function.ends_with("::fmt")
}

/// The innermost call in code of the user at an address, and its portable path.
fn source(address: usize, manifest_dir: &Path) -> Option<(Symbol, String)> {
    symbols::at(address).into_iter().find_map(|symbol| {
        let path = portable_path(&symbol.file, manifest_dir);
        let is_user = symbol.line > 0 && !is_machinery_file(&symbol.file, &path);
        is_user.then_some((symbol, path))
    })
}

/// The calls that led to a failure.
struct Stack {
    frames: Vec<Frame>,
    /// The place of a panic.
    place: (String, u32),
}

impl Stack {
    fn of(origin: &Failed, manifest_dir: &Path) -> Stack {
        let place = (portable_path(&origin.place.file, manifest_dir), origin.place.line);
        Stack { frames: user_frames(&origin.addresses, manifest_dir), place }
    }

    /// Whether a line is that of the failure or of a frame.
    fn holds(&self, path: &str, line: u32) -> bool {
        let is_here = |frame: &Frame| frame.path() == path && frame.line() == line;
        self.place.0 == path && self.place.1 == line || self.frames.iter().any(is_here)
    }

    /// 0 for the function that failed, 1 for its caller, and so on up the stack. Then follow the
    /// file of the failure, and all other code.
    fn nearness(&self, function: &str, path: &str) -> usize {
        let is_it = |frame: &Frame| frame.function == function && frame.path() == path;
        let in_the_file = self.frames.first().is_some_and(|frame| frame.path() == path);
        let on_the_stack = self.frames.iter().position(is_it);
        on_the_stack.unwrap_or(self.frames.len() + usize::from(!in_the_file))
    }
}

/// The source files as they were when the target was built.
#[derive(Default)]
struct Sources(HashMap<String, Option<String>>);

impl Sources {
    /// The digest of the code around a line. `None` if the file is gone, or was changed after the
    /// build.
    fn digest(&mut self, file: &str, line: u32) -> Option<String> {
        let text = self.0.entry(file.to_owned()).or_insert_with(|| unchanged(Path::new(file)));
        source_digest(text.as_deref()?, line as usize)
    }
}

fn unchanged(file: &Path) -> Option<String> {
    let modified = |file: &Path| -> Option<SystemTime> { fs::metadata(file).ok()?.modified().ok() };
    let metadata = fs::metadata(file).ok()?;
    let is_known = metadata.len() <= FILE_MAX_BYTES
        && modified(file)? <= modified(Path::new("/proc/self/exe"))?;
    is_known.then(|| fs::read(file).ok()).flatten().map(|bytes| {
        // The page reads the file in the same way.
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
