//! Frames of a whole world: physics by shared pages; of all else what changed, in copies that frames share. A
//! [`Rewind`](tombolo_physics::Rewind) keeps them.

use alloc::sync::Arc;
use core::mem;

use tombolo_entity::{EntitySystemImage, Kept, Library};
use tombolo_physics::recording::Recorded;
use tombolo_physics::{Bytes, Frame, Rewindable};

use super::World;
use super::action_table::Actions;
use super::asset_table::Assets;
use super::callback_table::NamedCallbacks;
use super::capacity::CapacityLimits;
use super::events::EntityEvents;
use super::hierarchy::Hierarchy;
use super::inbox::Inbox;
use super::moved::Moved;
use super::names::NameTable;
use super::profile::WorldProfile;
use super::random::Random;
use super::recording::{HandedOut, Origin, WorldCall};
use super::save::{Beside, beside};
use super::script::Scripts;
use super::segment_cut_list::SegmentCuts;
use super::space::SpaceImage;
use super::through_physics::ThroughPhysics;
use super::zones::Zones;
use crate::scene::Settings;

/// A [`World`] at one moment, from [`World::frame`]: entities, names, resources, scripts with their state, random
/// numbers, pending commands, space and zones, beside the [`Frame`] of its physics. It is immutable; a clone copies
/// pointers.
#[derive(Clone, Debug)]
pub struct WorldFrame {
    physics: Frame,
    rest: Arc<BesidePhysics>,
    /// The number of the frame in a recording, if the world was recorded.
    recorded: Option<Recorded>,
}

/// A world without its physics at one moment. The parts behind pointers are shared with the frame before, unless they have
/// changed; the others are small.
#[derive(Debug)]
struct BesidePhysics {
    entities: EntitySystemImage,
    library: Arc<Library>,
    names: Arc<NameTable>,
    hierarchy: Arc<Hierarchy>,
    scripts: Arc<Scripts>,
    zones: Arc<Zones>,
    assets: Arc<Assets>,
    space: SpaceImage,
    random: Random,
    segment_cuts: SegmentCuts,
    entity_events: EntityEvents,
    inbox: Inbox,
    actions: Actions,
    callbacks: NamedCallbacks,
    through_physics: ThroughPhysics,
    step_seconds: f32,
    capacity: CapacityLimits,
    moved: Moved,
    profile: WorldProfile,
    origin: Origin,
}

impl WorldFrame {
    /// The frame of the physics.
    pub fn physics(&self) -> &Frame {
        &self.physics
    }

    /// The [hash](World::state_hash) of the world at that moment, for peers to compare. For physics it costs the changed
    /// pages, for the rest a save, and a copy of the world if that was not synchronized.
    pub fn checksum(&self) -> u64 {
        let rest = &*self.rest;
        if rest.through_physics.is_empty() {
            let entities = |out: &mut _| rest.entities.save_state(out);
            return beside!(rest).hash(self.physics.checksum(), entities, &rest.inbox.save());
        }
        let mut world = World::new(&Settings::default()).expect("the default settings are valid");
        world.restore_frame_here(self);
        world.state_hash()
    }
}

impl BesidePhysics {
    /// Whether these are the parts of a world beside its physics and its entities, which compare their own images.
    fn is_equal_to(&self, world: &World) -> bool {
        let now = Beside {
            callbacks: &self.callbacks,
            ..beside!(world)
        };
        let hash = |parts: Beside<'_>, inbox: &Inbox| parts.hash(0, |_| (), &inbox.save());
        hash(beside!(self), &self.inbox) == hash(now, &world.inbox)
    }
}

impl World {
    /// The present state of the world, at the cost of what changed since the last frame: of physics the pages, as
    /// [`PhysicsWorld::frame`](tombolo_physics::PhysicsWorld::frame); of the components the chunks of sixteen with one that
    /// changed; of the boxes in space likewise; of the entities, their names, resources, scripts and zones each all, if one
    /// of its kind was added, removed or changed. It includes the list of bodies that entities have still to follow after
    /// calls of [`World::physics_mut`]. Managers of a game's own that are no [`Dense`](tombolo_entity::Dense) are copied.
    ///
    /// With debug assertions what the frame shares with an earlier one is compared with that of the world.
    ///
    /// ```
    /// use tombolo::physics::{Rewind, RewindLimits};
    /// use tombolo::{Scene, World};
    /// # let text = r#"(
    /// #     entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
    /// #     place: [One(name: "ball", entity: "ball", at: (0, 3))],
    /// # )"#;
    /// let scene = Scene::parse("drop.ron", text)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let mut rewind = Rewind::new(RewindLimits::default());
    /// let start = rewind.save(&mut world);
    /// let ball = world.find("ball").expect("the scene placed it");
    /// world.despawn(ball)?;
    /// world.step();
    /// rewind.restore(&mut world, start)?;
    /// assert_eq!(world.find("ball"), Some(ball));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frame(&mut self) -> WorldFrame {
        self.report_handed_out();
        self.end_watch();
        let mut callbacks = self.callbacks.clone();
        callbacks.drop_unused(&self.physics);
        let rest = BesidePhysics {
            entities: self.entities.image(),
            library: Kept::image(&mut self.library),
            names: Kept::image(&mut self.names),
            hierarchy: Kept::image(&mut self.hierarchy),
            scripts: Kept::image(&mut self.scripts),
            zones: Kept::image(&mut self.zones),
            assets: Kept::image(&mut self.assets),
            space: self.space.image(),
            random: self.random,
            segment_cuts: self.segment_cuts.clone(),
            entity_events: self.entity_events.unpublished(),
            inbox: self.inbox.clone(),
            actions: self.actions.clone(),
            callbacks,
            through_physics: self.through_physics.clone(),
            step_seconds: self.step_seconds,
            capacity: self.capacity,
            moved: self.moved.clone(),
            profile: self.profile,
            origin: self.origin.clone(),
        };
        let frame = WorldFrame {
            rest: Arc::new(rest),
            physics: self.physics.frame(),
            recorded: self.log.frame(),
        };
        debug_assert!(
            frame.rest.is_equal_to(self),
            "a part of the world has changed and was not noted"
        );
        frame
    }

    /// Restores the state that the frame was taken of, from this world or from another world with the same managers.
    /// Handles that were valid then are valid again; senders of the inbox, printed lines and faults stay with this
    /// world, and steps that are made again add theirs again ([`clear_printed`](Self::clear_printed),
    /// [`truncate_faults`](Self::truncate_faults)). Events are empty until the next step.
    pub fn restore_frame(&mut self, frame: &WorldFrame) {
        self.report_handed_out();
        let recorded = frame.recorded.as_ref();
        let is_lost = self.log.is_on() && !self.log.is_kept(recorded);
        let before = is_lost.then(|| self.definitions());
        self.outermost(|world| world.restore_frame_here(frame));
        let mut log = mem::take(&mut self.log);
        // A player that lacks the frame gets a save, which has no definitions.
        let now = before.map(|before| (before, self.definitions()));
        match now.filter(|(before, now)| before != now) {
            Some((_, definitions)) => log.report(|| WorldCall::RestoreDefined {
                definitions,
                save: Bytes(self.save()),
            }),
            None => log.restored_frame(recorded, || self.save()),
        }
        self.log = log;
    }

    fn restore_frame_here(&mut self, frame: &WorldFrame) {
        // Nothing is left out: a field that is added to a world has to be named here.
        let Self {
            register: _,
            physics,
            entities,
            library,
            names,
            hierarchy,
            random,
            segment_cuts,
            entity_events,
            scripts,
            inbox,
            actions,
            callbacks,
            through_physics,
            parted,
            step_seconds,
            capacity,
            assets,
            origin,
            recent_paths: _,
            scratch: _,
            space,
            zones,
            moved,
            faults: _,
            profile,
            log: _,
            handed_out,
        } = self;
        let rest = &*frame.rest;
        // The code of a game's own managers runs first: if it panics, this world is unchanged.
        let prepared = entities.prepare(&rest.entities);
        entities.apply(prepared);
        Kept::restore(library, &rest.library);
        Kept::restore(names, &rest.names);
        Kept::restore(hierarchy, &rest.hierarchy);
        // What was printed and traced is no part of the state, but of this world.
        let output = Kept::cache_mut(scripts).take_output();
        Kept::restore(scripts, &rest.scripts);
        Kept::cache_mut(scripts).put_output(output);
        Kept::restore(zones, &rest.zones);
        Kept::restore(assets, &rest.assets);
        space.restore(&rest.space);
        *random = rest.random;
        *segment_cuts = rest.segment_cuts.clone();
        *entity_events = rest.entity_events.clone();
        *inbox = inbox.with_commands_of(&rest.inbox.clone());
        *actions = rest.actions.clone();
        *through_physics = rest.through_physics.clone();
        parted.clear();
        *step_seconds = rest.step_seconds;
        *capacity = rest.capacity;
        *moved = rest.moved.clone();
        *profile = rest.profile;
        *origin = rest.origin.clone();
        *handed_out = HandedOut::default();
        physics.restore_frame(&frame.physics);
        // The events have the shapes that were destroyed before the frame.
        drop(physics.take_changed_bodies());
        let mut restored = rest.callbacks.clone();
        restored.take_code_of(callbacks);
        restored.supply(physics, callbacks);
        *callbacks = restored;
    }
}

impl Rewindable for World {
    type Frame = WorldFrame;

    fn frame(&mut self) -> WorldFrame {
        Self::frame(self)
    }

    fn restore_frame(&mut self, frame: &WorldFrame) {
        Self::restore_frame(self, frame);
    }

    /// The bytes of physics, entities, components and boxes in space. What components hold elsewhere in memory, such as the
    /// memory of scripts, and names, prototypes, resources and free spaces do not count.
    fn bytes(frame: &WorldFrame, before: Option<&WorldFrame>) -> usize {
        let (rest, rest_before) = (&frame.rest, before.map(|before| &before.rest));
        frame.physics.bytes(before.map(|before| &before.physics))
            + rest.entities.bytes(rest_before.map(|before| &before.entities))
            + rest.space.bytes(rest_before.map(|before| &before.space))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;
    #[cfg(feature = "script")]
    use crate::component::{SCRIPT, Script};
    #[cfg(feature = "script")]
    use tombolo_entity::Dense;

    /// Whether two frames share each part that is kept as a whole, by name.
    fn shared(one: &WorldFrame, other: &WorldFrame) -> [(&'static str, bool); 6] {
        let (one, other) = (&*one.rest, &*other.rest);
        [
            ("library", Arc::ptr_eq(&one.library, &other.library)),
            ("names", Arc::ptr_eq(&one.names, &other.names)),
            ("hierarchy", Arc::ptr_eq(&one.hierarchy, &other.hierarchy)),
            ("scripts", Arc::ptr_eq(&one.scripts, &other.scripts)),
            ("zones", Arc::ptr_eq(&one.zones, &other.zones)),
            ("assets", Arc::ptr_eq(&one.assets, &other.assets)),
        ]
    }

    #[test]
    fn steps_in_which_nothing_is_added_or_removed_share_what_is_kept_as_a_whole() {
        let text = r#"(
            entities: {
                "walker": {
                    "body": Body(kind: Kinematic, linear_velocity: (1, 0)),
                    "hull": Collider(shape: Circle(radius: 0.5)),
                    "mind": Script(text: "fn on_spawn() { this.n = 0; } fn on_tick(seconds) { this.n += 1; print(this.n); }"),
                    "way": Agent(goal: (90, 0)),
                },
                "field": {"zone": Zone(shape: Box(width: 4, height: 4))},
            },
            place: [
                One(name: "walker", entity: "walker", at: (0, 0)),
                One(name: "field", entity: "field", at: (40, 40)),
            ],
        )"#;
        let mut world = World::from_scene(&Scene::parse("walk.ron", text).unwrap()).unwrap();
        (0..5).for_each(|_| world.step());
        let before = world.frame();
        (0..5).for_each(|_| world.step());
        assert_eq!(world.faults(), [] as [Box<str>; 0]);
        let after = world.frame();
        assert!(before.checksum() != after.checksum(), "the walker has moved");
        for (part, is_shared) in shared(&before, &after) {
            assert!(is_shared, "{part}");
        }
    }

    /// A timer counts in every step: what its script remembers, and the text, are shared all the same.
    #[cfg(feature = "script")]
    #[test]
    fn a_script_with_a_timer_is_copied_without_its_state_and_text() {
        let text = r#"(
            entities: {"clock": {"mind": Script(text:
                "fn on_spawn() { this.n = 0; repeat_timer(\"tick\", 0.5); } fn on_timer(name) { this.n += 1; } fn on_tick(s) {}"
            )}},
            place: [One(name: "clock", entity: "clock")],
        )"#;
        let mut world = World::from_scene(&Scene::parse("clock.ron", text).unwrap()).unwrap();
        world.step();
        let kept = |world: &World| {
            let scripts = world.entities.manager::<Dense<Script>>(SCRIPT).unwrap();
            let script = scripts.values().first().unwrap();
            let left = script.timers[0].left;
            (left, Arc::clone(&script.state), Arc::clone(&script.text))
        };
        let (mut last, mut shared) = (kept(&world), 0);
        for _ in 0..100 {
            let before = world.frame();
            world.step();
            let now = kept(&world);
            assert_ne!(now.0, last.0, "the timer runs");
            assert!(Arc::ptr_eq(&now.2, &last.2));
            shared += u32::from(Arc::ptr_eq(&now.1, &last.1));
            world.restore_frame(&before);
            assert_eq!(kept(&world).0, last.0, "it goes back with the frame");
            world.step();
            last = kept(&world);
        }
        assert!((90..100).contains(&shared), "{shared}: all but where it ran out");
    }
}
