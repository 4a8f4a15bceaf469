//! A small language of programs: integers, locals, globals, a memory, blocks, loops and calls.
//!
//! Every value of [`Program`] is a valid module. A reference is a number, which is taken modulo the
//! number of things it may mean. Loops count down, and functions call only those before them.

mod emit;

use dwindle::prelude::*;
use wasm_encoder::{
    CodeSection, ConstExpr, ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType,
    Instruction as I, MemorySection, MemoryType, Module, TypeSection, ValType,
};

use emit::Emitter;

/// A program.
#[derive(Debug, Generate)]
pub struct Program {
    globals: Vec<Constant>,
    has_memory: bool,
    functions: Vec<Function>,
}

#[derive(Clone, Copy, Debug, Generate)]
enum Constant {
    I32(i32),
    I64(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Generate)]
enum Type {
    I32,
    I64,
}

#[derive(Debug, Generate)]
struct Function {
    parameters: Vec<Type>,
    locals: Vec<Type>,
    body: Vec<Statement>,
    results: Vec<Typed>,
}

#[derive(Debug, Generate)]
enum Typed {
    I32(I32),
    I64(I64),
}

#[derive(Debug, Generate)]
#[generate(depth = 5)]
enum Statement {
    SetI32(Place, I32),
    SetI64(Place, I64),
    Drop(Typed),
    Return(I32),
    StoreI32(I32, I32),
    StoreI64(I32, I64),
    If(I32, Vec<Statement>, Vec<Statement>),
    Loop(#[generate(with = g::integers(1..=5))] i32, Vec<Statement>),
    Block(Vec<Statement>),
    /// Leaves the block or the loop around it, if there is one.
    Break(I32),
}

/// A local or a global of the type.
#[derive(Clone, Copy, Debug, Generate)]
enum Place {
    Local(#[generate(with = g::integers(0..16))] usize),
    Global(#[generate(with = g::integers(0..16))] usize),
}

#[derive(Debug, Generate)]
#[generate(depth = 6)]
enum I32 {
    Constant(i32),
    Get(Place),
    Unary(#[generate(with = g::sampled_from(UNARY_I32))] I<'static>, Box<I32>),
    Binary(#[generate(with = g::sampled_from(BINARY_I32))] I<'static>, Box<I32>, Box<I32>),
    Compare(#[generate(with = g::sampled_from(COMPARE_I64))] I<'static>, Box<I64>, Box<I64>),
    Wrap(Box<I64>),
    Select(Box<I32>, Box<I32>, Box<I32>),
    If(Box<I32>, Box<I32>, Box<I32>),
    Tee(#[generate(with = g::integers(0..16))] usize, Box<I32>),
    Load(Box<I32>),
}

#[derive(Debug, Generate)]
#[generate(depth = 6)]
enum I64 {
    Constant(i64),
    Get(Place),
    Unary(#[generate(with = g::sampled_from(UNARY_I64))] I<'static>, Box<I64>),
    Binary(#[generate(with = g::sampled_from(BINARY_I64))] I<'static>, Box<I64>, Box<I64>),
    Extend(#[generate(with = g::sampled_from(EXTEND))] I<'static>, Box<I32>),
    Select(Box<I64>, Box<I64>, Box<I32>),
    If(Box<I32>, Box<I64>, Box<I64>),
    Tee(#[generate(with = g::integers(0..16))] usize, Box<I64>),
    Load(Box<I32>),
    /// The first result of a function before this one.
    Call(#[generate(with = g::integers(0..64))] usize, Vec<I64>),
    Wide(
        #[generate(with = g::sampled_from(WIDE))] I<'static>,
        Box<I64>,
        Box<I64>,
        Box<I64>,
        Box<I64>,
    ),
    WideMultiply(#[generate(with = g::sampled_from(WIDE_MULTIPLY))] I<'static>, Box<I64>, Box<I64>),
}

const UNARY_I32: [I<'static>; 6] =
    [I::I32Eqz, I::I32Clz, I::I32Ctz, I::I32Popcnt, I::I32Extend8S, I::I32Extend16S];
const BINARY_I32: [I<'static>; 25] = [
    I::I32Add,
    I::I32Sub,
    I::I32Mul,
    I::I32And,
    I::I32Or,
    I::I32Xor,
    I::I32Shl,
    I::I32ShrS,
    I::I32ShrU,
    I::I32Rotl,
    I::I32Rotr,
    I::I32Eq,
    I::I32Ne,
    I::I32LtS,
    I::I32LtU,
    I::I32GtS,
    I::I32GtU,
    I::I32LeS,
    I::I32LeU,
    I::I32GeS,
    I::I32GeU,
    I::I32DivS,
    I::I32DivU,
    I::I32RemS,
    I::I32RemU,
];
const COMPARE_I64: [I<'static>; 10] = [
    I::I64Eq,
    I::I64Ne,
    I::I64LtS,
    I::I64LtU,
    I::I64GtS,
    I::I64GtU,
    I::I64LeS,
    I::I64LeU,
    I::I64GeS,
    I::I64GeU,
];
const UNARY_I64: [I<'static>; 6] =
    [I::I64Clz, I::I64Ctz, I::I64Popcnt, I::I64Extend8S, I::I64Extend16S, I::I64Extend32S];
const BINARY_I64: [I<'static>; 15] = [
    I::I64Add,
    I::I64Sub,
    I::I64Mul,
    I::I64And,
    I::I64Or,
    I::I64Xor,
    I::I64Shl,
    I::I64ShrS,
    I::I64ShrU,
    I::I64Rotl,
    I::I64Rotr,
    I::I64DivS,
    I::I64DivU,
    I::I64RemS,
    I::I64RemU,
];
const EXTEND: [I<'static>; 2] = [I::I64ExtendI32S, I::I64ExtendI32U];
const WIDE: [I<'static>; 2] = [I::I64Add128, I::I64Sub128];
const WIDE_MULTIPLY: [I<'static>; 2] = [I::I64MulWideS, I::I64MulWideU];

impl Type {
    fn value_type(self) -> ValType {
        match self {
            Type::I32 => ValType::I32,
            Type::I64 => ValType::I64,
        }
    }
}

impl Constant {
    fn ty(self) -> Type {
        match self {
            Constant::I32(_) => Type::I32,
            Constant::I64(_) => Type::I64,
        }
    }
}

impl Typed {
    fn ty(&self) -> Type {
        match self {
            Typed::I32(_) => Type::I32,
            Typed::I64(_) => Type::I64,
        }
    }
}

impl Program {
    /// The program as a module that exports everything.
    pub fn module(&self) -> Vec<u8> {
        let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
        let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
        for (at, function) in self.functions.iter().enumerate() {
            let value_types = |types: &[Type]| -> Vec<ValType> {
                types.iter().map(|ty| ty.value_type()).collect()
            };
            let results: Vec<Type> = function.results.iter().map(Typed::ty).collect();
            types.ty().function(value_types(&function.parameters), value_types(&results));
            functions.function(at as u32);
            exports.export(&format!("f{at}"), ExportKind::Func, at as u32);
            code.function(&Emitter::new(self, at).function());
        }
        let mut memories = MemorySection::new();
        if self.has_memory {
            memories.memory(MemoryType {
                minimum: 1,
                maximum: None,
                memory64: false,
                shared: false,
                page_size_log2: None,
            });
            exports.export("m", ExportKind::Memory, 0);
        }
        let mut globals = GlobalSection::new();
        for (at, global) in self.globals.iter().enumerate() {
            let val_type = global.ty().value_type();
            let value = match global {
                Constant::I32(value) => ConstExpr::i32_const(*value),
                Constant::I64(value) => ConstExpr::i64_const(*value),
            };
            globals.global(GlobalType { val_type, mutable: true, shared: false }, &value);
            exports.export(&format!("g{at}"), ExportKind::Global, at as u32);
        }
        let mut module = Module::new();
        module.section(&types).section(&functions);
        if self.has_memory {
            module.section(&memories);
        }
        if !self.globals.is_empty() {
            module.section(&globals);
        }
        module.section(&exports).section(&code);
        module.finish()
    }
}
