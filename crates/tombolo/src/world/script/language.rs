//! [`Language`]: what scripts are written in, with its limits; `engine.rs` builds it.

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
    /// How much a script may do.
    pub(super) fn limits(&self) -> &ScriptLimits {
        &self.inner.limits
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Runs something that calls scripts with the operations that one call may make; how many it made.
    pub(super) fn limited<R>(&self, run: impl FnOnce(&Engine) -> R) -> (R, u64) {
        let allowed = u64::from(self.limits().operations_per_call);
        meter::begin(allowed);
        memory::begin();
        let result = run(self.engine());
        (result, meter::counted().min(allowed))
    }
}
