//! Locks of worlds, which other threads may keep for as long as a step takes.
//!
//! Whoever waits for one has given Python's lock away, and so neither lock is waited for by a thread that keeps the other one
//! from somebody.

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks for a thread that has Python's lock, which others have while it waits.
pub(crate) fn attached<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves a world whole, as any call does, so a poisoned lock is usable.
    Python::attach(|py| mutex.lock_py_attached(py)).unwrap_or_else(PoisonError::into_inner)
}

/// Locks for a thread that has given Python's lock away.
pub(crate) fn detached<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
