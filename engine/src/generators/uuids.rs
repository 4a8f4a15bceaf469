//! UUIDs of the crate uuid: any 128 bits. The nil UUID is the simplest. The bits decide version and
//! variant.

use uuid::Uuid;

use super::std_types::generate_with;
use super::{Generate, Generator, any};
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

generate_with! {
    () Uuid: any::<u128>().map(Uuid::from_u128);
}
