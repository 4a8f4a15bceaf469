//! wildmatch 2.3.3: a `*` in the text passes for the `*` of the pattern. Fixed in 2.3.4,
//! <https://github.com/becheran/wildmatch/issues/22>.

use wildmatch::WildMatch;

/// A pattern of `*` and `?` matches what the table of all prefixes says.
///
/// # Panics
///
/// If it does not.
pub fn check(pattern: &str, text: &str) {
    assert_eq!(WildMatch::new(pattern).matches(text), matches(pattern, text));
}

/// Goes through the pattern; `row[n]` says whether its part so far matches the first `n`
/// characters.
fn matches(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut row = vec![false; text.len() + 1];
    row[0] = true;
    for wanted in pattern.chars() {
        if wanted == '*' {
            let first = row.iter().position(|is_match| *is_match).unwrap_or(row.len());
            row[first..].fill(true);
        } else {
            for end in (1..row.len()).rev() {
                row[end] = row[end - 1] && (wanted == '?' || wanted == text[end - 1]);
            }
            row[0] = false;
        }
    }
    row[text.len()]
}
