//! A trace as a tree: spans, and the choices directly inside them.

use crate::choice::Choice;
use crate::shrink::place::{alternative, is_continue, owners};
use crate::trace::{Label, Trace};

/// A part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Span(usize),
    Choice(usize),
}

/// The children of each span, without discarded spans.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The children of each span. The last entry holds the nodes outside of all spans.
    children: Vec<Vec<Node>>,
    /// For each span, a hash of the path from the top to it. Two traces of one target give one key
    /// to the spans of one generator at one place.
    keys: Vec<u64>,
    /// The innermost span around each choice.
    pub(crate) owners: Vec<Option<usize>>,
}

impl Tree {
    pub(crate) fn of(trace: &Trace) -> Tree {
        let (spans, top) = (&trace.spans, trace.spans.len());
        let owners = owners(&trace.choices, spans);
        let mut children: Vec<Vec<Node>> = vec![Vec::new(); top + 1];
        // Spans are in the order of their starts. A span stands before the choice it begins with.
        let kept = spans.iter().enumerate().filter(|(_, span)| !span.discarded);
        let mut kept = kept.peekable();
        for at in 0..=owners.len() {
            while let Some((index, span)) = kept.next_if(|(_, span)| span.start as usize <= at) {
                children[span.parent.map_or(top, |parent| parent as usize)].push(Node::Span(index));
            }
            if let Some(owner) = owners.get(at) {
                children[owner.unwrap_or(top)].push(Node::Choice(at));
            }
        }
        let mut positions = vec![0; top];
        for (place, node) in children.iter().flat_map(|nodes| nodes.iter().enumerate()) {
            if let Node::Span(index) = node {
                positions[*index] = place as u64;
            }
        }
        let mut keys = vec![0; top];
        for (index, span) in spans.iter().enumerate() {
            // All elements of a collection come from one generator.
            let place = if span.label == Label::ELEMENT { 0 } else { positions[index] };
            let around = span.parent.map_or(1, |parent| keys[parent as usize]);
            keys[index] = mixed(mixed(around, span.label.0), place);
        }
        Tree { children, keys, owners }
    }

    /// The children of a span. Without a span, the nodes outside of all spans.
    pub(crate) fn children(&self, span: Option<usize>) -> &[Node] {
        let top = self.children.len() - 1;
        &self.children[span.unwrap_or(top)]
    }

    pub(crate) fn key(&self, span: usize) -> u64 {
        self.keys[span]
    }

    /// The elements of a collection, as spans. `None` if the span is not a collection whose length
    /// varies.
    pub(crate) fn elements(&self, trace: &Trace, span: usize) -> Option<Vec<usize>> {
        if trace.spans[span].label != Label::COLLECTION {
            return None;
        }
        let mut elements = Vec::new();
        for node in self.children(Some(span)) {
            match node {
                Node::Span(index) if trace.spans[*index].label == Label::ELEMENT => {
                    let first = trace.choices.get(trace.spans[*index].start as usize);
                    if !first.is_some_and(is_continue) {
                        return None;
                    }
                    elements.push(*index);
                }
                // The choice that ends the collection.
                Node::Choice(index) if is_continue(&trace.choices[*index]) => {}
                Node::Span(_) | Node::Choice(_) => return None,
            }
        }
        Some(elements)
    }

    /// Whether the trees of two traces have the same form: the same spans and kinds of choices.
    pub(crate) fn is_alike(trace: &Trace, other: &Trace) -> bool {
        let span_alike = |(a, b): (&crate::trace::Span, &crate::trace::Span)| a == b;
        let choice_alike = |(a, b): (&Choice, &Choice)| {
            std::mem::discriminant(&a.constraint) == std::mem::discriminant(&b.constraint)
        };
        trace.len() == other.len()
            && trace.spans.len() == other.spans.len()
            && trace.spans.iter().zip(&other.spans).all(span_alike)
            && trace.choices.iter().zip(&other.choices).all(choice_alike)
    }
}

fn mixed(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

/// Whether this is a choice between alternatives, after which all draws have another meaning.
pub(crate) fn is_selection(trace: &Trace, node: Node) -> bool {
    match node {
        Node::Choice(at) => alternative(&trace.choices[at]).is_some(),
        Node::Span(_) => false,
    }
}

/// Whether two choices are of one kind, and both select an alternative, or neither does.
pub(crate) fn is_of_kind(base: &Choice, other: &Choice) -> bool {
    let kind = |choice: &Choice| std::mem::discriminant(&choice.constraint);
    kind(base) == kind(other)
        && alternative(base).is_some() == alternative(other).is_some()
        && (alternative(base).is_some() || is_continue(base) == is_continue(other))
}

impl Label {
    /// Whether this is the label of a value of some type, which may contain itself.
    pub(crate) fn is_of_value(self) -> bool {
        !self.is_draw() && self.0 >> 61 != 0
    }
}

/// The outermost span of the same label around this one, or the span itself. `None` if the label is
/// not that of a type.
pub(crate) fn outermost(trace: &Trace, span: usize) -> Option<usize> {
    let label = trace.spans[span].label;
    let parent = |span: usize| trace.spans[span].parent.map(|parent| parent as usize);
    let around = std::iter::successors(Some(span), |span| parent(*span));
    around.filter(|span| trace.spans[*span].label == label).last().filter(|_| label.is_of_value())
}

/// Whether two spans hold the same value. The first choice of an element also says that it exists.
pub(crate) fn are_equal((one, a): (&Trace, usize), (other, b): (&Trace, usize)) -> bool {
    let (a, b) = (&one.spans[a], &other.spans[b]);
    let (of_a, of_b) = (&one.choices[a.range()], &other.choices[b.range()]);
    let is_same = |(a, b): (&Choice, &Choice)| a.value == b.value;
    a.label == b.label
        && of_a.len() == of_b.len()
        && of_a.iter().zip(of_b).skip(1).all(is_same)
        && of_a.first().zip(of_b.first()).is_none_or(|(a, b)| {
            match (alternative(a), alternative(b)) {
                (Some(a), Some(b)) => a == b,
                _ => a.value == b.value,
            }
        })
}
