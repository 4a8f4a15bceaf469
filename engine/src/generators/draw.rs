//! Draws the value of a generator.

use std::fmt::Debug;

use super::Generator;
use crate::test_case::TestCase;

/// The methods that draw, for targets and generators.
impl TestCase {
    /// Draws a value and shows it in the report of a failure.
    #[inline]
    #[track_caller]
    pub fn draw<G: Generator>(&mut self, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        let value = self.draw_silent(generator);
        if self.is_shown() {
            self.say_drawn(None, &value);
        }
        value
    }

    /// Draws a value and shows it with a name: `let name = value;`. Otherwise the same as
    /// [`draw`](TestCase::draw).
    #[inline]
    #[track_caller]
    pub fn draw_named<G: Generator>(&mut self, name: &'static str, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        let value = self.draw_silent(generator);
        if self.is_shown() {
            self.say_drawn(Some(name), &value);
        }
        value
    }

    /// Draws a value that reports do not show.
    #[inline]
    #[track_caller]
    pub fn draw_silent<G: Generator>(&mut self, generator: G) -> G::Value {
        // An unrecorded execution needs neither spans nor the depth of a draw.
        if self.is_unrecorded() { generator.generate(self) } else { self.draw_recorded(&generator) }
    }

    #[inline(never)]
    #[track_caller]
    fn draw_recorded<G: Generator>(&mut self, generator: &G) -> G::Value {
        self.begin_draw();
        let value = generator.generate(self);
        self.end_draw();
        value
    }
}
