//! What a run said of itself: draws and notes as text, in order.

/// What a run said of itself, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(pub(crate) Vec<Line>);

/// One thing that a run said.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// `Debug` of a value that was drawn.
    Draw(String),
    Note(String),
    /// The name of the draw behind it.
    Name(String),
    /// The draw behind it is a line of a program.
    AsItStands,
}

impl Told {
    /// Has the draw of this number, counted from 0, read as `text`.
    pub(crate) fn complete(&mut self, number: usize, text: String) {
        let mut draws = self.0.iter_mut().filter_map(|line| if let Line::Draw(draw) = line { Some(draw) } else { None });
        if let Some(draw) = draws.nth(number) {
            *draw = text;
        }
    }

    pub(crate) fn draws(&self) -> Vec<String> {
        self.0.iter().filter_map(|line| if let Line::Draw(draw) = line { Some(draw.clone()) } else { None }).collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.0.iter().filter_map(|line| if let Line::Note(note) = line { Some(note.clone()) } else { None }).collect()
    }

    /// Whether any draw has a name.
    pub(crate) fn has_names(&self) -> bool {
        self.0.iter().any(|line| matches!(line, Line::Name(_)))
    }
}
