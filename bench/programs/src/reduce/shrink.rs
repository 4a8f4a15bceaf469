//! `wasm-tools shrink`, as a library.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wasm_shrink::WasmShrink;

use super::Reduced;
use crate::counted::{Counted, process_time};
use crate::oracle::Oracle;
use crate::start::Start;

pub(super) fn reduce(start: Start, limit: Duration) -> Result<Reduced> {
    let module = start.module().context("the start makes no module")?;
    let smallest = Arc::new(Mutex::new(module.clone()));
    let mut oracle = Counted::new(Oracle::new(start.subject.right())?);
    let (began, began_wall) = (process_time(), Instant::now());
    let mut is_finished = true;
    let kept = Arc::clone(&smallest);
    let end = WasmShrink::default()
        .on_new_smallest(Some(Box::new(move |wasm| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = wasm.to_vec();
            Ok(())
        })))
        .run(module, |wasm: &[u8]| {
            if began_wall.elapsed() > limit {
                is_finished = false;
                bail!("the time is over");
            }
            Ok(oracle.fails(wasm))
        });
    if is_finished {
        end?;
    }
    let time = process_time().saturating_sub(began);
    let module = smallest.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Reduced {
        module,
        runs: oracle.runs,
        time: time.saturating_sub(oracle.time),
        oracle_time: oracle.time,
        is_finished,
        course: Vec::new(),
    })
}
