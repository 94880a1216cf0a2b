//! The state of scripts in a world's save beside their components: the names of scripts, and scripts that have not
//! handled their end yet; the limits, if they are not the default ones; the script that is first in turn, if some
//! were left out; the clearances of recent path searches. It is the last part of a save, and fields that are missing
//! at its end are empty or have the defaults.

use tombolo_entity::{Component, DataError, Entity, Reader, SavedManagers, Schema, Writer, hash_bytes};
use tombolo_geometry::{Pose, Rot, Vec2};

use super::clearances::Clearances;
use super::scripts::{Ended, Scripts};
use super::turns::Turns;
use crate::component::{NAMES, SCRIPT, Script, is_place};
use crate::scene::ScriptLimits;

impl Scripts {
    pub(in crate::world) fn save(&self, out: &mut Writer) {
        let limits = *self.limits();
        let has_turns = self.turns != Turns::default();
        let has_clearances = !self.clearances.is_empty();
        let has_turns = has_turns || has_clearances;
        let has_limits = has_turns || limits != ScriptLimits::default();
        if self.named.is_empty() && self.ended.is_empty() && !has_limits {
            return;
        }
        out.length(self.named.len());
        for (name, program) in &self.named {
            out.text(name);
            out.u64(hash_bytes(program.text.as_bytes()));
        }
        out.length(self.ended.len());
        let schema = Script::schema();
        for ended in &self.ended {
            out.entity(Some(ended.entity));
            out.u32(ended.instance.0);
            out.text(&ended.label);
            let Pose { position, rotation } = ended.pose;
            for number in [position.x, position.y, rotation.cos, rotation.sin] {
                out.f32(number);
            }
            ended.script.save(&schema, out);
        }
        if has_limits {
            limits.numbers().into_iter().for_each(|number| out.u32(number));
        }
        if has_turns {
            self.turns.save(out);
        }
        if has_clearances {
            self.clearances.save(out);
        }
    }

    /// Restores the saved state into these scripts; `managers` describes their components, `has_lived` says which
    /// entities can have ended. The named scripts and the limits must be the same.
    pub(in crate::world) fn restore(
        &self,
        managers: &SavedManagers<'_>,
        from: &mut Reader<'_>,
        has_lived: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        let unfit =
            || DataError::unfit("the save was made with other scripts, or with other limits of theirs");
        let mut read = Self {
            ended: Vec::new(),
            turns: Turns::default(),
            clearances: Clearances::default(),
            printed: Vec::new(),
            traces: None,
            ..self.clone()
        };
        let has_default_limits = *self.limits() == ScriptLimits::default();
        if from.remaining() == 0 {
            let fits = self.named.is_empty() && has_default_limits;
            return fits.then_some(read).ok_or_else(unfit);
        }
        if from.length(16, "named scripts")? != self.named.len() {
            return Err(unfit());
        }
        for (name, program) in &self.named {
            let saved = (from.text("a script's name")?, from.u64("a script's hash")?);
            if saved != (name.clone(), hash_bytes(program.text.as_bytes())) {
                return Err(unfit());
            }
        }
        let schema = Script::schema();
        let form = managers.find(NAMES[usize::from(SCRIPT.0)]);
        let form = form.ok_or_else(|| DataError::broken("scripts without their manager"))?;
        let form = schema.form(&form, Script::VERSION)?;
        for _ in 0..from.length(32, "ended scripts")? {
            let ended = from.in_form(form.clone(), |from| Ended::restore(&schema, from, &has_lived))?;
            read.ended.push(ended);
        }
        if from.remaining() == 0 {
            return has_default_limits.then_some(read).ok_or_else(unfit);
        }
        for number in self.limits().numbers() {
            if from.u32("a limit of scripts")? != number {
                return Err(unfit());
            }
        }
        if from.remaining() > 0 {
            read.turns = Turns::restore(from)?;
        }
        if from.remaining() > 0 {
            read.clearances = Clearances::restore(from)?;
        }
        Ok(read)
    }
}

impl Ended {
    fn restore(
        schema: &Schema<Script>,
        from: &mut Reader<'_>,
        has_lived: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        let entity = from.entity("who ended")?;
        let entity = entity.filter(|entity| has_lived(*entity));
        let entity = entity.ok_or_else(|| DataError::broken("nobody ended"))?;
        let instance = tombolo_entity::InstanceId(from.u32("which script ended")?);
        let label = from.text("who ended")?;
        let mut number = || from.f32("where it ended");
        let pose = Pose {
            position: Vec2::new(number()?, number()?),
            rotation: Rot {
                cos: number()?,
                sin: number()?,
            },
        };
        if !is_place(pose) {
            return Err(DataError::broken("a script ended nowhere"));
        }
        let mut script = Script::default();
        script.restore(schema, from)?;
        Ok(Self {
            entity,
            instance,
            label,
            pose,
            script,
        })
    }
}
