//! The counters of this executable's edges, which libFuzzer reads after each execution and clears before the next.

// Where they begin and end, if the build has any: weak symbols, which the language has no words for yet. The linker makes the names from that of the section.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __start___sancov_cntrs",
    ".weak __stop___sancov_cntrs",
    ".globl dwindle_counters",
    ".hidden dwindle_counters",
    "dwindle_counters:",
    ".quad __start___sancov_cntrs",
    ".quad __stop___sancov_cntrs",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_counters: [usize; 2];
}

/// Puts the counters back to what they were, so that what is done meanwhile is not taken for the doing of the input.
#[derive(Debug, Default)]
pub(super) struct Unseen(Vec<u8>);

/// Puts the counters to zero, as they are before an execution.
pub(super) fn forget() {
    let [start, end] = dwindle_counters;
    if end > start {
        // SAFETY: the linker says where the counters are; to clear a few that change meanwhile does no harm.
        unsafe { std::ptr::with_exposed_provenance_mut::<u8>(start).write_bytes(0, end - start) };
    }
}

impl Unseen {
    /// Does something that libFuzzer shall not see. What leads here it sees, so that should be the same from the first execution on.
    pub(super) fn during<T>(&mut self, act: impl FnOnce() -> T) -> T {
        let [start, end] = dwindle_counters;
        let counters = std::ptr::with_exposed_provenance_mut::<u8>(start);
        let length = end - start;
        self.0.resize(length, 0);
        // SAFETY: the linker says where the counters are, and the buffer is as long; copying a few that change meanwhile does no harm. Without counters both are empty.
        unsafe {
            if length > 0 {
                counters.copy_to_nonoverlapping(self.0.as_mut_ptr(), length);
            }
        }
        let result = act();
        // SAFETY: as above.
        unsafe {
            if length > 0 {
                self.0.as_ptr().copy_to_nonoverlapping(counters, length);
            }
        }
        result
    }
}
