//! The code of the user: without crates that only dwindle uses, and without the standard library.
//!
//! Finding the calls at an address takes long, because it reads the debug information of whole
//! crates. This module reads less:
//!
//! - rustc compiles a generic function in the crate that needs it, and names the compile unit after
//!   that crate. So the names of the units leave out nearly all code of helpers.
//! - The line table decides in the units that remain, because functions of helpers and of the
//!   standard library are compiled there too. The compiler inlines closures of the user in them. So
//!   an instruction belongs to the user if its source file does, or the file of its function.
//!
//! Relies on rustc: the name of a unit is `src/lib.rs/@/crate.hash-cgu.0`, and each function has a
//! separate range. In an incremental build the name leaves out the crate, so the line table decides
//! alone. Without debug information the user has no code.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dwindle_engine::internals::sorted::sort_by_key;
use gimli::{
    Abbreviation, Abbreviations, AttributeValue, DebugAbbrev, DebugAbbrevOffset, DebugInfoOffset,
    DebugStrOffsetsBase, Dwarf, DwarfFileType, EndianSlice, NativeEndian, Reader, Section, Unit,
    UnitHeader,
};
use object::{Object, ObjectSection};

use crate::failure::frames::is_machinery_file;
use crate::failure::location::portable_path;

type Bytes<'file> = EndianSlice<'file, NativeEndian>;

/// Crates that only dwindle uses. A target that fuzzes one of them gets no constants from it.
const HELPERS: [&str; 24] = [
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
    "memmap2",
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

/// The debug information of an executable. All addresses are those of the file.
pub(super) struct Origins<'a> {
    manifest_dir: &'a Path,
    dwarf: Dwarf<Bytes<'a>>,
}

/// A compile unit of the user.
pub(super) struct UserUnit<'a> {
    header: UnitHeader<Bytes<'a>>,
    offset: DebugInfoOffset,
    /// `None` if it cannot be read.
    lines: OnceCell<Option<Lines<'a>>>,
}

/// The line table of a unit.
struct Lines<'a> {
    unit: Unit<Bytes<'a>>,
    /// Where code begins, and the index of its source file. Sorted in each sequence.
    rows: Vec<(u64, u64)>,
    /// Code without a gap, which is mostly one function: its addresses and its rows. Sorted.
    sequences: Vec<(Range<u64>, Range<usize>)>,
}

impl<'a> Origins<'a> {
    /// `None` if this is no executable.
    pub(super) fn read(executable: &'a [u8], manifest_dir: &'a Path) -> Option<Origins<'a>> {
        let file = object::File::parse(executable).ok()?;
        let section = |id: gimli::SectionId| {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|section| section.data().ok()).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(data, NativeEndian))
        };
        Some(Origins { manifest_dir, dwarf: Dwarf::load(section).ok()? })
    }

    /// The units of the user's crates.
    pub(super) fn units(&self) -> Vec<UserUnit<'a>> {
        let (mut found, mut known) = (Vec::new(), Vec::new());
        let mut headers = self.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Some(offset) = header.debug_info_offset() else { continue };
            if self.is_unit_of_the_user(&header, offset, &mut known) {
                found.push(UserUnit { header, offset, lines: OnceCell::new() });
            }
        }
        found
    }

    /// `known` holds the abbreviations that were read before, with their bytes.
    fn is_unit_of_the_user(
        &self,
        header: &UnitHeader<Bytes<'a>>,
        offset: DebugInfoOffset,
        known: &mut Vec<(&'a [u8], Abbreviations)>,
    ) -> bool {
        let first = self.first_abbreviation(header, offset, known);
        let named = first.and_then(|first| self.name(header, first));
        let Ok((folder, name)) = named else { return false };
        match name.rsplit_once("/@/") {
            Some((path, unit)) => {
                let (name, _) = unit.split_once('.').unwrap_or((unit, ""));
                !HELPERS.contains(&name) && !self.is_foreign(Path::new(path))
            }
            // A unit in another language.
            None => !self.is_foreign(&Path::new(&*folder).join(&*name)),
        }
    }

    /// The abbreviation of a unit's first entry.
    ///
    /// Reading all abbreviations of all units takes long. This one is the same in many units.
    fn first_abbreviation<'known>(
        &self,
        header: &UnitHeader<Bytes<'a>>,
        offset: DebugInfoOffset,
        known: &'known mut Vec<(&'a [u8], Abbreviations)>,
    ) -> gimli::Result<&'known Abbreviations> {
        let mut entry = *self.dwarf.debug_info.reader();
        entry.skip(offset.0 + header.root_offset().0)?;
        let code = entry.read_uleb128()?;
        let mut rest = *self.dwarf.debug_abbrev.reader();
        rest.skip(header.debug_abbrev_offset().0)?;
        let bytes = loop {
            let (start, is_found) = (rest, rest.read_uleb128()? == code);
            skip_declaration(&mut rest)?;
            if is_found {
                break &start.slice()[..start.len() - rest.len()];
            }
        };
        let index = known.iter().position(|(other, _)| *other == bytes);
        let index = if let Some(index) = index {
            index
        } else {
            let alone = [bytes, &[0]].concat();
            let alone = DebugAbbrev::new(&alone, NativeEndian);
            known.push((bytes, alone.abbreviations(DebugAbbrevOffset(0))?));
            known.len() - 1
        };
        Ok(&known[index].1)
    }

    /// The folder of a unit and its name. This reads only the unit's first entry.
    fn name(
        &self,
        header: &UnitHeader<Bytes<'a>>,
        abbreviations: &Abbreviations,
    ) -> gimli::Result<(Cow<'a, str>, Cow<'a, str>)> {
        let mut entries = header.entries_raw(abbreviations, None)?;
        let abbreviation = entries.read_abbreviation()?;
        let mut base = DebugStrOffsetsBase::default_for_encoding_and_file(
            header.encoding(),
            DwarfFileType::Main,
        );
        let (mut folder, mut name) = (None, None);
        for attribute in abbreviation.into_iter().flat_map(Abbreviation::attributes) {
            let attribute = entries.read_attribute(*attribute)?;
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_name, value) => name = Some(value),
                (gimli::DW_AT_comp_dir, value) => folder = Some(value),
                (_, AttributeValue::DebugStrOffsetsBase(at)) => base = at,
                _ => {}
            }
        }
        let text = |value| -> gimli::Result<Cow<'a, str>> {
            let text = match value {
                Some(AttributeValue::String(text)) => text,
                Some(AttributeValue::DebugStrRef(at)) => self.dwarf.string(at)?,
                Some(AttributeValue::DebugLineStrRef(at)) => self.dwarf.line_string(at)?,
                Some(AttributeValue::DebugStrOffsetsIndex(index)) => {
                    let offsets = &self.dwarf.debug_str_offsets;
                    self.dwarf.string(offsets.get_str_offset(header.format(), base, index)?)?
                }
                _ => EndianSlice::new(&[], NativeEndian),
            };
            Ok(text.to_string_lossy())
        };
        Ok((text(folder)?, text(name)?))
    }

    /// The code of some units: where each function lies, and the index of its unit.
    pub(super) fn functions(&self, units: &[UserUnit<'a>]) -> Vec<(Range<u64>, usize)> {
        let mut found = self.functions_of_table(units).unwrap_or_default();
        if found.is_empty() {
            found = self.functions_of_units(units).unwrap_or_default();
        }
        found
    }

    /// The functions in the table of all units.
    fn functions_of_table(
        &self,
        units: &[UserUnit<'a>],
    ) -> gimli::Result<Vec<(Range<u64>, usize)>> {
        let mut found = Vec::new();
        let mut headers = self.dwarf.debug_aranges.headers();
        while let Some(header) = headers.next()? {
            let offset = header.debug_info_offset();
            let Some(index) = units.iter().position(|unit| unit.offset == offset) else { continue };
            let mut entries = header.entries();
            while let Some(entry) = entries.next().transpose() {
                // The linker leaves broken entries for code that it removed.
                if let Ok(entry) = entry
                    && entry.length() > 0
                {
                    found.push((entry.range().begin..entry.range().end, index));
                }
            }
        }
        Ok(found)
    }

    /// The functions that each unit names, for builds without the table.
    fn functions_of_units(
        &self,
        units: &[UserUnit<'a>],
    ) -> gimli::Result<Vec<(Range<u64>, usize)>> {
        let mut found = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            let mut ranges = self.dwarf.unit_ranges(&self.dwarf.unit(unit.header)?)?;
            while let Some(range) = ranges.next()? {
                found.push((range.begin..range.end, index));
            }
        }
        Ok(found)
    }

    /// Whether the user wrote the instruction at this address, or the function that begins at
    /// `function`.
    pub(super) fn is_of_the_user(&self, unit: &UserUnit<'a>, function: u64, address: u64) -> bool {
        let lines = unit.lines.get_or_init(|| Lines::read(&self.dwarf, unit.header).ok());
        let Some(lines) = lines else { return false };
        let files = [address, function].map(|place| lines.file(&self.dwarf, place));
        files.into_iter().flatten().any(|file| !self.is_foreign(&file))
    }

    /// Whether a source file belongs to a helper or to the standard library.
    fn is_foreign(&self, file: &Path) -> bool {
        let file = file.to_string_lossy();
        let path = portable_path(&file, self.manifest_dir);
        HELPERS.iter().any(|helper| is_in_folder_of(helper, &path))
            || is_machinery_file(&file, &path)
    }
}

/// Whether a portable path begins with the folder of a crate, which has the name of the crate and
/// its version. The folder may have `-` where the crate has `_`.
fn is_in_folder_of(name: &str, path: &str) -> bool {
    let same = |(one, other): (u8, u8)| one == other || (one, other) == (b'_', b'-');
    path.as_bytes().get(name.len()) == Some(&b'-') && name.bytes().zip(path.bytes()).all(same)
}

/// Skips the declaration of an abbreviation, behind its code.
fn skip_declaration(rest: &mut Bytes<'_>) -> gimli::Result<()> {
    let (_tag, _has_children) = (rest.read_uleb128()?, rest.read_u8()?);
    loop {
        let (name, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
        if form == u64::from(gimli::DW_FORM_implicit_const.0) {
            rest.read_sleb128()?;
        }
        if (name, form) == (0, 0) {
            return Ok(());
        }
    }
}

impl<'a> Lines<'a> {
    fn read(dwarf: &Dwarf<Bytes<'a>>, header: UnitHeader<Bytes<'a>>) -> gimli::Result<Lines<'a>> {
        let unit = dwarf.unit(header)?;
        let (mut lines, mut sequences) = (Vec::new(), Vec::new());
        if let Some(program) = unit.line_program.clone() {
            let (mut rows, mut begun) = (program.rows(), 0);
            while let Some((_, row)) = rows.next_row()? {
                if !row.end_sequence() {
                    lines.push((row.address(), row.file_index()));
                    continue;
                }
                if let Some((start, _)) = lines.get(begun) {
                    sequences.push((*start..row.address(), begun..lines.len()));
                }
                begun = lines.len();
            }
        }
        sort_by_key(&mut sequences, |(addresses, _)| addresses.start);
        Ok(Lines { unit, rows: lines, sequences })
    }

    /// The source file of the instruction at this address.
    fn file(&self, dwarf: &Dwarf<Bytes<'a>>, address: u64) -> Option<PathBuf> {
        let after = self.sequences.partition_point(|(code, _)| code.start <= address);
        let (code, rows) = self.sequences.get(after.checked_sub(1)?)?;
        let rows = self.rows.get(rows.clone()).filter(|_| code.contains(&address))?;
        let after = rows.partition_point(|(start, _)| *start <= address);
        let index = rows.get(after.checked_sub(1)?)?.1;
        let header = self.unit.line_program.as_ref()?.header();
        let file = header.file(index)?;
        let text = |value: AttributeValue<Bytes<'a>>| {
            dwarf.attr_string(&self.unit, value).map(|text| text.to_string_lossy()).ok()
        };
        let root = self.unit.comp_dir.map(|root| root.to_string_lossy()).unwrap_or_default();
        let folder = file.directory(header).and_then(text).unwrap_or_default();
        Some(Path::new(&*root).join(&*folder).join(&*text(file.path_name())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::symbols;

    /// Whether a function of this test's executable belongs to the user. `None` if its unit does
    /// not.
    fn is_of_the_user(function: *const ()) -> Option<bool> {
        let file = symbols::file().unwrap();
        let origins = Origins::read(&file, Path::new("/")).unwrap();
        let address = (function as usize - symbols::moved_by().unwrap()) as u64;
        let units = origins.units();
        let found = [
            origins.functions_of_table(&units).unwrap(),
            origins.functions_of_units(&units).unwrap(),
        ];
        let [decided, without_table] = found.map(|functions| {
            let (range, unit) =
                functions.into_iter().find(|(range, _)| range.contains(&address))?;
            Some(origins.is_of_the_user(&units[unit], range.start, address))
        });
        assert_eq!(decided, without_table);
        decided
    }

    #[test]
    fn code_of_the_user_is_told_from_that_of_helpers() {
        assert_eq!(is_of_the_user(tempfile::tempdir as *const ()), Some(true));
        // The units leave out other code. In an incremental build only the line table does.
        let is_named = option_env!("CARGO_INCREMENTAL") == Some("0");
        let is_left_out = |function: *const ()| match is_of_the_user(function) {
            None => true,
            Some(is_of_the_user) => !is_of_the_user && !is_named,
        };
        assert!(is_left_out(symbols::file as *const ()), "dwindle");
        assert_eq!(is_of_the_user(std::process::id as *const ()), None, "the standard library");
        assert!(is_left_out(serde_json::Map::clear as *const ()), "a helper");
    }

    #[test]
    fn a_folder_has_the_name_of_its_crate() {
        assert!(is_in_folder_of("signal_hook", "signal-hook-0.4.6/src/lib.rs"));
        assert!(is_in_folder_of("serde_json", "serde_json-1.0.154/src/lib.rs"));
        assert!(!is_in_folder_of("serde", "serde_json-1.0.154/src/lib.rs"));
        assert!(!is_in_folder_of("serde", "serde"));
    }

    #[test]
    fn a_function_of_the_standard_library_is_not_of_the_user_who_needs_it() {
        let file = symbols::file().unwrap();
        let origins = Origins::read(&file, Path::new("/")).unwrap();
        let units = origins.units();
        let functions = origins.functions(&units);
        let foreign = functions.iter().filter(|(range, unit)| {
            !origins.is_of_the_user(&units[*unit], range.start, range.start)
        });
        // Crates like tempfile need generic functions of the standard library.
        assert!(foreign.count() > 10);
    }
}
