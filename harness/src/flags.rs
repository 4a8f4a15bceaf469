//! Flags as libFuzzer has them, for builds without it: `-runs=`, `-seed=`, `-max_total_time=`.

/// The number that the last argument of this name gives, without -1, by which libFuzzer means "no limit".
pub(crate) fn flag(arguments: &[String], name: &str) -> Result<Option<u64>, String> {
    let Some(value) = arguments.iter().rev().find_map(|argument| argument.strip_prefix(name)) else { return Ok(None) };
    match value.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(number) if number >= 0 => Ok(Some(number as u64)),
        _ => Err(format!("{name}{value} is not a number of 0 or more")),
    }
}
