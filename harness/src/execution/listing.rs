//! The draws of a run, as lines for a test.

use std::collections::{HashMap, HashSet};

use super::{Line, Transcript};

/// `let name = value;` for each draw, the unchanged lines of programs, and a comment for each note,
/// in order.
///
/// A repeated name, for example of a draw in a loop, gets a number: `x`, `x_2`, `x_3`. A draw
/// without a name is `draw_1`, `draw_2` and so on. Numbers that would repeat the name of another
/// draw are skipped.
pub(crate) fn listing(transcript: &Transcript) -> Vec<String> {
    let lines = &transcript.lines;
    let given: HashSet<&str> = lines
        .iter()
        .filter_map(|line| if let Line::Name(name) = line { Some(name.as_str()) } else { None })
        .collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut numbered = |name: &str, first: usize| {
        let number = next.entry(name.to_owned()).or_insert(first);
        loop {
            let numbered = format!("{name}_{number}");
            *number += 1;
            if !given.contains(&*numbered) {
                return numbered;
            }
        }
    };
    let mut seen: HashSet<&str> = HashSet::new();
    let mut listing = Vec::with_capacity(lines.len());
    let (mut name, mut as_it_stands) = (None, false);
    for line in lines {
        match line {
            Line::Name(next) => name = Some(next.as_str()),
            Line::AsItStands => as_it_stands = true,
            Line::Completed(..) => {}
            Line::Draw(line) if std::mem::take(&mut as_it_stands) => listing.push(line.clone()),
            Line::Note(note) => listing.extend(note.lines().map(|line| format!("// {line}"))),
            Line::Draw(value) => {
                let name = match name.take() {
                    // Any number of patterns may repeat: each shadows the one before.
                    Some(name) if seen.insert(name) || !is_identifier(name) => name.to_owned(),
                    Some(name) => numbered(name, 2),
                    None => numbered("draw", 1),
                };
                listing.push(format!("let {name} = {value};"));
            }
        }
    }
    listing
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: Vec<Line>) -> Vec<String> {
        super::listing(&Transcript { lines })
    }

    fn listing(lines: &[(&str, &str)]) -> Vec<String> {
        let lines = lines.iter().flat_map(|(name, value)| {
            let name = (!name.is_empty()).then(|| Line::Name((*name).to_owned()));
            name.into_iter().chain([Line::Draw((*value).to_owned())])
        });
        of(lines.collect())
    }

    #[test]
    fn repeated_names_are_numbered() {
        assert_eq!(
            listing(&[("x", "1"), ("y", "2"), ("x", "3"), ("x", "4")]),
            ["let x = 1;", "let y = 2;", "let x_2 = 3;", "let x_3 = 4;"]
        );
    }

    #[test]
    fn draws_without_a_name_are_numbered_from_one() {
        assert_eq!(
            listing(&[("", "1"), ("x", "2"), ("", "3")]),
            ["let draw_1 = 1;", "let x = 2;", "let draw_2 = 3;"]
        );
    }

    #[test]
    fn no_number_gives_a_name_that_another_draw_has() {
        let lines = [("x", "1"), ("x", "2"), ("x_2", "3"), ("draw_1", "4"), ("", "5")];
        assert_eq!(
            listing(&lines),
            ["let x = 1;", "let x_3 = 2;", "let x_2 = 3;", "let draw_1 = 4;", "let draw_2 = 5;"]
        );
    }

    #[test]
    fn patterns_keep_their_text_and_notes_are_comments() {
        assert_eq!(
            listing(&[("(a, b)", "(1, 2)"), ("(a, b)", "(3, 4)")]),
            ["let (a, b) = (1, 2);", "let (a, b) = (3, 4);"]
        );
        assert_eq!(of(vec![Line::Note("one\ntwo".to_owned())]), ["// one", "// two"]);
    }

    #[test]
    fn lines_of_programs_do_not_change() {
        let lines = vec![
            Line::AsItStands,
            Line::Draw("queue.push(1);".to_owned()),
            Line::Draw("2".to_owned()),
        ];
        assert_eq!(of(lines), ["queue.push(1);", "let draw_1 = 2;"]);
    }
}
