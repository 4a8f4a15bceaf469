//! Other bytes in freed memory: what a failure depends on that uses memory wrongly.
//!
//! glibc fills what it takes back for good. Small blocks that it keeps at hand for the same thread are not filled.

/// Whether memory that is freed is filled.
#[derive(Debug, Default)]
pub(super) struct Freed {
    is_filled: bool,
}

impl Freed {
    /// Has the system's allocator fill what is freed from now on, or no longer. Other allocators do not hear of it.
    pub(super) fn fill(&mut self, on: bool) {
        // To say so takes a walk through all that is free.
        if on != std::mem::replace(&mut self.is_filled, on) {
            say(on);
        }
    }
}

#[cfg(target_env = "gnu")]
fn say(on: bool) {
    /// No pointer is made of these bytes.
    const FILLING: libc::c_int = 0x9B;
    // SAFETY: changes what the allocator writes to memory that is no longer in use.
    unsafe { libc::mallopt(libc::M_PERTURB, if on { FILLING } else { 0 }) };
}

#[cfg(not(target_env = "gnu"))]
fn say(_on: bool) {}
