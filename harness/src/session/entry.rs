//! A bug or a variant of a bug: each has its own folder in the store.

use std::fmt;
use std::str::FromStr;

use dwindle_corpus::{Bug, BugId, BugStore, Report, StoreError, is_cause_key};

use crate::environment;

/// A bug, or a variant of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) id: BugId,
    /// The key of the variant.
    pub(crate) variant: Option<String>,
}

impl From<BugId> for Entry {
    fn from(id: BugId) -> Entry {
        Entry { id, variant: None }
    }
}

impl Entry {
    /// The entry that this minimizer or explainer process works on.
    pub(crate) fn of_this_process() -> Option<Entry> {
        std::env::var(environment::BUG).ok()?.parse().ok()
    }

    /// The folder of the entry and its files.
    pub(crate) fn bug(&self, store: &BugStore) -> Bug {
        match &self.variant {
            None => store.bug(self.id),
            Some(key) => store.variant(self.id, key),
        }
    }

    /// The key of the call path, if the entry is a variant by call path.
    pub(crate) fn call_path(&self) -> Option<&str> {
        self.variant.as_deref().filter(|key| !is_cause_key(key))
    }

    /// The key, if the entry is a variant by cause.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.variant.as_deref().filter(|key| is_cause_key(key))
    }

    /// Stores the result of a minimization.
    pub(crate) fn finish(
        &self,
        store: &BugStore,
        input: &[u8],
        report: &Report,
        repro: Option<&str>,
    ) -> Result<(), StoreError> {
        match &self.variant {
            None => store.finish(self.id, input, report, repro),
            Some(key) => store.finish_variant(self.id, key, input, report, repro),
        }
    }

    /// All entries that wait for a minimization.
    pub(crate) fn pending(store: &BugStore) -> Result<Vec<Entry>, StoreError> {
        let variants =
            store.pending_variants()?.into_iter().map(|(id, key)| Entry { id, variant: Some(key) });
        Ok(store.pending()?.into_iter().map(Entry::from).chain(variants).collect())
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.variant {
            None => write!(f, "{}", self.id),
            Some(key) => write!(f, "{}/{key}", self.id),
        }
    }
}

impl FromStr for Entry {
    type Err = ();

    fn from_str(text: &str) -> Result<Entry, ()> {
        let (id, variant) = match text.split_once('/') {
            Some((id, key)) => (id, Some(key.to_owned())),
            None => (text, None),
        };
        Ok(Entry { id: id.parse().map_err(|_| ())?, variant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        for text in ["0123456789abcdef", "0123456789abcdef/fedcba9876543210"] {
            assert_eq!(text.parse::<Entry>().unwrap().to_string(), text);
        }
        assert!("no id".parse::<Entry>().is_err());
    }
}
