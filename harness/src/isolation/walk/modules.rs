//! The addresses of the program and its libraries, and their unwind tables.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak _dl_find_object",
    ".globl dwindle_dl_find_object",
    ".hidden dwindle_dl_find_object",
    "dwindle_dl_find_object: .quad _dl_find_object",
    ".popsection",
);

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    /// Finds a module without a lock, also in a signal handler. glibc has it since version 2.35.
    safe static dwindle_dl_find_object:
        Option<unsafe extern "C" fn(*const c_void, *mut Found) -> c_int>;
}

/// glibc's `struct dl_find_object`.
#[cfg(target_arch = "x86_64")]
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
    /// The address of its `.eh_frame_hdr`.
    pub(super) header: usize,
}

const NONE: Module = Module { start: 0, end: 0, header: 0 };
/// The maximum number of modules that [`prepare`] looks up.
pub(in crate::isolation) const MODULES_MAX: usize = 128;

/// This table lies outside the heap, because a target may damage the heap.
static MODULES: OnceLock<[Module; MODULES_MAX]> = OnceLock::new();

/// The modules found so far, and their number.
struct Loaded {
    modules: [Module; MODULES_MAX],
    count: usize,
}

/// Looks up the modules that are loaded now. [`find`] finds modules that are loaded later, where
/// the C library has `_dl_find_object`.
pub(super) fn prepare() {
    MODULES.get_or_init(|| {
        let mut modules = Loaded { modules: [NONE; MODULES_MAX], count: 0 };
        // SAFETY: `add` receives the pointer that it expects.
        unsafe {
            libc::dl_iterate_phdr(Some(add), (&raw mut modules).cast());
        }
        modules.modules
    });
}

unsafe extern "C" fn add(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    modules: *mut c_void,
) -> c_int {
    // SAFETY: the description is valid during the call, and has as many headers as it states.
    // `modules` is the pointer that `prepare` passed.
    let (base, headers, loaded) = unsafe {
        let info = &*info;
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        (info.dlpi_addr as usize, headers, &mut *modules.cast::<Loaded>())
    };
    let parts = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = parts().map(|header| base + header.p_vaddr as usize).min();
    let end = parts().map(|header| base + header.p_vaddr as usize + header.p_memsz as usize).max();
    let header = headers
        .iter()
        .find(|header| header.p_type == libc::PT_GNU_EH_FRAME)
        .map(|header| base + header.p_vaddr as usize);
    let (Some(start), Some(end), Some(header), Some(place)) =
        (start, end, header, loaded.modules.get_mut(loaded.count))
    else {
        return 0;
    };
    *place = Module { start, end, header };
    loaded.count += 1;
    0
}

/// The first address of each module, in load order. Another process of this executable has its
/// modules in the same order.
pub(in crate::isolation) fn starts() -> impl Iterator<Item = usize> {
    MODULES.get().into_iter().flatten().map(|module| module.start).take_while(|start| *start != 0)
}

/// Translates an address of another process, whose modules begin at `starts`, to the address in
/// this process. `None` if the address lies in none of the modules.
pub(in crate::isolation) fn relocated(
    address: usize,
    starts: impl Iterator<Item = usize>,
) -> Option<usize> {
    let mut pairs = MODULES.get().into_iter().flatten().zip(starts);
    pairs.find_map(|(module, start)| {
        let offset =
            address.checked_sub(start).filter(|offset| *offset < module.end - module.start)?;
        Some(module.start + offset)
    })
}

/// The module that contains an address.
#[cfg(target_arch = "x86_64")]
pub(super) fn find(address: usize) -> Option<Module> {
    let holds = |module: &&Module| (module.start..module.end).contains(&address);
    if let Some(module) = MODULES.get().into_iter().flatten().find(holds) {
        return Some(*module);
    }
    let mut found = Found {
        flags: 0,
        start: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
        link: std::ptr::null_mut(),
        header: std::ptr::null_mut(),
        reserved: [0; 7],
    };
    // SAFETY: the function accepts any address. The description has the size that the C library
    // fills.
    let is_found = dwindle_dl_find_object.is_some_and(
        |find| unsafe { find(std::ptr::without_provenance(address), &raw mut found) } == 0,
    );
    let module =
        Module { start: found.start.addr(), end: found.end.addr(), header: found.header.addr() };
    (is_found && module.header != 0).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_another_process_is_found_in_the_same_module() {
        prepare();
        let modules: Vec<&Module> =
            MODULES.get().unwrap().iter().take_while(|module| module.start != 0).collect();
        assert!(modules.len() > 1, "the program and its libraries");
        // In the other process, the shift of each module is one page more than that of the module
        // before.
        let elsewhere = || starts().enumerate().map(|(index, start)| start + (index + 1) * 4096);
        for (index, module) in modules.iter().enumerate().take(3) {
            let address = module.end - 1;
            assert_eq!(relocated(address + (index + 1) * 4096, elsewhere()), Some(address));
        }
        assert_eq!(relocated(1, elsewhere()), None);
    }
}
