//! The text of `report.txt`, for people.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::time::{Duration, UNIX_EPOCH};

use super::Report;
use crate::Bug;
use crate::excerpt::{SHOWN_MAX_BYTES, excerpt, excerpts};
use crate::printable::printable;

/// The most bytes of all values together.
const SHOWN_ALL_MAX_BYTES: usize = 16 << 10;

impl Report {
    /// The drawn values, as texts to show. Long texts are cut. If there are too many, the last line
    /// gives the number of values left out.
    pub fn shown(&self) -> Vec<Cow<'_, str>> {
        self.shown_values(SHOWN_MAX_BYTES, SHOWN_ALL_MAX_BYTES)
    }

    fn shown_values(&self, text_max: usize, all_max: usize) -> Vec<Cow<'_, str>> {
        let drawn = self.drawn();
        let mut bytes = 0;
        let is_shown = |text: &Cow<'_, str>| {
            let goes_on = bytes < all_max;
            bytes += text.len();
            goes_on
        };
        let mut shown: Vec<_> =
            excerpts(drawn, text_max, all_max).into_iter().take_while(is_shown).collect();
        if shown.len() < drawn.len() {
            shown.push(Cow::Owned(format!(".. and {} more values", drawn.len() - shown.len())));
        }
        shown
    }

    /// The text of `report.txt`, for people. Long values and messages are cut; control characters
    /// are escaped.
    pub fn to_text(&self) -> String {
        self.text_of(SHOWN_MAX_BYTES, SHOWN_ALL_MAX_BYTES)
    }

    /// The report for people with nothing cut. `None` if [`Report::to_text`] cuts nothing.
    pub(crate) fn to_whole_text(&self) -> Option<String> {
        self.is_cut().then(|| self.text_of(usize::MAX, usize::MAX))
    }

    /// `whole`, the text of `full.txt`, and the last lines of this report at its end.
    ///
    /// The values in `whole` may be longer than those of this report, which was read from
    /// `report.json`.
    pub(crate) fn close_whole_text(&self, whole: &str) -> String {
        let mut closing = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_closing(&mut closing);
        format!("{}{}", opening_of(whole), printable(&closing))
    }

    fn is_cut(&self) -> bool {
        let shown = |texts: &[String]| {
            texts.iter().map(String::len).sum::<usize>() <= SHOWN_ALL_MAX_BYTES
                && texts.iter().all(|text| text.len() <= SHOWN_MAX_BYTES)
        };
        self.message.len() > SHOWN_MAX_BYTES || !shown(&self.value) || !shown(&self.listing)
    }

    fn text_of(&self, text_max: usize, all_max: usize) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text, text_max, all_max);
        match printable(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(safe) => safe,
        }
    }

    fn write_text(&self, out: &mut String, text_max: usize, all_max: usize) -> fmt::Result {
        writeln!(out, "{} in target {}", self.kind, self.target)?;
        write_indented(out, &excerpt(&self.message, text_max))?;
        if let Some(location) = &self.location {
            writeln!(out, "    at {location}")?;
        }
        if !self.value.is_empty() {
            writeln!(out, "\nvalue:")?;
            self.shown_values(text_max, all_max)
                .iter()
                .try_for_each(|line| write_indented(out, line))?;
        }
        if text_max < usize::MAX && self.is_cut() {
            writeln!(out, "\nthe full text is in {}", Bug::WHOLE)?;
        }
        let explained = self.explained();
        if !explained.is_empty() {
            writeln!(out, "\naround it:")?;
            explained.iter().try_for_each(|line| write_indented(out, line))?;
        }
        if !self.frames.is_empty() {
            writeln!(out, "\nframes:")?;
            for frame in &self.frames {
                write_indented(out, frame)?;
            }
        }
        writeln!(out, "\nstatus: {}, {}", self.status, self.status.meaning())?;
        if let Some(reliability) = self.reliability() {
            writeln!(out, "{reliability}")?;
        }
        writeln!(out, "original: {}", size(Some(self.original_bytes), self.original_choices))?;
        if self.minimized_bytes.is_some() || self.minimized_choices.is_some() {
            let size = size(self.minimized_bytes, self.minimized_choices);
            writeln!(out, "minimized: {size}, {} calls in {:.1} s", self.calls, self.seconds)?;
            if let Some(exhaustion) = self.exhaustion() {
                writeln!(out, "{exhaustion}")?;
            }
        }
        self.write_closing(out)
    }

    /// Writes the lines that change while the input stays.
    fn write_closing(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "hits: {}", self.hits)?;
        if let Some(time) = UNIX_EPOCH.checked_add(Duration::from_secs(self.first_seen))
            && self.first_seen <= YEAR_9999
        {
            writeln!(out, "first seen: {}", humantime::format_rfc3339_seconds(time))?;
        }
        writeln!(
            out,
            "bug id: {} (engine {}, byte format {}, signature version {})",
            self.bug_id, self.engine, self.byte_format, self.signature_version
        )?;
        for alias in &self.aliases {
            writeln!(out, "id by newer rules: {alias}")?;
        }
        Ok(())
    }
}

/// What the first of the last lines begins with: now, and in older texts.
const CLOSINGS: [&str; 2] = ["\nhits: ", "\nsightings: "];

/// The text for people without the lines that change while the input stays.
pub(crate) fn opening_of(text: &str) -> &str {
    // Values, messages and frames are indented, so only the last lines begin like this.
    let at = CLOSINGS.iter().filter_map(|closing| text.rfind(closing)).max();
    at.map_or(text, |at| &text[..=at])
}

/// 9999-12-31T23:59:59Z, the last second that RFC 3339 can write.
const YEAR_9999: u64 = 253_402_300_799;

fn size(bytes: Option<u64>, choices: Option<u64>) -> String {
    let bytes = bytes.map(|n| format!("{n} bytes"));
    let choices = choices.map(|n| format!("{n} choices"));
    bytes.into_iter().chain(choices).collect::<Vec<_>>().join(", ")
}

fn write_indented(out: &mut String, text: &str) -> fmt::Result {
    text.lines().try_for_each(|line| writeln!(out, "    {line}"))
}
