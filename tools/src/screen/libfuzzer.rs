//! Reads libFuzzer's own figures from stderr: coverage and corpus size.

/// The figures of the last status line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Control-flow edges and counters seen, libFuzzer's `cov`.
    pub(crate) coverage: Option<u64>,
    /// Inputs in the corpus, the first figure of libFuzzer's `corp`.
    pub(crate) corpus: Option<u64>,
}

/// Reads the figures of a status line; `None` for any other line. For example:
///
/// `#8192  pulse  cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 4096 rss: 40Mb`
///
/// libFuzzer does not promise this form. A missing or unreadable figure is therefore left out, and
/// is never an error.
pub(crate) fn read_status(line: &str) -> Option<Figures> {
    let rest = line.strip_prefix('#')?;
    let mut words = rest.split_ascii_whitespace();
    words.next()?.trim_end_matches(':').parse::<u64>().ok()?;
    let mut figures = Figures::default();
    while let Some(word) = words.next() {
        match word {
            "cov:" => figures.coverage = words.next().and_then(leading_number),
            "corp:" => figures.corpus = words.next().and_then(leading_number),
            _ => {}
        }
    }
    (figures != Figures::default()).then_some(figures)
}

/// Whether the line is a warning without use to the user. libFuzzer prints such lines at every
/// start without a sanitizer.
pub(crate) fn is_noise(line: &str) -> bool {
    line.starts_with("WARNING: Failed to find function \"__sanitizer_")
}

fn leading_number(word: &str) -> Option<u64> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    word[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_status_line_gives_coverage_and_corpus() {
        for line in [
            "#8192\tpulse  cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 4096 rss: 40Mb",
            "#8192\tINITED cov: 48 ft: 93 corp: 22/160b exec/s: 0 rss: 40Mb",
            "#8192\tNEW    cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 0 rss: 40Mb L: 3/8 MS: 1 \
             ChangeBit-",
            "#8192\tREDUCE cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 0 rss: 40Mb L: 3/8 MS: 1 \
             EraseBytes-",
            "#8192\tDONE   cov: 48 ft: 93 corp: 22/160b lim: 80 exec/s: 4096 rss: 40Mb",
            "#8192: cov: 48 ft: 93 corp: 22 exec/s 4096 oom/timeout/crash: 0/0/0 time: 1s job: 1 \
             dft_time: 0",
        ] {
            assert_eq!(
                read_status(line),
                Some(Figures { coverage: Some(48), corpus: Some(22) }),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_of_the_target_is_not_a_status_line() {
        for line in [
            "",
            "#",
            "#x",
            "cov: 3 corp: 4",
            "# cov: 3",
            "#12",
            "#12 cov: many",
            "thread panicked at #4",
            "#7 0x55 in main",
            "#99999999999999999999 cov: 3",
        ] {
            assert_eq!(read_status(line), None, "{line}");
        }
    }

    #[test]
    fn a_missing_figure_is_left_out() {
        assert_eq!(
            read_status("#2\tpulse  corp: 1/1b"),
            Some(Figures { coverage: None, corpus: Some(1) })
        );
    }
}
