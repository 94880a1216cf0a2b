//! The stages `scripts` and `handlers`: which scripts they call; and the world's calls for scripts by name.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use rhai::Dynamic;
use tombolo_entity::{Dense, Entity, InstanceId, Kept, NameHash};
use tombolo_geometry::{Pose, Vec2};
use tombolo_threads::Executor;

use super::call::Remembered;
use super::context::BorrowedWorld;
use super::handler::Handler;
use super::program::{Program, ScriptError};
use super::progress::{PendingCall, Progress};
use super::scripts::{Ended, script_in};
use super::ticks::{call_ahead, call_in_turn, store, ticks_of};
use super::turns::{Stage, Turn};
use crate::component::{SCRIPT, Script};
use crate::world::World;
use crate::world::events::{Event, Meeting, Strain, Touch, Visit, ZoneVisit};
use crate::world::recording::WorldCall;

/// The number of parsed texts of components that are kept beside those in use.
const TEXTS_KEPT: usize = 256;

impl World {
    /// Adds a script that components can name, in place of one with the same name.
    ///
    /// # Errors
    ///
    /// If the text is no script, with the line.
    pub fn define_script(&mut self, name: &str, text: &str) -> Result<(), ScriptError> {
        let program = Program::checked(text, &self.scripts.language)?;
        self.report(|| WorldCall::DefineScript {
            name: name.into(),
            text: program.text.clone(),
        });
        self.assets.take_script(name, &program.text);
        self.scripts.named.insert(name.into(), program);
        Ok(())
    }

    /// Forgets the scripts that have names.
    pub(in crate::world) fn forget_scripts(&mut self) {
        self.scripts.named.clear();
    }

    /// Adds a script of the world's scene.
    pub(in crate::world) fn load_script(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.define_script(name, text).map_err(|error| error.to_string())
    }

    /// The lines that scripts have printed, the oldest first, up to the limit of
    /// [`ScriptLimits`](crate::ScriptLimits). Not part of the state.
    pub fn printed(&self) -> &[Box<str>] {
        &self.scripts.printed
    }

    /// Clears the lines that scripts have printed.
    pub fn clear_printed(&mut self) {
        // No part of the state, so frames need no new copy.
        Kept::cache_mut(&mut self.scripts).printed.clear();
    }

    /// The stage `scripts`: timers and ticks, by entity, with the workers of `executor`.
    pub(in crate::world) fn run_scripts(&mut self, executor: &dyn Executor) {
        let mut owners = self.script_owners(|_| true);
        if owners.is_empty() {
            return;
        }
        self.scripts.turns.begin_ticks(&mut owners);
        // Scripts may query space and zones, which have to include the calls since the last step.
        self.track_entities(executor);
        self.cut_moved_zones();
        let seconds = f64::from(self.step_seconds);
        let mut ticks = ticks_of(self, owners);
        let mut progress = Progress::new(self.scripts.language.clone());
        match BorrowedWorld::new(self) {
            Some(mut world) => {
                call_ahead(&world, &progress.language, &mut ticks, seconds, executor);
                world.alone(|| call_in_turn(&mut progress, &mut ticks, seconds));
            }
            None => debug_assert!(false, "scripts cannot step a world"),
        }
        store(self, ticks);
        self.conclude(progress, Stage::Ticks);
    }

    /// The stage `handlers`: starts, events, ends.
    pub(in crate::world) fn run_handlers(&mut self) {
        if !self.has_scripts() && self.scripts.ended.is_empty() {
            return;
        }
        let new = self.script_owners(|script| !script.started);
        let mut due = Vec::new();
        for event in Vec::from(self.events()) {
            self.collect_due(event, &mut due);
        }
        let ended = self.take_ended_scripts();
        due.extend(ended.iter().enumerate().map(|(place, ended)| {
            let given = vec![
                Dynamic::from(ended.pose.position),
                f64::from(ended.pose.rotation.angle()).into(),
            ];
            PendingCall {
                ended: Some(place),
                ..PendingCall::new(ended.entity, ended.instance, Handler::Despawn, given)
            }
        }));
        self.scripts
            .turns
            .begin_handlers(&mut due, |due| Turn::of(due.entity, due.instance));
        let mut progress = Progress::new(self.scripts.language.clone());
        match BorrowedWorld::new(self) {
            Some(mut world) => world.alone(|| progress.call_handlers(&new, due, &ended)),
            None => debug_assert!(false, "scripts cannot step a world"),
        }
        self.conclude(progress, Stage::Handlers);
    }

    /// The enabled scripts of existing entities, in no order.
    fn enabled_scripts(&self) -> impl Iterator<Item = (Entity, InstanceId, &Script)> {
        let scripts = self.entities.manager::<Dense<Script>>(SCRIPT);
        let scripts = scripts
            .into_iter()
            .flat_map(|scripts| scripts.owners().zip(scripts.values()));
        scripts
            .filter(|((entity, _), script)| script.enabled && self.entities.entities().is_alive(*entity))
            .map(|((entity, instance), script)| (entity, instance, script))
    }

    fn has_scripts(&self) -> bool {
        self.enabled_scripts().next().is_some()
    }

    /// The enabled scripts that `which` picks, by entity, those of one entity in the order of its components.
    fn script_owners(&self, which: impl Fn(&Script) -> bool) -> Vec<(Entity, InstanceId)> {
        let mut owners: Vec<(u32, usize, Entity, InstanceId)> = self
            .enabled_scripts()
            .filter(|(_, _, script)| which(script))
            .map(|(entity, instance, _)| {
                let mut entries = self.entities.components(entity).iter();
                let place = entries.position(|entry| InstanceId::from(entry.name) == instance);
                (entity.index(), place.unwrap_or(usize::MAX), entity, instance)
            })
            .collect();
        owners.sort_unstable_by_key(|(index, place, ..)| (*index, *place));
        owners
            .into_iter()
            .map(|(_, _, entity, instance)| (entity, instance))
            .collect()
    }

    /// Adds the calls for an event: for each of the two entities, each of its scripts.
    fn collect_due(&self, event: Event, due: &mut Vec<PendingCall>) {
        let other = |entity: Entity| move || vec![Dynamic::from(entity)];
        match event {
            Event::BeginTouch(Touch { a, b, .. })
            | Event::Meet(Meeting {
                character: a,
                other: b,
                ..
            }) => {
                self.due_for(a, Handler::BeginTouch, other(b), due);
                self.due_for(b, Handler::BeginTouch, other(a), due);
            }
            Event::EndTouch(Touch { a, b, .. })
            | Event::Part(Meeting {
                character: a,
                other: b,
                ..
            }) => {
                self.due_for(a, Handler::EndTouch, other(b), due);
                self.due_for(b, Handler::EndTouch, other(a), due);
            }
            Event::Hit {
                touch,
                point,
                approach_speed,
                ..
            } => {
                let given = |entity: Entity| {
                    move || {
                        let point = Dynamic::from(Vec2::from(point));
                        vec![Dynamic::from(entity), point, f64::from(approach_speed).into()]
                    }
                };
                self.due_for(touch.a, Handler::Hit, given(touch.b), due);
                self.due_for(touch.b, Handler::Hit, given(touch.a), due);
            }
            Event::Force {
                touch, point, force, ..
            } => {
                let given = |entity: Entity| {
                    move || {
                        let point = Dynamic::from(Vec2::from(point));
                        vec![Dynamic::from(entity), point, f64::from(force).into()]
                    }
                };
                self.due_for(touch.a, Handler::Force, given(touch.b), due);
                self.due_for(touch.b, Handler::Force, given(touch.a), due);
            }
            Event::Enter(visit) => {
                self.due_for(visit.trigger, Handler::Enter, || self.visit_given(visit), due);
            }
            Event::Leave(visit) => {
                self.due_for(visit.trigger, Handler::Leave, || self.visit_given(visit), due);
            }
            Event::Strain(strain) => {
                self.due_for(strain.entity, Handler::Strain, || self.strain_given(strain), due);
            }
            Event::Break(strain) => {
                self.due_for(strain.entity, Handler::Break, || self.strain_given(strain), due);
            }
            Event::EnterZone(visit) => {
                self.due_for(visit.zone, Handler::Enter, || self.zone_visit_given(visit), due);
            }
            Event::LeaveZone(visit) => {
                self.due_for(visit.zone, Handler::Leave, || self.zone_visit_given(visit), due);
            }
            Event::Spawned(_) | Event::Despawned(_) => {}
        }
    }

    /// The arguments for a strain: the name of the component, and its load.
    fn strain_given(&self, strain: Strain) -> Vec<Dynamic> {
        let name = self.entities.names().get(strain.component);
        let force = f64::from(strain.force.length());
        vec![
            name.unwrap_or_default().into(),
            force.into(),
            f64::from(strain.torque).into(),
        ]
    }

    /// The arguments for a visit: the visitor and the name of the component that it visits.
    fn visit_given(&self, visit: Visit) -> Vec<Dynamic> {
        let part = self.part_of(visit.sensor);
        let name = part.and_then(|(_, name)| self.entities.names().get(name));
        vec![Dynamic::from(visit.visitor), name.unwrap_or_default().into()]
    }

    /// The arguments for a visit of a zone.
    fn zone_visit_given(&self, visit: ZoneVisit) -> Vec<Dynamic> {
        let name = self.entities.names().get(visit.component);
        vec![Dynamic::from(visit.visitor), name.unwrap_or_default().into()]
    }

    /// A call for each script of an entity that handles an event.
    fn due_for(
        &self,
        entity: Entity,
        handler: Handler,
        given: impl Fn() -> Vec<Dynamic>,
        due: &mut Vec<PendingCall>,
    ) {
        let Some(scripts) = self.entities.manager::<Dense<Script>>(SCRIPT) else {
            return;
        };
        let first = due.len();
        let of_entity = scripts.of(entity);
        let of_entity = of_entity.filter(|(_, script)| self.scripts.may_handle(script, handler));
        due.extend(of_entity.map(|(instance, _)| PendingCall::new(entity, instance, handler, given())));
        // The list begins with the newest.
        due[first..].reverse();
    }

    /// Applies the commands of a stage's calls.
    fn conclude(&mut self, progress: Progress, stage: Stage) {
        let count = progress.left_out.count();
        if count > 0 {
            self.note_fault(format!(
                "scripts made more than {} operations in one stage; {count} calls were left out",
                self.scripts.limits().operations_per_step,
            ));
        }
        let changes = self.apply_commands(progress.queue, progress.operations);
        // Of the stage alone, and no part of the state.
        let scripts = Kept::cache_mut(&mut self.scripts);
        scripts.free_space_given = 0;
        scripts.parts_charged.clear();
        // A change that was left out was issued before the first call that was left out.
        let first = changes.first().or(progress.left_out.first());
        if self.scripts.turns.first(stage) != first {
            self.scripts.turns.end(stage, first);
        }
    }

    /// The scripts of ended entities that handle their end, which are called once.
    fn take_ended_scripts(&mut self) -> Vec<Ended> {
        if self.scripts.ended.is_empty() {
            return Vec::new();
        }
        mem::take(&mut self.scripts.ended)
    }

    /// The program of a script, as [`Scripts::find`].
    pub(super) fn find_program(&mut self, script: &Script) -> Result<Option<Arc<Program>>, ScriptError> {
        Kept::cache_mut(&mut self.scripts).find(script)
    }

    /// The parsed script of a component; `None` if it has none. One that cannot be parsed is disabled.
    pub(super) fn program(&mut self, entity: Entity, instance: InstanceId) -> Option<Arc<Program>> {
        self.forget_unused_texts();
        let script = script_in(&self.entities, entity, instance).filter(|script| script.enabled)?;
        // The texts are a cache, so frames need no new copy.
        match Kept::cache_mut(&mut self.scripts).find(script) {
            Ok(program) => program,
            Err(error) => {
                self.disable_script(entity, instance, &error);
                None
            }
        }
    }

    /// Whether a call is of a function that the script has, or of one that cannot be parsed: by the script itself, and not
    /// by what the cache of texts happens to know.
    pub(super) fn is_handled(&mut self, due: &PendingCall, ended: &[Ended]) -> bool {
        let script = match due.ended {
            Some(place) => Some(&ended[place].script),
            None => script_in(&self.entities, due.entity, due.instance),
        };
        let Some(script) = script else { return false };
        match Kept::cache_mut(&mut self.scripts).find(script) {
            Ok(program) => program.is_some_and(|program| program.handles(due.handler)),
            Err(_) => true,
        }
    }

    /// Forgets parsed texts that no component has any more, if there are many.
    pub(super) fn forget_unused_texts(&mut self) {
        if self.scripts.texts.len() <= self.scripts.texts_max.max(TEXTS_KEPT) {
            return;
        }
        let scripts = self.entities.manager::<Dense<Script>>(SCRIPT);
        let scripts = scripts.into_iter().flat_map(Dense::values);
        let used: BTreeSet<&str> = scripts.map(|script| &*script.text).collect();
        // The texts are a cache, so frames need no new copy.
        let known = Kept::cache_mut(&mut self.scripts);
        known.texts.retain(|text, _| used.contains(&**text));
        known.texts_max = 2 * known.texts.len();
    }

    /// The script component of an instance.
    pub(super) fn script_of(&self, entity: Entity, instance: InstanceId) -> Option<&Script> {
        script_in(&self.entities, entity, instance)
    }

    /// The script component of an instance, for change: the next frame has a new copy of it.
    pub(super) fn script_mut(&mut self, entity: Entity, instance: InstanceId) -> Option<&mut Script> {
        let scripts = self.entities.manager_mut::<Dense<Script>>(SCRIPT)?;
        scripts.value_mut(entity, instance)
    }

    /// Stores what a script remembers. What a call left as it was is left to frames, too: all, if its timers do not run, else
    /// its state.
    pub(super) fn remember(&mut self, entity: Entity, instance: InstanceId, remembered: Remembered) {
        let Remembered { state, timers } = remembered;
        let Some(script) = self.script_of(entity, instance) else {
            return;
        };
        let has_state = state.is(&script.state);
        if has_state && script.timers == timers {
            return;
        }
        if let Some(script) = self.script_mut(entity, instance) {
            script.timers = timers;
            if !has_state {
                state.store(&mut script.state);
            }
        }
    }

    /// Disables a script after an error, and records the fault.
    pub(super) fn disable_script(&mut self, entity: Entity, instance: InstanceId, error: &ScriptError) {
        if let Some(script) = self.script_mut(entity, instance) {
            script.enabled = false;
            script.error = error.to_string().into();
        }
        let label = self.show(entity);
        self.note_script_fault(&label, instance, error);
    }

    pub(super) fn note_script_fault(&mut self, label: &str, instance: InstanceId, error: &ScriptError) {
        let name = NameHash::from_bits(instance.0);
        let name = self.entities.names().get(name).unwrap_or_default();
        let scripts = self.entities.manager::<Dense<Script>>(SCRIPT);
        debug_assert!(scripts.is_some(), "every world has scripts");
        let separator = if error.line.is_some() { ", " } else { ": " };
        self.note_fault(format!("entity {label}, script {name:?}{separator}{error}"));
    }

    /// Stores scripts of entities that are about to end, if they handle that.
    pub(in crate::world) fn remember_ended(&mut self, entities: &[Entity]) {
        for &entity in entities {
            let Some(scripts) = self.entities.manager::<Dense<Script>>(SCRIPT) else {
                return;
            };
            let instances: Vec<InstanceId> = scripts.of(entity).map(|(instance, _)| instance).collect();
            for instance in instances.into_iter().rev() {
                let handles = |program: &Arc<Program>| program.handles(Handler::Despawn);
                if self
                    .program(entity, instance)
                    .as_ref()
                    .is_none_or(|program| !handles(program))
                {
                    continue;
                }
                let (label, pose) = (self.show(entity), self.pose(entity).unwrap_or(Pose::IDENTITY));
                if let Some(script) = self.script_of(entity, instance).filter(|script| script.started) {
                    let script = script.clone();
                    self.scripts.ended.push(Ended {
                        entity,
                        instance,
                        label,
                        pose,
                        script,
                    });
                }
            }
        }
    }
}
