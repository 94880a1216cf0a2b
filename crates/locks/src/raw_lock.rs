//! [`RawLock`]: what every lock here is.

/// A spin lock's algorithm.
///
/// # Safety
///
/// Between a `lock` (or successful `try_lock`) and the `unlock` of its token no other `lock` or `try_lock` of the same
/// lock succeeds, and what was written before an `unlock` is visible after the next `lock`.
#[expect(
    unsafe_code,
    reason = "exclusion is a promise that other unsafe code builds on"
)]
pub unsafe trait RawLock: Default + Send + Sync {
    /// What a thread brings along to queue with, and takes home for the next time: nothing, a node, a favorite place.
    /// One for each lock a thread holds at once; any may serve any lock of its type, one after the other.
    type Waiter: Default + Send;

    /// What the holder keeps until it unlocks.
    type Token;

    /// The name in tables.
    const NAME: &'static str;

    /// Whether threads get the lock in the order in which they asked.
    const IS_FIFO: bool;

    /// Waits for the lock.
    fn lock(&self, place: &mut Self::Waiter) -> Self::Token;

    /// Takes the lock if it is free and nobody waits for it.
    fn try_lock(&self, place: &mut Self::Waiter) -> Option<Self::Token>;

    /// Gives the lock up.
    ///
    /// # Safety
    ///
    /// The token came from this lock and this place, and is given back for the first time.
    unsafe fn unlock(&self, place: &mut Self::Waiter, token: Self::Token);

    /// Whether somebody held the lock a moment ago.
    fn is_locked(&self) -> bool;
}
