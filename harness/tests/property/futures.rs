//! Properties that are `async fn`.

use std::future::{Future, poll_fn, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use dwindle::prelude::*;

use crate::support::{listing, message, property, settings};

/// Is ready at the second poll, which another thread asks for.
async fn pause() {
    let mut other = None;
    poll_fn(|context| match other.take() {
        None => {
            let waker = context.waker().clone();
            other = Some(std::thread::spawn(move || waker.wake()));
            Poll::Pending
        }
        Some(thread) => {
            thread.join().expect("it only wakes");
            Poll::Ready(())
        }
    })
    .await;
}

#[dwindle::test(store = None, max_cases = 20)]
async fn the_default_executor_waits_until_it_is_woken(text: &str, tc: &mut TestCase) {
    pause().await;
    let number = tc.draw(g::integers(0..=text.len()));
    pause().await;
    assert!(number <= text.len());
}

#[dwindle::test(store = None, max_cases = 20)]
async fn results_and_question_marks_work(number: u32) -> Result<(), std::num::ParseIntError> {
    let text = ready(number.to_string()).await;
    assert_eq!(text.parse::<u32>()?, number);
    Ok(())
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// An executor that counts its runs.
fn counted<F: Future>(future: F) -> F::Output {
    RUNS.fetch_add(1, Ordering::Relaxed);
    dwindle::__private::property::block_on(future)
}

#[dwindle::test(store = None, max_cases = 20, executor = counted)]
#[ignore = "the next test runs it"]
async fn named(number: u8) {
    pause().await;
    assert!(u16::from(number) < 256);
}

#[dwindle::test(store = None, max_cases = 20, executor = |future| Executor(3).run(future))]
async fn an_executor_may_be_a_closure(number: u8) {
    assert_eq!(ready(number).await, number);
}

/// A runtime with a method in place of a function.
struct Executor(u8);

impl Executor {
    fn run<F: Future>(&self, future: F) -> F::Output {
        assert_eq!(self.0, 3);
        counted(future)
    }
}

#[test]
fn the_named_executor_runs_each_case() {
    let before = RUNS.load(Ordering::Relaxed);
    assert_eq!(message(property("named"), settings(1).max_cases(20), named::property), None);
    assert!(RUNS.load(Ordering::Relaxed) >= before + 20);
}

#[dwindle::test(store = None)]
#[ignore = "the next test reads its message"]
async fn fails(number: u32) -> Result<(), String> {
    pause().await;
    if number < 100 { Ok(()) } else { Err(format!("{number} is too large")) }
}

#[test]
fn an_error_after_a_pause_is_a_failure() {
    let message = message(property("fails"), settings(1), fails::property).expect("it fails");
    assert_eq!(listing(&message), ["let number = 100;"], "{message}");
    assert!(message.contains("the property returned Err(\"100 is too large\")"), "{message}");
}
