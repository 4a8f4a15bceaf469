//! The frames of a failure that belong to the user: machinery, standard library, harness and engine left out.

use std::path::Path;

use crate::failure::location::portable_path;

/// How many user frames are shown.
const FRAMES_MAX: usize = 32;

/// The user frames at these return addresses, innermost first, as `function (path:line)`. Direct repetitions, as recursion makes them, are shown once.
pub(crate) fn user_frames(addresses: &[usize], manifest_dir: &Path) -> Vec<String> {
    let mut frames: Vec<String> = Vec::new();
    for address in addresses {
        // A return address stands behind the call.
        backtrace::resolve(address.wrapping_sub(1) as *mut _, |symbol| {
            let Some(file) = symbol.filename().and_then(Path::to_str) else { return };
            let path = portable_path(file, manifest_dir);
            if is_machinery(file, &path) {
                return;
            }
            let name = symbol.name().map_or_else(|| "?".to_owned(), |name| format!("{name:#}"));
            let frame = format!("{name} ({path}:{})", symbol.lineno().unwrap_or(0));
            if frames.last() != Some(&frame) {
                frames.push(frame);
            }
        });
        if frames.len() >= FRAMES_MAX {
            break;
        }
    }
    frames
}

/// Decided by source file, never by name: a user may well call a function `panic`.
fn is_machinery(file: &str, path: &str) -> bool {
    let ours = [env!("CARGO_MANIFEST_DIR"), concat!(env!("CARGO_MANIFEST_DIR"), "/../engine")];
    path.starts_with("rust/")
        || path.starts_with("libfuzzer-sys-")
        || path.starts_with("backtrace-")
        || file.starts_with(ours[0])
        || Path::new(ours[1]).canonicalize().is_ok_and(|engine| Path::new(file).starts_with(engine))
}
