//! What a world does to be recorded: calls report themselves, and what was handed out is recorded when the world is called next.

use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{ManagerId, Writer};
use tombolo_physics::{Bytes, Call, RecordOptions};

use super::{HandedOut, WorldCall, WorldLog};
use crate::world::World;
use crate::world::command::Command;

/// A world whose log is set aside while it makes a call, and comes back whatever happens in it.
struct SetAside<'a> {
    world: &'a mut World,
    log: WorldLog,
}

impl Drop for SetAside<'_> {
    fn drop(&mut self) {
        self.world.log = mem::take(&mut self.log);
    }
}

impl World {
    /// From now on every call that changes this world is recorded, with its arguments, and what the inbox brings; what was recorded
    /// before and not taken is gone. Scripts, spawners and all else that follows from a call are not recorded but come about
    /// again when the recording is played.
    ///
    /// A world that is as [`World::from_scene`] or [`World::new`] made it begins a recording that later builds play. Another
    /// one begins with a save, which builds of the same version play; and if it has managers of a game's own, or resources or
    /// scripts that came after its scene, only in a world that the player is given:
    /// [`player_in`](tombolo_physics::RecordingOf::player_in).
    ///
    /// Costs a branch in each call while nothing is recorded. While it is, a call costs some bytes. What a manager that was handed
    /// out by [`World::manager_mut`] holds is written as a whole, and such a manager must not destroy instances.
    ///
    /// ```
    /// use tombolo::physics::RecordOptions;
    /// use tombolo::threads::Inline;
    /// use tombolo::{Scene, World, WorldRecording};
    /// # let text = r#"(
    /// #     entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
    /// #     place: [One(name: "ball", entity: "ball", at: (0, 3))],
    /// # )"#;
    /// let scene = Scene::parse("drop.ron", text)?;
    /// let mut world = World::from_scene(&scene)?;
    /// world.start_recording(RecordOptions::default());
    /// world.step();
    /// let ball = world.find("ball").expect("the scene placed it");
    /// world.despawn(ball)?;
    /// world.step();
    /// let file = world.end_recording();
    ///
    /// let recording = WorldRecording::open(file)?;
    /// let mut player = recording.player()?;
    /// while player.play_step(&Inline)? {}
    /// assert_eq!(player.world().state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_recording(&mut self, options: RecordOptions) {
        self.handed_out = HandedOut::default();
        drop(self.physics.take_kept_calls());
        self.begin_log(options);
    }

    /// Whether calls are recorded.
    pub fn is_recording(&self) -> bool {
        self.log.is_on()
    }

    /// What was recorded since this was last called: appended to what came before it is a whole recording as far as it goes, which
    /// is what a crash after that leaves. Empty while nothing is recorded.
    #[must_use]
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.report_handed_out();
        self.log.take()
    }

    /// Ends the recording and gives the rest of it.
    #[must_use]
    pub fn end_recording(&mut self) -> Vec<u8> {
        self.report_handed_out();
        let mut log = mem::take(&mut self.log);
        log.end(|| self.hash_without_inbox())
    }

    /// Records a call that is about to be made, after what was done to things that had been handed out.
    #[inline]
    pub(in crate::world) fn report(&mut self, call: impl FnOnce() -> WorldCall) {
        if self.log.is_on() {
            self.report_handed_out();
            self.log.report(call);
        }
    }

    /// Records a call that is a command. One with lists that nest too deep for any property is refused, and not recorded.
    #[inline]
    pub(in crate::world) fn report_command(&mut self, command: impl FnOnce() -> Command) {
        if self.log.is_on() {
            self.report_handed_out();
            let command = command();
            if command.is_flat() {
                self.log.report(|| WorldCall::Apply { command });
            }
        }
    }

    /// Makes a call of which nothing is recorded: it was, or what it came to is going to be.
    #[inline]
    pub(in crate::world) fn outermost<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        if !self.log.is_on() {
            return make(self);
        }
        let log = mem::take(&mut self.log);
        let aside = SetAside { world: self, log };
        make(&mut *aside.world)
    }

    /// A step was made: its hash and a save, if they are due.
    pub(in crate::world) fn report_step(&mut self) {
        if !self.log.is_on() {
            return;
        }
        let mut log = mem::take(&mut self.log);
        // An entity costs a hash about as much as eight bodies.
        let worth = self.physics.bodies().len() + 8 * self.entity_count();
        let bodies = [self.physics.awake_body_count(), worth];
        log.stepped(bodies, || self.hash_without_inbox(), || self.save());
        self.log = log;
    }

    /// Physics is handed out: calls of it are kept until the world is called again.
    pub(in crate::world) fn hand_out_physics(&mut self) {
        if self.log.is_on() {
            self.handed_out.physics = true;
            self.physics.keep_calls();
        }
    }

    pub(in crate::world) fn hand_out_manager(&mut self, id: ManagerId) {
        if self.log.is_on() {
            self.handed_out.managers.insert(id.0);
        }
    }

    pub(in crate::world) fn hand_out_random(&mut self) {
        if self.log.is_on() {
            self.handed_out.random.get_or_insert(self.random);
        }
    }

    /// Records what became of things that had been handed out.
    pub(in crate::world) fn report_handed_out(&mut self) {
        if !self.log.is_on() {
            return;
        }
        let HandedOut {
            physics,
            managers,
            random,
        } = mem::take(&mut self.handed_out);
        if physics {
            // Another world stands in its place if there are none.
            let calls = self.physics.take_kept_calls().unwrap_or_else(|| {
                let save = Bytes(self.physics.save());
                [Call::Restore { save }].into()
            });
            for call in calls {
                self.log.report(|| WorldCall::Physics { call });
            }
        }
        for id in managers {
            if let Some(manager) = self.entities.any_manager(ManagerId(id)) {
                let mut held = Writer::new();
                manager.save(&mut held);
                self.log.report(|| WorldCall::Manager {
                    manager: u32::from(id),
                    held: Bytes(held.finish()),
                });
            }
        }
        if random.is_some_and(|before| before != self.random) {
            let state = self.random.state();
            self.log.report(|| WorldCall::Random { state });
        }
    }
}
