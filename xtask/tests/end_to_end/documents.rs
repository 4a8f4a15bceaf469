//! The transcripts in README and in the book.

use xtask::transcripts::{self, Length};

use crate::project::one_at_a_time;

#[test]
fn each_transcript_in_the_documents_is_what_its_command_prints() {
    let _turn = one_at_a_time();
    let mut stale = Vec::new();
    for page in transcripts::documents().unwrap() {
        for found in transcripts::stale(&page, Length::Short).unwrap() {
            stale.push(format!("{}:{}: {}", page.display(), found.line, found.difference));
        }
    }
    assert!(
        stale.is_empty(),
        "{}\n`cargo xtask transcripts` writes what the commands print",
        stale.join("\n\n")
    );
}
