//! UUIDs of the crate uuid. Any 128 bits are a UUID here, so version and variant are random. The
//! nil UUID is the simplest.

use uuid::Uuid;

use super::std_types::generate_with;
use super::{Generate, Generator, any};
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

generate_with! {
    () Uuid: any::<u128>().map(Uuid::from_u128);
}
