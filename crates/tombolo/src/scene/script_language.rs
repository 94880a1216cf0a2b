//! [`ScriptLanguage`]: the part of the script language that reading a scene needs. Scripts call functions of the
//! world, so the world implements it.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt::Debug;

use super::script_limits::ScriptLimits;

/// A language of scripts.
pub(crate) trait ScriptLanguage: Debug + Send + Sync {
    /// The same language under limits.
    fn under(&self, limits: ScriptLimits) -> Arc<dyn ScriptLanguage>;

    /// Checks that a text is a script; the error says why it is none.
    fn check(&self, text: &str) -> Result<(), String>;
}
