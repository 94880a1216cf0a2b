//! [`ScriptLanguage`]: what a scene must know of the language of its scripts. Scripts call functions of the world, so the
//! world has the language.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt::Debug;

use super::script_limits::ScriptLimits;

/// What scripts are written in.
pub(crate) trait ScriptLanguage: Debug + Send + Sync {
    /// The same language under limits.
    fn under(&self, limits: ScriptLimits) -> Arc<dyn ScriptLanguage>;

    /// Whether a text is a script; what is wrong with it if not.
    fn check(&self, text: &str) -> Result<(), String>;
}
