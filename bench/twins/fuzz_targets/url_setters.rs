//! The twin of `fuzz_targets/url_setters.rs`.
#![no_main]

use dwindle_fuzz::url::Session;

libfuzzer_sys::fuzz_target!(|session: Session| {
    let mut url = session.start.url();
    for setter in &session.setters {
        setter.check(&mut url);
    }
});
