//! Replaces `script/` in a build without the feature `script`: components of kind Script are data that the world does
//! not run. A save without named scripts can be restored nonetheless.

use alloc::string::String;
use alloc::sync::Arc;

use tombolo_entity::{DataError, Entity, Reader, SavedManagers, Writer};
use tombolo_threads::Executor;

use super::World;
use crate::scene::{ScriptLanguage, ScriptLimits};

/// No scripts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripts {}

/// Nothing printed or traced.
#[derive(Debug)]
pub(crate) struct NoOutput {}

/// No language.
#[derive(Clone, Debug, Default)]
pub(crate) struct Language {}

impl ScriptLanguage for Language {
    fn under(&self, _: ScriptLimits) -> Arc<dyn ScriptLanguage> {
        Arc::new(Self {})
    }

    /// Accepts any text.
    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

impl World {
    pub(super) fn load_script(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.assets.take_script(name, text);
        Ok(())
    }

    pub(super) fn forget_scripts(&mut self) {}

    pub(super) fn run_scripts(&mut self, _: &dyn Executor) {}

    pub(super) fn run_handlers(&mut self) {}

    pub(super) fn remember_ended(&mut self, _: &[Entity]) {}
}

impl Scripts {
    pub(super) fn new(_: ScriptLimits) -> Self {
        Self {}
    }

    pub(super) fn take_output(&mut self) -> NoOutput {
        NoOutput {}
    }

    pub(super) fn put_output(&mut self, _: NoOutput) {}

    pub(super) fn save(&self, _: &mut Writer) {}

    pub(super) fn restore(
        &self,
        _: &SavedManagers<'_>,
        from: &mut Reader<'_>,
        _: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        match from.remaining() {
            0 => Ok(Self {}),
            _ => Err(DataError::unfit(
                "the save has scripts, and this build does not run any",
            )),
        }
    }
}
