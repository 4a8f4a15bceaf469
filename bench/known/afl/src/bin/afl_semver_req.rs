//! See `known_values::semver_req`.

use known_values::semver_req::check;

fn main() {
    afl::fuzz!(|requirement: String| {
        check(&requirement);
    });
}
