//! The default executor of `async fn` properties.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Polls a future on this thread until it is ready. Between two polls the thread sleeps until the
/// future's waker is called, in any thread.
///
/// A future that nothing wakes never ends, as in every executor. Timers and sockets of a runtime
/// need that runtime: name its executor in the attribute.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let signal = Arc::new(Signal { thread: thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        // The flag is needed because the target may park the thread too, and so take the token.
        while !signal.woken.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}

/// Wakes the thread that polls.
struct Signal {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[test]
    fn a_ready_future_is_polled_once() {
        assert_eq!(block_on(async { 3 }), 3);
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again() {
        let mut left = 3;
        let polls = block_on(poll_fn(|context| {
            context.waker().wake_by_ref();
            left -= 1;
            if left == 0 { Poll::Ready("done") } else { Poll::Pending }
        }));
        assert_eq!((polls, left), ("done", 0));
    }

    #[test]
    fn another_thread_may_wake_the_future() {
        let mut other = None;
        let ended = block_on(poll_fn(|context| match other.take() {
            None => {
                let waker = context.waker().clone();
                other = Some(thread::spawn(move || waker.wake()));
                Poll::Pending
            }
            Some(thread) => Poll::Ready(thread.join().is_ok()),
        }));
        assert!(ended);
    }

    #[test]
    fn a_wake_up_is_not_lost_where_the_future_parks_the_thread() {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            // Takes the token of the wake-up.
            thread::park();
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert_eq!(polls, 2);
    }
}
