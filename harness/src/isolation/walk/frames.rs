//! Walks the stack. Each step computes the registers of the caller from the registers of the
//! current frame.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, Register, RegisterRule,
    UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow,
};

use super::modules::{self, Module};
use crate::system::process::is_readable;

/// The registers of a frame, indexed by their numbers in unwind tables.
#[derive(Clone, Copy)]
pub(super) struct Registers([usize; COUNT]);

const COUNT: usize = 17;
const FRAME_POINTER: usize = 6;
const STACK_POINTER: usize = 7;
const PROGRAM_COUNTER: usize = 16;
const WORD: usize = size_of::<usize>();

/// The index in `gregs` where the kernel saves each register.
const SAVED: [i32; COUNT] = [
    libc::REG_RAX,
    libc::REG_RDX,
    libc::REG_RCX,
    libc::REG_RBX,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_RBP,
    libc::REG_RSP,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
    libc::REG_RIP,
];

impl Registers {
    /// # Safety
    /// The kernel passed `context` to a signal handler.
    pub(super) unsafe fn of_context(context: *const libc::ucontext_t) -> Registers {
        // SAFETY: the caller promises that the context is valid.
        let saved = unsafe { &(*context).uc_mcontext.gregs };
        Registers(SAVED.map(|index| saved[index as usize] as usize))
    }

    /// The registers of the current frame: the ones that a function preserves for its caller, and
    /// the program counter.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the registers are to be those of a frame that is still there"
    )]
    pub(super) fn here() -> Registers {
        let mut registers = [0usize; COUNT];
        // SAFETY: the assembly stores registers into the array, which has room for all of them.
        unsafe {
            std::arch::asm!(
                "mov [{place} + 24], rbx",
                "mov [{place} + 48], rbp",
                "mov [{place} + 56], rsp",
                "mov [{place} + 96], r12",
                "mov [{place} + 104], r13",
                "mov [{place} + 112], r14",
                "mov [{place} + 120], r15",
                "lea {counter}, [rip]",
                "mov [{place} + 128], {counter}",
                place = in(reg) registers.as_mut_ptr(),
                counter = out(reg) _,
                options(nostack),
            );
        }
        Registers(registers)
    }

    /// The registers that a signal interrupted. At the trampoline, the stack pointer points to the
    /// context that the kernel saved on the stack.
    fn of_trampoline(self) -> Option<Registers> {
        let saved = self.stack_pointer() + std::mem::offset_of!(libc::ucontext_t, uc_mcontext);
        let mut registers = [0; COUNT];
        for (register, index) in registers.iter_mut().zip(SAVED) {
            *register = read(saved + index as usize * WORD)?;
        }
        Some(Registers(registers))
    }

    pub(super) fn stack_pointer(self) -> usize {
        self.0[STACK_POINTER]
    }

    fn get(&self, register: Register) -> Option<usize> {
        self.0.get(usize::from(register.0)).copied()
    }
}

/// Reads a word of memory, if the address is aligned and readable.
fn read(address: usize) -> Option<usize> {
    (address.is_multiple_of(WORD) && is_readable(address)).then(|| {
        let place: *const usize = std::ptr::with_exposed_provenance(address);
        // SAFETY: the word is aligned and mapped. If another thread unmaps it meanwhile, this
        // process ends with the record that it has written so far.
        unsafe { place.read_volatile() }
    })
}

/// Storage for unwind rules that fits in a handler's stack. The functions of this processor have
/// rules for at most this many registers.
struct Storage;

impl UnwindContextStorage<usize> for Storage {
    type Rules = [(Register, RegisterRule<usize>); 2 * COUNT];
    type Stack = [UnwindTableRow<usize, Storage>; 4];
}

/// Writes return addresses, innermost first, and returns their number.
pub(super) fn walk(mut registers: Registers, addresses: &mut [usize]) -> usize {
    let mut context = UnwindContext::<usize, Storage>::new_in();
    // A return address may already belong to the next function, because it lies behind the call.
    // The address of an interrupted instruction belongs to its own function.
    let mut is_interrupted = true;
    for (count, address) in addresses.iter_mut().enumerate() {
        let counter = registers.0[PROGRAM_COUNTER];
        if counter == 0 && count > 0 {
            return count;
        }
        *address = counter.wrapping_add(usize::from(is_interrupted));
        let caller = caller(&mut context, registers, is_interrupted);
        let Some((caller, was_interrupted)) = caller else { return count + 1 };
        (registers, is_interrupted) = (caller, was_interrupted);
    }
    addresses.len()
}

/// The registers of the caller, and whether a signal interrupted the caller.
fn caller(
    context: &mut UnwindContext<usize, Storage>,
    registers: Registers,
    is_interrupted: bool,
) -> Option<(Registers, bool)> {
    let counter = registers.0[PROGRAM_COUNTER];
    let looked_up = counter.wrapping_sub(usize::from(!is_interrupted));
    let Some(row) =
        modules::find(looked_up).and_then(|module| row(context, &module, looked_up, counter))
    else {
        return without_a_table(registers, is_interrupted).map(|caller| (caller, false));
    };
    match row {
        Row::Trampoline => registers.of_trampoline().map(|registers| (registers, true)),
        Row::Rules(row) => {
            let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
                return without_a_table(registers, is_interrupted).map(|caller| (caller, false));
            };
            let frame = registers.get(register)?.checked_add_signed(offset as isize)?;
            let mut caller = registers;
            for (register, rule) in row.registers() {
                let Some(place) = caller.0.get_mut(usize::from(register.0)) else { continue };
                *place = match *rule {
                    RegisterRule::Offset(offset) => {
                        read(frame.checked_add_signed(offset as isize)?)?
                    }
                    RegisterRule::ValOffset(offset) => frame.checked_add_signed(offset as isize)?,
                    RegisterRule::Register(other) => registers.get(other)?,
                    RegisterRule::Constant(value) => value as usize,
                    // An undefined return address marks the start of a stack, which has no caller.
                    RegisterRule::Undefined if usize::from(register.0) == PROGRAM_COUNTER => {
                        return None;
                    }
                    _ => continue,
                };
            }
            caller.0[STACK_POINTER] = frame;
            // A damaged stack may lead in a circle. So the frame address must lie above the stack
            // pointer. In an interrupted frame both may be equal.
            (frame > registers.stack_pointer()
                || is_interrupted && frame == registers.stack_pointer())
            .then_some((caller, false))
        }
    }
}

enum Row<'a> {
    Rules(&'a UnwindTableRow<usize, Storage>),
    /// The code that a signal handler returns to.
    Trampoline,
}

fn row<'a>(
    context: &'a mut UnwindContext<usize, Storage>,
    module: &Module,
    looked_up: usize,
    counter: usize,
) -> Option<Row<'a>> {
    let (header, rest) = (module.header, module.end.checked_sub(module.header)?);
    // SAFETY: the loader has mapped the tables, and nothing writes to them. A module stays loaded
    // while its code runs.
    let table = unsafe {
        std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u8>(header), rest)
    };
    let bases =
        BaseAddresses::default().set_eh_frame_hdr(header as u64).set_text(module.start as u64);
    let parsed =
        EhFrameHdr::from(EndianSlice::new(table, NativeEndian)).parse(&bases, WORD as u8).ok()?;
    let frames_at = parsed.eh_frame_ptr().direct().ok()? as usize;
    let end = if frames_at >= header { module.end } else { header };
    // SAFETY: the same reasons hold as for the table above.
    let frames = unsafe {
        std::slice::from_raw_parts(
            std::ptr::with_exposed_provenance::<u8>(frames_at),
            end.checked_sub(frames_at)?,
        )
    };
    let bases = bases.set_eh_frame(frames_at as u64);
    let frames = EhFrame::from(EndianSlice::new(frames, NativeEndian));
    let find = |address: usize| {
        parsed
            .table()?
            .fde_for_address(&frames, &bases, address as u64, EhFrame::cie_from_offset)
            .ok()
    };
    // The table of a trampoline begins before it, for unwinders that look one byte before a return
    // address.
    if find(counter).is_some_and(|entry| entry.is_signal_trampoline()) {
        return Some(Row::Trampoline);
    }
    let entry = find(looked_up)?;
    entry.unwind_info_for_address(&frames, &bases, context, looked_up as u64).ok().map(Row::Rules)
}

/// Finds the caller of code without an unwind table. The program generated this code at run time,
/// or it called a wild pointer.
fn without_a_table(registers: Registers, is_interrupted: bool) -> Option<Registers> {
    let (stack_pointer, frame) = (registers.0[STACK_POINTER], registers.0[FRAME_POINTER]);
    let mut caller = registers;
    if is_interrupted
        && let Some(address) =
            read(stack_pointer).filter(|address| modules::find(address.wrapping_sub(1)).is_some())
    {
        caller.0[PROGRAM_COUNTER] = address;
        caller.0[STACK_POINTER] = stack_pointer + WORD;
        return Some(caller);
    }
    if frame < stack_pointer {
        return None;
    }
    caller.0[PROGRAM_COUNTER] = read(frame.checked_add(WORD)?)
        .filter(|address| modules::find(address.wrapping_sub(1)).is_some())?;
    caller.0[FRAME_POINTER] = read(frame)?;
    caller.0[STACK_POINTER] = frame.checked_add(2 * WORD)?;
    Some(caller)
}

#[cfg(test)]
mod tests {
    use super::super::Walk;
    use super::*;
    use crate::failure::symbols;

    fn functions(addresses: &[usize]) -> Vec<String> {
        addresses
            .iter()
            .flat_map(|address| symbols::at(address - 1))
            .map(|symbol| symbol.function)
            .collect()
    }

    #[inline(never)]
    fn here() -> Vec<usize> {
        Walk::here().addresses().to_vec()
    }

    #[inline(never)]
    fn deep(levels: usize) -> Vec<usize> {
        if levels == 0 {
            here()
        } else {
            std::hint::black_box(deep(std::hint::black_box(levels - 1)))
        }
    }

    #[test]
    fn each_call_is_found_down_to_the_start_of_the_thread() {
        let functions = functions(&std::thread::spawn(|| deep(20)).join().unwrap());
        let deep = functions.iter().filter(|name| name.ends_with("tests::deep")).count();
        assert_eq!(deep, 21, "{functions:#?}");
        assert!(
            functions.iter().any(|name| name.contains("thread") && name.contains("start")),
            "{functions:#?}"
        );
    }

    #[test]
    fn a_deep_stack_is_cut_off() {
        assert_eq!(deep(400).len(), crate::failure::frames::ADDRESSES_MAX);
    }

    /// The library's walk takes locks, and does not recognize an interrupted thread. Where both
    /// walks work, they agree.
    #[test]
    fn the_library_finds_the_same_calls() {
        let mut theirs = Vec::new();
        backtrace::trace(|frame| {
            // The library ends its walk with a frame whose address is 0.
            theirs.extend(Some(frame.ip() as usize).filter(|address| *address != 0));
            true
        });
        let ours = Walk::here();
        let common = ours
            .addresses()
            .iter()
            .rev()
            .zip(theirs.iter().rev())
            .take_while(|(one, other)| one == other)
            .count();
        // All frames agree, except this function and the functions that it called.
        assert!(
            common + 4 >= ours.addresses().len() && common > 5,
            "{:x?}\n{theirs:x?}",
            ours.addresses()
        );
    }

    #[test]
    fn damaged_registers_do_no_harm() {
        super::super::prepare();
        let sound = Registers::here();
        let code = deep as *const () as usize;
        for wild in [0, 1, 8, 0x4141_4141_4141_4141, usize::MAX, usize::MAX - 7, 1 << 47, code] {
            for register in [FRAME_POINTER, STACK_POINTER, PROGRAM_COUNTER] {
                let mut registers = sound;
                registers.0[register] = wild;
                let mut addresses = [0; 64];
                assert!((1..=64).contains(&walk(registers, &mut addresses)), "{register} {wild:x}");
            }
        }
    }

    #[test]
    fn a_call_of_a_wild_pointer_is_found_by_its_return_address() {
        super::super::prepare();
        let place = [deep as *const () as usize + 1, 0];
        let mut registers = Registers::here();
        registers.0[PROGRAM_COUNTER] = 0x10;
        registers.0[STACK_POINTER] = (&raw const place).addr();
        let mut addresses = [0; 4];
        walk(registers, &mut addresses);
        assert_eq!(addresses[..2], [0x11, place[0]]);
    }
}
