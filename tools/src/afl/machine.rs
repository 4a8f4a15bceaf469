//! Checks the machine before the build. afl-fuzz refuses to run with the settings of many ordinary
//! machines.

use anyhow::{Result, bail};
use std::fs;

/// Variables that make AFL++ run in spite of these settings.
pub(crate) const AS_IS: [&str; 2] = ["AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_SKIP_CPUFREQ"];

/// Returns an error that says what to do. `as_is`: the user accepts the machine as it is.
pub(crate) fn check(as_is: bool) -> Result<()> {
    if as_is {
        return Ok(());
    }
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if !is_set(AS_IS[0]) && read("/proc/sys/kernel/core_pattern").starts_with('|') {
        bail!(
            "this system sends crashes to another program, so AFL++ may count them as timeouts: \
             run `echo core | sudo tee /proc/sys/kernel/core_pattern`, or use --as-is"
        );
    }
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if !is_set(AS_IS[1]) && !governor.is_empty() && governor != "performance" {
        bail!(
            "this system changes the processor's frequency ({governor}), so AFL++ is slower: run \
             `echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`, \
             or use --as-is"
        );
    }
    Ok(())
}
