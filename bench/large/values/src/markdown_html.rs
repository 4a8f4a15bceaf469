//! pulldown-cmark 0.13: Markdown to HTML. Text.

use pulldown_cmark::{Options, Parser, html};

/// Turns a text into HTML, with all extensions.
///
/// # Panics
///
/// Inside `pulldown-cmark`.
pub fn check(text: &str) {
    let mut page = String::new();
    html::push_html(&mut page, Parser::new_ext(text, Options::all()));
}
