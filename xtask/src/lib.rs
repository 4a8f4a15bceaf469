//! What CI runs, and the long measurements. A library so that the end-to-end tests find the same
//! tools.

pub mod ci;
pub mod steps;
pub mod tools;
pub mod crashes;
pub mod odd;
pub mod transcripts;
pub mod evidence;
pub mod publish;
