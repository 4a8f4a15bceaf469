//! The environment variables that override settings.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::environment;
use crate::settings::Settings;

/// `settings`, changed by the variables `DWINDLE_*`. A number that is empty counts as unset. An
/// empty `DWINDLE_STORE` means no store.
pub(super) fn apply_environment(settings: Settings) -> Result<Settings, String> {
    apply_variables(settings, |name| std::env::var(name).ok())
}

fn apply_variables(
    mut settings: Settings,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Settings, String> {
    if let Some(cases) = whole_number(&variable, environment::CASES, "1000")? {
        settings.max_cases = cases;
    }
    if let Some(seed) = whole_number(&variable, environment::SEED, "7")? {
        settings.seed = Some(seed);
    }
    if let Some(choices) = whole_number(&variable, environment::CHOICES_MAX, "65536")? {
        settings.choices_max = choices as usize;
    }
    if let Some(calls) = whole_number(&variable, environment::BUDGET_CALLS, "100000")? {
        settings.calls_max = calls;
    }
    if let Some(seconds) = number::<f64>(&variable, environment::BUDGET_SECONDS, "10")? {
        let time = Duration::try_from_secs_f64(seconds);
        let name = environment::BUDGET_SECONDS;
        settings.time_max = time.map_err(|_| {
            format!("{name}={seconds}: expected seconds, for example {name}=10, or unset it")
        })?;
    }
    // A property that switched its store off keeps it off.
    if settings.store.is_some()
        && let Some(folder) = variable(environment::STORE)
    {
        settings.store = (!folder.is_empty()).then(|| PathBuf::from(folder));
    }
    Ok(settings)
}

fn whole_number(
    variable: &impl Fn(&str) -> Option<String>,
    name: &str,
    example: &str,
) -> Result<Option<u64>, String> {
    number::<u64>(variable, name, example)
}

fn number<T: FromStr>(
    variable: &impl Fn(&str) -> Option<String>,
    name: &str,
    example: &str,
) -> Result<Option<T>, String> {
    match variable(name).filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            format!("{name}={text} is not a number in range; write {name}={example}, or unset it")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(settings: Settings, variables: &[(&str, &str)]) -> Result<Settings, String> {
        apply_variables(settings, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_overrides_the_attribute() {
        let settings = Settings::default().max_cases(5).seed(1);
        let applied = applied(
            settings,
            &[("DWINDLE_CASES", "7"), ("DWINDLE_SEED", "8"), ("DWINDLE_BUDGET_SECONDS", "0.5")],
        )
        .expect("they are numbers");
        assert_eq!(
            (applied.max_cases, applied.seed, applied.time_max),
            (7, Some(8), Duration::from_millis(500))
        );
    }

    #[test]
    fn settings_that_the_environment_does_not_set_stay() {
        let settings = Settings::default().max_cases(5).seed(1).store(Some("here".into()));
        let applied = applied(settings, &[("DWINDLE_CASES", "")]).expect("nothing is said");
        assert_eq!(
            (applied.max_cases, applied.seed, applied.store),
            (5, Some(1), Some("here".into()))
        );
    }

    #[test]
    fn the_store_moves_or_is_left_out_but_does_not_come_back() {
        let store = |settings, folder| {
            applied(settings, &[("DWINDLE_STORE", folder)]).expect("it is a folder").store
        };
        assert_eq!(store(Settings::default(), "there"), Some("there".into()));
        assert_eq!(store(Settings::default(), ""), None);
        assert_eq!(store(Settings::default().store(None), "there"), None);
    }

    #[test]
    fn a_value_that_is_not_a_number_is_refused_with_an_example() {
        let error = |name, value| {
            applied(Settings::default(), &[(name, value)]).expect_err("this is not a number")
        };
        assert_eq!(
            error("DWINDLE_CASES", "many"),
            "DWINDLE_CASES=many is not a number in range; write DWINDLE_CASES=1000, or unset it"
        );
        assert_eq!(
            error("DWINDLE_SEED", "-1"),
            "DWINDLE_SEED=-1 is not a number in range; write DWINDLE_SEED=7, or unset it"
        );
        assert!(
            error("DWINDLE_BUDGET_SECONDS", "-1").ends_with(
                ": expected seconds, for example DWINDLE_BUDGET_SECONDS=10, or unset it"
            )
        );
    }
}
