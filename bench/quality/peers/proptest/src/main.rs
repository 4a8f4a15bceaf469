//! The properties in proptest, as strategies.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use quality_properties::lang::{ALPHABET, DEPTH_MAX, Exp, Func, Lang, Mod, Op, Stmt, StmtKind};
use quality_properties::{Case, Expr, Heap, Property, Verdict, peer, probe};

/// How deep heaps may become. Their recursion has no limit without this one.
const HEAP_DEPTH_MAX: u32 = 8;
/// How long a list may become, which proptest wants to know.
const LENGTH_MAX: usize = 100;

fn main() {
    peer::main(|property, seed| {
        let config = Config {
            cases: 100_000,
            max_local_rejects: u32::MAX,
            max_global_rejects: u32::MAX,
            max_shrink_iters: 100_000,
            failure_persistence: None,
            ..Config::default()
        };
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut runner =
            TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let result = runner.run(&cases(property), |case| {
            probe::enter();
            match probe::judge(property, &case) {
                Verdict::Passes => Ok(()),
                Verdict::Invalid => Err(TestCaseError::reject("no case of the property")),
                Verdict::Fails => Err(TestCaseError::fail("fails")),
            }
        });
        match result {
            Err(TestError::Fail(_, case)) => Some(case),
            _ => None,
        }
    });
}

fn ints() -> impl Strategy<Value = i32> {
    any::<i32>()
}

fn cases(property: Property) -> BoxedStrategy<Case> {
    let lists = || vec(ints(), 0..=LENGTH_MAX);
    match property {
        Property::Reverse | Property::Distinct => lists().prop_map(Case::List).boxed(),
        Property::Deletion => vec(ints(), 1..=LENGTH_MAX)
            .prop_flat_map(|list| (Just(list.clone()), 0..list.len()))
            .prop_map(|(list, index)| Case::Indexed(list, index))
            .boxed(),
        Property::Coupling => vec(0..=10usize, 0..=LENGTH_MAX).prop_map(Case::Indices).boxed(),
        Property::Lengthlist => {
            (1..=100usize).prop_flat_map(|n| vec(0..=1000i32, n)).prop_map(Case::List).boxed()
        }
        Property::Nestedlists | Property::LargeUnionList => {
            vec(lists(), 0..=LENGTH_MAX).prop_map(Case::Lists).boxed()
        }
        Property::DifferenceZero | Property::DifferenceSmall | Property::DifferenceOne => {
            (1..=i32::MAX, 1..=i32::MAX).prop_map(|(x, y)| Case::Pair(x, y)).boxed()
        }
        Property::Bound5 => vec(vec(any::<i16>(), 0..=1), 5).prop_map(Case::Five).boxed(),
        Property::Bound5Unbounded => {
            vec(vec(any::<i16>(), 0..=LENGTH_MAX), 5).prop_map(Case::Five).boxed()
        }
        Property::Calculator => exprs().prop_map(Case::Expr).boxed(),
        Property::Binheap => heaps(0, HEAP_DEPTH_MAX).prop_map(Case::Heap).boxed(),
        Property::Parser => programs().prop_map(Case::Lang).boxed(),
    }
}

fn exprs() -> impl Strategy<Value = Expr> {
    ints().prop_map(Expr::Int).prop_recursive(8, 64, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Expr::Add(Box::new(left), Box::new(right))),
            (inner.clone(), inner)
                .prop_map(|(left, right)| Expr::Div(Box::new(left), Box::new(right))),
        ]
    })
}

fn heaps(least: i64, depth: u32) -> BoxedStrategy<Heap> {
    let values = least..=i64::from(i32::MAX);
    if depth == 0 {
        return values.prop_map(|value| Heap(value, None, None)).boxed();
    }
    let sides = move |value| prop::option::of(heaps(value, depth - 1).prop_map(Box::new));
    values
        .prop_flat_map(move |value| (Just(value), sides(value), sides(value)))
        .prop_map(|(value, left, right)| Heap(value, left, right))
        .boxed()
}

fn programs() -> impl Strategy<Value = Lang> {
    let lists = |of: BoxedStrategy<String>| vec(of, 0..=5);
    let modules = vec(
        (lists(names()), lists(names())).prop_map(|(imports, exports)| Mod { imports, exports }),
        0..=5,
    );
    let funcs =
        vec(
            (names(), vec(exps(), 0..=5), vec(stmts(), 0..=5))
                .prop_map(|(name, args, stmts)| Func { name, args, stmts }),
            0..=5,
        );
    (modules, funcs).prop_map(|(modules, funcs)| Lang { modules, funcs })
}

fn names() -> BoxedStrategy<String> {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    vec(prop::sample::select(alphabet), 1..=10)
        .prop_map(|chars| chars.into_iter().collect())
        .boxed()
}

fn stmts() -> impl Strategy<Value = Stmt> {
    let named = |kind| (names(), exps()).prop_map(move |(name, exp)| Stmt { kind, name, exp });
    let returns = exps().prop_map(|exp| Stmt { kind: StmtKind::Return, name: String::new(), exp });
    prop_oneof![returns, named(StmtKind::Assign), named(StmtKind::Alloc)]
}

fn exps() -> BoxedStrategy<Exp> {
    (0..=DEPTH_MAX).prop_flat_map(exps_of).boxed()
}

fn exps_of(depth: u32) -> BoxedStrategy<Exp> {
    if depth == 0 {
        return prop_oneof![any::<bool>().prop_map(Exp::Bool), any::<i64>().prop_map(Exp::Int)]
            .boxed();
    }
    let two = |below| (prop::sample::select(&Op::ALL[..]), exps_of(below), exps_of(below));
    let of = move |below| {
        prop_oneof![
            1 => exps_of(below).prop_map(|exp| Exp::Not(Box::new(exp))),
            6 => two(below)
                .prop_map(|(op, left, right)| Exp::Op(op, Box::new(left), Box::new(right))),
        ]
    };
    (0..depth).prop_flat_map(of).boxed()
}
