//! The calls at an address of this executable, from the compiler's debug information.
//!
//! Before its first answer, addr2line reads the ranges of all compile units. That took half of the
//! time of a report. The section `.debug_aranges` names the unit of an address, so here addr2line
//! gets only that unit. It gets the whole file where this gives no answer: without the section,
//! where a unit refers to another one (after link-time optimization of the whole program), and
//! where the debug information is compressed or lies in other files.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use addr2line::{Context, FrameIter, Loader, LookupResult};
use dwindle_engine::internals::sorted::sort_by_key;
use gimli::{
    DebugInfo, DebugInfoOffset, Dwarf, EndianSlice, NativeEndian, Range, Section, SectionId,
};
use object::{CompressionFormat, Object, ObjectSection, SymbolMap, SymbolMapName};

use super::{EXECUTABLE_FILE, Symbol};

type Bytes = EndianSlice<'static, NativeEndian>;

/// Reads the debug information of the executable. All addresses are those of the file.
pub(super) struct Calls {
    file: object::File<'static>,
    dwarf: Dwarf<Bytes>,
    ranges: OnceCell<Vec<(Range, DebugInfoOffset)>>,
    /// The units that were read, by their offset. `None` for one that cannot be read alone.
    units: RefCell<BTreeMap<usize, Option<Rc<Context<Bytes>>>>>,
    all: OnceCell<Option<Loader>>,
    names: OnceCell<SymbolMap<SymbolMapName<'static>>>,
}

impl Calls {
    /// `None` if this is no executable.
    pub(super) fn read(executable: &'static [u8]) -> Option<Calls> {
        let file = object::File::parse(executable).ok()?;
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(section(&file, id))).ok()?;
        Some(Calls {
            file,
            dwarf,
            ranges: OnceCell::new(),
            units: RefCell::default(),
            all: OnceCell::new(),
            names: OnceCell::new(),
        })
    }

    /// The calls at an address, innermost first.
    pub(super) fn at(&self, address: u64) -> Vec<Symbol> {
        self.in_unit(address).unwrap_or_else(|| self.in_all(address))
    }

    /// Whether the function at an address belongs to the module `module` of this crate. `false` if
    /// that is unknown, and for functions that the compiler made in the crate of the user, because
    /// it may have inlined the user's code in them. This reads no calls.
    pub(super) fn is_of_dwindle(&self, module: &str, address: u64) -> bool {
        let crate_of_unit = || {
            let header = self.dwarf.debug_info.header_from_offset(self.offset_of_unit(address)?);
            let unit = self.dwarf.unit(header.ok()?).ok()?;
            // `src/lib.rs/@/dwindle.hash-cgu.0`
            let name = unit.name?.to_string_lossy();
            Some(name.rsplit_once("/@/")?.1.split_once('.')?.0.to_owned())
        };
        self.name(address).contains(&format!("dwindle::{module}::"))
            && crate_of_unit().is_some_and(|name| name == "dwindle")
    }

    /// `None` if the unit of this address is unknown or cannot be read alone.
    pub(super) fn in_unit(&self, address: u64) -> Option<Vec<Symbol>> {
        let unit = self.unit(self.offset_of_unit(address)?)?;
        let LookupResult::Output(Ok(frames)) = unit.find_frames(address) else { return None };
        let (symbols, is_complete) = self.symbols(frames, address);
        is_complete.then_some(symbols)
    }

    pub(super) fn in_all(&self, address: u64) -> Vec<Symbol> {
        let all = self.all.get_or_init(|| Loader::new(EXECUTABLE_FILE).ok()).as_ref();
        let frames = all.and_then(|all| all.find_frames(address).ok());
        frames.map_or_else(Vec::new, |frames| self.symbols(frames, address).0)
    }

    fn offset_of_unit(&self, address: u64) -> Option<DebugInfoOffset> {
        let ranges = self.ranges.get_or_init(|| self.read_ranges());
        let after = ranges.partition_point(|(range, _)| range.begin <= address);
        let (range, offset) = ranges.get(after.checked_sub(1)?)?;
        (address < range.end).then_some(*offset)
    }

    /// The addresses of all units, sorted.
    fn read_ranges(&self) -> Vec<(Range, DebugInfoOffset)> {
        let mut ranges = Vec::new();
        let mut headers = self.dwarf.debug_aranges.headers();
        while let Ok(Some(header)) = headers.next() {
            let mut entries = header.entries();
            while let Ok(Some(entry)) = entries.next() {
                // The linker leaves 0 for code that it has removed.
                if entry.address() != 0 {
                    ranges.push((entry.range(), header.debug_info_offset()));
                }
            }
        }
        sort_by_key(&mut ranges, |(range, _)| range.begin);
        ranges
    }

    fn unit(&self, offset: DebugInfoOffset) -> Option<Rc<Context<Bytes>>> {
        let mut units = self.units.borrow_mut();
        units.entry(offset.0).or_insert_with(|| self.read_unit(offset).map(Rc::new)).clone()
    }

    fn read_unit(&self, offset: DebugInfoOffset) -> Option<Context<Bytes>> {
        let info = &self.dwarf.debug_info;
        let length = info.header_from_offset(offset).ok()?.length_including_self();
        let unit = info.reader().range(offset.0..offset.0.checked_add(length)?);
        let mut dwarf = Dwarf::load(|id| {
            Ok::<_, gimli::Error>(match id {
                // Its offsets are those of the whole section.
                SectionId::DebugAranges => EndianSlice::new(&[], NativeEndian),
                _ => section(&self.file, id),
            })
        })
        .ok()?;
        dwarf.debug_info = DebugInfo::from(unit);
        Context::from_dwarf(dwarf).ok()
    }

    /// The symbols of these frames, and whether all frames could be read.
    fn symbols(
        &self,
        mut frames: FrameIter<'_, impl gimli::Reader>,
        address: u64,
    ) -> (Vec<Symbol>, bool) {
        let mut symbols = Vec::new();
        loop {
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                ended => return (symbols, ended.is_ok()),
            };
            let Some(location) = frame.location else { continue };
            let Some(file) = location.file else { continue };
            let function =
                frame.function.and_then(|function| function.demangle().ok().map(Cow::into_owned));
            symbols.push(Symbol {
                function: function.unwrap_or_else(|| self.name(address)),
                file: file.to_owned(),
                line: location.line.unwrap_or(0),
            });
        }
    }

    /// The name in the symbol table. With line tables only, the debug information names only the
    /// functions that were inlined.
    fn name(&self, address: u64) -> String {
        let names = self.names.get_or_init(|| self.file.symbol_map());
        names.containing(address).map_or_else(
            || "?".to_owned(),
            |name| addr2line::demangle_auto(name.name().into(), None).into_owned(),
        )
    }
}

/// The bytes of a section. Empty if they are compressed.
fn section(file: &object::File<'static>, id: SectionId) -> Bytes {
    let section = file.section_by_name(id.name()).filter(|section| {
        section.compressed_file_range().is_ok_and(|range| range.format == CompressionFormat::None)
    });
    let data = section.and_then(|section| section.data().ok()).unwrap_or_default();
    EndianSlice::new(data, NativeEndian)
}
