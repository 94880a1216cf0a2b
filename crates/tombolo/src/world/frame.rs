//! Frames of a whole world: physics by shared pages, all else as a copy. A [`Rewind`](tombolo_physics::Rewind) keeps them.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::RecentPaths;
use tombolo_physics::recording::Recorded;
use tombolo_physics::{Bytes, Frame, PhysicsWorld, Rewindable, WorldDef};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::recording::{HandedOut, WorldCall, WorldLog};

/// A [`World`] at one moment, from [`World::frame`]: entities, names, resources, scripts with their state, random
/// numbers, pending commands, space and zones, beside the [`Frame`] of its physics. It is immutable; a clone copies
/// pointers.
#[derive(Clone, Debug)]
pub struct WorldFrame {
    physics: Frame,
    /// The world with an empty physics.
    rest: Arc<World>,
    /// The number of the frame in a recording, if the world was recorded.
    recorded: Option<Recorded>,
}

impl WorldFrame {
    /// The frame of the physics.
    pub fn physics(&self) -> &Frame {
        &self.physics
    }

    /// The [hash](World::state_hash) of the world at that moment, for peers to compare. For physics it costs the changed
    /// pages, for the rest a save, and a copy of the world if that was not synchronized.
    pub fn checksum(&self) -> u64 {
        let rest = &self.rest;
        if rest.is_synchronized() {
            return rest.hash_beside(self.physics.checksum(), &rest.callbacks, &rest.inbox.save());
        }
        let _environment = FloatEnvironment::enter();
        let mut world = rest.without_physics();
        world.physics = PhysicsWorld::from_frame(&self.physics);
        world.sync_from_physics();
        world.state_hash()
    }
}

impl World {
    /// The present state of the world. For physics it costs the pages that changed since the last frame, and begins
    /// the marking of changes, as [`PhysicsWorld::frame`] does; all else is copied, including the list of bodies that
    /// entities have still to follow after calls of [`World::physics_mut`].
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
        self.through_physics.end_watch(&mut self.physics);
        let mut rest = self.without_physics();
        rest.callbacks.drop_unused(&self.physics);
        WorldFrame {
            rest: Arc::new(rest),
            physics: self.physics.frame(),
            recorded: self.log.frame(),
        }
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
        // The code of a game's own managers runs first: if it panics, this world is unchanged.
        let mut rest = frame.rest.without_physics();
        // Whether changes are recorded is a matter of this world, as the record itself.
        rest.entities.watch_changes(self.entities.is_watching_changes());
        rest.entity_events.forget_published();
        rest.inbox = self.inbox.with_commands_of(&rest.inbox);
        rest.faults = mem::take(&mut self.faults);
        rest.scripts.take_printed_of(&mut self.scripts);
        mem::swap(&mut rest.physics, &mut self.physics);
        rest.physics.restore_frame(&frame.physics);
        rest.callbacks.take_code_of(&self.callbacks);
        rest.callbacks.supply(&mut rest.physics, &self.callbacks);
        *self = rest;
    }

    /// A copy of the world with an empty physics.
    fn without_physics(&self) -> Self {
        Self {
            physics: PhysicsWorld::new(&WorldDef::default()).expect("the default definition is valid"),
            register: self.register.clone(),
            entities: self.entities.clone(),
            library: self.library.clone(),
            names: self.names.clone(),
            hierarchy: self.hierarchy.clone(),
            random: self.random,
            segment_cuts: self.segment_cuts.clone(),
            entity_events: self.entity_events.clone(),
            scripts: self.scripts.clone(),
            inbox: self.inbox.clone(),
            actions: self.actions.clone(),
            callbacks: self.callbacks.clone(),
            through_physics: self.through_physics.clone(),
            parted: BTreeSet::new(),
            step_seconds: self.step_seconds,
            capacity: self.capacity,
            space: self.space.clone(),
            zones: self.zones.clone(),
            moved: self.moved.clone(),
            faults: Vec::new(),
            profile: self.profile,
            assets: self.assets.clone(),
            origin: self.origin.clone(),
            recent_paths: RecentPaths::default(),
            log: WorldLog::default(),
            handed_out: HandedOut::default(),
        }
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

    /// The bytes of the physics alone: those of the copies of all else are not known.
    fn bytes(frame: &WorldFrame, before: Option<&WorldFrame>) -> usize {
        frame.physics.bytes(before.map(|before| &before.physics))
    }
}
