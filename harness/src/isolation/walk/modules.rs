//! Where the unwind tables of the program and its libraries lie.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak _dl_find_object",
    ".globl dwindle_dl_find_object",
    ".hidden dwindle_dl_find_object",
    "dwindle_dl_find_object: .quad _dl_find_object",
    ".popsection",
);

unsafe extern "C" {
    /// Finds a module without a lock, in a handler too; since glibc 2.35.
    safe static dwindle_dl_find_object: Option<unsafe extern "C" fn(*const c_void, *mut Found) -> c_int>;
}

/// `struct dl_find_object`.
#[repr(C)]
struct Found {
    flags: u64,
    start: *mut c_void,
    end: *mut c_void,
    link: *mut c_void,
    header: *mut c_void,
    reserved: [u64; 7],
}

/// The program or a library.
#[derive(Clone, Copy)]
pub(super) struct Module {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its `.eh_frame_hdr`.
    pub(super) header: usize,
}

const NONE: Module = Module { start: 0, end: 0, header: 0 };
const MODULES_MAX: usize = 128;

/// No part of the heap: a target may damage that.
static MODULES: OnceLock<[Module; MODULES_MAX]> = OnceLock::new();

/// Looks up what is loaded now. What is loaded later is found by [`find`] where the C library tells.
pub(super) fn prepare() {
    MODULES.get_or_init(|| {
        let mut modules = ([NONE; MODULES_MAX], 0);
        // SAFETY: the function takes what it is given here.
        unsafe {
            libc::dl_iterate_phdr(Some(add), (&raw mut modules).cast());
        }
        modules.0
    });
}

unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, modules: *mut c_void) -> c_int {
    // SAFETY: the description is valid as long as the call lasts, with as many headers as it says; what is handed on is what `prepare` handed over.
    let (base, headers, (modules, count)) = unsafe {
        let info = &*info;
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        (info.dlpi_addr as usize, headers, &mut *modules.cast::<([Module; MODULES_MAX], usize)>())
    };
    let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = loaded().map(|header| base + header.p_vaddr as usize).min();
    let end = loaded().map(|header| base + header.p_vaddr as usize + header.p_memsz as usize).max();
    let header = headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME).map(|header| base + header.p_vaddr as usize);
    let (Some(start), Some(end), Some(header), Some(place)) = (start, end, header, modules.get_mut(*count)) else { return 0 };
    *place = Module { start, end, header };
    *count += 1;
    0
}

/// The module that an address lies in.
pub(super) fn find(address: usize) -> Option<Module> {
    let holds = |module: &&Module| (module.start..module.end).contains(&address);
    if let Some(module) = MODULES.get().into_iter().flatten().find(holds) {
        return Some(*module);
    }
    let mut found =
        Found { flags: 0, start: std::ptr::null_mut(), end: std::ptr::null_mut(), link: std::ptr::null_mut(), header: std::ptr::null_mut(), reserved: [0; 7] };
    // SAFETY: any address may be asked for; the description has the size that the C library fills.
    let is_found = dwindle_dl_find_object.is_some_and(|find| unsafe { find(std::ptr::without_provenance(address), &raw mut found) } == 0);
    let module = Module { start: found.start.addr(), end: found.end.addr(), header: found.header.addr() };
    (is_found && module.header != 0).then_some(module)
}
