//! [`RawLock`]: the trait that every lock of this crate implements.

/// A spin lock's algorithm.
///
/// # Safety
///
/// Between a `lock` (or successful `try_lock`) and the `unlock` of its token no other `lock` or `try_lock` of the same
/// lock succeeds, and the writes before an `unlock` are visible after the next `lock`.
#[expect(
    unsafe_code,
    reason = "exclusion is a promise that other unsafe code builds on"
)]
pub unsafe trait RawLock: Default + Send + Sync {
    /// The data that a waiting thread provides and keeps for the next time: nothing, a node, a preferred slot. One for
    /// each lock that a thread holds at once; it may serve any lock of its type, one after the other.
    type Waiter: Default + Send;

    /// The data that the holder keeps until it unlocks.
    type Token;

    /// The name of the lock in tables.
    const NAME: &'static str;

    /// Whether threads get the lock in the order in which they arrive.
    const IS_FIFO: bool;

    /// Waits for the lock.
    fn lock(&self, place: &mut Self::Waiter) -> Self::Token;

    /// Takes the lock if it is free. A lock that knows of its waiters (all but the flags: test-and-set and its relatives)
    /// is not taken past one that waits.
    fn try_lock(&self, place: &mut Self::Waiter) -> Option<Self::Token>;

    /// Releases the lock.
    ///
    /// # Safety
    ///
    /// The token came from this lock and this waiter, and has not been used before.
    unsafe fn unlock(&self, place: &mut Self::Waiter, token: Self::Token);

    /// Whether the lock was held when it was read; it may have changed since.
    fn is_locked(&self) -> bool;
}
