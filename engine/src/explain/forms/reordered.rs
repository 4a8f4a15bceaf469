//! Inputs with the operations of another one in another order. If both orders fail, the order is no
//! part of the fault.
//!
//! The operation that shows the fault stands last, and stays there: removing a key that was
//! inserted is one fault, and inserting one that was removed another.
//!
//! Rounds of a loop that is written by hand keep their order. An input contains a cause if its
//! draws stand there in order, also if they are of several rounds. With exchanged rounds that says
//! little.

use crate::choice::Value;
use crate::explain::classes::operations::elements;
use crate::trace::Trace;

/// How many pairs of operations are exchanged.
const PAIRS_MAX: usize = 10;

/// The values of the input with each two of its operations exchanged, but for the last one.
pub(super) fn reordered(input: &Trace) -> Vec<Vec<Value>> {
    let values = input.values();
    let mut operations: Vec<_> = elements(input);
    operations.pop();
    let pairs = operations
        .iter()
        .enumerate()
        .flat_map(|(index, other)| operations[..index].iter().map(move |one| (one, other)));
    let exchanged = pairs.take(PAIRS_MAX).map(|(one, other)| {
        [
            &values[..one.start],
            &values[other.clone()],
            &values[one.end..other.start],
            &values[one.clone()],
            &values[other.end..],
        ]
        .concat()
    });
    exchanged.collect()
}
