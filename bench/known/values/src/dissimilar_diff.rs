//! dissimilar 1.0.2: the diff of texts with characters of several bytes cuts inside a character.
//! Fixed in 1.0.3 to 1.0.6, <https://github.com/dtolnay/dissimilar/issues/6>.

use dissimilar::Chunk;

/// A diff holds both texts.
///
/// # Panics
///
/// If it does not; or inside `dissimilar`.
pub fn check(old: &str, new: &str) {
    let (mut left, mut right) = (String::new(), String::new());
    for chunk in dissimilar::diff(old, new) {
        match chunk {
            Chunk::Equal(text) => {
                left += text;
                right += text;
            }
            Chunk::Delete(text) => left += text,
            Chunk::Insert(text) => right += text,
        }
    }
    assert_eq!((left.as_str(), right.as_str()), (old, new));
}
