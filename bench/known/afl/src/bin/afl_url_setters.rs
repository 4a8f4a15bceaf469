//! See `dwindle_fuzz`; the target is `fuzz/fuzz_targets/url_setters.rs`.

use dwindle_fuzz::url::Session;

fn main() {
    afl::fuzz!(|session: Session| {
        let mut url = session.start.url();
        for setter in &session.setters {
            setter.check(&mut url);
        }
    });
}
