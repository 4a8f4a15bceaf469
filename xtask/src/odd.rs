//! The ways of the target `odd` of the tests' fuzz crate: what a target may do to its process, and
//! what is kept all the same.

/// The name of the target.
pub const TARGET: &str = "odd";

/// One way: what each run does to its process, before a number of ten or more fails.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Its name, which `ODD_WAY` holds.
    pub name: &'static str,
    /// The kind of the bug that is kept.
    pub kind: &'static str,
    /// Why the input is not minimized; nothing where it is.
    pub not_minimized: Option<&'static str>,
}

const fn way(name: &'static str, kind: &'static str) -> Way {
    Way { name, kind, not_minimized: None }
}

/// All of them.
pub const WAYS: &[Way] = &[
    way("nothing", "panic"),
    way("handlers-reset", "segv"),
    way("handlers-ignore", "abort"),
    // The handler of the target ends the process.
    way("handlers-own", "exit"),
    way("signals-blocked", "segv"),
    way("signals-blocked-panic", "panic"),
    way("stack-own", "segv"),
    way("stack-own-tiny", "segv"),
    // Without a stack for handlers nothing but the signal is known of an overflow.
    way("stack-none", "segv"),
    way("descriptors-closed", "panic"),
    way("descriptors-closed-abort", "abort"),
    way("descriptors-taken", "panic"),
    way("folder-other", "panic"),
    way("folder-removed", "abort"),
    way("fork-returns", "panic"),
    way("fork-returns-abort", "abort"),
    way("fork-lives", "panic"),
    way("fork-lives-abort", "abort"),
    way("fork-panics", "panic"),
    // How a child ends is for the target to judge.
    way("fork-dies", "panic"),
    way("fork-faults", "panic"),
    way("fork-exits", "panic"),
    way("fork-keeps-pipes", "panic"),
    way("waits-for-any", "panic"),
    way("executes", "exit"),
    way("thread-goes-on", "panic"),
    way("thread-panics-later", "segv"),
    way("limit-files", "panic"),
    way("limit-memory", "abort"),
    way("limit-stack", "stack-overflow"),
    Way {
        name: "limit-processor",
        kind: "segv",
        not_minimized: Some("each failing run takes a second of processor time"),
    },
    way("limit-file-size", "panic"),
    way("limit-processes", "panic"),
    way("environment", "panic"),
    way("environment-abort", "abort"),
    way("exit-handler-loops", "panic"),
    way("exit-handler-aborts", "panic"),
    way("panic-hook", "panic"),
    way("priority", "panic"),
    way("session", "abort"),
    way("death-signal", "abort"),
    way("not-dumpable", "segv"),
    way("umask", "panic"),
    way("traced", "segv"),
    way("stops", "panic"),
    way("alarm", "panic"),
    way("allocator-faults", "segv"),
    way("allocator-refuses", "abort"),
    way("noise", "panic"),
    way("debug-panics", "panic"),
    way("debug-aborts", "panic"),
    way("debug-hangs", "panic"),
    way("debug-endless", "panic"),
    way("debug-huge", "panic"),
    way("debug-noise", "panic"),
    way("message-huge", "panic"),
];

/// A list of three numbers, the one in the middle of which fails; in the byte format.
pub const FAILING: [u8; 7] = [1, 5, 1, 77, 1, 3, 0];
/// How many choices the smallest failing list takes: one number of ten, and the end.
pub const CHOICES: u64 = 3;
