//! What attributes of `#[derive(Generate)]` change.

mod drawn;

use std::collections::BTreeMap;

use drawn::{decoded, random};
use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::{Driver, Outcome, execute};
use dwindle_engine::{Generate, any};

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
enum NoLeaf {
    Many(Vec<NoLeaf>),
    Perhaps(Option<Box<NoLeaf>>),
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
struct Endless(Box<Endless>);

#[derive(Debug, PartialEq, Generate)]
struct With {
    #[generate(with = g::integers(10..20))]
    first: u8,
    second: u8,
    #[generate(with = g::vec(any::<std::collections::BTreeMap<u8, bool>>()).len(1..=1))]
    third: Vec<BTreeMap<u8, bool>>,
}

#[derive(Debug, PartialEq, Generate)]
struct WithAlternatives(
    #[generate(with = g::one_of((g::just(7u8), g::integers(100u8..=199))))] u8,
    u8,
);

#[derive(Debug, PartialEq, Generate)]
struct WithBound<T>(#[generate(with = g::just(T::default()))] T)
where
    T: Clone + Default;

#[test]
fn a_field_is_drawn_with_the_generator_it_names() {
    assert_eq!(
        decoded::<With>(&[15, 3, 1, 9, 0x80, 0]),
        With { first: 15, second: 3, third: vec![BTreeMap::from([(9, true)])] }
    );
    assert_eq!(decoded::<With>(&[]).first, 10);
    assert_eq!(decoded::<WithBound<String>>(&[]), WithBound(String::new()));
    // A collection fuses what the generator chooses first.
    assert_eq!(
        decoded::<Vec<WithAlternatives>>(&[2, 150, 4, 1, 5, 0]),
        [WithAlternatives(150, 4), WithAlternatives(7, 5)]
    );
    assert_eq!(random(&any::<(With, Vec<WithAlternatives>)>(), 100).len(), 100);
}

#[derive(Debug, PartialEq, Generate)]
#[expect(dead_code, reason = "one variant is skipped")]
enum Weighted {
    Recursing(Box<Weighted>),
    #[generate(weight = 6)]
    Often,
    #[generate(weight = 2)]
    Number(u8),
    #[generate(skip)]
    Never(std::thread::ThreadId),
    #[generate(weight = 2)]
    Flag(bool),
}

#[test]
fn variants_come_as_often_as_they_weigh() {
    // Recursing weighs 1 and stands last: 6 + 2 + 2 + 1 places.
    let all = Weighted::alternatives().unwrap();
    assert_eq!((all.count, all.leaves, all.shares.ends()), (4, 3, &[6, 8, 10, 11][..]));
    let drawn: Vec<Weighted> = (0..11).map(|place| decoded(&[place, 0x80])).collect();
    assert_eq!(drawn[..6], [const { Weighted::Often }; 6]);
    assert_eq!(
        drawn[6..],
        [
            Weighted::Number(128),
            Weighted::Number(128),
            Weighted::Flag(true),
            Weighted::Flag(true),
            Weighted::Recursing(Box::new(Weighted::Number(0)))
        ]
    );
    assert_eq!(
        decoded::<Vec<Weighted>>(&[1, 7, 5, 9, 0x80, 0]),
        [Weighted::Often, Weighted::Number(5), Weighted::Flag(true)]
    );
    let values = random(&any::<Weighted>(), 3000);
    let often = values.iter().filter(|value| **value == Weighted::Often).count();
    assert!((1500..1900).contains(&often), "{often} of 3000");
}

#[derive(Debug, PartialEq, Generate)]
enum Doubled {
    #[generate(weight = 10)]
    A,
    #[generate(weight = 10)]
    B,
}

#[derive(Debug, PartialEq, Generate)]
#[expect(dead_code, reason = "one variant is skipped")]
enum Left {
    #[generate(skip)]
    A,
    B(u8),
}

#[test]
fn only_the_shares_of_weights_count_and_one_variant_left_draws_no_alternative() {
    assert_eq!(Doubled::alternatives().map(|alternatives| alternatives.count), Some(2));
    assert_eq!(decoded::<Left>(&[5]), Left::B(5));
    assert_eq!(Left::alternatives(), None);
}

#[derive(Debug, Generate)]
#[generate(depth = 4)]
enum Shallow {
    Leaf,
    Pair(Box<Shallow>, Box<Shallow>),
    Many(Vec<Shallow>),
}

#[test]
fn where_the_depth_is_reached_the_record_holds_the_leaf() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[1; 200], 1000);
    tc.draw(any::<Shallow>());
    let alternatives = tc.trace().values();
    let leaves = alternatives.iter().filter(|value| **value == Value::Integer(0)).count();
    assert_eq!((alternatives.len(), leaves), (31, 16));
}

#[derive(Debug, Generate)]
struct Around {
    inner: Box<Holder>,
}

#[derive(Debug, Generate)]
struct Holder(Shallow, Vec<Shallow>);

fn levels(value: &Shallow) -> usize {
    match value {
        Shallow::Leaf => 0,
        Shallow::Pair(left, right) => 1 + levels(left).max(levels(right)),
        Shallow::Many(all) => 1 + all.iter().map(levels).max().unwrap_or(0),
    }
}

#[test]
fn a_depth_counts_the_values_of_its_type_alone() {
    // Others around it do not count, nor what stands beside it.
    let value = decoded::<Around>(&[1; 200]);
    assert_eq!(levels(&value.inner.0), 4);
    let deep = decoded::<Vec<Shallow>>(&[3; 200]);
    assert!(deep.iter().all(|value| levels(value) <= 4) && levels(&deep[0]) == 4);
    let mut tc = Driver::new();
    for seed in 0..300 {
        tc.start_random(seed, 10_000);
        // An execution that is cut short leaves nothing behind for the next.
        let _ = execute(&mut tc, |tc| {
            let holder = tc.draw_silent(any::<Holder>());
            assert!(levels(&holder.0) <= 4 && holder.1.iter().all(|value| levels(value) <= 4));
            tc.draw_silent(any::<Shallow>());
        });
        tc.start_bytes(&[1; 7], if seed % 2 == 0 { 4 } else { 1000 });
        let ended = execute(&mut tc, |tc| assert_eq!(levels(&tc.draw(any::<Shallow>())), 4));
        assert_eq!(matches!(ended, Outcome::Passed), seed % 2 == 1);
    }
}

#[test]
fn a_type_that_never_ends_is_named_with_what_to_do() {
    let mut tc = Driver::new();
    tc.start_bytes(&[], 10_000);
    execute(&mut tc, |tc| drop(tc.draw(any::<Endless>())));
    let words = tc.rejection().expect("it was rejected").to_string();
    assert_eq!(
        words,
        "values of `Endless` contain each other without an end: put an `Option` or a `Vec` around \
         one of the fields that recurse, or add a variant that does not recurse"
    );
    tc.start_bytes(&[1; 1000], 10_000);
    execute(&mut tc, |tc| drop(tc.draw(any::<NoLeaf>())));
    assert!(
        tc.rejection()
            .expect("it was rejected")
            .to_string()
            .starts_with("values of `NoLeaf` contain each other without an end")
    );
}
