//! One input as a short string, for `#[dwindle::reproduce_failure("..")]`.
//!
//! The string begins with the digit of this format. The rest is in the alphabet of base64 for file
//! names. It has four checksum bytes, two bytes for the name of the property, and one byte for the
//! version of the byte format. The input follows.

use dwindle_corpus::{BugId, content_hash};
use dwindle_engine::internals::codec::BYTE_FORMAT;

/// The version of the string.
const FORMAT: char = '1';
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Number of bytes before the input: checksum, name and byte format.
const HEAD: usize = 7;

/// The string for `input` of the property called `name`.
pub(super) fn encode(name: &str, input: &[u8]) -> String {
    let mut checked = name_tag(name).to_vec();
    checked.push(BYTE_FORMAT as u8);
    checked.extend_from_slice(input);
    let bytes = [&check(&checked)[..], &checked].concat();
    let mut text = String::from(FORMAT);
    for group in bytes.chunks(3) {
        let number = group
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0, |number, byte| number << 8 | usize::from(*byte));
        text.extend((0..=group.len()).map(|at| char::from(ALPHABET[number >> (18 - 6 * at) & 63])));
    }
    text
}

/// The input in `text`, if the string was made for the property called `name`.
///
/// # Errors
/// The message states the problem and what to do.
pub(super) fn decode(name: &str, text: &str) -> Result<Vec<u8>, String> {
    const AGAIN: &str = "remove the attribute and run the test again; if the test still fails, \
                         its message has a new string";
    let text = text.trim();
    let Some(encoded) = text.strip_prefix(FORMAT) else {
        return Err(match text.chars().next() {
            Some(other) if other.is_ascii_digit() => format!(
                "belongs to another version of dwindle (strings of this version begin with \
                 {FORMAT}); {AGAIN}"
            ),
            _ => format!(
                "is not a string that dwindle prints (such strings begin with {FORMAT}); copy it \
                 from the message of a failure"
            ),
        });
    };
    let damaged = || {
        "is damaged: characters are missing or changed; copy the whole string again from the \
         message of the failure"
            .to_owned()
    };
    let bytes = bytes_of(encoded).filter(|bytes| bytes.len() >= HEAD).ok_or_else(damaged)?;
    let (sum, checked) = bytes.split_at(4);
    if check(checked) != *sum {
        return Err(damaged());
    }
    if checked[2] != BYTE_FORMAT as u8 {
        return Err(format!(
            "has byte format {}, but this version of dwindle reads format {BYTE_FORMAT}; {AGAIN}",
            checked[2]
        ));
    }
    if checked[..2] != name_tag(name) {
        return Err(format!(
            "does not belong to the property `{name}`; put it on the function that its message \
             names; if you renamed that function to `{name}`, {AGAIN}"
        ));
    }
    Ok(checked[3..].to_vec())
}

fn bytes_of(encoded: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(encoded.len());
    for group in encoded.as_bytes().chunks(4) {
        let mut number = 0;
        for at in 0..4 {
            let digit = group.get(at).map_or(Some(0), |character| {
                ALPHABET.iter().position(|known| known == character)
            })?;
            number = number << 6 | digit;
        }
        // The unused bits of the last character must be zero.
        if group.len() == 1 || number & (0xFF_FFFF >> (8 * (group.len() - 1))) != 0 {
            return None;
        }
        bytes.extend((0..group.len() - 1).map(|at| (number >> (16 - 8 * at)) as u8));
    }
    Some(bytes)
}

fn name_tag(name: &str) -> [u8; 2] {
    (BugId::of(name).to_bits() as u16).to_be_bytes()
}

fn check(bytes: &[u8]) -> [u8; 4] {
    // Eight hexadecimal digits of the hash are four of its bytes.
    u32::from_str_radix(&content_hash(bytes)[..8], 16).unwrap_or_default().to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[crate::test(store = None, seed = 1)]
    fn any_input_of_any_property_comes_back(name: String, input: Vec<u8>) {
        let text = encode(&name, &input);
        assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'), "{text}");
        assert_eq!(decode(&name, &text), Ok(input.clone()));
        assert_eq!(decode(&name, &format!(" {text}\n")), Ok(input));
    }

    /// What can happen to a string on its way. Places count from the end.
    #[derive(Clone, Debug, Generate)]
    enum Accident {
        Lost {
            #[generate(with = g::integers(0..=30))]
            at: usize,
            count: usize,
        },
        Replaced {
            #[generate(with = g::integers(0..=30))]
            at: usize,
            #[generate(with = g::one_of((g::sampled_from(ALPHABET).map(char::from), g::characters())))]
            by: char,
        },
        Inserted {
            at: usize,
            text: String,
        },
        Swapped {
            at: usize,
        },
        Repeated,
    }

    impl Accident {
        fn befall(&self, text: &str) -> String {
            let mut characters: Vec<char> = text.chars().collect();
            let length = characters.len();
            let place = |at: usize| length.saturating_sub(1 + at % length.max(1));
            match self {
                Accident::Lost { at, count } => {
                    let (start, count) = (place(*at), 1 + count % 4);
                    characters.drain(start..length.min(start + count));
                }
                Accident::Replaced { at, by } if length > 0 => characters[place(*at)] = *by,
                Accident::Swapped { at } if length > 1 => {
                    characters.swap(at % (length - 1), at % (length - 1) + 1);
                }
                Accident::Inserted { at, text } => {
                    let at = at % (length + 1);
                    characters.splice(at..at, text.chars());
                }
                Accident::Repeated => characters.extend(text.chars()),
                Accident::Replaced { .. } | Accident::Swapped { .. } => {}
            }
            characters.into_iter().collect()
        }
    }

    #[crate::test(store = None, seed = 1, max_cases = 5000)]
    fn a_string_after_accidents_is_refused(
        input: Vec<u8>,
        #[generate(with = g::vec(any::<Accident>()).len(1..=3))] accidents: Vec<Accident>,
    ) {
        let text = encode("sorts", &input);
        let damaged = accidents.iter().fold(text.clone(), |text, accident| accident.befall(&text));
        // Space around a string is not damage.
        if damaged.trim() != text {
            assert!(decode("sorts", &damaged).is_err(), "{damaged:?} passes for {text:?}");
        }
    }

    #[crate::test(store = None, seed = 1)]
    fn any_text_is_read_or_refused(name: String, text: String, is_almost: bool) {
        let text = if is_almost { format!("{FORMAT}{text}") } else { text };
        if let Ok(input) = decode(&name, &text) {
            assert_eq!(encode(&name, &input), text.trim(), "one input has one string");
        }
    }

    #[test]
    fn every_input_is_decoded_from_its_string() {
        let mut input = Vec::new();
        for length in 0..100_u32 {
            let text = encode("sorts", &input);
            assert!(
                text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'),
                "{text}"
            );
            assert_eq!(decode("sorts", &text), Ok(input.clone()));
            input.push((length * 37 + 200) as u8);
        }
        assert_eq!(encode("sorts", &[1, 2, 3]).len(), 15);
    }

    #[test]
    fn a_string_with_one_character_changed_or_cut_off_is_damaged() {
        let text = encode("sorts", &[1, 2, 3, 4]);
        for at in 1..text.len() {
            let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
            for broken in [
                format!("{}{other}{}", &text[..at], &text[at + 1..]),
                text[..at].to_owned(),
                format!("{}!{}", &text[..at], &text[at..]),
            ] {
                let error = decode("sorts", &broken).expect_err("it is not the same string");
                assert!(
                    error.starts_with("is damaged")
                        && error.contains(
                            "copy the whole string \
                                                                       again"
                        ),
                    "{broken}: {error}"
                );
            }
        }
    }

    #[test]
    fn wrong_strings_are_refused_with_what_to_do() {
        let text = encode("sorts", &[1]);
        let error = |name, text: &str| decode(name, text).expect_err("it is of something else");
        assert!(error("reverses", &text).starts_with(
            "does not belong to the property `reverses`; put it on the function that its message \
             names"
        ));
        assert!(
            error("sorts", &format!("2{}", &text[1..]))
                .starts_with("belongs to another version of dwindle")
        );
        assert_eq!(
            error("sorts", "hello"),
            "is not a string that dwindle prints (such strings begin with 1); copy it from the \
             message of a failure"
        );
        assert!(error("sorts", "").starts_with("is not a string that dwindle prints"));
        assert!(error("sorts", "1").starts_with("is damaged"));
    }
}
