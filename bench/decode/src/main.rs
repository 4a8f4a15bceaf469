//! What it costs to read equal values from bytes: dwindle beside `arbitrary`.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin decode` prints a table: instructions
//! for each element, counted by callgrind, and heap allocations for each whole value. `--max RATIO`
//! makes it fail where dwindle needs more than RATIO times the instructions of `arbitrary`.

mod allocations;
mod callgrind;
mod shapes;

use anyhow::{Result, bail};

use shapes::{ELEMENTS, Library, Shape};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print(None),
        ["--max", ratio] => print(Some(ratio.parse()?)),
        // How callgrind starts this program again.
        ["run", shape, library, times] => {
            shapes::read(Shape::named(shape)?, Library::named(library)?, times.parse()?);
            Ok(())
        }
        _ => bail!("use: decode [--max RATIO]"),
    }
}

fn print(ratio_max: Option<f64>) -> Result<()> {
    println!(
        "{:<12}  {:>20}  {:>20}  {:>6}  {:>20}  {:>20}",
        "",
        "dwindle instr/elem",
        "arbitrary instr/elem",
        "ratio",
        "dwindle allocs",
        "arbitrary allocs"
    );
    let mut worst: f64 = 0.0;
    for shape in Shape::ALL {
        let [ours, theirs] = Library::BOTH.map(|library| {
            callgrind::instructions(shape, library).map(|count| count / ELEMENTS as f64)
        });
        let (ours, theirs) = (ours?, theirs?);
        let [our_allocations, their_allocations] =
            Library::BOTH.map(|library| allocations::of_one_value(shape, library));
        worst = worst.max(ours / theirs);
        println!(
            "{:<12}  {ours:>20.1}  {theirs:>20.1}  {:>6.2}  {our_allocations:>20}  \
             {their_allocations:>20}",
            shape.name(),
            ours / theirs
        );
    }
    match ratio_max {
        Some(max) if worst > max => bail!("the worst ratio is {worst:.2}, more than {max}"),
        _ => Ok(()),
    }
}
