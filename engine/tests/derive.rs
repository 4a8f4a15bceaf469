//! `#[derive(Generate)]`: what the generated code draws, and in which order.

mod drawn;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use drawn::{decoded, draw, random};
use dwindle_engine::internals::choice::{Constraint, Role, Value};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{DEPTH_HARD, DEPTH_MAX, Driver, Label, Outcome, Payload, execute};
use dwindle_engine::{Generate, any};

/// How an execution ends that draws one `T` from `bytes`.
fn ended<T: Generate>(bytes: &[u8]) -> Outcome<Payload> {
    let mut tc = Driver::new();
    tc.start_bytes(bytes, 1_000_000);
    execute(&mut tc, |tc| drop(tc.draw_silent(any::<T>())))
}

/// The values of the random runs that end by themselves. Each is the same when it is decoded from
/// its own bytes.
fn ended_by_themselves<T: Generate + PartialEq + std::fmt::Debug>(runs: u64) -> Vec<T> {
    let mut tc = Driver::new();
    let mut values = Vec::new();
    for seed in 0..runs {
        tc.start_random(seed, 10_000);
        if let Ok(value) = draw(&mut tc, &any::<T>()) {
            assert_eq!(decoded::<T>(&encode(&tc.trace().choices)), value);
            values.push(value);
        }
    }
    values
}

#[derive(Debug, PartialEq, Generate)]
struct Named {
    small: u8,
    wide: u32,
    flag: bool,
}

#[derive(Debug, PartialEq, Generate)]
struct Positional(u8, i16);

#[derive(Debug, PartialEq, Generate)]
struct Nothing;

#[derive(Debug, PartialEq, Generate)]
struct AlsoNothing {}

#[test]
fn a_struct_draws_its_fields_in_order() {
    assert_eq!(
        decoded::<Named>(&[7, 1, 2, 0, 0, 0x80]),
        Named { small: 7, wide: 0x201, flag: true }
    );
    assert_eq!(decoded::<Positional>(&[9, 0xFF, 0xFF]), Positional(9, -1));
    assert_eq!(decoded::<Named>(&[]), Named { small: 0, wide: 0, flag: false });
}

#[test]
fn a_type_without_data_draws_nothing() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[1, 2, 3], 0);
    assert_eq!(
        (Nothing::generate(&mut tc), AlsoNothing::generate(&mut tc)),
        (Nothing, AlsoNothing {})
    );
    assert!(tc.trace().is_empty());
}

#[test]
fn a_struct_is_one_span_with_the_label_of_its_path() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[], 100);
    Named::generate(&mut tc);
    tc.finish();
    let span = tc.trace().spans[0];
    assert_eq!(
        (span.range(), span.label, span.parent),
        (0..3, Label::of(concat!(module_path!(), "::Named")), None)
    );
}

#[derive(Debug, PartialEq, Generate)]
enum Shape {
    Point,
    Circle(u8),
    Box { width: u8, height: u8 },
}

#[test]
fn an_enum_draws_its_alternative_then_the_fields_of_that_variant() {
    assert_eq!(decoded::<Shape>(&[]), Shape::Point);
    assert_eq!(decoded::<Shape>(&[1, 9]), Shape::Circle(9));
    assert_eq!(decoded::<Shape>(&[2, 3, 4]), Shape::Box { width: 3, height: 4 });
    assert_eq!(decoded::<Shape>(&[3, 3, 4]), Shape::Point);
    assert_eq!(
        decoded::<Vec<Shape>>(&[1, 2, 5, 3, 6, 7, 0]),
        [Shape::Point, Shape::Circle(5), Shape::Box { width: 6, height: 7 }]
    );
    let alternatives = Shape::alternatives().expect("an enum has alternatives");
    assert_eq!(
        (alternatives.count, alternatives.leaves, alternatives.label),
        (3, 3, Label::of(concat!(module_path!(), "::Shape")))
    );
}

#[derive(Debug, PartialEq, Generate)]
enum Only {
    One(u8),
}

#[derive(Debug, PartialEq, Generate)]
enum Lonely {
    Unit,
}

#[test]
fn an_enum_of_one_variant_draws_no_alternative() {
    assert_eq!(decoded::<Only>(&[5]), Only::One(5));
    assert_eq!(decoded::<Lonely>(&[5]), Lonely::Unit);
    assert_eq!(decoded::<Vec<Only>>(&[1, 5, 1, 6, 0]), [Only::One(5), Only::One(6)]);
    assert_eq!((Only::alternatives(), Lonely::alternatives()), (None, None));
}

#[derive(Debug, PartialEq, Generate)]
struct Wrapped(Shape);

#[derive(Debug, PartialEq, Generate)]
struct Step {
    shape: Shape,
    times: u8,
}

#[test]
fn a_struct_passes_on_the_alternatives_it_begins_with() {
    assert_eq!(decoded::<Wrapped>(&[1, 5]), Wrapped(Shape::Circle(5)));
    assert_eq!(
        decoded::<Vec<Wrapped>>(&[2, 5, 1, 0]),
        [Wrapped(Shape::Circle(5)), Wrapped(Shape::Point)]
    );
    assert_eq!(
        decoded::<Vec<Step>>(&[2, 5, 3, 1, 4, 0]),
        [Step { shape: Shape::Circle(5), times: 3 }, Step { shape: Shape::Point, times: 4 }]
    );
    assert_eq!(
        Wrapped::alternatives().map(|alternatives| alternatives.label),
        Some(Label::of(concat!(module_path!(), "::Wrapped")))
    );
    assert_eq!(Named::alternatives(), None);
}

#[derive(Debug, PartialEq, Generate)]
enum Expr {
    Add(Box<Expr>, Box<Self>),
    Number(i32),
    List(Vec<self::Expr>),
    Variable(char),
    Named { parts: BTreeMap<u8, Option<Expr>> },
}

#[test]
fn variants_that_mention_the_type_come_last_and_the_others_keep_their_order() {
    assert_eq!(decoded::<Expr>(&[]), Expr::Number(0));
    assert_eq!(decoded::<Expr>(&[1, b'x']), Expr::Variable('x'));
    assert_eq!(
        decoded::<Expr>(&[2, 1, b'x', 1, b'y']),
        Expr::Add(Box::new(Expr::Variable('x')), Box::new(Expr::Variable('y')))
    );
    assert_eq!(decoded::<Expr>(&[3, 2, b'x', 0]), Expr::List(vec![Expr::Variable('x')]));
    assert_eq!(decoded::<Expr>(&[4, 0]), Expr::Named { parts: BTreeMap::new() });
    let alternatives = Expr::alternatives().expect("an enum has alternatives");
    assert_eq!((alternatives.count, alternatives.leaves), (5, 2));
}

fn depth(expr: &Expr) -> usize {
    match expr {
        Expr::Add(left, right) => 1 + depth(left).max(depth(right)),
        Expr::Number(_) | Expr::Variable(_) => 1,
        Expr::List(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Expr::Named { parts } => 1 + parts.values().flatten().map(depth).max().unwrap_or(0),
    }
}

#[test]
fn recursion_ends_at_the_greatest_depth_whatever_the_bytes() {
    // List, fused as 3 + 1, for ever.
    let deep = decoded::<Expr>(&[3, 4].repeat(1000));
    assert!((DEPTH_MAX..=DEPTH_MAX + 1).contains(&depth(&deep)), "{}", depth(&deep));
    let values = ended_by_themselves::<Expr>(300);
    assert!(values.len() > 250, "{} of 300 ended by themselves", values.len());
    assert!(values.iter().all(|value| depth(value) <= DEPTH_MAX + 1));
    assert!(values.iter().any(|value| depth(value) > 3));
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
enum NoLeaf {
    Many(Vec<NoLeaf>),
    Perhaps(Option<Box<NoLeaf>>),
}

#[test]
fn an_enum_that_only_recurses_ends_through_its_collections_or_is_rejected() {
    assert!(matches!(ended::<NoLeaf>(&[]), Outcome::Passed));
    assert!(matches!(ended::<NoLeaf>(&[1; 1000]), Outcome::Rejected));
    assert_eq!(NoLeaf::alternatives().map(|alternatives| alternatives.leaves), Some(0));
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
struct Chicken {
    lays: Option<Box<Egg>>,
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
struct Egg {
    weight: u8,
    hatches: Vec<Chicken>,
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
struct Endless(Box<Endless>);

#[test]
fn recursion_through_other_types_is_rejected_before_the_stack_ends() {
    assert!(matches!(ended::<Chicken>(&[]), Outcome::Passed));
    // Some, then for ever: a weight of 2, and one more chicken that lays (1 + 1, fused).
    let deep = |levels: usize| [&[1][..], &[2].repeat(levels)].concat();
    assert!(matches!(ended::<Chicken>(&deep(20)), Outcome::Passed));
    assert!(matches!(ended::<Chicken>(&deep(4 * DEPTH_HARD)), Outcome::Rejected));
    assert!(matches!(ended::<Endless>(&[]), Outcome::Rejected));
    assert!(matches!(ended::<Vec<Endless>>(&[1]), Outcome::Rejected));
}

#[derive(Debug, PartialEq, Generate)]
struct Tree {
    children: Vec<Tree>,
}

#[test]
fn random_trees_mostly_end_by_themselves() {
    let ended = ended_by_themselves::<Tree>(300);
    assert!(ended.len() > 290, "{}", ended.len());
    assert!(ended.iter().any(|tree| {
        tree.children
            .iter()
            .any(|child| child.children.iter().any(|grandchild| !grandchild.children.is_empty()))
    }));
}

trait Family {
    type Member;
}

#[derive(Debug, PartialEq)]
struct Bytes;

impl Family for Bytes {
    type Member = u8;
}

#[derive(Debug, PartialEq, Generate)]
struct Generic<'a, T, F: Family, N, const COUNT: usize>
where
    F::Member: PartialEq,
{
    value: T,
    more: Vec<Option<T>>,
    members: [F::Member; COUNT],
    projected: <F as Family>::Member,
    unused: PhantomData<(&'a str, N)>,
}

/// Neither `Family` nor `N` generates; only what fields hold does.
#[test]
fn generic_types_are_bounded_by_what_their_fields_use() {
    type Concrete = Generic<'static, u8, Bytes, std::thread::Thread, 2>;
    let value = decoded::<Concrete>(&[1, 2, 3, 0, 4, 5, 6]);
    assert_eq!(
        (value.value, value.more, value.members, value.projected),
        (1, vec![Some(3)], [4, 5], 6)
    );
}

#[derive(Debug, PartialEq, Generate)]
enum Chain<T> {
    End,
    Link(T, Box<Chain<T>>),
}

#[test]
fn generic_types_may_recurse() {
    assert_eq!(
        decoded::<Chain<u8>>(&[1, 7, 1, 8, 0]),
        Chain::Link(7, Box::new(Chain::Link(8, Box::new(Chain::End))))
    );
    assert!(random(&any::<Chain<u8>>(), 100).len() == 100);
}

mod reexported {
    pub(super) mod somewhere {
        pub(in super::super) use dwindle_engine as dwindle;
    }
}

#[derive(Debug, PartialEq, Generate)]
#[dwindle(crate = "reexported::somewhere::dwindle")]
enum Elsewhere {
    Here,
    There(u8),
}

#[test]
fn the_attribute_says_where_the_engine_is() {
    assert_eq!(decoded::<Elsewhere>(&[1, 5]), Elsewhere::There(5));
    assert_eq!(decoded::<Elsewhere>(&[]), Elsewhere::Here);
}

/// Names that generated code could trip over.
#[derive(Debug, PartialEq, Generate)]
struct Awkward {
    tc: u8,
    index: u8,
    r#type: u8,
}

#[expect(dead_code, reason = "in the way of the generated code, which must not call it")]
impl Awkward {
    fn generate() {}
    fn alternatives() {}
    fn generate_alternative() {}
}

#[derive(Debug, PartialEq, Generate)]
enum AwkwardToo {
    None,
    Some(u8),
    Ok,
    r#Type { index: u8, tc: u8 },
}

#[test]
fn names_of_users_do_not_get_in_the_way() {
    assert_eq!(decoded::<Awkward>(&[1, 2, 3]), Awkward { tc: 1, index: 2, r#type: 3 });
    assert_eq!(decoded::<AwkwardToo>(&[3, 2, 1]), AwkwardToo::r#Type { index: 2, tc: 1 });
    assert_eq!(
        decoded::<Vec<AwkwardToo>>(&[1, 2, 9, 3]),
        [AwkwardToo::None, AwkwardToo::Some(9), AwkwardToo::Ok]
    );
}

#[test]
fn a_shallower_alternative_is_recorded_as_it_was_chosen() {
    let mut tc = Driver::new();
    tc.start_bytes_recorded(&[2, 1, b'a', 0], 100);
    Expr::generate(&mut tc);
    let first = &tc.trace().choices[0];
    assert_eq!(first.value, Value::Integer(2));
    let Constraint::Integer(range) = &first.constraint else { panic!("{:?}", first.constraint) };
    assert_eq!((range.role, range.max), (Role::Alternative, 4));
}

#[test]
fn the_leaf_that_ends_a_deep_value_is_recorded_as_this_leaf() {
    let mut tc = Driver::new();
    // List, fused as 3 + 1, until it must be a leaf: 3 % 2, fused as 2.
    let bytes = [&[3][..], &[4; 99]].concat();
    tc.start_bytes_recorded(&bytes, 1000);
    let deep = Expr::generate(&mut tc);
    let mut choices = tc.trace().choices[1..].iter();
    let first_leaf = choices.find(|choice| choice.value != Value::Integer(4));
    assert_eq!(first_leaf.map(|choice| &choice.value), Some(&Value::Integer(2)));
    assert_eq!(decoded::<Expr>(&encode(&tc.trace().choices)), deep);
}

#[test]
fn what_cannot_be_derived_is_refused_with_the_reason() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
