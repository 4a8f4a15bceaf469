//! The properties in `chaos_theory`, drawn the way its own tests draw.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use chaos_theory::{Env, Generator, Source, assume, make};
use quality_properties::lang::{ALPHABET, DEPTH_MAX, Exp, Func, Lang, Mod, Op, Stmt, StmtKind};
use quality_properties::{Case, Expr, Heap, Property, Verdict, peer, probe};

/// How deep terms and heaps may become. Their recursion has no limit without this one.
const RECURSION_MAX: u32 = 8;

fn main() {
    peer::main(|property, seed| {
        let hour = Duration::from_hours(1);
        // Cases count up from the seed, so neighbouring seeds would share them.
        let seed =
            u32::try_from(seed).expect("no run has that many seeds").wrapping_mul(0x9E37_79B9);
        let env = Env::builder()
            .with_rng_seed(seed)
            .with_check_iters(100_000)
            .with_check_time(hour)
            .with_reduce_time(hour)
            .build();
        let test = |src: &mut Source| {
            probe::enter();
            let case = draw(property, src);
            match probe::judge(property, &case) {
                Verdict::Passes => {}
                Verdict::Invalid => assume!(false),
                Verdict::Fails => panic!("fails"),
            }
        };
        // A failed run panics at its end; nothing failed if it does not.
        let _ = catch_unwind(AssertUnwindSafe(|| env.check(test)));
        None
    });
}

fn draw(property: Property, src: &mut Source) -> Case {
    match property {
        Property::Reverse | Property::Distinct => Case::List(src.any("list")),
        Property::Deletion => {
            let list: Vec<i32> = src.any_of("list", make::vec_n(make::arbitrary::<i32>(), 1..));
            let index = src.any_of("index", make::index(list.len()));
            Case::Indexed(list, index)
        }
        Property::Coupling => {
            Case::Indices(src.any_of("list", make::vec(make::int_in(0..=10usize))))
        }
        Property::Lengthlist => {
            let n = src.any_of("n", make::int_in(1..=100usize));
            Case::List(src.any_of("list", make::vec_n(make::int_in(0..=1000), n..=n)))
        }
        Property::Nestedlists | Property::LargeUnionList => Case::Lists(src.any("lists")),
        Property::DifferenceZero | Property::DifferenceSmall | Property::DifferenceOne => {
            Case::Pair(
                src.any_of("x", make::int_in(1..=i32::MAX)),
                src.any_of("y", make::int_in(1..=i32::MAX)),
            )
        }
        Property::Bound5 => Case::Five(
            (0..5)
                .map(|_| src.any_of("list", make::vec_n(make::arbitrary::<i16>(), ..=1)))
                .collect(),
        ),
        Property::Bound5Unbounded => Case::Five((0..5).map(|_| src.any("list")).collect()),
        Property::Calculator => {
            Case::Expr(src.any_of("expr", make::from_fn(|src| expr(src, RECURSION_MAX))))
        }
        Property::Binheap => {
            Case::Heap(src.any_of("heap", make::from_fn(|src| heap(src, 0, RECURSION_MAX))))
        }
        Property::Parser => Case::Lang(src.any_of("program", programs())),
    }
}

fn expr(src: &mut Source, depth: u32) -> Expr {
    let variants: &[&str] = if depth == 0 { &["int"] } else { &["int", "add", "div"] };
    let sub = |src: &mut Source, label| {
        Box::new(src.any_of(label, make::from_fn(|src| expr(src, depth - 1))))
    };
    src.select("expr", variants, |src, _, variant| match variant {
        0 => Expr::Int(src.any("value")),
        1 => Expr::Add(sub(src, "left"), sub(src, "right")),
        _ => Expr::Div(sub(src, "left"), sub(src, "right")),
    })
}

fn heap(src: &mut Source, least: i64, depth: u32) -> Heap {
    let value = src.any_of("value", make::int_in(least..=i64::from(i32::MAX)));
    if depth == 0 {
        return Heap(value, None, None);
    }
    let side = |src: &mut Source, label| {
        src.maybe(label, |src| {
            Box::new(src.any_of("heap", make::from_fn(|src| heap(src, value, depth - 1))))
        })
    };
    Heap(value, side(src, "left"), side(src, "right"))
}

fn programs() -> impl Generator<Item = Lang> {
    let module = make::from_fn(|src| Mod {
        imports: src.any_of("imports", make::vec(names())),
        exports: src.any_of("exports", make::vec(names())),
    });
    let func = make::from_fn(|src| Func {
        name: src.any_of("name", names()),
        args: src.any_of("args", make::vec(make::from_fn(exp))),
        stmts: src.any_of("stmts", make::vec(make::from_fn(stmt))),
    });
    make::from_fn(move |src| Lang {
        modules: src.any_of("modules", make::vec(&module)),
        funcs: src.any_of("funcs", make::vec(&func)),
    })
}

fn names() -> impl Generator<Item = String> {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    make::string_n(make::one_of_owned(alphabet), 1..)
}

fn stmt(src: &mut Source) -> Stmt {
    src.select("stmt", &["return", "assign", "alloc"], |src, _, variant| {
        let kind = [StmtKind::Return, StmtKind::Assign, StmtKind::Alloc][variant];
        let name =
            if kind == StmtKind::Return { String::new() } else { src.any_of("name", names()) };
        Stmt { kind, name, exp: src.any_of("exp", make::from_fn(exp)) }
    })
}

fn exp(src: &mut Source) -> Exp {
    let depth = src.any_of("depth", make::int_in(0..=DEPTH_MAX));
    exp_of(src, depth)
}

fn exp_of(src: &mut Source, depth: u32) -> Exp {
    if depth == 0 {
        return src.select("leaf", &["bool", "int"], |src, _, variant| {
            if variant == 0 { Exp::Bool(src.any("value")) } else { Exp::Int(src.any("value")) }
        });
    }
    let below = src.any_of("below", make::int_in(0..depth));
    let child = |src: &mut Source, label| {
        Box::new(src.any_of(label, make::from_fn(|src| exp_of(src, below))))
    };
    src.select("exp", &["not", "and", "or", "add", "sub", "mul", "div"], |src, _, variant| {
        match variant {
            0 => Exp::Not(child(src, "of")),
            op => Exp::Op(Op::ALL[op - 1], child(src, "left"), child(src, "right")),
        }
    })
}
