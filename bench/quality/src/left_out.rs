//! Which passes and kicks an ablation leaves out.

use anyhow::{Result, ensure};
use dwindle_engine::internals::shrink::passes;

/// Passes and kicks that are left out at once.
pub type Set = Vec<String>;

/// Each pass and each kick alone, if `alone`, and then what the names in each of `together` say.
///
/// # Errors
/// If a name is that of no pass and no kick.
pub fn sets(alone: bool, together: &[String]) -> Result<Vec<Set>> {
    let known: Vec<&str> = passes().collect();
    let mut sets: Vec<Set> = Vec::new();
    if alone {
        sets.extend(known.iter().map(|name| vec![(*name).to_owned()]));
    }
    for names in together {
        let set: Set = names.split(',').map(|name| name.trim().to_owned()).collect();
        for name in &set {
            ensure!(
                known.contains(&name.as_str()),
                "there is no pass and no kick {name}; there are {}",
                known.join(", ")
            );
        }
        sets.push(set);
    }
    Ok(sets)
}
