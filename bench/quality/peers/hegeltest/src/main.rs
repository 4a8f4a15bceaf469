//! The properties in hegeltest, drawn the way its documentation draws.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hegel::generators::{self as gs, BoxedGenerator, Generator};
use hegel::{HealthCheck, Hegel, Phase, Settings, TestCase, Verbosity, compose, one_of, tuples};
use quality_properties::lang::{ALPHABET, DEPTH_MAX, Exp, Func, Lang, Mod, Op, Stmt, StmtKind};
use quality_properties::{Case, Expr, Heap, Property, Verdict, peer, probe};

/// How deep heaps may become. Their recursion has no limit without this one.
const HEAP_DEPTH_MAX: u32 = 8;

fn main() {
    peer::main(|property, seed| {
        let settings = Settings::new()
            .test_cases(100_000)
            .seed(Some(seed))
            .derandomize(false)
            .database(None)
            .verbosity(Verbosity::Quiet)
            .phases([Phase::Generate, Phase::Shrink])
            .suppress_health_check(HealthCheck::all());
        let test = |tc: TestCase| {
            probe::enter();
            let case = draw(property, &tc);
            match probe::judge(property, &case) {
                Verdict::Passes => {}
                Verdict::Invalid => tc.reject(),
                Verdict::Fails => panic!("fails"),
            }
        };
        // A failed run panics at its end; nothing failed if it does not.
        let _ = catch_unwind(AssertUnwindSafe(|| Hegel::new(test).settings(settings).run()));
        None
    });
}

fn draw(property: Property, tc: &TestCase) -> Case {
    let ints = gs::integers::<i32>;
    let positive = || ints().min_value(1);
    match property {
        Property::Reverse | Property::Distinct => Case::List(tc.draw_silent(gs::vecs(ints()))),
        Property::Deletion => {
            let list = tc.draw_silent(gs::vecs(ints()).min_size(1));
            let index = tc.draw_silent(gs::integers::<usize>().max_value(list.len() - 1));
            Case::Indexed(list, index)
        }
        Property::Coupling => {
            Case::Indices(tc.draw_silent(gs::vecs(gs::integers::<usize>().max_value(10))))
        }
        Property::Lengthlist => {
            let elements = || ints().min_value(0).max_value(1000);
            let lists = gs::integers::<usize>()
                .min_value(1)
                .max_value(100)
                .flat_map(move |n| gs::vecs(elements()).min_size(n).max_size(n));
            Case::List(tc.draw_silent(lists))
        }
        Property::Nestedlists | Property::LargeUnionList => {
            Case::Lists(tc.draw_silent(gs::vecs(gs::vecs(ints()))))
        }
        Property::DifferenceZero | Property::DifferenceSmall | Property::DifferenceOne => {
            Case::Pair(tc.draw_silent(positive()), tc.draw_silent(positive()))
        }
        Property::Bound5 => Case::Five(
            (0..5).map(|_| tc.draw_silent(gs::vecs(gs::integers::<i16>()).max_size(1))).collect(),
        ),
        Property::Bound5Unbounded => {
            Case::Five((0..5).map(|_| tc.draw_silent(gs::vecs(gs::integers::<i16>()))).collect())
        }
        Property::Calculator => Case::Expr(tc.draw_silent(exprs())),
        Property::Binheap => Case::Heap(tc.draw_silent(heaps(0, HEAP_DEPTH_MAX))),
        Property::Parser => Case::Lang(tc.draw_silent(programs())),
    }
}

fn exprs() -> impl Generator<Expr> {
    let expr = gs::deferred::<Expr>();
    let handle = expr.generator();
    let add = tuples!(expr.generator(), expr.generator())
        .map(|(left, right)| Expr::Add(Box::new(left), Box::new(right)));
    let div = tuples!(expr.generator(), expr.generator())
        .map(|(left, right)| Expr::Div(Box::new(left), Box::new(right)));
    expr.set(one_of!(gs::integers::<i32>().map(Expr::Int), add, div));
    handle
}

fn heaps(least: i64, depth: u32) -> BoxedGenerator<'static, Heap> {
    compose!(|tc| {
        let value =
            tc.draw_silent(gs::integers::<i64>().min_value(least).max_value(i64::from(i32::MAX)));
        if depth == 0 {
            return Heap(value, None, None);
        }
        let side = || gs::optional(heaps(value, depth - 1).map(Box::new));
        Heap(value, tc.draw_silent(side()), tc.draw_silent(side()))
    })
    .boxed()
}

fn programs() -> impl Generator<Lang> {
    let modules = gs::vecs(
        tuples!(gs::vecs(names()), gs::vecs(names()))
            .map(|(imports, exports)| Mod { imports, exports }),
    );
    let funcs = gs::vecs(
        tuples!(names(), gs::vecs(exps()), gs::vecs(stmts())).map(|(name, args, stmts)| Func {
            name,
            args,
            stmts,
        }),
    );
    tuples!(modules, funcs).map(|(modules, funcs)| Lang { modules, funcs })
}

fn names() -> impl Generator<String> {
    gs::text().alphabet(ALPHABET).min_size(1)
}

fn stmts() -> impl Generator<Stmt> {
    let named = |kind| tuples!(names(), exps()).map(move |(name, exp)| Stmt { kind, name, exp });
    one_of!(
        exps().map(|exp| Stmt { kind: StmtKind::Return, name: String::new(), exp }),
        named(StmtKind::Assign),
        named(StmtKind::Alloc)
    )
}

fn exps() -> impl Generator<Exp> {
    gs::integers::<u32>().max_value(DEPTH_MAX).flat_map(exps_of)
}

fn exps_of(depth: u32) -> BoxedGenerator<'static, Exp> {
    compose!(|tc| {
        if depth == 0 {
            return tc.draw_silent(one_of!(
                gs::booleans().map(Exp::Bool),
                gs::integers::<i64>().map(Exp::Int)
            ));
        }
        let below = tc.draw_silent(gs::integers::<u32>().max_value(depth - 1));
        let child = || Box::new(tc.draw_silent(exps_of(below)));
        match tc.draw_silent(gs::integers::<usize>().max_value(Op::ALL.len())) {
            0 => Exp::Not(child()),
            op => Exp::Op(Op::ALL[op - 1], child(), child()),
        }
    })
    .boxed()
}
