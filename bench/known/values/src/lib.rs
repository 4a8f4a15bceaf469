//! What the targets in `ours` and `stock` check: properties of released crates with known bugs.
//!
//! Each module holds one property, the type of its values, and the release that fixed the bug. The
//! targets in `ours` draw the values with dwindle, their twins in `stock` with `arbitrary`. A
//! property panics where it does not hold.

pub mod asn1_from_der;
pub mod bigint_multiply;
pub mod bigint_signed_bytes;
pub mod circular_buffer_eq;
pub mod dissimilar_diff;
pub mod isbn_hyphenate;
pub mod matrix_graph_model;
pub mod ord_map_model;
pub mod radix_trie_model;
pub mod rangemap_model;
pub mod regex_find;
pub mod semver_req;
pub mod snap_frames;
pub mod wildmatch_model;
pub mod yaml_round_trip;
