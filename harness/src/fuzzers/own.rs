//! Which edges are those of dwindle's own code. They are no coverage of the target.
//!
//! Relies on rustc and the linker: an object file is named after its crate, the symbol table has
//! this name before the local symbols of the file, and the edges of a file stand side by side in
//! the compiler's tables. So all edges between two local functions of a file belong to the file.
//!
//! A target that tests dwindle itself defines the symbol `dwindle_is_under_test`. For it nothing is
//! dwindle's own.
//!
//! Without optimization, rustc shares instances of generic code between crates. Those that were
//! compiled with dwindle count as dwindle's, also where the target calls them.

use std::ops::Range;

use object::Endianness;
use object::elf::{FileHeader64, SHT_SYMTAB, STB_LOCAL, STT_FILE, STT_FUNC, STV_DEFAULT};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use crate::failure::symbols;
use crate::isolation::counters::{begins_function, places};

// The symbol is weak, because most targets do not have it.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".globl dwindle_tested",
    ".hidden dwindle_tested",
    "dwindle_tested:",
    ".weak dwindle_is_under_test",
    ".quad dwindle_is_under_test",
    ".popsection",
);

unsafe extern "C" {
    /// The address of the symbol, or 0 without it.
    safe static dwindle_tested: usize;
}

/// The crates that every target has beside those of the user.
const OWN: [&[u8]; 3] = [b"dwindle", b"dwindle_engine", b"dwindle_corpus"];

/// Runs of edges in order, each of an object file of dwindle. Edges have the numbers of their
/// places in the compiler's table. Empty if this executable has no such table or no symbols, if the
/// linker got all crates as one object file, or if the target tests dwindle.
pub(crate) fn own() -> Vec<Range<usize>> {
    if places().is_empty() || dwindle_tested != 0 {
        return Vec::new();
    }
    let executable = symbols::file();
    let functions = executable.as_deref().and_then(|executable| Functions::read(executable).ok());
    functions.map(|functions| functions.own()).unwrap_or_default()
}

/// What is left of a run without others. The others stand in order.
pub(crate) fn without(run: Range<usize>, others: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut rest = Vec::new();
    let mut from = run.start;
    for other in others {
        rest.push(from..other.start.min(run.end));
        from = from.max(other.end);
    }
    rest.push(from..run.end);
    rest.retain(|run| !run.is_empty());
    rest
}

/// An object file, by the number of its symbol, and whether it is one of dwindle.
type Object = (usize, bool);

/// The local functions of all object files.
struct Functions {
    /// Sorted by the address.
    objects: Vec<(usize, Object)>,
}

impl Functions {
    fn read(executable: &[u8]) -> object::Result<Functions> {
        let header = FileHeader64::<Endianness>::parse(executable)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, executable)?;
        let table = sections.section_by_name(endian, b"__sancov_pcs");
        let in_file = table.map_or(0, |(_, table)| table.sh_addr(endian));
        let moved_by = places().as_ptr().addr().wrapping_sub(in_file as usize);
        let symbols = sections.symbols(endian, executable, SHT_SYMTAB)?;
        let mut objects = Vec::with_capacity(symbols.len());
        let mut object = None;
        // Local symbols stand before all others. Hidden ones are of no known object file, and in
        // some linkers follow a file without a name.
        for (number, symbol) in
            symbols.iter().enumerate().take_while(|(_, symbol)| symbol.st_bind() == STB_LOCAL)
        {
            if symbol.st_type() == STT_FILE {
                let name = symbols.symbol_name(endian, symbol)?;
                let crate_name = name.split(|byte| *byte == b'.').next();
                let named = crate_name.filter(|name| !name.is_empty());
                object = named.map(|name| (number, OWN.contains(&name)));
            } else if symbol.st_type() == STT_FUNC
                && symbol.st_visibility() == STV_DEFAULT
                && let Some(object) = object
            {
                objects.push((moved_by.wrapping_add(symbol.st_value(endian) as usize), object));
            }
        }
        objects.sort_by_key(|(address, _)| *address);
        Ok(Functions { objects })
    }

    fn own(&self) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut next = self.first(0..places().len());
        while let Some((first, object)) = next {
            let last = self.last(first, object);
            if object.1 {
                runs.push(first..last + 1);
            }
            next = self.first(last + 1..places().len());
        }
        runs
    }

    /// The last edge at which a local function of this object file begins. `known` is one of them.
    fn last(&self, mut known: usize, object: Object) -> usize {
        let mut beyond = places().len();
        while beyond - known > 1 {
            let middle = known + (beyond - known) / 2;
            match self.first(middle..beyond) {
                Some((edge, found)) if found == object => known = edge,
                _ => beyond = middle,
            }
        }
        known
    }

    /// The first of these edges at which a local function begins, and its object file.
    fn first(&self, edges: Range<usize>) -> Option<(usize, Object)> {
        edges.clone().zip(&places()[edges]).find_map(|(edge, place)| {
            let address = begins_function(*place)?;
            let at = self.objects.binary_search_by_key(&address, |(address, _)| *address).ok()?;
            Some((edge, self.objects[at].1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_is_left_of_a_run_is_outside_of_the_others() {
        assert_eq!(without(10..50, vec![0..5, 8..12, 20..30, 30..31, 45..60]), [12..20, 31..45]);
        assert_eq!(without(10..50, vec![0..60, 70..80]), []);
    }
}
