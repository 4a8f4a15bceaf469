//! Whose code lies at an address: the user's, or that of a crate that only dwindle uses.
//!
//! Finding the calls at an address takes long, because it reads the debug information of whole
//! crates. This module needs less:
//!
//! - rustc compiles a generic function in the crate that needs it, and names the compile unit after
//!   that crate. So the unit decides for nearly all code of helpers.
//! - In the user's units, the name of the function decides if it belongs to the user.
//! - Functions of the standard library and of helpers are also compiled in the user's units. The
//!   compiler inlines closures of the user in them. There the line table decides: it has the source
//!   file of the instruction.
//!
//! Relies on rustc: the name of a unit is `src/lib.rs/@/crate.hash-cgu.0`. Code without debug
//! information belongs to the user if its function has the name of one of the user's crates.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use addr2line::demangle_auto;
use gimli::{AttributeValue, DebugInfoOffset, Dwarf, EndianSlice, NativeEndian, Unit, UnitRef};
use memmap2::Mmap;
use object::{Object, ObjectSection, SymbolMap, SymbolMapName};

use crate::failure::frames::is_machinery_file;
use crate::failure::location::portable_path;

type Bytes<'file> = EndianSlice<'file, NativeEndian>;

/// Crates that only dwindle uses. A target that fuzzes one of them gets no constants from it.
const HELPERS: [&str; 23] = [
    "addr2line",
    "backtrace",
    "blake3",
    "dwindle",
    "dwindle_corpus",
    "dwindle_engine",
    "fastrand",
    "gimli",
    "humantime",
    "itoa",
    "libfuzzer_sys",
    "memchr",
    "miniz_oxide",
    "object",
    "rustc_demangle",
    "rustix",
    "ruzstd",
    "serde",
    "serde_core",
    "serde_json",
    "signal_hook",
    "signal_hook_registry",
    "zmij",
];
/// Crates whose functions are compiled in every crate that needs them.
const STANDARD: [&str; 3] = ["alloc", "core", "std"];

/// The file of this executable.
pub(super) fn executable() -> Option<Mmap> {
    let file = File::open("/proc/self/exe").ok()?;
    // SAFETY: the system forbids writing to the file of a running program.
    unsafe { Mmap::map(&file) }.ok()
}

/// What the symbols and the debug information of an executable say about its code. All addresses
/// are those of the file.
pub(super) struct Origins<'a> {
    manifest_dir: &'a Path,
    symbols: SymbolMap<SymbolMapName<'a>>,
    dwarf: Dwarf<Bytes<'a>>,
    /// Start, end and unit of each piece of code, in order.
    ranges: Vec<(u64, u64, DebugInfoOffset)>,
    /// The units that were needed so far. `None` for units of helpers and of the standard library.
    units: BTreeMap<usize, Option<UserUnit<'a>>>,
}

/// A compile unit of the user.
struct UserUnit<'a> {
    unit: Unit<Bytes<'a>>,
    /// Where code begins, and the index of its source file. `None` where code ends.
    lines: OnceCell<Vec<(u64, Option<u64>)>>,
}

impl<'a> Origins<'a> {
    /// Reads the symbols and the ranges of the units. `None` if this is no executable.
    pub(super) fn read(executable: &'a [u8], manifest_dir: &'a Path) -> Option<Origins<'a>> {
        let file = object::File::parse(executable).ok()?;
        let section = |id: gimli::SectionId| {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|section| section.data().ok()).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(data, NativeEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let mut ranges = ranges_of_table(&dwarf).unwrap_or_default();
        if ranges.is_empty() {
            ranges = ranges_of_units(&dwarf).unwrap_or_default();
        }
        ranges.sort_unstable_by_key(|(start, end, unit)| (*start, *end, unit.0));
        let symbols = file.symbol_map();
        Some(Origins { manifest_dir, symbols, dwarf, ranges, units: BTreeMap::new() })
    }

    /// Whether the user wrote the code at this address.
    pub(super) fn is_of_the_user(&mut self, address: u64) -> bool {
        let after = self.ranges.partition_point(|(start, ..)| *start <= address);
        let range = after.checked_sub(1).and_then(|index| self.ranges.get(index));
        let Some((.., offset)) = range.filter(|(_, end, _)| address < *end).copied() else {
            return self.has_name_of_the_user(address) == Some(true);
        };
        if !self.units.contains_key(&offset.0) {
            self.units.insert(offset.0, self.unit(offset));
        }
        let Some(Some(unit)) = self.units.get(&offset.0) else { return false };
        self.has_name_of_the_user(address).unwrap_or(false)
            || self.file(unit, address).is_some_and(|file| !self.is_foreign(&file))
    }

    /// Whether the function's name begins with a crate of the user. `None` if it does not begin
    /// with a crate, as in `<[T] as Trait>::function`.
    fn has_name_of_the_user(&self, address: u64) -> Option<bool> {
        let symbol = self.symbols.containing(address)?;
        let name = demangle_auto(symbol.name().into(), None);
        let (first, _) = name.trim_start_matches(['<', '&', '_']).split_once("::")?;
        let is_crate = first.chars().all(|char| char.is_alphanumeric() || char == '_');
        is_crate.then(|| !HELPERS.contains(&first) && !STANDARD.contains(&first))
    }

    /// The unit, if it is one of the user.
    fn unit(&self, offset: DebugInfoOffset) -> Option<UserUnit<'a>> {
        let header = self.dwarf.debug_info.header_from_offset(offset).ok()?;
        let unit = self.dwarf.unit(header).ok()?;
        let name = unit.name?.to_string_lossy();
        let (path, is_helper) = match name.rsplit_once("/@/") {
            Some((path, unit)) => {
                let (name, _) = unit.split_once('.').unwrap_or((unit, ""));
                (path, HELPERS.contains(&name))
            }
            None => (&*name, false),
        };
        let folder = unit.comp_dir.map(|folder| folder.to_string_lossy()).unwrap_or_default();
        let path = Path::new(&*folder).join(path);
        (!is_helper && !self.is_foreign(&path)).then(|| UserUnit { unit, lines: OnceCell::new() })
    }

    /// Whether a source file belongs to a helper or to the standard library.
    fn is_foreign(&self, file: &Path) -> bool {
        let file = file.to_string_lossy();
        let path = portable_path(&file, self.manifest_dir);
        let folder = path.replace('_', "-");
        is_machinery_file(&file, &path)
            || HELPERS.iter().any(|helper| {
                folder
                    .strip_prefix(&helper.replace('_', "-"))
                    .is_some_and(|rest| rest.starts_with('-'))
            })
    }

    /// The source file of the instruction at this address.
    fn file(&self, unit: &UserUnit<'a>, address: u64) -> Option<PathBuf> {
        let lines = unit.lines.get_or_init(|| unit.read_lines().unwrap_or_default());
        let after = lines.partition_point(|(start, _)| *start <= address);
        let index = lines.get(after.checked_sub(1)?)?.1?;
        let of_dwarf = UnitRef::new(&self.dwarf, &unit.unit);
        let header = unit.unit.line_program.as_ref()?.header();
        let file = header.file(index)?;
        let text = |value: AttributeValue<Bytes<'a>>| {
            of_dwarf.attr_string(value).map(|text| text.to_string_lossy()).unwrap_or_default()
        };
        let folder = unit.unit.comp_dir.map(|folder| folder.to_string_lossy()).unwrap_or_default();
        let within = file.directory(header).map(text).unwrap_or_default();
        Some(Path::new(&*folder).join(&*within).join(&*text(file.path_name())))
    }
}

impl UserUnit<'_> {
    fn read_lines(&self) -> gimli::Result<Vec<(u64, Option<u64>)>> {
        let mut lines = Vec::new();
        let Some(program) = self.unit.line_program.clone() else { return Ok(lines) };
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            lines.push((row.address(), (!row.end_sequence()).then(|| row.file_index())));
        }
        // Where one function ends, the next may begin.
        lines.sort_by_key(|(address, file)| (*address, file.is_some()));
        Ok(lines)
    }
}

type Ranges = Vec<(u64, u64, DebugInfoOffset)>;

/// The ranges that the table of all units holds.
fn ranges_of_table(dwarf: &Dwarf<Bytes<'_>>) -> gimli::Result<Ranges> {
    let mut ranges = Vec::new();
    let mut headers = dwarf.debug_aranges.headers();
    while let Some(header) = headers.next()? {
        let mut entries = header.entries();
        while let Some(entry) = entries.next().transpose() {
            // The linker leaves broken entries for code that it removed.
            let Ok(entry) = entry else { continue };
            if entry.length() > 0 {
                let range = entry.range();
                ranges.push((range.begin, range.end, header.debug_info_offset()));
            }
        }
    }
    Ok(ranges)
}

/// The ranges that each unit names, for builds without the table.
fn ranges_of_units(dwarf: &Dwarf<Bytes<'_>>) -> gimli::Result<Ranges> {
    let mut found = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let Some(offset) = header.debug_info_offset() else { continue };
        let unit = dwarf.unit(header)?;
        let mut ranges = dwarf.unit_ranges(&unit)?;
        while let Some(range) = ranges.next()? {
            found.push((range.begin, range.end, offset));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::symbols;

    fn is_of_the_user(function: *const ()) -> bool {
        let file = executable().unwrap();
        let mut origins = Origins::read(&file, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(!origins.ranges.is_empty());
        let address = (function as usize - symbols::moved_by().unwrap()) as u64;
        let decided = origins.is_of_the_user(address);
        origins.ranges = ranges_of_units(&origins.dwarf).unwrap();
        origins.ranges.sort_unstable_by_key(|(start, end, unit)| (*start, *end, unit.0));
        assert_eq!(origins.is_of_the_user(address), decided, "without the table of ranges");
        origins.ranges.clear();
        assert_eq!(origins.is_of_the_user(address), decided, "by name");
        decided
    }

    #[test]
    fn code_of_the_user_is_told_from_that_of_helpers() {
        assert!(is_of_the_user(tempfile::tempdir as *const ()));
        assert!(!is_of_the_user(executable as *const ()), "dwindle");
        assert!(!is_of_the_user(std::process::id as *const ()), "the standard library");
        assert!(!is_of_the_user(serde_json::Map::clear as *const ()), "a helper");
    }

    #[test]
    fn a_function_of_the_standard_library_is_compiled_where_it_is_needed() {
        let file = executable().unwrap();
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut origins = Origins::read(&file, manifest_dir).unwrap();
        let address = Vec::<[Option<u8>; 3]>::reserve as *const () as usize;
        let address = (address - symbols::moved_by().unwrap()) as u64;
        assert_eq!(origins.has_name_of_the_user(address), Some(false));
        assert!(!origins.is_of_the_user(address));
        let (_, _, offset) =
            *origins.ranges.iter().find(|(start, end, _)| (*start..*end).contains(&address)).unwrap();
        let header = origins.dwarf.debug_info.header_from_offset(offset).unwrap();
        let unit = origins.dwarf.unit(header).unwrap();
        assert!(unit.name.unwrap().to_string_lossy().contains("/@/dwindle."));
        let unit = UserUnit { unit, lines: OnceCell::new() };
        let source = origins.file(&unit, address).unwrap();
        assert!(source.ends_with("library/alloc/src/vec/mod.rs"), "{source:?}");
    }
}
