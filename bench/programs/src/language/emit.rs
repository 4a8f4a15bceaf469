//! The code of a function.

use wasm_encoder::{BlockType, Function as Code, Instruction as I, MemArg, MemArgTarget, ValType};

use super::{Function, I32, I64, Place, Program, Statement, Type, Typed};

/// Addresses lie below this. It is a power of two.
const ADDRESSES: i32 = 1024;

/// Writes the code of one function.
pub(super) struct Emitter<'a> {
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
    pub(super) fn new(program: &'a Program, at: usize) -> Emitter<'a> {
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

    pub(super) fn function(mut self) -> Code {
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
