//! Compiles the parsed expression to parts that draw.

use regex_syntax::hir::{Class, ClassUnicode, ErrorKind, Hir, HirKind, Look, Repetition};

use super::Part;
use super::edges::{Beside, Side, always_holds, unicode};
use crate::alphabet::Alphabet;
use crate::choice::Length;

/// Compiles a whole expression to its parts, or returns the reason why it cannot.
pub(super) fn compile(regex: &str) -> Result<Part, String> {
    let hir = regex_syntax::parse(regex).map_err(|error| {
        let what = if is_about_a_property(&error) {
            "it names a property of characters that does not exist, or that needs a feature of the \
             crate `regex-syntax` (`unicode-age` or `unicode-segment`)"
        } else {
            "it is no regular expression as the crate regex reads them (look-around and back \
             references are none; draw such texts in parts)"
        };
        format!("{what}: {error}")
    })?;
    part(&hir, Beside::END, Beside::END)
}

fn is_about_a_property(error: &regex_syntax::Error) -> bool {
    let regex_syntax::Error::Translate(error) = error else { return false };
    matches!(
        error.kind(),
        ErrorKind::UnicodePropertyNotFound | ErrorKind::UnicodePropertyValueNotFound
    )
}

/// Compiles `hir`. One of `before` stands in front of it, and one of `behind` stands behind it.
fn part(hir: &Hir, before: Beside, behind: Beside) -> Result<Part, String> {
    match hir.kind() {
        HirKind::Empty => Ok(Part::Literal("".into())),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Ok(Part::Literal(text.into())),
            Err(_) => {
                Err("it asks for bytes that are no UTF-8: leave out what `(?-u)` stands for, or \
                     draw `bytes()`"
                    .to_owned())
            }
        },
        HirKind::Class(class) => Ok(Part::Character(alphabet(class)?)),
        HirKind::Look(look) if always_holds(*look, before, behind) => Ok(Part::Literal("".into())),
        HirKind::Look(look) => Err(refused(*look)),
        HirKind::Capture(capture) => part(&capture.sub, before, behind),
        HirKind::Repetition(repetition) => repeated(repetition, before, behind),
        HirKind::Alternation(parts) => Ok(Part::One(
            parts.iter().map(|one| part(one, before, behind)).collect::<Result<_, _>>()?,
        )),
        HirKind::Concat(parts) => {
            let each = parts.iter().enumerate().map(|(at, one)| {
                if one.properties().look_set().is_empty() {
                    return part(one, Beside::NOTHING, Beside::NOTHING);
                }
                part(
                    one,
                    Side::Last.of_all(&parts[..at], before),
                    Side::First.of_all(&parts[at + 1..], behind),
                )
            });
            Ok(Part::All(each.collect::<Result<_, _>>()?))
        }
    }
}

fn repeated(repetition: &Repetition, before: Beside, behind: Beside) -> Result<Part, String> {
    let length = Length {
        min: repetition.min as usize,
        max: repetition.max.map_or(usize::MAX, |max| max as usize),
    };
    if length.max == 0 {
        return Ok(Part::Literal("".into()));
    }
    let sub = &*repetition.sub;
    if let Some(alphabet) = character(sub)? {
        return Ok(Part::Characters(alphabet, length));
    }
    // A repetition can also stand beside another repetition of the same part.
    let (before, behind) = if length.max == 1 || sub.properties().look_set().is_empty() {
        (before, behind)
    } else {
        (
            before.or(Side::Last.of(sub).beside(before)),
            behind.or(Side::First.of(sub).beside(behind)),
        )
    };
    Ok(Part::Repeated(Box::new(part(sub, before, behind)?), length))
}

/// The alphabet of `hir`, if `hir` always matches exactly one character.
fn character(hir: &Hir) -> Result<Option<Alphabet>, String> {
    match hir.kind() {
        HirKind::Class(class) => alphabet(class).map(Some),
        HirKind::Capture(capture) => character(&capture.sub),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).unwrap_or_default().chars();
            Ok(chars
                .next()
                .filter(|_| chars.next().is_none())
                .map(|only| Alphabet::new([(only, only)])))
        }
        _ => Ok(None),
    }
}

fn alphabet(class: &Class) -> Result<Alphabet, String> {
    let class = unicode(class).ok_or(
        "it asks for bytes that are no UTF-8: leave out what `(?-u)` stands for, or draw `bytes()`",
    )?;
    if class.ranges().is_empty() {
        return Err(
            "nothing matches one of its classes: leave that class out, or let it hold a character"
                .to_owned(),
        );
    }
    if class.ranges()
        == ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new('\0', char::MAX)]).ranges()
    {
        return Ok(Alphabet::ANY);
    }
    Ok(Alphabet::new(class.ranges().iter().map(|range| (range.start(), range.end()))))
}

fn refused(look: Look) -> String {
    let place = match look {
        Look::Start | Look::StartLF | Look::StartCRLF => {
            "something can stand in front of a `^`: let it begin the expression"
        }
        Look::End | Look::EndLF | Look::EndCRLF => {
            "something can stand behind a `$`: let it end the expression"
        }
        _ => {
            "what stands beside a word boundary does not always keep to it: write what is in front \
             of it and behind it so that one is always a character of a word and the other never, \
             as in `\\w \\b\\w`"
        }
    };
    format!("{place}; or draw more than it asks for and `filter`")
}
