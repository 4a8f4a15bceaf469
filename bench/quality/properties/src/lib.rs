//! The properties that the quality bench shrinks, without their generators: each tool generates in
//! its own way, and all are judged and counted alike.

pub mod property;
pub mod case;
pub mod heap;
pub mod lang;
pub mod probe;
pub mod peer;

pub use case::{Case, Expr};
pub use heap::Heap;
pub use property::{Property, Verdict};
