//! Decoding a fuzzer's bytes allocates what the values own and nothing else.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use dwindle_engine::generators as g;
use dwindle_engine::internals::{CHOICES_MAX, Driver};
use dwindle_engine::{Generate, Generator, TestCase, any};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator; the counter allocates nothing, being
// constant and without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often an execution of `target` on `input` allocates, with a test case that was used before.
fn allocations(input: &[u8], target: impl Fn(&mut TestCase)) -> usize {
    let mut tc = Driver::new();
    tc.start_bytes(input, CHOICES_MAX);
    target(&mut tc);
    tc.finish();
    let before = ALLOCATIONS.get();
    tc.start_bytes(input, CHOICES_MAX);
    target(&mut tc);
    tc.finish();
    ALLOCATIONS.get() - before
}

#[derive(Debug, Generate)]
#[expect(dead_code, reason = "only drawn")]
enum Operation {
    Nothing,
    Add(u8, i64),
    Set { at: usize, to: Option<(f64, bool, char)> },
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(&[], |_| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn values_without_a_heap_allocate_nothing() {
    let input: Vec<u8> = (0..=255).collect();
    let letters = g::characters().range('a', 'z');
    let drawn = allocations(&input, |tc| {
        tc.draw(any::<[Operation; 8]>());
        tc.draw((
            g::integers(5u16..2000),
            g::floats(0.5f32..),
            g::weighted_booleans(0.001),
            g::booleans(),
            g::option(any::<u128>()),
        ));
        tc.draw(g::one_of((
            g::just(1u8),
            g::integers(3..9u8),
            any::<u8>().filter(|value| *value != 3),
        )));
        tc.draw(g::characters());
        tc.draw(&letters);
        tc.span(dwindle_engine::internals::Label::TUPLE, |tc| {
            tc.deeper(|tc| tc.alternative(300, 300))
        });
        tc.note("nobody hears this");
    });
    assert_eq!(drawn, 0);
}

struct Machine(u8);

#[dwindle_engine::state_machine]
impl Machine {
    #[rule(weight = 3)]
    fn add(&mut self, number: u8, #[generate(with = g::integers(0..9u16))] _other: u16) {
        self.0 = self.0.wrapping_add(number);
    }

    #[rule(when = self.0 > 7)]
    fn halve(&mut self, tc: &mut TestCase) {
        self.0 /= 2 + tc.draw(any::<u8>()) % 2;
    }
}

#[test]
fn the_steps_of_a_machine_allocate_nothing() {
    let input: Vec<u8> = (0..200).map(|byte| byte % 5 + 1).collect();
    assert_eq!(allocations(&input, |tc| assert_ne!(tc.run(Machine(0)).0, 0)), 0);
}

#[test]
fn collections_allocate_their_own_memory_only() {
    let growth = |list: &[u8]| {
        let before = ALLOCATIONS.get();
        let mut grown = Vec::new();
        for value in list {
            grown.push(std::hint::black_box(*value));
        }
        drop(grown);
        ALLOCATIONS.get() - before
    };
    let input = [1, 2, 3].repeat(40);
    let mut tc = Driver::new();
    tc.start_bytes(&input, CHOICES_MAX);
    let list = tc.draw(any::<Vec<u8>>());
    assert_eq!(list.len(), 60);
    let own = growth(&list);
    assert_eq!(allocations(&input, |tc| drop(tc.draw(any::<Vec<u8>>()))), own);
    // A text is copied whole, once.
    assert_eq!(
        allocations("hello, wörld".repeat(20).as_bytes(), |tc| drop(tc.draw(any::<String>()))),
        1
    );
    assert_eq!(allocations(&[], |tc| drop(tc.draw(any::<(Vec<Operation>, String)>()))), 0);
}
