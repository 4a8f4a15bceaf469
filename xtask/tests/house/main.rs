//! Rules of the house, checked on the sources: which module may name which,
//! sizes, and words.

mod rooms;
mod sizes;
mod sources;
mod words;
