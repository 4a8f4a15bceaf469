//! Paths of files.

use std::path::PathBuf;

use super::collections::each_element;
use super::lengths::{Lengths, length_of};
use super::std_types::generate_with;
use super::{Generate, Generator};
use crate::alphabet::Alphabet;
use crate::choice::Length;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Maximum characters of a component. Every file system accepts this length, with room to spare.
const COMPONENT_MAX: usize = 32;

/// Default maximum components of a path.
const DEPTH_MAX: usize = 8;

/// Generates relative paths of 1 to 8 plain components. The simplest path is `a`.
///
/// Each component has 1 to 32 characters. It begins with a lower-case letter or `_`. ASCII letters,
/// digits, `_`, `-` and `.` follow. So a component is never `.` or `..`, and a path never is
/// absolute or has two separators in a row. A path joined to any folder stays below that folder.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[], 10);
///
/// let path = tc.draw(g::paths());
/// assert!(path.is_relative());
/// # assert_eq!(path.to_str(), Some("a"));
/// ```
pub fn paths() -> Paths {
    let letters = [('a', 'z'), ('_', '_')];
    let others = [('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_'), ('-', '-'), ('.', '.')];
    Paths {
        length: Length { min: 1, max: DEPTH_MAX },
        component: Component { first: Alphabet::new(letters), rest: Alphabet::new(others) },
    }
}

/// See [`paths`].
#[derive(Clone, Debug)]
pub struct Paths {
    length: Length,
    component: Component,
}

#[derive(Clone, Debug)]
struct Component {
    first: Alphabet,
    rest: Alphabet,
}

impl Paths {
    /// Sets the number of components: `5`, `..5` or `1..=5`. A path of 0 components is empty.
    ///
    /// # Panics
    /// If the range is empty.
    #[must_use]
    #[track_caller]
    pub fn len(self, lengths: impl Lengths) -> Paths {
        Paths { length: length_of(lengths), ..self }
    }
}

impl Generator for Component {
    type Value = String;

    fn generate(&self, tc: &mut TestCase) -> String {
        tc.span(Label::TUPLE, |tc| {
            let mut component = String::from(tc.character(&self.first));
            component.push_str(&tc.text(Length { min: 0, max: COMPONENT_MAX - 1 }, &self.rest));
            component
        })
    }
}

impl Generator for Paths {
    type Value = PathBuf;

    fn generate(&self, tc: &mut TestCase) -> PathBuf {
        let mut path = PathBuf::new();
        each_element(&self.component, self.length, tc, |component, _| path.push(component));
        path
    }
}

generate_with! {
    () PathBuf: paths();
}
