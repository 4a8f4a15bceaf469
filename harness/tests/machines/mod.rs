//! Machines with seeded bugs, and the smallest program that shows each.

use dwindle::prelude::*;

pub(crate) mod allocator;
pub(crate) mod queue;
pub(crate) mod store;

/// A machine with one bug.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) property: fn(&mut TestCase),
    /// The smallest program for each place where it can fail.
    pub(crate) minima: &'static [&'static [&'static str]],
}

/// How many calls each shrink may exhaust: what a fuzz target gets.
pub(crate) const EXHAUST: u64 = 2000;

use allocator::Memory;
use queue::Queue;
use store::Store;

/// Those that end at a smallest program from every seed tried.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "queue: grows in place",
        property: |tc| drop(tc.run(Queue::new(Some(queue::Bug::GrowsInPlace)))),
        minima: &[&[
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.pop();",
            "queue.push(1);",
            "queue.push(0);",
        ]],
    },
    Case {
        name: "queue: last of slot zero",
        property: |tc| drop(tc.run(Queue::new(Some(queue::Bug::LastOfSlotZero)))),
        minima: &[&["queue.push(0);", "queue.push(0);", "queue.push(1);", "queue.last();"]],
    },
    Case {
        name: "queue: head past the end",
        property: |tc| drop(tc.run(Queue::new(Some(queue::Bug::HeadPastTheEnd)))),
        minima: &[&[
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.skip(3);",
            "queue.push(0);",
            "queue.pop();",
            "queue.pop();",
        ]],
    },
    Case {
        name: "queue: skips from the end",
        property: |tc| drop(tc.run(Queue::new(Some(queue::Bug::SkipsFromTheEnd)))),
        minima: &[&["queue.push(0);", "queue.push(1);", "queue.skip(1);"]],
    },
    Case {
        name: "queue: clears up to the end",
        property: |tc| drop(tc.run(Queue::new(Some(queue::Bug::ClearsUpToTheEnd)))),
        minima: &[&[
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.push(0);",
            "queue.pop();",
            "queue.push(0);",
            "queue.clear();",
        ]],
    },
    Case {
        name: "store: removes the history",
        property: |tc| drop(tc.run(Store::new(Some(store::Bug::RemovesTheHistory)))),
        minima: &[
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "store.remove(0);",
                "store.read(&snapshot_1, 0);",
            ],
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "store.remove(0);",
                "store.restore(&snapshot_1);",
                "store.get(0);",
            ],
        ],
    },
    Case {
        name: "store: forgets too much",
        property: |tc| drop(tc.run(Store::new(Some(store::Bug::ForgetsTooMuch)))),
        minima: &[
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "store.remove(0);",
                "let snapshot_2 = store.snapshot();",
                "store.compact();",
                "store.read(&snapshot_1, 0);",
            ],
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "store.remove(0);",
                "let snapshot_2 = store.snapshot();",
                "store.compact();",
                "store.restore(&snapshot_1);",
                "store.get(0);",
            ],
        ],
    },
    Case {
        name: "store: restores only what was",
        property: |tc| drop(tc.run(Store::new(Some(store::Bug::RestoresOnlyWhatWas)))),
        minima: &[
            &[
                "let snapshot_1 = store.snapshot();",
                "store.set(0, 0);",
                "store.restore(&snapshot_1);",
                "store.get(0);",
            ],
            &[
                "let snapshot_1 = store.snapshot();",
                "store.set(0, 0);",
                "store.restore(&snapshot_1);",
                "let snapshot_2 = store.snapshot();",
                "store.read(&snapshot_2, 0);",
            ],
        ],
    },
    Case {
        name: "store: releases twins",
        property: |tc| drop(tc.run(Store::new(Some(store::Bug::ReleasesTwins)))),
        minima: &[
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "let snapshot_2 = store.snapshot();",
                "store.remove(0);",
                "store.release(snapshot_1);",
                "store.compact();",
                "store.read(&snapshot_2, 0);",
            ],
            &[
                "store.set(0, 0);",
                "let snapshot_1 = store.snapshot();",
                "let snapshot_2 = store.snapshot();",
                "store.remove(0);",
                "store.release(snapshot_1);",
                "store.compact();",
                "store.restore(&snapshot_2);",
                "store.get(0);",
            ],
        ],
    },
    Case {
        name: "memory: joins nothing behind",
        property: |tc| drop(tc.run(Memory::new(Some(allocator::Bug::JoinsNothingBehind)))),
        minima: &[&[
            "memory.allocate(tc, 1, 1);",
            "    // block_1 is new",
            "memory.free(block_1);",
        ]],
    },
    Case {
        name: "memory: grows over neighbour",
        property: |tc| drop(tc.run(Memory::new(Some(allocator::Bug::GrowsOverNeighbour)))),
        minima: &[&[
            "memory.allocate(tc, 1, 1);",
            "    // block_1 is new",
            "memory.allocate(tc, 1, 1);",
            "    // block_2 is new",
            "memory.grow(&mut block_1, 1);",
        ]],
    },
    Case {
        name: "memory: loses padding",
        property: |tc| drop(tc.run(Memory::new(Some(allocator::Bug::LosesPadding)))),
        minima: &[&[
            "memory.allocate(tc, 1, 1);",
            "    // block_1 is new",
            "memory.allocate(tc, 1, 2);",
            "    // block_2 is new",
        ]],
    },
    Case {
        name: "memory: joins nothing before",
        property: |tc| drop(tc.run(Memory::new(Some(allocator::Bug::JoinsNothingBefore)))),
        minima: &[&[
            "memory.allocate(tc, 1, 1);",
            "    // block_1 is new",
            "memory.allocate(tc, 1, 2);",
            "    // block_2 is new",
            "memory.free(block_2);",
        ]],
    },
    Case {
        name: "memory: keeps the gap",
        property: |tc| drop(tc.run(Memory::new(Some(allocator::Bug::KeepsTheGap)))),
        minima: &[&[
            "memory.allocate(tc, 1, 1);",
            "    // block_1 is new",
            "memory.grow(&mut block_1, 1);",
        ]],
    },
];

/// The machines without a bug.
pub(crate) const SOUND: [fn(&mut TestCase); 3] = [
    |tc| drop(tc.run(Queue::new(None))),
    |tc| drop(tc.run(Store::new(None))),
    |tc| drop(tc.run(Memory::new(None))),
];
