//! A small language of programs: integers, locals, globals, a memory, blocks, loops and calls.
//!
//! Every value of [`Program`] is a valid module. A reference is a number, which is taken modulo the
//! number of things it may mean. Loops count down, and functions call only those before them.

use dwindle::prelude::*;
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ExportKind, ExportSection, Function as Code,
    FunctionSection, GlobalSection, GlobalType, Instruction as I, MemArg, MemArgTarget,
    MemorySection, MemoryType, Module, TypeSection, ValType,
};

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

/// Addresses lie below this. It is a power of two.
const ADDRESSES: i32 = 1024;

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

/// Writes the code of one function.
struct Emitter<'a> {
    program: &'a Program,
    at: usize,
    function: &'a Function,
    /// Types of parameters and locals.
    locals: Vec<Type>,
    /// Locals that count loops.
    counters: u32,
    /// How many blocks and loops are open, and how deep each of them lies.
    labels: Vec<u32>,
    depth: u32,
    code: Vec<I<'static>>,
}

impl<'a> Emitter<'a> {
    fn new(program: &'a Program, at: usize) -> Emitter<'a> {
        let function = &program.functions[at];
        let locals = [&function.parameters[..], &function.locals].concat();
        Emitter {
            program,
            at,
            function,
            locals,
            counters: 0,
            labels: Vec::new(),
            depth: 0,
            code: Vec::new(),
        }
    }

    fn function(mut self) -> Code {
        self.statements(&self.function.body);
        for result in &self.function.results {
            self.typed(result);
        }
        self.code.push(I::End);
        let mut locals: Vec<(u32, ValType)> =
            self.function.locals.iter().map(|ty| (1, ty.value_type())).collect();
        if self.counters > 0 {
            locals.push((self.counters, ValType::I32));
        }
        let mut code = Code::new(locals);
        for instruction in &self.code {
            code.instruction(instruction);
        }
        code
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::SetI32(place, value) => {
                self.i32(value);
                self.set(*place, Type::I32);
            }
            Statement::SetI64(place, value) => {
                self.i64(value);
                self.set(*place, Type::I64);
            }
            Statement::Drop(value) => {
                self.typed(value);
                self.code.push(I::Drop);
            }
            Statement::Return(condition) => {
                self.i32(condition);
                self.code.push(I::If(BlockType::Empty));
                for result in &self.function.results {
                    self.zero(result.ty());
                }
                self.code.extend([I::Return, I::End]);
            }
            Statement::StoreI32(address, value) => {
                self.address(address);
                self.i32(value);
                self.store(I::I32Store(memarg(2)));
            }
            Statement::StoreI64(address, value) => {
                self.address(address);
                self.i64(value);
                self.store(I::I64Store(memarg(3)));
            }
            Statement::If(condition, then, otherwise) => {
                self.i32(condition);
                self.code.push(I::If(BlockType::Empty));
                self.depth += 1;
                self.statements(then);
                if !otherwise.is_empty() {
                    self.code.push(I::Else);
                    self.statements(otherwise);
                }
                self.depth -= 1;
                self.code.push(I::End);
            }
            Statement::Loop(times, body) => self.counted(*times, body),
            Statement::Block(body) => {
                self.code.push(I::Block(BlockType::Empty));
                self.labels.push(self.depth);
                self.depth += 1;
                self.statements(body);
                self.depth -= 1;
                self.labels.pop();
                self.code.push(I::End);
            }
            Statement::Break(condition) => {
                self.i32(condition);
                self.code.push(match self.labels.last() {
                    Some(label) => I::BrIf(self.depth - 1 - label),
                    None => I::Drop,
                });
            }
        }
    }

    /// A block around a loop, so that a break leaves the loop.
    fn counted(&mut self, times: i32, body: &[Statement]) {
        let counter = self.locals.len() as u32 + self.counters;
        self.counters += 1;
        self.code.extend([I::I32Const(times), I::LocalSet(counter)]);
        self.code.push(I::Block(BlockType::Empty));
        self.labels.push(self.depth);
        self.code.push(I::Loop(BlockType::Empty));
        self.depth += 2;
        self.statements(body);
        self.code.extend([I::LocalGet(counter), I::I32Const(1), I::I32Sub]);
        self.code.extend([I::LocalTee(counter), I::BrIf(0)]);
        self.depth -= 2;
        self.labels.pop();
        self.code.extend([I::End, I::End]);
    }

    fn typed(&mut self, value: &Typed) {
        match value {
            Typed::I32(value) => self.i32(value),
            Typed::I64(value) => self.i64(value),
        }
    }

    fn i32(&mut self, value: &I32) {
        match value {
            I32::Constant(value) => self.code.push(I::I32Const(*value)),
            I32::Get(place) => self.get(*place, Type::I32),
            I32::Unary(operation, operand) => {
                self.i32(operand);
                self.code.push(operation.clone());
            }
            I32::Binary(operation, left, right) => {
                self.i32(left);
                self.i32(right);
                self.code.push(operation.clone());
            }
            I32::Compare(operation, left, right) => {
                self.i64(left);
                self.i64(right);
                self.code.push(operation.clone());
            }
            I32::Wrap(value) => {
                self.i64(value);
                self.code.push(I::I32WrapI64);
            }
            I32::Select(left, right, condition) => {
                self.i32(left);
                self.i32(right);
                self.i32(condition);
                self.code.push(I::Select);
            }
            I32::If(condition, then, otherwise) => {
                self.i32(condition);
                self.code.push(I::If(BlockType::Result(ValType::I32)));
                self.depth += 1;
                self.i32(then);
                self.code.push(I::Else);
                self.i32(otherwise);
                self.depth -= 1;
                self.code.push(I::End);
            }
            I32::Tee(local, value) => {
                self.i32(value);
                if let Some(local) = self.local(*local, Type::I32) {
                    self.code.push(I::LocalTee(local));
                }
            }
            I32::Load(address) => {
                self.address(address);
                if self.program.has_memory {
                    self.code.push(I::I32Load(memarg(2)));
                }
            }
        }
    }

    fn i64(&mut self, value: &I64) {
        match value {
            I64::Constant(value) => self.code.push(I::I64Const(*value)),
            I64::Get(place) => self.get(*place, Type::I64),
            I64::Unary(operation, operand) => {
                self.i64(operand);
                self.code.push(operation.clone());
            }
            I64::Binary(operation, left, right) => {
                self.i64(left);
                self.i64(right);
                self.code.push(operation.clone());
            }
            I64::Extend(operation, value) => {
                self.i32(value);
                self.code.push(operation.clone());
            }
            I64::Select(left, right, condition) => {
                self.i64(left);
                self.i64(right);
                self.i32(condition);
                self.code.push(I::Select);
            }
            I64::If(condition, then, otherwise) => {
                self.i32(condition);
                self.code.push(I::If(BlockType::Result(ValType::I64)));
                self.depth += 1;
                self.i64(then);
                self.code.push(I::Else);
                self.i64(otherwise);
                self.depth -= 1;
                self.code.push(I::End);
            }
            I64::Tee(local, value) => {
                self.i64(value);
                if let Some(local) = self.local(*local, Type::I64) {
                    self.code.push(I::LocalTee(local));
                }
            }
            I64::Load(address) => {
                self.address(address);
                self.code.push(if self.program.has_memory {
                    I::I64Load(memarg(3))
                } else {
                    I::I64ExtendI32U
                });
            }
            I64::Call(function, arguments) => self.call(*function, arguments),
            I64::Wide(operation, a, b, c, d) => {
                for operand in [a, b, c, d] {
                    self.i64(operand);
                }
                self.code.extend([operation.clone(), I::I64Xor]);
            }
            I64::WideMultiply(operation, left, right) => {
                self.i64(left);
                self.i64(right);
                self.code.extend([operation.clone(), I::I64Xor]);
            }
        }
    }

    /// Missing arguments are zero, and so is the value of a function without results.
    fn call(&mut self, number: usize, arguments: &[I64]) {
        if self.at == 0 {
            self.zero(Type::I64);
            return;
        }
        let callee = number % self.at;
        let function = &self.program.functions[callee];
        for (at, ty) in function.parameters.iter().enumerate() {
            match (arguments.get(at), ty) {
                (Some(argument), Type::I64) => self.i64(argument),
                (Some(argument), Type::I32) => {
                    self.i64(argument);
                    self.code.push(I::I32WrapI64);
                }
                (None, ty) => self.zero(*ty),
            }
        }
        self.code.push(I::Call(callee as u32));
        let Some((first, rest)) = function.results.split_first() else {
            self.zero(Type::I64);
            return;
        };
        self.code.extend(rest.iter().map(|_| I::Drop));
        if first.ty() == Type::I32 {
            self.code.push(I::I64ExtendI32S);
        }
    }

    fn zero(&mut self, ty: Type) {
        self.code.push(match ty {
            Type::I32 => I::I32Const(0),
            Type::I64 => I::I64Const(0),
        });
    }

    fn address(&mut self, address: &I32) {
        self.i32(address);
        if self.program.has_memory {
            self.code.extend([I::I32Const(ADDRESSES - 1), I::I32And]);
        }
    }

    /// Without a memory the address and the value are dropped.
    fn store(&mut self, store: I<'static>) {
        if self.program.has_memory {
            self.code.push(store);
        } else {
            self.code.extend([I::Drop, I::Drop]);
        }
    }

    fn set(&mut self, place: Place, ty: Type) {
        self.code.push(match self.resolve(place, ty) {
            Some(Place::Local(at)) => I::LocalSet(at as u32),
            Some(Place::Global(at)) => I::GlobalSet(at as u32),
            None => I::Drop,
        });
    }

    fn get(&mut self, place: Place, ty: Type) {
        match self.resolve(place, ty) {
            Some(Place::Local(at)) => self.code.push(I::LocalGet(at as u32)),
            Some(Place::Global(at)) => self.code.push(I::GlobalGet(at as u32)),
            None => self.zero(ty),
        }
    }

    /// The place that the number means.
    fn resolve(&self, place: Place, ty: Type) -> Option<Place> {
        match place {
            Place::Local(number) => self.local(number, ty).map(|at| Place::Local(at as usize)),
            Place::Global(number) => {
                let globals = self.program.globals.iter().map(|global| global.ty());
                nth_of_type(globals, number, ty).map(Place::Global)
            }
        }
    }

    fn local(&self, number: usize, ty: Type) -> Option<u32> {
        nth_of_type(self.locals.iter().copied(), number, ty).map(|at| at as u32)
    }
}

fn nth_of_type(types: impl Iterator<Item = Type>, number: usize, ty: Type) -> Option<usize> {
    let of_type: Vec<usize> =
        types.enumerate().filter(|(_, other)| *other == ty).map(|(at, _)| at).collect();
    (!of_type.is_empty()).then(|| of_type[number % of_type.len()])
}

fn memarg(align: u32) -> MemArg {
    MemArg { offset: 0, align, target: MemArgTarget::Memory(0), ordering: None }
}
