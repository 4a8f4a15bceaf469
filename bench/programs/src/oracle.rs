//! Whether two versions of wasmi disagree about a module.

use std::sync::Once;

use crate::outcome::{Event, Shown};
use crate::{new, old};

/// The first thing that the old version shows and the new one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub old: Option<Event>,
    pub new: Option<Event>,
}

/// Runs the module on both versions. `None` if they agree, or if one of them refuses the module.
pub fn difference(wasm: &[u8]) -> Option<Difference> {
    static SILENT: Once = Once::new();
    SILENT.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let new = new::engine::run(wasm)?;
    let old = old::engine::run(wasm)?;
    first_difference(&old, &new)
}

pub fn first_difference(old: &Shown, new: &Shown) -> Option<Difference> {
    (0..old.len().max(new.len())).find_map(|at| {
        let of = |shown: &Shown| shown.get(at).cloned().unwrap_or_default();
        first_difference_of_function(&of(old), &of(new))
    })
}

/// What comes after a limit in one of them is unknown.
fn first_difference_of_function(old: &[Event], new: &[Event]) -> Option<Difference> {
    for at in 0..old.len().max(new.len()) {
        let (old, new) = (old.get(at), new.get(at));
        if old == Some(&Event::Limit) || new == Some(&Event::Limit) {
            return None;
        }
        if old != new {
            return Some(Difference { old: old.cloned(), new: new.cloned() });
        }
    }
    None
}
