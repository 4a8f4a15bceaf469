//! Changes characters of a text. A changed byte is often not a character, or not one that the
//! target knows. So new characters are of the same class as those that stand in the text or in
//! another one: digits, small letters, capital letters, punctuation or spaces. A change may also
//! put in a word that the target compares with.

use fastrand::Rng;

use super::super::parent::Kind;
use super::super::word::Word;
use super::{Context, Edit};
use crate::codec::TEXT_END;

/// The longest run of characters that one change inserts, replaces or removes.
const RUN_MAX: usize = 8;
/// One change of this many puts in a word, if the fuzzer knows any.
const WORDS: u8 = 4;
const PUNCTUATION: &[u8] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const SPACES: &[u8] = b" \t\r\n";

pub(super) fn edit(context: &mut Context<'_>) -> Option<Edit> {
    let at = context.part(|part| part.kind == Kind::Text)?;
    let part = &context.parent.parts()[at];
    let place = part.place();
    let (mut text, has_end) = characters(&context.parent.bytes()[place.clone()]);
    let donor = context.pool.donor(part.key, context.rng).map(|donor| characters(donor.part()).0);
    let others = donor.filter(|text| !text.is_empty()).unwrap_or_else(|| text.clone());
    for _ in 0..1 << context.rng.u32(..3) {
        let (constant, word) = (constant(context), word(context));
        let rng = &mut *context.rng;
        if let (true, Some(word)) = (has_end, word.as_ref().and_then(Word::as_text)) {
            put(&mut text, word, rng);
        } else if let (false, Some(constant)) = (text.is_empty(), constant) {
            let at = rng.usize(..text.len());
            text[at] = constant;
        } else if has_end {
            change(&mut text, &others, rng);
        } else {
            // The text has its greatest length. A single character has, too.
            replace(&mut text, &others, rng);
        }
    }
    let mut replacement = text.into_iter().collect::<String>().into_bytes();
    replacement.extend(has_end.then_some(TEXT_END));
    Some(Edit { place, replacement })
}

/// Now and then, a character that the target compares with.
fn constant(context: &mut Context<'_>) -> Option<char> {
    let constant = if context.rng.u8(..8) == 0 { context.constants.number() } else { None };
    char::from_u32(constant?.into())
}

/// Now and then, a word that the target compares with.
fn word(context: &mut Context<'_>) -> Option<Word> {
    if context.rng.u8(..WORDS) == 0 { context.constants.word() } else { None }
}

/// Puts a word into a text, or over a part of it.
fn put(text: &mut Vec<char>, word: &str, rng: &mut Rng) {
    let at = rng.usize(..=text.len());
    let end = if rng.bool() { at } else { (at + word.chars().count()).min(text.len()) };
    text.splice(at..end, word.chars());
}

/// The characters of a text, and whether an end stands behind them.
fn characters(bytes: &[u8]) -> (Vec<char>, bool) {
    let text = bytes.strip_suffix(&[TEXT_END]);
    let characters = String::from_utf8_lossy(text.unwrap_or(bytes)).chars().collect();
    (characters, text.is_some())
}

fn change(text: &mut Vec<char>, others: &[char], rng: &mut Rng) {
    let at = rng.usize(..=text.len());
    let end = (at + rng.usize(1..=RUN_MAX)).min(text.len());
    match rng.u8(..8) {
        0 => drop(text.drain(at..end)),
        1 => drop(text.splice(at..at, run(others, rng))),
        2 => drop(text.splice(at..at, run(&text.clone(), rng))),
        3 => {
            let class = any(text, others, rng);
            let run: Vec<char> = (0..rng.usize(1..=RUN_MAX)).map(|_| similar(class, rng)).collect();
            text.splice(at..at, run);
        }
        4 => {
            let class = any(text, others, rng);
            text[at..end].fill_with(|| similar(class, rng));
        }
        _ => replace(text, others, rng),
    }
}

/// A few characters in a row.
fn run(text: &[char], rng: &mut Rng) -> Vec<char> {
    let start = rng.usize(..=text.len());
    text[start..(start + rng.usize(1..=RUN_MAX)).min(text.len())].to_vec()
}

fn replace(text: &mut [char], others: &[char], rng: &mut Rng) {
    if !text.is_empty() {
        let at = rng.usize(..text.len());
        text[at] = if rng.bool() { similar(text[at], rng) } else { any(text, others, rng) };
    }
}

/// A character of one of these texts, or any printable one.
fn any(text: &[char], others: &[char], rng: &mut Rng) -> char {
    let from = match rng.u8(..4) {
        0 => others,
        1 | 2 => text,
        _ => &[],
    };
    if from.is_empty() { rng.u8(b' '..=b'~').into() } else { from[rng.usize(..from.len())] }
}

/// Another character of this class.
fn similar(character: char, rng: &mut Rng) -> char {
    let mut of = |all: &[u8]| all[rng.usize(..all.len())].into();
    match character {
        '0'..='9' => of(b"0123456789"),
        'a'..='z' => of(b"abcdefghijklmnopqrstuvwxyz"),
        'A'..='Z' => of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ' ' | '\t' | '\r' | '\n' => of(SPACES),
        '!'..='~' => of(PUNCTUATION),
        _ => char::from_u32(u32::from(character) ^ 1 << rng.u32(..5)).unwrap_or(character),
    }
}
