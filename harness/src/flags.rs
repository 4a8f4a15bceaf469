//! Flags with libFuzzer's syntax, for builds without libFuzzer: `-runs=`, `-seed=`,
//! `-max_total_time=`.

/// The number in the last argument that begins with `name`, for example `-runs=`. `None` without
/// such an argument, and for -1, which means "no limit" in libFuzzer.
pub(crate) fn flag(arguments: &[String], name: &str) -> Result<Option<u64>, String> {
    let Some(value) = arguments.iter().rev().find_map(|argument| argument.strip_prefix(name))
    else {
        return Ok(None);
    };
    match value.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(number) if number >= 0 => Ok(Some(number as u64)),
        _ => Err(format!("{name}{value} is not a number of 0 or more")),
    }
}
