//! The counters of dwindle's own code. Its edges are no coverage of the target.
//!
//! Relies on rustc and the linker: an object file is named after its crate, the symbol table has
//! this name before the local symbols of the file, and the counters of a file stand side by side.
//! So all counters between two local functions of a file belong to the file.

use std::ops::Range;

use object::Endianness;
use object::elf::{FileHeader64, SHT_SYMTAB, STB_LOCAL, STT_FILE, STT_FUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use crate::failure::symbols;
use crate::isolation::counters::{begins_function, start, stop};

/// The crates that every target has beside those of the user.
const OWN: [&[u8]; 3] = [b"dwindle", b"dwindle_engine", b"dwindle_corpus"];

/// Runs of counters in order, each of an object file of dwindle. Empty if this executable has no
/// symbols, or if the linker got all crates as one object file.
pub(super) fn own() -> Vec<Range<usize>> {
    let executable = symbols::file();
    let functions = executable.as_deref().and_then(|executable| Functions::read(executable).ok());
    functions.map(|functions| functions.own()).unwrap_or_default()
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
        let counters = sections.section_by_name(endian, b"__sancov_cntrs");
        let in_file = counters.map_or(0, |(_, counters)| counters.sh_addr(endian));
        let moved_by = start().wrapping_sub(in_file as usize);
        let symbols = sections.symbols(endian, executable, SHT_SYMTAB)?;
        let mut objects = Vec::with_capacity(symbols.len());
        let mut object = None;
        // Local symbols stand before all others.
        for (number, symbol) in
            symbols.iter().enumerate().take_while(|(_, symbol)| symbol.st_bind() == STB_LOCAL)
        {
            if symbol.st_type() == STT_FILE {
                let name = symbols.symbol_name(endian, symbol)?;
                let crate_name = name.split(|byte| *byte == b'.').next();
                object = crate_name.map(|name| (number, OWN.contains(&name)));
            } else if symbol.st_type() == STT_FUNC
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
        let mut next = self.first(start()..stop());
        while let Some((first, object)) = next {
            let last = self.last(first, object);
            if object.1 {
                runs.push(first..last + 1);
            }
            next = self.first(last + 1..stop());
        }
        runs
    }

    /// The last counter at which a local function of this object file begins. `known` is one of
    /// them.
    fn last(&self, mut known: usize, object: Object) -> usize {
        let mut beyond = stop();
        while beyond - known > 1 {
            let middle = known + (beyond - known) / 2;
            match self.first(middle..beyond) {
                Some((counter, found)) if found == object => known = counter,
                _ => beyond = middle,
            }
        }
        known
    }

    /// The first counter of these at which a local function begins, and its object file.
    fn first(&self, mut counters: Range<usize>) -> Option<(usize, Object)> {
        counters.find_map(|counter| {
            let address = begins_function(counter)?;
            let at = self.objects.binary_search_by_key(&address, |(address, _)| *address).ok()?;
            Some((counter, self.objects[at].1))
        })
    }
}
