//! smoke
use dwindle_engine::generators as g;
use dwindle_engine::*;
#[test]
fn smoke() {
    let mut tc = TestCase::new();
    for seed in 0..2000 {
        tc.start_random(seed, 1000);
        let draw = |tc: &mut TestCase| {
            let a = tc.draw(g::vec(g::integers(-5i32..=300)));
            let b = tc.draw(g::vec(any::<Option<(u8, String)>>()).len(1..=4));
            let c = tc.draw(g::floats(0.5f64..9.0));
            let d = tc.draw(any::<(u128, i128, char, bool)>());
            let e = tc.draw(g::integers(250u16..=260));
            let f = tc.draw(g::floats::<f64>(..));
            let h = tc.draw(g::bytes());
            let i = tc.draw(g::hash_map(any::<u8>(), g::text().alphabet("xyz").len(..3)));
            let j = tc.draw(g::weighted(0.01));
            format!("{:?}", (a, b, c, d, e, f, h, j, i.len()))
        };
        let one = draw(&mut tc);
        tc.finish();
        let choices = tc.trace().choices.clone();
        let bytes = codec::encode(&choices);
        tc.start_bytes(&bytes, 1000);
        assert_eq!(draw(&mut tc), one);
        assert_eq!(tc.bytes_consumed(), bytes.len());
        tc.start_bytes_recorded(&bytes, 1000);
        assert_eq!(draw(&mut tc), one);
        assert_eq!(tc.trace().choices, choices);
        let values = tc.trace().values();
        tc.start_replay(&values, 1000);
        assert_eq!(draw(&mut tc), one);
        assert_eq!(tc.trace().choices, choices);
        if seed < 5 { println!("{one}"); }
    }
}
