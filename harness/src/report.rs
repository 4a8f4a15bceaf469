//! The report of a failure: everything that `report.json` holds.

use std::path::{Path, PathBuf};

use dwindle_corpus::{JSON_MAX_BYTES, Report, excerpt, printable_path};
use dwindle_engine::internals::codec::BYTE_FORMAT;

use crate::failure::failed::{Failed, SIGNATURE_VERSION};
use crate::failure::frames::shown_frames;
use crate::minimize::Minimized;

/// The report of a new failure.
pub(crate) fn pending(target: &str, failed: &Failed, original: &[u8], engine: &str) -> Report {
    Report {
        // The report of the minimized input has the whole message.
        message: excerpt(&failed.message, JSON_MAX_BYTES).into_owned(),
        location: Some(failed.location.clone()),
        original_bytes: original.len() as u64,
        hits: 1,
        engine: engine.to_owned(),
        byte_format: BYTE_FORMAT,
        signature_version: SIGNATURE_VERSION,
        ..Report::pending(target, failed.id, failed.kind)
    }
}

/// The report after minimizing. `pending` is the report before it.
pub(crate) fn minimized(pending: &Report, minimized: &Minimized, manifest_dir: &Path) -> Report {
    let failed = &minimized.failed;
    let aliases = if failed.id == pending.bug_id {
        pending.aliases.clone()
    } else {
        [&pending.aliases[..], &[failed.id]].concat()
    };
    Report {
        aliases,
        message: minimized.failed.message.clone(),
        location: Some(minimized.failed.location.clone()),
        frames: shown_frames(&minimized.failed.addresses, manifest_dir),
        value: minimized.draws.clone(),
        listing: if minimized.has_names { minimized.listing.clone() } else { Vec::new() },
        status: minimized.status,
        minimized_bytes: Some(minimized.input.len() as u64),
        original_choices: (!minimized.is_raw).then_some(minimized.original_choices as u64),
        minimized_choices: (!minimized.is_raw).then_some(minimized.choices as u64),
        no_smaller_among: minimized.no_smaller_among,
        explanation: minimized.explanation.clone(),
        rate: minimized.rate,
        only_when_fresh: minimized.only_when_fresh,
        calls: minimized.calls,
        seconds: minimized.time.as_secs_f64(),
        byte_format: BYTE_FORMAT,
        signature_version: SIGNATURE_VERSION,
        ..pending.clone()
    }
}

/// A path for people: relative to the current folder if possible, on one line, with control
/// characters escaped.
pub(crate) fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    PathBuf::from(printable_path(path.strip_prefix(&here).unwrap_or(path)))
}

/// `1 choice`, `2 choices`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
