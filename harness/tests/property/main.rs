//! Properties as tests: `#[dwindle::test]`.

mod support;
mod written;
mod messages;
mod several;
mod causes;
mod borrowed;
mod futures;
mod health;
mod stored;
mod processes;
mod reproducing;
