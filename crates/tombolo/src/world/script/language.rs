//! [`Language`]: the language of scripts with its limits; `engine.rs` builds it.

use std::sync::Arc;

use rhai::Engine;

use super::{memory, meter};
use crate::scene::ScriptLimits;

/// The language with its limits. Worlds whose limits are the default ones share one.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) limits: ScriptLimits,
    pub(super) engine: Engine,
}

impl Language {
    /// The limits of scripts.
    pub(super) fn limits(&self) -> &ScriptLimits {
        &self.inner.limits
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Runs code that calls scripts with the operations of one call; returns the number of operations that were used.
    pub(super) fn limited<R>(&self, run: impl FnOnce(&Engine) -> R) -> (R, u64) {
        let allowed = u64::from(self.limits().operations_per_call);
        meter::begin(allowed);
        memory::begin();
        let result = run(self.engine());
        (result, meter::counted().min(allowed))
    }
}
