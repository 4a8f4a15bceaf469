//! Groups contents that fail as one bug over one call path. Each group remembers its simplest file,
//! but not its content.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dwindle_corpus::{BugId, Content};
use dwindle_engine::internals::sorted::sort_by;

use crate::commands::triage::files::Item;
use crate::failure::failed::Failed;

/// A content that fails, and its size.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) item: Item,
    /// `None` if the number is unknown or unreliable. Such a sample is chosen last.
    pub(crate) choices: Option<u64>,
}

/// All contents that fail as one bug.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The first failure of this triage. `None` if all contents were known.
    pub(crate) failed: Option<Failed>,
    /// The simplest sample of each call path, by the key of the call path.
    pub(crate) call_paths: BTreeMap<Option<String>, Sample>,
    /// Number of contents of this triage that failed as this bug, including known ones.
    pub(crate) contents: u64,
    /// Contents that are not recorded in the store yet.
    pub(crate) unrecorded: Vec<Content>,
}

pub(crate) type Groups = BTreeMap<BugId, Group>;

impl Group {
    pub(crate) fn add(&mut self, item: &Item, choices: Option<u64>, call_path: Option<String>) {
        self.contents += 1;
        let sample = Sample { item: item.clone(), choices };
        match self.call_paths.get_mut(&call_path) {
            Some(best) if sample.order(best).is_lt() => *best = sample,
            Some(_) => {}
            None => drop(self.call_paths.insert(call_path, sample)),
        }
    }

    /// The call paths with their samples, the simplest first.
    pub(crate) fn by_size(&self) -> Vec<(Option<String>, Sample)> {
        let mut call_paths: Vec<_> = self
            .call_paths
            .iter()
            .map(|(call_path, sample)| (call_path.clone(), sample.clone()))
            .collect();
        sort_by(&mut call_paths, |(_, one), (_, other)| one.order(other));
        call_paths
    }

    /// The simplest sample of all.
    pub(crate) fn best(&self) -> Option<&Sample> {
        self.call_paths.values().min_by(|one, other| one.order(other))
    }
}

impl Sample {
    /// Samples that are likely cheaper to minimize come first: fewer choices, then fewer bytes,
    /// then the smaller bytes. The order is the same in every process, so it does not matter which
    /// one finds a content first.
    fn order(&self, other: &Sample) -> Ordering {
        let size = |sample: &Sample| (sample.choices.unwrap_or(u64::MAX), sample.item.bytes);
        size(self).cmp(&size(other)).then_with(|| match (self.item.read(), other.item.read()) {
            (Ok(one), Ok(other)) => one.cmp(&*other),
            (one, other) => other.is_ok().cmp(&one.is_ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dwindle_corpus::ContentId;

    use super::*;

    fn item(folder: &Path, bytes: &[u8]) -> Item {
        let content = ContentId::of(bytes);
        let path = folder.join(content.to_string());
        std::fs::write(&path, bytes).unwrap();
        Item { content, path, bytes: bytes.len() as u64 }
    }

    #[test]
    fn the_simplest_content_of_each_call_path_stays_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let samples: [(&[u8], Option<u64>); 6] = [
            (b"zz", Some(1)),
            (b"a", Some(2)),
            (b"aa", Some(2)),
            (b"ab", Some(2)),
            (b"", None),
            (b"b", None),
        ];
        for turn in 0..samples.len() {
            let mut group = Group::default();
            for n in 0..samples.len() {
                let (bytes, choices) = samples[(n + turn) % samples.len()];
                group.add(&item(folder.path(), bytes), choices, Some("call_path".to_owned()));
                if choices.is_none() {
                    group.add(&item(folder.path(), bytes), choices, None);
                }
            }
            let names: Vec<_> = group
                .by_size()
                .iter()
                .map(|(call_path, sample)| (call_path.clone(), sample.item.content))
                .collect();
            assert_eq!(
                names,
                [(Some("call_path".to_owned()), ContentId::of(b"zz")), (None, ContentId::of(b""))]
            );
            assert_eq!(group.best().unwrap().item.content, ContentId::of(b"zz"));
            assert_eq!(group.contents, 8);
        }
    }
}
