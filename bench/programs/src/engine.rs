//! Runs a module on one version of the engine.
//!
//! This file is compiled once for each version: the module around it names the version `wasmi`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::wasmi::{
    CompilationMode, Config, Engine, Error, Extern, ExternType, Func, Linker, Module, Store,
    StoreLimits, StoreLimitsBuilder, TrapCode, Val, ValType,
};
use crate::outcome::{Bits, End, Event, Shown};

/// Fuel of a call, about as many instructions.
const FUEL: u64 = 20_000;
const MEMORY_MAX_BYTES: usize = 1 << 20;
const TABLE_MAX: usize = 10_000;

/// What the functions that the module exports show, one after the other. `None` if this version
/// refuses the module.
pub fn run(wasm: &[u8]) -> Option<Shown> {
    let compiled = catch_unwind(|| {
        let engine = engine();
        Module::new(&engine, wasm).ok().map(|module| (engine, module))
    });
    let Ok(compiled) = compiled else { return Some(vec![vec![Event::Panic]]) };
    let (engine, module) = compiled?;
    let exports = module.exports().filter(|export| matches!(export.ty(), ExternType::Func(_)));
    Some(exports.map(|export| shown(&engine, &module, export.name())).collect())
}

/// What one function shows.
fn shown(engine: &Engine, module: &Module, name: &str) -> Vec<Event> {
    let mut events = Vec::new();
    let end = catch_unwind(AssertUnwindSafe(|| calls(engine, module, name, &mut events)));
    match end {
        Ok(Some(())) => {}
        Ok(None) => events.push(Event::Limit),
        Err(_) => events.push(Event::Panic),
    }
    events
}

fn engine() -> Engine {
    let mut config = Config::default();
    config.consume_fuel(true).compilation_mode(CompilationMode::Eager).wasm_wide_arithmetic(true);
    Engine::new(&config)
}

/// Calls one function of a new instance with several arguments. `None` if a limit ends the calls.
fn calls(engine: &Engine, module: &Module, name: &str, events: &mut Vec<Event>) -> Option<()> {
    let limits =
        StoreLimitsBuilder::new().memory_size(MEMORY_MAX_BYTES).table_elements(TABLE_MAX).build();
    let mut store: Store<StoreLimits> = Store::new(engine, limits);
    store.limiter(|limits| limits);
    store.set_fuel(FUEL).ok()?;
    let instance = match Linker::new(engine).instantiate_and_start(&mut store, module) {
        Ok(instance) => instance,
        Err(error) => {
            events.push(Event::Start(trap(&error)?));
            return Some(());
        }
    };
    let func = instance.get_func(&store, name)?;
    for arguments in 0..3 {
        let end = call(&mut store, func, arguments)?;
        events.push(Event::Call(end));
    }
    for export in instance.exports(&store) {
        let name = export.name().to_owned();
        match export.into_extern() {
            Extern::Func(_) => {}
            Extern::Global(global) => events.push(Event::Global(name, bits(&global.get(&store)))),
            Extern::Memory(memory) => {
                let data = memory.data(&store);
                events.push(Event::Memory(name, hash(data), data.len()));
            }
            Extern::Table(table) => events.push(Event::Table(name, table.size(&store))),
        }
    }
    Some(())
}

fn call(store: &mut Store<StoreLimits>, func: Func, arguments: usize) -> Option<End> {
    let ty = func.ty(&*store);
    let arguments: Vec<Val> =
        ty.params().iter().enumerate().map(|(at, ty)| argument(*ty, at, arguments)).collect();
    let mut results: Vec<Val> = ty.results().iter().map(|_| Val::I32(0)).collect();
    store.set_fuel(FUEL).ok()?;
    match func.call(&mut *store, &arguments, &mut results) {
        Ok(()) => Some(End::Returned(results.iter().map(bits).collect())),
        Err(error) => trap(&error),
    }
}

/// The argument at this place of the parameters in one of three calls.
fn argument(ty: ValType, at: usize, call: usize) -> Val {
    let number = at as u32 + 1;
    match (ty, call) {
        (ValType::I32, 1) => Val::I32(number.cast_signed()),
        (ValType::I64, 1) => Val::I64(i64::from(number)),
        (ValType::F32, 1) => Val::F32((f64::from(number) as f32).into()),
        (ValType::F64, 1) => Val::F64(f64::from(number).into()),
        (ValType::I32, 2) => Val::I32(if at.is_multiple_of(2) { i32::MIN } else { -1 }),
        (ValType::I64, 2) => Val::I64(if at.is_multiple_of(2) { i64::MIN } else { -1 }),
        (ValType::F32, 2) => Val::F32((-0.5).into()),
        (ValType::F64, 2) => Val::F64((-0.5).into()),
        (ValType::I32, _) => Val::I32(0),
        (ValType::I64, _) => Val::I64(0),
        (ValType::F32, _) => Val::F32(0.0.into()),
        (ValType::F64, _) => Val::F64(0.0.into()),
        (ValType::V128, _) => unreachable!("the engine has no vectors"),
        (ValType::FuncRef, _) => Val::FuncRef(<_>::default()),
        (ValType::ExternRef, _) => Val::ExternRef(<_>::default()),
    }
}

/// `None` if a limit is the reason: versions count fuel and stack in different ways.
fn trap(error: &Error) -> Option<End> {
    match error.as_trap_code() {
        Some(TrapCode::OutOfFuel | TrapCode::StackOverflow | TrapCode::GrowthOperationLimited)
        | None => None,
        Some(code) => Some(End::Trapped(format!("{code:?}"))),
    }
}

fn bits(value: &Val) -> Bits {
    match value {
        Val::I32(value) => Bits::I32(*value),
        Val::I64(value) => Bits::I64(*value),
        Val::F32(value) => Bits::f32(value.to_bits()),
        Val::F64(value) => Bits::f64(value.to_bits()),
        Val::V128(_) => Bits::Reference(false),
        Val::FuncRef(reference) => Bits::Reference(reference.is_null()),
        Val::ExternRef(reference) => Bits::Reference(reference.is_null()),
    }
}

/// FNV-1a over words.
fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xCBF2_9CE4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01B3).rotate_left(23)
    })
}
