//! Properties of the store: random programs of its writers beside a model of what it promises, and
//! of the events.

#[path = "../bugs/sample.rs"]
#[expect(dead_code, reason = "the tests of single cases use all of it")]
mod sample;

mod operation;
mod model;

mod machine;
mod merging;

mod events;
