//! Shows values whose description is complete only at the end of the run.
//!
//! A generated function is an example: its description lists the arguments that it was called with.

use std::fmt::{self, Debug};
use std::sync::Arc;

use super::{TestCase, TranscriptEvent};

/// Part of a drawn value whose description is complete only at the end of the run.
pub(crate) trait Late: Send + Sync {
    /// The description so far, or the text that replaces it.
    fn described(&self) -> String;

    /// Replaces the description with `words`. `None` restores the description.
    fn stand_for(&self, words: Option<String>);
}

/// Draws to show again at the end of the run. Empty if the test case has no listener.
#[derive(Default)]
pub(super) struct ShownLater {
    parts: Vec<Arc<dyn Late>>,
    /// Each draw that contains such parts: its number, and its text with marks in place of the
    /// parts.
    draws: Vec<(usize, Rendered)>,
    /// How many draws the listener received.
    received: usize,
}

impl Debug for ShownLater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShownLater").field("draws", &self.draws).finish_non_exhaustive()
    }
}

/// A value in both formats, `{:?}` and `{:#?}`.
struct Rendered {
    plain: String,
    pretty: String,
}

impl Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { &self.pretty } else { &self.plain })
    }
}

/// The marks around the number of a part. `Debug` of a text escapes them, so marks in the output
/// come only from here.
const MARKS: [char; 2] = ['\u{F0000}', '\u{F0001}'];

impl TestCase {
    /// Shows every draw that contains `part` again at the end of the run.
    pub(crate) fn show_later(&mut self, part: Arc<dyn Late>) {
        self.later.parts.push(part);
    }

    /// Sends a draw to the listener.
    #[cold]
    pub(super) fn say_draw(&mut self, value: &dyn Debug) {
        if !self.later.parts.is_empty() {
            for (number, part) in self.later.parts.iter().enumerate() {
                part.stand_for(Some(format!("{}{number}{}", MARKS[0], MARKS[1])));
            }
            let rendered = Rendered { plain: format!("{value:?}"), pretty: format!("{value:#?}") };
            for part in &self.later.parts {
                part.stand_for(None);
            }
            if rendered.plain.contains(MARKS[0]) {
                self.later.draws.push((self.later.received, rendered));
            }
        }
        self.later.received += 1;
        self.say(TranscriptEvent::Draw(value));
    }

    /// Sends the completed text of each draw that contains such parts.
    #[cold]
    pub(super) fn say_later(&mut self) {
        let ShownLater { parts, draws, .. } = std::mem::take(&mut self.later);
        for (draw, marked) in draws {
            let completed = Rendered {
                plain: completed(&marked.plain, &parts),
                pretty: completed(&marked.pretty, &parts),
            };
            self.say(TranscriptEvent::Completed(draw, &completed));
        }
    }

    /// Whether a draw has to be shown again.
    pub(super) fn is_later_due(&self) -> bool {
        !self.later.draws.is_empty()
    }

    pub(super) fn forget_later(&mut self) {
        self.later.parts.clear();
        self.later.draws.clear();
        self.later.received = 0;
    }
}

/// Replaces the marks in `text` with the descriptions of their parts.
fn completed(text: &str, parts: &[Arc<dyn Late>]) -> String {
    let mut pieces = text.split(MARKS);
    let mut completed = String::from(pieces.next().unwrap_or_default());
    while let Some(number) = pieces.next() {
        if let Some(part) = number.parse().ok().and_then(|number: usize| parts.get(number)) {
            completed += &part.described();
        }
        completed += pieces.next().unwrap_or_default();
    }
    completed
}
