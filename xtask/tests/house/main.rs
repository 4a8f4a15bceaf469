//! Rules of the house, checked on the sources: which module may name which, and words.

mod rooms;
mod sources;
mod words;
