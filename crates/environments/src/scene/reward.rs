//! [`OutcomeSource`]: the reward of a step and whether it ended the episode, from a property or from a script.

use super::property::NamedProperty;
use crate::EnvironmentError;
use std::sync::Arc;
use tombolo::World;
use tombolo::component::{Data, SCRIPT, Script};
use tombolo::entity::{Dense, NameHash};

/// A script that keeps the reward as `this.reward`, and the end of an episode as `this.done`.
#[derive(Clone, Debug)]
struct ScriptSource {
    /// `entity.component`, as it was given.
    text: Arc<str>,
    /// The entity's name.
    name: Arc<str>,
    component: NameHash,
}

impl ScriptSource {
    /// The script of a path; `None` if it is that of no script.
    fn new(world: &World, text: &str) -> Option<Self> {
        let target = world.target(&format!("{text}.state")).ok()?;
        let component = NameHash::of(target.path.strip_suffix(".state")?);
        let mut entries = world.components_of(target.entity).iter();
        entries.find(|entry| entry.name == component && entry.manager == SCRIPT)?;
        Some(Self {
            text: text.into(),
            name: world.name_of(target.entity)?.into(),
            component,
        })
    }

    fn read(&self, world: &World) -> Result<(f64, bool), EnvironmentError> {
        let scripts: Option<&Dense<Script>> = world.manager(SCRIPT);
        let script = world
            .find(&self.name)
            .and_then(|entity| scripts?.value(entity, self.component.into()))
            .ok_or_else(|| EnvironmentError::task(&self.text, "the script is gone"))?;
        let kept = |name: &str| match script.state() {
            Data::Map(kept) => kept.get(name),
            _ => None,
        };
        let is_done = matches!(kept("done"), Some(Data::Flag(true)));
        match kept("reward") {
            Some(Data::Number(reward)) => Ok((*reward, is_done)),
            Some(Data::Integer(reward)) => Ok((*reward as f64, is_done)),
            _ if script.error().is_empty() => Err(EnvironmentError::task(
                &self.text,
                "the script keeps no number this.reward",
            )),
            _ => Err(EnvironmentError::task(&self.text, script.error())),
        }
    }
}

#[derive(Clone, Debug)]
enum RewardSource {
    Property(NamedProperty),
    Script(ScriptSource),
}

/// The reward and the end of an episode.
#[derive(Clone, Debug)]
pub(super) struct OutcomeSource {
    reward: RewardSource,
    done: Option<NamedProperty>,
}

impl OutcomeSource {
    /// Finds both; the property of a reward and that of an end are read once.
    pub(super) fn new(world: &World, reward: &str, done: Option<&str>) -> Result<Self, EnvironmentError> {
        let number = |text: &str| {
            let mut property = NamedProperty::new(world, text)?;
            property.number(world)?;
            Ok::<_, EnvironmentError>(property)
        };
        let reward = match ScriptSource::new(world, reward) {
            Some(script) => RewardSource::Script(script),
            None => RewardSource::Property(number(reward)?),
        };
        let done = done.map(number).transpose()?;
        Ok(Self { reward, done })
    }

    /// The reward of the last step, and whether it ended the episode.
    pub(super) fn read(&mut self, world: &World) -> Result<(f64, bool), EnvironmentError> {
        let (reward, is_done) = match &mut self.reward {
            RewardSource::Property(property) => (property.number(world)?, false),
            RewardSource::Script(script) => script.read(world)?,
        };
        let has_ended = match &mut self.done {
            Some(done) => done.number(world)? != 0.0,
            None => false,
        };
        Ok((reward, is_done || has_ended))
    }
}
