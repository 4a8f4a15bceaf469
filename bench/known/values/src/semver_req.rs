//! semver 0.11.0: a requirement with a number above 2^64 panics. Fixed in 1.0.0,
//! <https://github.com/dtolnay/semver/issues/227>.

use semver::VersionReq;

/// A requirement is read or refused.
///
/// # Panics
///
/// Inside `semver`.
pub fn check(requirement: &str) {
    let _ = VersionReq::parse(requirement);
}
