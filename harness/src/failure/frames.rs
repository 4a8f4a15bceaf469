//! The frames of a failure that belong to the user: machinery, standard library, harness and engine left out.

use std::path::Path;

use crate::failure::location::portable_path;

/// How many user frames are shown.
const FRAMES_MAX: usize = 32;

/// The user frames at these return addresses, innermost first, as `function (path:line)`. Direct repetitions, as recursion makes them, are shown once.
pub(crate) fn user_frames(addresses: &[usize], manifest_dir: &Path) -> Vec<String> {
    let mut frames: Vec<String> = Vec::new();
    let mut below_the_target = false;
    for address in addresses {
        // A return address stands behind the call.
        backtrace::resolve(address.wrapping_sub(1) as *mut _, |symbol| {
            let Some(file) = symbol.filename().and_then(Path::to_str) else { return };
            below_the_target |= file.ends_with(BOTTOM);
            let path = portable_path(file, manifest_dir);
            if below_the_target || is_machinery(file, &path) {
                return;
            }
            let name = symbol.name().map_or_else(|| "?".to_owned(), |name| format!("{name:#}"));
            let frame = format!("{name} ({path}:{})", symbol.lineno().unwrap_or(0));
            if frames.last() != Some(&frame) {
                frames.push(frame);
            }
        });
        if below_the_target || frames.len() >= FRAMES_MAX {
            break;
        }
    }
    frames
}

/// The file that calls the target: what lies below is the fuzzer's.
const BOTTOM: &str = "engine/src/execute.rs";

/// Decided by source file, never by name: a user may well call a function `panic`.
fn is_machinery(file: &str, path: &str) -> bool {
    const HARNESS: &str = env!("CARGO_MANIFEST_DIR");
    let engine = Path::new(HARNESS).with_file_name("engine");
    path.starts_with("rust/") || path.starts_with("backtrace-") || file.starts_with(HARNESS) || Path::new(file).starts_with(engine)
}
