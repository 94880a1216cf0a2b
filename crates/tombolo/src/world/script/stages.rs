//! The stages `scripts` and `handlers`: which scripts they call; and the world's calls for scripts by name.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use rhai::Dynamic;
use tombolo_entity::{Dense, Entity, InstanceId, Kept, NameHash};
use tombolo_geometry::{Pose, Vec2};

use super::context::{BorrowedWorld, with_context};
use super::handler::Handler;
use super::program::{Program, ScriptError};
use super::progress::{PendingCall, Progress};
use super::scripts::Ended;
use super::turns::{LeftOut, Stage, Turn};
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

    /// The stage `scripts`: timers and ticks, by entity.
    pub(in crate::world) fn run_scripts(&mut self) {
        let mut owners = self.script_owners();
        if owners.is_empty() {
            return;
        }
        self.scripts.turns.begin_ticks(&mut owners);
        // Scripts may query space and zones, which have to include the calls since the last step.
        self.track_entities(&tombolo_threads::Inline);
        self.cut_moved_zones();
        let seconds = Dynamic::from_float(f64::from(self.step_seconds));
        let progress = self.run_with_context(|progress| {
            for &(entity, instance) in &owners {
                if progress.is_over() {
                    progress.left_out.add(Turn::of(entity, instance));
                    continue;
                }
                // First, so that a timer counts from the step after the one in which it is set.
                let has_timers = advance_timers(entity, instance);
                progress.start(entity, instance);
                // One by one: a call may stop or set the timers behind it.
                while has_timers && let Some(timer) = next_due_timer(entity, instance) {
                    let name = String::from(timer).into();
                    progress.call(PendingCall::new(entity, instance, Handler::Timer, vec![name]));
                }
                progress.call(PendingCall::new(
                    entity,
                    instance,
                    Handler::Tick,
                    vec![seconds.clone()],
                ));
            }
        });
        self.conclude(progress, Stage::Ticks);
    }

    /// The stage `handlers`: starts, events, ends.
    pub(in crate::world) fn run_handlers(&mut self) {
        let owners = self.script_owners();
        if owners.is_empty() && self.scripts.ended.is_empty() {
            return;
        }
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
        let progress = self.run_with_context(|progress| {
            for &(entity, instance) in &owners {
                if !progress.is_over() {
                    progress.start(entity, instance);
                }
            }
            for due in due {
                if progress.is_over() {
                    progress.left_out.add(Turn::of(due.entity, due.instance));
                    continue;
                }
                match due.ended {
                    Some(place) => progress.call_ended(due, &ended[place]),
                    None => progress.call(due),
                }
            }
        });
        self.conclude(progress, Stage::Handlers);
    }

    /// The enabled scripts, by entity, those of one entity in the order of its components.
    fn script_owners(&self) -> Vec<(Entity, InstanceId)> {
        let Some(scripts) = self.entities.manager::<Dense<Script>>(SCRIPT) else {
            return Vec::new();
        };
        let mut owners: Vec<(u32, usize, Entity, InstanceId)> = scripts
            .owners()
            .zip(scripts.values())
            .filter(|((entity, _), script)| script.enabled && self.entities.entities().is_alive(*entity))
            .map(|((entity, instance), _)| {
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

    /// A call for each script of an entity.
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
        due.extend(of_entity.map(|(instance, _)| PendingCall::new(entity, instance, handler, given())));
        // The list begins with the newest.
        due[first..].reverse();
    }

    /// Calls scripts with this world in the context.
    fn run_with_context(&mut self, calls: impl FnOnce(&mut Progress)) -> Progress {
        let mut progress = Progress {
            language: self.scripts.language.clone(),
            queue: Vec::new(),
            operations: 0,
            left_out: LeftOut::default(),
        };
        match BorrowedWorld::new(self) {
            Some(_lent) => calls(&mut progress),
            None => debug_assert!(false, "scripts cannot step a world"),
        }
        progress
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
        let scripts = self.entities.manager::<Dense<Script>>(SCRIPT)?;
        let script = scripts.value(entity, instance).filter(|script| script.enabled)?;
        if self.scripts.texts.len() > self.scripts.texts_max.max(TEXTS_KEPT) {
            let used: BTreeSet<&str> = scripts.values().iter().map(|script| &*script.text).collect();
            let known = Kept::cache_mut(&mut self.scripts);
            known.texts.retain(|text, _| used.contains(&**text));
            known.texts_max = 2 * known.texts.len();
        }
        match Kept::cache_mut(&mut self.scripts).find(script) {
            Ok(program) => program,
            Err(error) => {
                self.disable_script(entity, instance, &error);
                None
            }
        }
    }

    /// The script component of an instance.
    pub(super) fn script_of(&self, entity: Entity, instance: InstanceId) -> Option<&Script> {
        let scripts = self.entities.manager::<Dense<Script>>(SCRIPT)?;
        scripts.value(entity, instance)
    }

    /// The script component of an instance, for change: the next frame has a new copy of it.
    pub(super) fn script_mut(&mut self, entity: Entity, instance: InstanceId) -> Option<&mut Script> {
        let scripts = self.entities.manager_mut::<Dense<Script>>(SCRIPT)?;
        scripts.value_mut(entity, instance)
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

/// Advances a script's timers by a step; returns whether it has any. Those that have run out have 0 steps left until
/// [`next_due_timer`] takes them.
fn advance_timers(entity: Entity, instance: InstanceId) -> bool {
    let has_timers = with_context(|script_context| {
        let world = &mut script_context.world;
        // Without timers there is nothing to change, and frames need no new copy.
        if world.script_of(entity, instance)?.timers.is_empty() {
            return None;
        }
        let script = world.script_mut(entity, instance)?;
        script.timers.iter_mut().for_each(|timer| timer.left -= 1);
        Some(())
    });
    has_timers.flatten().is_some()
}

/// Takes the first timer that has run out, in the order in which they were set: it begins again, or ends.
fn next_due_timer(entity: Entity, instance: InstanceId) -> Option<Box<str>> {
    let due = with_context(|script_context| {
        let script = script_context.world.script_mut(entity, instance)?;
        let place = script.timers.iter().position(|timer| timer.left == 0)?;
        let timer = &mut script.timers[place];
        timer.left = timer.period;
        let name = timer.name.clone();
        if timer.period == 0 {
            script.timers.remove(place);
        }
        Some(name)
    });
    due.flatten()
}
