//! The recording of a world: calls report themselves, and changes of objects that were handed out are recorded when
//! the world is called next.

use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{ManagerId, Writer};
use tombolo_physics::{Bytes, Call, RecordOptions};

use super::{HandedOut, WorldCall, WorldLog};
use crate::component::{BODY, TRANSFORM};
use crate::world::World;
use crate::world::command::Command;

/// A world whose log is set aside while it makes a call, and is put back whatever happens in it.
struct LogGuard<'a> {
    world: &'a mut World,
    log: WorldLog,
}

impl Drop for LogGuard<'_> {
    fn drop(&mut self) {
        self.world.log = mem::take(&mut self.log);
    }
}

impl World {
    /// Begins a recording: from now on every call that changes this world is recorded, with its arguments, and so are
    /// commands of the inbox; an earlier recording that was not taken is dropped. Scripts, spawners and all other
    /// effects of a call are not recorded but happen again when the recording is played.
    ///
    /// If the world is unchanged since [`World::from_scene`] or [`World::new`], later builds can play the recording.
    /// Otherwise it begins with a save, which builds of the same version can play; and if the world has managers of a
    /// game's own, or resources, scripts or scenes that were added or defined anew after its scene, only in a world that
    /// is passed to the player: [`player_in`](tombolo_physics::RecordingOf::player_in).
    ///
    /// Costs a branch in each call while nothing is recorded. During a recording a call costs some bytes. The values
    /// of a manager that was handed out by [`World::manager_mut`] are written as a whole, and such a manager must not
    /// destroy instances.
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

    /// Whether calls are being recorded.
    pub fn is_recording(&self) -> bool {
        self.log.is_on()
    }

    /// The recording since the last call of this function: appended to the earlier parts it is a complete recording
    /// up to now, which a crash leaves intact. Empty while nothing is recorded.
    #[must_use]
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.report_handed_out();
        self.log.take()
    }

    /// Ends the recording and returns the rest of it.
    #[must_use]
    pub fn end_recording(&mut self) -> Vec<u8> {
        self.report_handed_out();
        let mut log = mem::take(&mut self.log);
        log.end(|| self.hash_without_inbox())
    }

    /// Records a call that is about to be made, after the changes of objects that had been handed out.
    #[inline]
    pub(in crate::world) fn report(&mut self, call: impl FnOnce() -> WorldCall) {
        if self.log.is_on() {
            self.report_handed_out();
            self.log.report(call);
        }
    }

    /// Records a call that is a command. A command whose lists nest too deep for any property is refused, and not
    /// recorded.
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

    /// Makes a call without recording the calls inside: it is recorded already, or its result will be.
    #[inline]
    pub(in crate::world) fn outermost<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        if !self.log.is_on() {
            return make(self);
        }
        let log = mem::take(&mut self.log);
        let guard = LogGuard { world: self, log };
        make(&mut *guard.world)
    }

    /// Records a step, with its hash and a save if they are due.
    pub(in crate::world) fn report_step(&mut self) {
        if !self.log.is_on() {
            return;
        }
        let mut log = mem::take(&mut self.log);
        // Hashing an entity takes about as long as hashing eight bodies.
        let worth = self.physics.bodies().len() + 8 * self.entity_count();
        let bodies = [self.physics.awake_body_count(), worth];
        log.stepped(bodies, || self.hash_without_inbox(), || self.save());
        self.log = log;
    }

    /// Hands out physics: calls of it are kept until the world is called again.
    pub(in crate::world) fn hand_out_physics(&mut self) {
        if self.log.is_on() {
            self.handed_out.physics = true;
            self.physics.keep_calls();
        }
    }

    /// Notes that a manager is handed out for changes, or replaced. Its versions say nothing then: those of another manager may
    /// be the same.
    pub(in crate::world) fn hand_out_manager(&mut self, id: ManagerId) {
        if id == BODY || id == TRANSFORM {
            self.scratch.followers.forget();
        }
        if self.log.is_on() {
            self.handed_out.managers.insert(id.0);
        }
    }

    pub(in crate::world) fn hand_out_random(&mut self) {
        if self.log.is_on() {
            self.handed_out.random.get_or_insert(self.random);
        }
    }

    /// Records the changes of objects that had been handed out.
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
            // Without calls the program has replaced the whole physics.
            let calls = self.physics.take_kept_calls().unwrap_or_else(|| {
                let save = Bytes(self.physics.save());
                [Call::Restore { save }].into()
            });
            for call in calls {
                self.log.report(|| WorldCall::Physics { call });
            }
        }
        for id in managers {
            let mut saved = Writer::new();
            self.entities.save_manager(ManagerId(id), &mut saved);
            let saved = Bytes(saved.finish());
            self.log.report(|| WorldCall::ReplaceManager { saved });
        }
        if random.is_some_and(|before| before != self.random) {
            let state = self.random.state();
            self.log.report(|| WorldCall::Random { state });
        }
    }
}
