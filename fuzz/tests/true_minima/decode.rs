//! The choices each target draws, over a small alphabet for each type.
//!
//! They are counted as dwindle counts them: an operation's variant and "one more" are one choice,
//! each field is one, an option is one and its content another.

use dwindle_fuzz::decimal::Expr;
use dwindle_fuzz::url::{Session, Setter, Start};
use dwindle_fuzz::{graphmap, roaring};

use crate::shortlex::{Choices, TooLong};

pub fn graph_ops(choices: &mut Choices) -> Result<Vec<graphmap::Op>, TooLong> {
    use graphmap::Op::{AddEdge, AddNode, RemoveEdge, RemoveNode};
    let node = |choices: &mut Choices| choices.one_of(&[0, 1, 2, 255]);
    choices.list(4, |choices, variant| {
        Ok(match variant {
            0 => AddNode(node(choices)?),
            1 => AddEdge(node(choices)?, node(choices)?),
            2 => RemoveEdge(node(choices)?, node(choices)?),
            _ => RemoveNode(node(choices)?),
        })
    })
}

pub fn bitmap_ops(choices: &mut Choices) -> Result<Vec<roaring::Op>, TooLong> {
    use roaring::Op::{
        Insert, InsertRange, Optimize, Remove, RemoveBiggest, RemoveRange, RemoveSmallest,
    };
    let value = |choices: &mut Choices| choices.one_of(&[0, 1, 2, 3, 4, u16::MAX]);
    let count = |choices: &mut Choices| choices.one_of(&[0, 1, 2, 3, u8::MAX]);
    choices.list(7, |choices, variant| {
        Ok(match variant {
            0 => Insert(value(choices)?),
            1 => Remove(value(choices)?),
            2 => InsertRange { start: value(choices)?, len: count(choices)? },
            3 => RemoveRange { start: value(choices)?, len: count(choices)? },
            4 => RemoveSmallest(count(choices)?),
            5 => RemoveBiggest(count(choices)?),
            _ => Optimize,
        })
    })
}

pub fn expr(choices: &mut Choices) -> Result<Expr, TooLong> {
    let part = |choices: &mut Choices| choices.one_of(&[0, 1, 1 << 31]);
    let inner = |choices: &mut Choices| expr(choices).map(Box::new);
    let variant = choices.pick(5)?;
    // An operation has two literals below it at least, of six choices each.
    if variant != 0 && choices.left() < 12 {
        return Err(TooLong);
    }
    Ok(match variant {
        0 => Expr::Lit {
            lo: part(choices)?,
            mid: part(choices)?,
            hi: part(choices)?,
            negative: choices.one_of(&[false, true])?,
            scale: choices.one_of(&[0, 1])?,
        },
        1 => Expr::Add(inner(choices)?, inner(choices)?),
        2 => Expr::Sub(inner(choices)?, inner(choices)?),
        3 => Expr::Mul(inner(choices)?, inner(choices)?),
        _ => Expr::Div(inner(choices)?, inner(choices)?),
    })
}

pub fn session(choices: &mut Choices, texts: &[String]) -> Result<Session, TooLong> {
    let text = |choices: &mut Choices| choices.one_of(texts);
    let maybe_text = |choices: &mut Choices| {
        Ok(match choices.pick(2)? {
            0 => None,
            _ => Some(choices.one_of(texts)?),
        })
    };
    Ok(Session {
        start: choices.one_of(&[
            Start::Http,
            Start::File,
            Start::Other,
            Start::NoHost,
            Start::Opaque,
        ])?,
        setters: choices.list(8, |choices, variant| {
            Ok(match variant {
                0 => Setter::Path(text(choices)?),
                1 => Setter::Query(maybe_text(choices)?),
                2 => Setter::Fragment(maybe_text(choices)?),
                3 => Setter::Host(maybe_text(choices)?),
                4 => Setter::Port(match choices.pick(2)? {
                    0 => None,
                    _ => Some(choices.one_of(&[0, 80])?),
                }),
                5 => Setter::Username(text(choices)?),
                6 => Setter::Password(maybe_text(choices)?),
                _ => Setter::Scheme(text(choices)?),
            })
        })?,
    })
}

/// Does what the target does, with the name of the setter as the key.
pub fn run(session: &Session, key: &mut &'static str) {
    let mut url = session.start.url();
    for setter in &session.setters {
        *key = setter.name();
        setter.check(&mut url);
    }
}

/// No character and every single one of ASCII, from the simplest: digits, capitals, small letters,
/// other printable ones, controls.
pub fn ascii() -> Vec<String> {
    let mut texts: Vec<String> = ('\0'..='\x7f').map(String::from).collect();
    texts.sort_by_key(|text| match text.as_bytes()[0] {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        b' '..=b'~' => 3,
        _ => 4,
    });
    texts.insert(0, String::new());
    texts
}
