//! The store from outside: what goes in and comes out, and everything that can get in the way.

mod sample;

mod store;

mod kills;

mod writers;

mod damage;

mod merge;

mod aliases;

mod contents;

mod inputs;
