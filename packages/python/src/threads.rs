//! The threads that step worlds.

use crate::refuse;
use pyo3::prelude::*;
use std::{mem, process};
use tombolo_threads::{Executor, Inline, Pool};

/// The threads that step a world or batch: more than one, or the calling one.
///
/// A process that was forked has none of its parent's threads. There the calling thread does all the work, with the same
/// results.
pub(crate) struct Threads {
    pool: Option<Pool>,
    process: u32,
}

impl Threads {
    /// Starts a number of threads less the calling one; with up to 1 there is only that.
    pub(crate) fn new(count: usize) -> PyResult<Self> {
        let pool = (count > 1).then(|| Pool::new(count)).transpose();
        Ok(Self {
            pool: pool.map_err(refuse)?,
            process: process::id(),
        })
    }

    /// The calling thread alone.
    pub(crate) fn calling() -> Self {
        Self {
            pool: None,
            process: process::id(),
        }
    }

    /// What runs the parts of a step.
    pub(crate) fn executor(&self) -> &dyn Executor {
        match &self.pool {
            Some(pool) if self.process == process::id() => pool,
            _ => &Inline,
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // In a forked process there are no threads that could be waited for.
        if self.process != process::id() {
            mem::forget(self.pool.take());
        }
    }
}
