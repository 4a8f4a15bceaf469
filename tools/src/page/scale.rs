//! How much of each bug a page shows. A page with more bugs shows less of each.

/// The most bytes of a page with up to a hundred bugs and causes.
pub(super) const PAGE_MAX_BYTES: usize = 1_000_000;
/// The most bytes for each bug or cause beyond the first hundred.
const MORE_MAX_BYTES: usize = PAGE_MAX_BYTES / 100;

/// The limits of what is shown of one bug.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Bytes of one value or message.
    pub(super) text_max: usize,
    /// Bytes of all values of a bug.
    pub(super) texts_max: usize,
    /// Parts of a value that get a line.
    pub(super) parts_max: usize,
    /// Steps of a shrink that are shown as differences.
    pub(super) steps_max: usize,
    /// Frames.
    pub(super) frames_max: usize,
    /// Suspicious lines.
    pub(super) lines_max: usize,
    /// Inputs of one file's coverage.
    pub(super) rows_max: usize,
    /// Values whose distributions are shown.
    pub(super) distributions_max: usize,
    /// Points of a curve.
    pub(super) points_max: usize,
    /// Lines of source around the place of a failure.
    pub(super) lines_around: usize,
}

impl Scale {
    /// The limits for this number of bugs and causes.
    pub(super) fn of(sections: usize) -> Scale {
        let share =
            |all: usize, least: usize, most: usize| (all / sections.max(1)).clamp(least, most);
        Scale {
            text_max: share(160_000, 400, 16 << 10),
            texts_max: share(240_000, 800, 48 << 10),
            parts_max: share(8_000, 16, 1_000),
            steps_max: share(2_000, 6, 64),
            frames_max: share(3_200, 8, 32),
            lines_max: share(200, 1, 10),
            rows_max: 100,
            distributions_max: 24,
            points_max: 120,
            lines_around: share(400, 2, 4),
        }
    }

    /// Limits of half the size, for a page that became too large.
    pub(super) fn half(&self) -> Scale {
        Scale {
            text_max: self.text_max / 2,
            texts_max: self.texts_max / 2,
            parts_max: self.parts_max / 2,
            steps_max: self.steps_max / 2,
            frames_max: self.frames_max.div_ceil(2),
            lines_max: self.lines_max.div_ceil(2),
            rows_max: self.rows_max / 2,
            distributions_max: self.distributions_max / 2,
            points_max: self.points_max / 2,
            lines_around: self.lines_around / 2,
        }
    }

    /// How large a page with this number of bugs and causes may be.
    pub(super) fn page_max(sections: usize) -> usize {
        PAGE_MAX_BYTES + sections.saturating_sub(100) * MORE_MAX_BYTES
    }
}
