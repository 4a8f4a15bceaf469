//! The brackets, commas and colons of a text that stand outside of quotation marks.

/// A sign that separates parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Its byte in the text.
    pub(super) at: usize,
    pub(super) sign: Sign,
    /// For a bracket that opens: the number of the mark that closes it, or the number of all marks
    /// if the text ends before. `None` if the bracket is only text.
    pub(super) closes: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Open(char),
    Close,
    Comma,
    /// A colon with a space or a line end behind it.
    Colon,
}

/// The marks of a text, in order. A bracket that closes nothing is no mark.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    // The brackets that are open, and how many of them are of each kind.
    let (mut open, mut of_kind) = (Vec::<usize>::new(), [0_usize; 3]);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let behind = text[at + c.len_utf8()..].chars().next();
        let sign = match c {
            '"' | '\'' => {
                at += quoted(&text[at..], c);
                continue;
            }
            '(' | '[' | '{' => {
                of_kind[kind(c)] += 1;
                open.push(marks.len());
                Some(Sign::Open(c))
            }
            ')' | ']' | '}' => close(&mut marks, &mut open, &mut of_kind, c).then_some(Sign::Close),
            ',' => Some(Sign::Comma),
            ':' if behind.is_none_or(char::is_whitespace) => Some(Sign::Colon),
            _ => None,
        };
        marks.extend(sign.map(|sign| Mark { at, sign, closes: None }));
        at += c.len_utf8();
    }
    let all = marks.len();
    for one in open {
        marks[one].closes = Some(all);
    }
    marks
}

/// Whether the text is one string or one character in quotation marks, with its prefix.
pub(super) fn is_quoted(text: &str) -> bool {
    let text = text.trim_start_matches(['b', 'c', 'r']);
    let mark = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    mark.is_some_and(|mark| text.len() > 1 && quoted(text, mark) == text.len())
}

/// Closes the innermost open bracket of this kind. Open brackets inside of it are only text.
/// `false` if there is no open bracket of this kind.
fn close(marks: &mut [Mark], open: &mut Vec<usize>, of_kind: &mut [usize; 3], c: char) -> bool {
    let wanted = kind(c);
    if of_kind[wanted] == 0 {
        return false;
    }
    let number = marks.len();
    while let Some(one) = open.pop() {
        let Sign::Open(opened) = marks[one].sign else { continue };
        of_kind[kind(opened)] -= 1;
        if kind(opened) == wanted {
            marks[one].closes = Some(number);
            break;
        }
    }
    true
}

fn kind(bracket: char) -> usize {
    match bracket {
        '(' | ')' => 0,
        '[' | ']' => 1,
        _ => 2,
    }
}

/// The longest text between two single quotation marks: `\u{10ffff}`.
const CHARACTER_MAX_BYTES: usize = 10;

/// The bytes of the quoted text at the beginning. Only the quotation mark if no quoted text begins
/// there: a single one may be an apostrophe.
pub(super) fn quoted(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (characters, (at, c)) in text.char_indices().skip(1).enumerate() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == mark {
            let is_character = characters == 1 || text[1..].starts_with('\\');
            return if mark == '"' || is_character { at + 1 } else { 1 };
        }
        if mark == '\'' && at > CHARACTER_MAX_BYTES {
            return 1;
        }
    }
    // A string that is cut off goes on to the end.
    if mark == '"' { text.len() } else { 1 }
}
