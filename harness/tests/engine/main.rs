//! Properties of the engine: the order of choices, and their bytes.

mod order;

mod shape;

mod codec;
