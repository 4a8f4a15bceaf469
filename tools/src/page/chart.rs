//! Charts as SVG.

use maud::{Markup, html};
use std::fmt::Write;

/// One curve.
#[derive(Clone, Debug)]
pub(super) struct Curve<'a> {
    pub(super) title: &'a str,
    /// What the x axis shows.
    pub(super) across: Axis,
    /// Sorted by x. All are finite.
    pub(super) points: &'a [(f64, f64)],
    /// Whether a value holds up to the next point. Else it changes evenly.
    pub(super) is_stepped: bool,
    /// Where a vertical line stands, for example at the beginning of a run.
    pub(super) marks: &'a [f64],
}

/// What the x axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Seconds,
    Calls,
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 130.0;
/// The space for the labels.
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 20.0;
const TOP: f64 = 8.0;
const RIGHT: f64 = 10.0;

/// A curve with its title and its last value.
pub(super) fn curve(curve: &Curve<'_>) -> Markup {
    let Curve { title, across, points, is_stepped, marks } = curve;
    let Some((first, last)) = points.first().zip(points.last()) else {
        return html! { figure { figcaption { (title) } p.dim { "no figures" } } };
    };
    let (start, end) = (first.0.min(0.0), last.0.max(first.0 + 1e-9));
    let top = nice(points.iter().map(|(_, y)| *y).fold(0.0, f64::max));
    let x = |at: f64| LEFT + (at - start) / (end - start) * (WIDTH - LEFT - RIGHT);
    let y = |at: f64| HEIGHT - BOTTOM - at / top * (HEIGHT - BOTTOM - TOP);
    let path = path(points, *is_stepped, x, y);
    let base = y(0.0);
    html! {
        figure {
            figcaption { (title) " " b { (short(last.1)) } }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img"
                aria-label={ (title) ": " (short(last.1)) " at the end" } {
                @for part in [0.0, 0.5, 1.0] {
                    @let at = round(y(top * part));
                    line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(at) y2=(at) {}
                    text.tick x=(LEFT - 6.0) y=(round(at + 3.5)) text-anchor="end" {
                        (short(top * part))
                    }
                }
                @for mark in marks.iter().filter(|mark| **mark > start) {
                    @let at = round(x(*mark));
                    line.mark x1=(at) x2=(at) y1=(TOP) y2=(base) {}
                }
                text.tick x=(LEFT) y=(HEIGHT - 5.0) { (across.text(start)) }
                text.tick x=(WIDTH - RIGHT) y=(HEIGHT - 5.0) text-anchor="end" {
                    (across.text(end))
                }
                path.curve d=(path) {}
            }
        }
    }
}

fn path(
    points: &[(f64, f64)],
    is_stepped: bool,
    x: impl Fn(f64) -> f64,
    y: impl Fn(f64) -> f64,
) -> String {
    let mut path = String::new();
    for (at, value) in points {
        let (x, y) = (round(x(*at)), round(y(*value)));
        // Writing to a string cannot fail.
        if path.is_empty() {
            path = format!("M{x} {y}");
        } else if is_stepped {
            let _ = write!(path, "H{x}V{y}");
        } else {
            let _ = write!(path, "L{x} {y}");
        }
    }
    path
}

/// Bars with their names and shares. The first is the largest, or the first of an order.
pub(super) fn bars(title: &str, rows: &[(String, u64)]) -> Markup {
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let all = rows.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count)).max(1);
    html! {
        figure.bars {
            figcaption { (title) }
            table { tbody { @for (name, count) in rows {
                tr {
                    td.name title=(name) { (name) }
                    @let width = round(*count as f64 / most as f64 * 100.0);
                    td.bar {
                        svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                            rect.bar width=(width) height="10" {}
                        }
                    }
                    td.number { (grouped(*count)) }
                    td.number { (percent(*count, all)) }
                }
            } } }
        }
    }
}

/// A number with its digits in groups: `3,696,000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A share in words: `12 %`, or `< 1 %`.
pub(super) fn percent(part: u64, all: u64) -> String {
    match (part, u128::from(part) * 100 / u128::from(all.max(1))) {
        (0, _) => "0 %".to_owned(),
        (_, 0) => "< 1 %".to_owned(),
        (_, percent) => format!("{percent} %"),
    }
}

impl Axis {
    fn text(self, at: f64) -> String {
        match self {
            Axis::Calls => format!("{} calls", short(at)),
            Axis::Seconds => seconds(at),
        }
    }
}

/// A time in words: `40 s`, `5 min`, `3.5 h`.
pub(super) fn seconds(seconds: f64) -> String {
    let one = |number: f64| {
        let text = format!("{number:.1}");
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    match seconds {
        ..120.0 => format!("{} s", one(seconds)),
        ..7200.0 => format!("{} min", one(seconds / 60.0)),
        _ => format!("{} h", one(seconds / 3600.0)),
    }
}

/// A number of three digits: `12.5k`, `3M`.
pub(super) fn short(number: f64) -> String {
    let steps = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let (unit, name) = steps.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    let value = number / unit;
    let text = if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") };
    format!("{}{name}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A round number that is not less.
fn nice(number: f64) -> f64 {
    if number <= 0.0 {
        return 1.0;
    }
    let unit = 10_f64.powf(number.log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|step| *step >= number).unwrap_or(10.0 * unit)
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, expected) in
            [(0.0, "0"), (7.0, "7"), (999.0, "999"), (1250.0, "1.2k"), (81_920.0, "81.9k")]
        {
            assert_eq!(short(number), expected);
        }
        assert_eq!([seconds(5.0), seconds(300.0), seconds(9000.0)], ["5 s", "5 min", "2.5 h"]);
        assert_eq!([grouped(7), grouped(1_000), grouped(3_696_000)], ["7", "1,000", "3,696,000"]);
        assert_eq!([percent(0, 10), percent(1, 1000), percent(5, 10)], ["0 %", "< 1 %", "50 %"]);
    }

    #[test]
    fn the_axis_ends_at_a_round_number() {
        let ends = [0.0, 1.0, 3.0, 1048.0].map(|greatest| short(nice(greatest)));
        assert_eq!(ends, ["1", "1", "4", "2k"]);
    }

    #[test]
    fn a_curve_goes_through_its_points_and_names_the_last_value() {
        let points = [(0.0, 0.0), (10.0, 50.0), (20.0, 100.0)];
        let curve = Curve {
            title: "bugs",
            across: Axis::Seconds,
            points: &points,
            is_stepped: true,
            marks: &[10.0],
        };
        let page = super::curve(&curve).into_string();
        let even = super::curve(&Curve { is_stepped: false, ..curve }).into_string();
        assert!(even.contains("d=\"M44 110L167 59L290 8\""), "{even}");
        assert!(page.contains("d=\"M44 110H167V59H290V8\""), "{page}");
        assert!(page.contains("<b>100</b>") && page.contains("class=\"mark\""), "{page}");
    }
}
