//! The characters that can stand beside a place of an expression. They decide whether `^`, `$` and
//! `\b` match there.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look};

/// The neighbours that a place can have: a set of character sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beside(u8);

impl Beside {
    pub(super) const NOTHING: Beside = Beside(0);
    /// The beginning or the end of the text.
    pub(super) const END: Beside = Beside(1);
    const NEWLINE: Beside = Beside(2);
    const ASCII_WORD: Beside = Beside(4);
    /// A word character of Unicode that is not a word character of ASCII.
    const OTHER_WORD: Beside = Beside(8);
    const REST: Beside = Beside(16);

    pub(super) const fn or(self, other: Beside) -> Beside {
        Beside(self.0 | other.0)
    }

    fn is_within(self, other: Beside) -> bool {
        self.0 & !other.0 == 0
    }

    fn is_apart_from(self, other: Beside) -> bool {
        self.0 & other.0 == 0
    }
}

/// One of the two ends of a part.
#[derive(Clone, Copy)]
pub(super) enum Side {
    First,
    Last,
}

/// The characters at one end of a part. If the part can be empty, the characters beyond it count
/// too.
pub(super) struct Edge {
    sorts: Beside,
    empty: bool,
}

impl Edge {
    const EMPTY: Edge = Edge { sorts: Beside::NOTHING, empty: true };

    /// The characters at this end, where `next` are the characters beyond it.
    pub(super) fn beside(&self, next: Beside) -> Beside {
        if self.empty { self.sorts.or(next) } else { self.sorts }
    }
}

impl Side {
    /// The characters at this end of consecutive `parts`, including those `beyond` if all parts can
    /// be empty.
    pub(super) fn of_all(self, parts: &[Hir], beyond: Beside) -> Beside {
        self.in_turn(parts).beside(beyond)
    }

    pub(super) fn of(self, hir: &Hir) -> Edge {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Edge::EMPTY,
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).unwrap_or_default();
                let end = match self {
                    Side::First => text.chars().next(),
                    Side::Last => text.chars().next_back(),
                };
                end.map_or(Edge::EMPTY, |end| Edge { sorts: sort_of(end), empty: false })
            }
            HirKind::Class(class) => Edge { sorts: sorts_of(class), empty: false },
            HirKind::Capture(capture) => self.of(&capture.sub),
            HirKind::Repetition(repetition) => {
                let edge = self.of(&repetition.sub);
                Edge { empty: edge.empty || repetition.min == 0, ..edge }
            }
            HirKind::Concat(parts) => self.in_turn(parts),
            HirKind::Alternation(parts) => parts.iter().map(|part| self.of(part)).fold(
                Edge { sorts: Beside::NOTHING, empty: false },
                |all, edge| Edge {
                    sorts: all.sorts.or(edge.sorts),
                    empty: all.empty || edge.empty,
                },
            ),
        }
    }

    fn in_turn(self, parts: &[Hir]) -> Edge {
        let join = |all: Edge, part: &Hir| if all.empty { self.of(part).behind(&all) } else { all };
        match self {
            Side::First => parts.iter().fold(Edge::EMPTY, join),
            Side::Last => parts.iter().rev().fold(Edge::EMPTY, join),
        }
    }
}

impl Edge {
    /// Joins this edge with `nearer`, which can be empty and lies nearer to the end.
    fn behind(self, nearer: &Edge) -> Edge {
        Edge { sorts: nearer.sorts.or(self.sorts), empty: self.empty }
    }
}

fn sort_of(c: char) -> Beside {
    match c {
        '\n' => Beside::NEWLINE,
        '0'..='9' | 'A'..='Z' | 'a'..='z' | '_' => Beside::ASCII_WORD,
        _ if regex_syntax::is_word_character(c) => Beside::OTHER_WORD,
        _ => Beside::REST,
    }
}

fn sorts_of(class: &Class) -> Beside {
    let Some(class) = unicode(class) else {
        return Beside::NEWLINE.or(Beside::ASCII_WORD).or(Beside::OTHER_WORD).or(Beside::REST);
    };
    let ascii_word = ClassUnicode::new(
        [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]
            .map(|(first, last)| regex_syntax::hir::ClassUnicodeRange::new(first, last)),
    );
    let newline = ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new('\n', '\n')]);
    let mut other_word = words();
    other_word.difference(&ascii_word);
    let mut sorts = Beside::NOTHING;
    let mut rest = class.clone();
    for (of, sort) in [
        (&newline, Beside::NEWLINE),
        (&ascii_word, Beside::ASCII_WORD),
        (&other_word, Beside::OTHER_WORD),
    ] {
        let mut common = class.clone();
        common.intersect(of);
        if !common.ranges().is_empty() {
            sorts = sorts.or(sort);
        }
        rest.difference(of);
    }
    if rest.ranges().is_empty() { sorts } else { sorts.or(Beside::REST) }
}

/// The word characters.
fn words() -> ClassUnicode {
    match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => unreachable!("`\\w` is a class of characters"),
    }
}

/// Whether `look` holds between every one of `before` and every one of `behind`.
pub(super) fn always_holds(look: Look, before: Beside, behind: Beside) -> bool {
    const UNICODE: Beside = Beside::ASCII_WORD.or(Beside::OTHER_WORD);
    let line = Beside::END.or(Beside::NEWLINE);
    let boundary = |word: Beside| {
        (before.is_within(word) && behind.is_apart_from(word))
            || (before.is_apart_from(word) && behind.is_within(word))
    };
    let no_boundary = |word: Beside| {
        (before.is_within(word) && behind.is_within(word))
            || (before.is_apart_from(word) && behind.is_apart_from(word))
    };
    let starts = |word: Beside| before.is_apart_from(word) && behind.is_within(word);
    let ends = |word: Beside| before.is_within(word) && behind.is_apart_from(word);
    match look {
        Look::Start => before.is_within(Beside::END),
        // With CRLF, a line does not end between its two end characters. Only the end of the text
        // is certain never to lie there.
        Look::End | Look::EndCRLF => behind.is_within(Beside::END),
        Look::StartLF | Look::StartCRLF => before.is_within(line),
        Look::EndLF => behind.is_within(line),
        Look::WordAscii => boundary(Beside::ASCII_WORD),
        Look::WordUnicode => boundary(UNICODE),
        Look::WordAsciiNegate => no_boundary(Beside::ASCII_WORD),
        Look::WordUnicodeNegate => no_boundary(UNICODE),
        Look::WordStartAscii => starts(Beside::ASCII_WORD),
        Look::WordStartUnicode => starts(UNICODE),
        Look::WordEndAscii => ends(Beside::ASCII_WORD),
        Look::WordEndUnicode => ends(UNICODE),
        Look::WordStartHalfAscii => before.is_apart_from(Beside::ASCII_WORD),
        Look::WordStartHalfUnicode => before.is_apart_from(UNICODE),
        Look::WordEndHalfAscii => behind.is_apart_from(Beside::ASCII_WORD),
        Look::WordEndHalfUnicode => behind.is_apart_from(UNICODE),
    }
}

/// The class as characters. A class of bytes must be all ASCII for this.
pub(super) fn unicode(class: &Class) -> Option<ClassUnicode> {
    match class {
        Class::Unicode(class) => Some(class.clone()),
        Class::Bytes(class) => class.to_unicode_class(),
    }
}
