//! Telling of values that are not known when they are drawn: what a function was asked stands when the run is over.

use std::fmt::{self, Debug};
use std::sync::Arc;

use super::{TestCase, TranscriptEvent};

/// Part of a drawn value whose description is complete only when the run is over.
pub(crate) trait Late: Send + Sync {
    /// The description as it stands, or the words that stand for it.
    fn described(&self) -> String;

    /// Has these words stand for the description, until they are taken away.
    fn stand_for(&self, words: Option<String>);
}

/// What is to be told again at the end of the run, kept only where anybody listens.
#[derive(Default)]
pub(super) struct ToldLater {
    parts: Vec<Arc<dyn Late>>,
    /// Each draw that shows such parts, by its number, with marks where they stand.
    draws: Vec<(usize, Rendered)>,
    /// How many draws were told of.
    told: usize,
}

impl Debug for ToldLater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToldLater").field("draws", &self.draws).finish_non_exhaustive()
    }
}

/// A value as `{:?}` and as `{:#?}` show it.
struct Rendered {
    plain: String,
    pretty: String,
}

impl Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { &self.pretty } else { &self.plain })
    }
}

/// Around the number of a part. `Debug` of a text would escape them, so that they only come from here.
const MARKS: [char; 2] = ['\u{F0000}', '\u{F0001}'];

impl TestCase {
    /// Has the draw that shows `part` told again at the end of the run.
    pub(crate) fn show_later(&mut self, part: Arc<dyn Late>) {
        self.later.parts.push(part);
    }

    /// Tells of a draw.
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
                self.later.draws.push((self.later.told, rendered));
            }
        }
        self.later.told += 1;
        self.say(TranscriptEvent::Draw(value));
    }

    /// Tells again of draws that show more than they did.
    #[cold]
    pub(super) fn say_later(&mut self) {
        let ToldLater { parts, draws, .. } = std::mem::take(&mut self.later);
        for (draw, marked) in draws {
            let completed = Rendered { plain: completed(&marked.plain, &parts), pretty: completed(&marked.pretty, &parts) };
            self.say(TranscriptEvent::Completed(draw, &completed));
        }
    }

    /// Whether anything is to be told again.
    pub(super) fn is_later_due(&self) -> bool {
        !self.later.draws.is_empty()
    }

    pub(super) fn forget_later(&mut self) {
        self.later.parts.clear();
        self.later.draws.clear();
        self.later.told = 0;
    }
}

/// `text` with the descriptions of the parts where their marks stand.
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
