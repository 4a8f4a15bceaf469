//! Classes of inputs around a minimized failure: what claims say, the inputs of a class, and runs
//! of the target that try whether they fail.

pub(crate) mod claims;
pub(crate) mod number_line;
pub(crate) mod strings;
pub(crate) mod relation;
pub(crate) mod tree;
pub(crate) mod trials;
pub(crate) mod targeted;
pub(crate) mod redraw;
pub(crate) mod operations;
pub(crate) mod levels;
pub(crate) mod deep;
pub(crate) mod draw;
pub(crate) mod covers;
pub(crate) mod study;
pub(crate) mod evidence;
pub(crate) mod pattern;
