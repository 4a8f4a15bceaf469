//! The setters of `url::Url`. Finds a panic and several URLs that do not parse to themselves.
#![no_main]

use dwindle::prelude::*;
use dwindle_fuzz::url::Session;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let session = tc.draw(any::<Session>());
    let mut url = session.start.url();
    for setter in &session.setters {
        // What goes wrong in one setter is another bug than the same in another.
        tc.bug_key(setter.name());
        setter.check(&mut url);
    }
});
