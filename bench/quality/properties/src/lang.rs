//! The toy language of `SmartCheck`'s parser benchmark, with what its parser gets wrong.
//!
//! The text itself is left out: writing and reading it is faithful but for two constructors, so
//! what is read back is computed from the value.

use std::fmt;

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Lang {
    /// What is imported and exported.
    pub modules: Vec<Mod>,
    /// The code.
    pub funcs: Vec<Func>,
}

/// A module.
#[derive(Clone, Debug, PartialEq)]
pub struct Mod {
    /// Names.
    pub imports: Vec<String>,
    /// Names.
    pub exports: Vec<String>,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Its name: at least one letter or digit.
    pub name: String,
    /// Expressions, as the benchmark has it.
    pub args: Vec<Exp>,
    /// The body.
    pub stmts: Vec<Stmt>,
}

/// A statement; all have an expression, and two a name in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// The name, empty for `Return`.
    pub name: String,
    /// The expression.
    pub exp: Exp,
}

/// Which statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Gives a value back.
    Return,
    /// Sets a variable.
    Assign,
    /// Makes a variable.
    Alloc,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Exp {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// The negation.
    Not(Box<Exp>),
    /// An operation on two.
    Op(Op, Box<Exp>, Box<Exp>),
}

/// An operation on two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Logical.
    And,
    /// Logical.
    Or,
    /// Arithmetical.
    Add,
    /// Arithmetical.
    Sub,
    /// Arithmetical.
    Mul,
    /// Arithmetical.
    Div,
}

impl Op {
    /// In the order in which they are drawn.
    pub const ALL: [Op; 6] = [Op::And, Op::Or, Op::Add, Op::Sub, Op::Mul, Op::Div];
}

/// How deep a drawn expression may be at most.
pub const DEPTH_MAX: u32 = 100;
/// What names are made of.
pub const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

impl Lang {
    pub(crate) fn size(&self) -> usize {
        let modules: usize =
            self.modules.iter().map(|module| module.imports.len() + module.exports.len()).sum();
        let func = |func: &Func| {
            func.args.iter().map(Exp::size).sum::<usize>()
                + func.stmts.iter().map(|stmt| 1 + stmt.exp.size()).sum::<usize>()
        };
        modules + self.funcs.iter().map(func).sum::<usize>()
    }

    pub(crate) fn is_read_back(&self) -> bool {
        let mut exps = self
            .funcs
            .iter()
            .flat_map(|func| func.args.iter().chain(func.stmts.iter().map(|stmt| &stmt.exp)));
        exps.all(|exp| exp.read_back() == *exp)
    }
}

impl Exp {
    fn size(&self) -> usize {
        match self {
            Exp::Bool(_) | Exp::Int(_) => 1,
            Exp::Not(exp) => 1 + exp.size(),
            Exp::Op(_, left, right) => 1 + left.size() + right.size(),
        }
    }

    /// The bug: `And` comes back with its sides swapped, and `Or` as an `And` like that.
    fn read_back(&self) -> Exp {
        let read = |exp: &Exp| Box::new(exp.read_back());
        match self {
            Exp::Bool(_) | Exp::Int(_) => self.clone(),
            Exp::Not(exp) => Exp::Not(read(exp)),
            Exp::Op(Op::And | Op::Or, left, right) => Exp::Op(Op::And, read(right), read(left)),
            Exp::Op(op, left, right) => Exp::Op(*op, read(left), read(right)),
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lang({}, {})", List(&self.modules), List(&self.funcs))
    }
}

impl fmt::Display for Mod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |names: &[String]| {
            names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
        };
        write!(f, "Mod([{}], [{}])", names(&self.imports), names(&self.exports))
    }
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Func('{}', {}, {})", self.name, List(&self.args), List(&self.stmts))
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            StmtKind::Return => write!(f, "Return({})", self.exp),
            kind => write!(f, "{kind:?}('{}', {})", self.name, self.exp),
        }
    }
}

impl fmt::Display for Exp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exp::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Exp::Int(value) => write!(f, "{value}"),
            Exp::Not(exp) => write!(f, "Not({exp})"),
            Exp::Op(op, left, right) => write!(f, "{op:?}({left}, {right})"),
        }
    }
}

struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "[{}]", items.join(", "))
    }
}
