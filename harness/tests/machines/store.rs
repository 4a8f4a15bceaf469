//! A store of keys and values with snapshots, beside a map and copies of it.

use std::collections::BTreeMap;

use dwindle::prelude::*;

/// What is wrong with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// A key that is removed is removed from snapshots too.
    RemovesTheHistory,
    /// What is older than the newest snapshot is forgotten, not what is older than the oldest.
    ForgetsTooMuch,
    /// Keys that were new after the snapshot stay when it is restored.
    RestoresOnlyWhatWas,
    /// Of two snapshots at one time, releasing one releases both.
    ReleasesTwins,
}

/// Every value a key ever had, with the time it got it; no value where it was removed.
struct Versions {
    log: Vec<(u32, u8, Option<u16>)>,
    now: u32,
    snapshots: Vec<u32>,
    bug: Option<Bug>,
}

impl Versions {
    fn write(&mut self, key: u8, value: Option<u16>) {
        self.now += 1;
        if value.is_none() && self.bug == Some(Bug::RemovesTheHistory) {
            self.log.retain(|(_, other, _)| *other != key);
        }
        self.log.push((self.now, key, value));
    }

    fn read(&self, key: u8, time: u32) -> Option<u16> {
        self.log
            .iter()
            .rev()
            .find(|(at, other, _)| *at <= time && *other == key)
            .and_then(|(.., value)| *value)
    }

    fn snapshot(&mut self) -> u32 {
        self.snapshots.push(self.now);
        self.now
    }

    fn release(&mut self, time: u32) {
        if self.bug == Some(Bug::ReleasesTwins) {
            self.snapshots.retain(|at| *at != time);
        } else if let Some(found) = self.snapshots.iter().position(|at| *at == time) {
            self.snapshots.remove(found);
        }
    }

    fn restore(&mut self, time: u32) {
        let mut keys: Vec<u8> = self.log.iter().map(|(_, key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let old = self.read(key, time);
            if old != self.read(key, self.now)
                && (old.is_some() || self.bug != Some(Bug::RestoresOnlyWhatWas))
            {
                self.write(key, old);
            }
        }
    }

    /// Forgets what neither a snapshot nor the present can see.
    fn compact(&mut self) {
        let seen = if self.bug == Some(Bug::ForgetsTooMuch) {
            self.snapshots.iter().max()
        } else {
            self.snapshots.iter().min()
        };
        let oldest = seen.copied().unwrap_or(self.now);
        let log = std::mem::take(&mut self.log);
        let is_seen = |(time, key, _): &(u32, u8, Option<u16>)| {
            !log.iter().any(|(later, other, _)| other == key && time < later && *later <= oldest)
        };
        self.log = log.iter().filter(|entry| is_seen(entry)).copied().collect();
    }
}

/// A snapshot of the store, and what it must hold.
pub(crate) struct Snapshot {
    time: u32,
    model: BTreeMap<u8, u16>,
}

/// The store and its model.
pub(crate) struct Store {
    versions: Versions,
    model: BTreeMap<u8, u16>,
    snapshots: Pool<Snapshot>,
}

impl Store {
    pub(crate) fn new(bug: Option<Bug>) -> Store {
        let versions = Versions { log: Vec::new(), now: 0, snapshots: Vec::new(), bug };
        Store { versions, model: BTreeMap::new(), snapshots: Pool::default() }
    }
}

#[dwindle::state_machine(name = "store")]
impl Store {
    #[rule(weight = 2)]
    fn set(&mut self, #[generate(with = g::integers(0..8u8))] key: u8, value: u16) {
        self.versions.write(key, Some(value));
        self.model.insert(key, value);
    }

    #[rule]
    fn get(&self, #[generate(with = g::integers(0..8u8))] key: u8) {
        assert_eq!(
            self.versions.read(key, self.versions.now),
            self.model.get(&key).copied(),
            "the value of a key"
        );
    }

    #[rule]
    fn remove(&mut self, #[generate(with = g::integers(0..8u8))] key: u8) {
        self.versions.write(key, None);
        self.model.remove(&key);
    }

    #[rule(into = snapshots)]
    fn snapshot(&mut self) -> Snapshot {
        Snapshot { time: self.versions.snapshot(), model: self.model.clone() }
    }

    #[rule]
    fn read(
        &self,
        #[from(snapshots)] snapshot: &Snapshot,
        #[generate(with = g::integers(0..8u8))] key: u8,
    ) {
        assert_eq!(
            self.versions.read(key, snapshot.time),
            snapshot.model.get(&key).copied(),
            "the value of a key in a snapshot"
        );
    }

    #[rule]
    fn restore(&mut self, #[from(snapshots)] snapshot: &Snapshot) {
        self.versions.restore(snapshot.time);
        self.model.clone_from(&snapshot.model);
    }

    #[rule]
    fn release(&mut self, #[from(snapshots)] snapshot: Snapshot) {
        self.versions.release(snapshot.time);
    }

    #[rule]
    fn compact(&mut self) {
        self.versions.compact();
    }
}
