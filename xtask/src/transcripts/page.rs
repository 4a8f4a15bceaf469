//! Reads the marked blocks of a page, and replaces their text.

use anyhow::{Context, Result, bail, ensure};

use super::Stale;

/// A code block with a marker before it.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// What the marker says.
    pub kind: Kind,
    /// The number of the line after the opening fence, from 0.
    pub line: usize,
    /// The lines between the fences, each with its end.
    pub text: String,
}

/// What a block is.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// No block: the files of another page.
    Scene {
        /// The name of that page in `docs/`.
        page: String,
    },
    /// A file of the scene.
    File {
        /// Its path in the scene.
        path: String,
    },
    /// The end of a file of the scene.
    Append {
        /// Its path in the scene.
        path: String,
    },
    /// Commands and what they print.
    Transcript {
        /// The folder in the scene, or `repository`.
        folder: String,
        /// The seconds after `--max-time` in tests.
        max_time: Option<u64>,
    },
}

/// The marked blocks of a page, in order.
///
/// # Errors
/// A marker is unknown, or no block follows it.
pub fn blocks(text: &str) -> Result<Vec<Block>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(marker) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"))
        else {
            continue;
        };
        let kind = kind(marker).with_context(|| format!("line {}", at + 1))?;
        if let Kind::Scene { .. } = kind {
            blocks.push(Block { kind, line: at + 1, text: String::new() });
            continue;
        }
        let fence = lines.get(at + 1).copied().unwrap_or_default();
        ensure!(fence.starts_with("```"), "line {}: no code block follows the marker", at + 1);
        let inside = &lines[at + 2..];
        let length = inside
            .iter()
            .position(|line| *line == "```")
            .with_context(|| format!("line {}: the code block does not end", at + 2))?;
        let text = inside[..length].iter().flat_map(|line| [line, "\n"]).collect();
        blocks.push(Block { kind, line: at + 2, text });
    }
    Ok(blocks)
}

fn kind(marker: &str) -> Result<Kind> {
    if let Some(page) = marker.strip_prefix("scene: ") {
        return Ok(Kind::Scene { page: page.to_owned() });
    }
    if let Some(path) = marker.strip_prefix("file: ") {
        return Ok(Kind::File { path: path.to_owned() });
    }
    if let Some(path) = marker.strip_prefix("append: ") {
        return Ok(Kind::Append { path: path.to_owned() });
    }
    let Some(rest) = marker.strip_prefix("transcript: ") else {
        bail!(
            "`{marker}` is not a marker; expected `file: PATH`, `append: PATH`, \
               `scene: PAGE` or `transcript: FOLDER`"
        );
    };
    let (folder, max_time) = match rest.split_once("; tests use --max-time ") {
        None => (rest, None),
        Some((folder, seconds)) => {
            (folder, Some(seconds.parse().context("--max-time takes a number of seconds")?))
        }
    };
    Ok(Kind::Transcript { folder: folder.to_owned(), max_time })
}

/// The page with other texts in these blocks.
pub(super) fn replaced(text: &str, stale: &[Stale]) -> Result<String> {
    let blocks = blocks(text)?;
    let mut lines: Vec<&str> = text.lines().collect();
    for stale in stale.iter().rev() {
        let block = blocks.iter().find(|block| block.line == stale.line);
        let old = block.context("the page has changed in the meantime")?.text.lines().count();
        lines.splice(stale.line..stale.line + old, stale.printed.lines());
    }
    Ok(lines.into_iter().flat_map(|line| [line, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n\n<!-- file: a/b.rs -->\n```rust\nfn b() {}\n```\nWords\n\n<!-- \
                        transcript: a; tests use --max-time 6 -->\n```console\n$ true\nold\n```\n";

    #[test]
    fn marked_blocks_are_read() {
        let blocks = blocks(PAGE).unwrap();
        let file = Kind::File { path: "a/b.rs".to_owned() };
        assert_eq!(blocks[0], Block { kind: file, line: 4, text: "fn b() {}\n".to_owned() });
        let kind = Kind::Transcript { folder: "a".to_owned(), max_time: Some(6) };
        assert_eq!(blocks[1], Block { kind, line: 10, text: "$ true\nold\n".to_owned() });
        assert_eq!(blocks.len(), 2);
    }

    #[test]
    fn a_wrong_marker_is_an_error() {
        for (page, words) in [
            ("<!-- transkript: a -->\n```\n```\n", "is not a marker"),
            ("<!-- transcript: a -->\n\n```\n```\n", "no code block follows"),
            ("<!-- transcript: a -->\n```\nold\n", "does not end"),
            ("<!-- transcript: a; tests use --max-time x -->\n```\n```\n", "a number of seconds"),
        ] {
            let error = blocks(page).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{error:#}");
        }
    }

    #[test]
    fn only_the_text_of_a_stale_block_is_replaced() {
        let stale = Stale {
            line: 10,
            printed: "$ true\nnew\nlines\n".to_owned(),
            difference: String::new(),
        };
        let replaced = replaced(PAGE, &[stale]).unwrap();
        assert_eq!(replaced, PAGE.replace("old\n", "new\nlines\n"));
    }
}
