//! [`Stepper`]: steps of fixed length from real time, and poses between two steps. For callers with frames of their
//! own: a game's loop, a plugin, a live page. Nothing here is part of a world's state.

use alloc::vec::Vec;
use core::time::Duration;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::{Pose, Rot};

use crate::World;
use crate::component::{TRANSFORM, Transform};

const NANOSECONDS: u128 = 1_000_000_000;

/// The greatest speed for [`Stepper::set_speed`].
pub const SPEED_MAX: f32 = 1_000.0;

/// Turns the time between frames into steps of a world, and interpolates poses between its last two steps.
///
/// Time that is shorter than a step is kept for the next frame; no time is lost to rounding. Interpolated poses are
/// up to a step behind the world, so that motion is even at any frame rate (Glenn Fiedler, "Fix Your Timestep!",
/// 2004).
///
/// ```
/// use core::time::Duration;
/// use tombolo::component::{Collider, ShapeGeometry};
/// use tombolo::physics::{BodyDef, ShapeDef};
/// use tombolo::{Settings, Stepper, World};
///
/// let mut world = World::new(&Settings::default())?;
/// let ball = Collider::new(ShapeDef::default(), ShapeGeometry::default());
/// let ball = world.spawn_body(None, &BodyDef::dynamic(0.0, 9.0), &[ball])?;
/// let mut stepper = Stepper::new();
/// let mut steps = 0;
/// for _ in 0..144 {
///     // A frame of a display of 144 Hz; a game measures it.
///     let frame = Duration::from_nanos(6_944_445);
///     steps += stepper.advance(&mut world, frame, |world| world.step());
///     let drawn = stepper.pose(&world, ball).unwrap();
///     assert!(drawn.position.y >= world.pose(ball).unwrap().position.y);
/// }
/// assert_eq!(steps, 60);
/// # Ok::<(), tombolo::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper {
    /// Time of the world that no step has used, in nanoseconds times the steps per second: a step takes 10⁹ of them.
    unspent: u128,
    catch_up_max: u32,
    speed: f32,
    dropped: Duration,
    /// The tracks of entities that moved, by the index of the entity.
    tracks: Vec<Option<Track>>,
    /// The entities that moved in the last step.
    moving: Vec<Entity>,
    /// Whether all entities of the world have tracks, or were spawned since.
    knows_all: bool,
}

/// The poses of an entity before the last step and after it.
#[derive(Clone, Copy, Debug)]
struct Track {
    entity: Entity,
    before: Pose,
    now: Pose,
}

impl Default for Stepper {
    fn default() -> Self {
        Self::new()
    }
}

impl Stepper {
    /// A stepper at the speed of real time, which catches up with at most 8 steps in a frame.
    pub fn new() -> Self {
        Self {
            unspent: 0,
            catch_up_max: 8,
            speed: 1.0,
            dropped: Duration::ZERO,
            tracks: Vec::new(),
            moving: Vec::new(),
            knows_all: false,
        }
    }

    /// Sets the greatest number of steps in a frame, at least 1: a game that was stopped for a minute does not run
    /// for a minute without a frame. The time that is left over is dropped, see [`Stepper::dropped`].
    pub fn set_catch_up_max(&mut self, steps: u32) {
        self.catch_up_max = steps.max(1);
    }

    /// Sets the speed of the world: 1 is real time, 0 is a pause, the greatest is [`SPEED_MAX`]. NaN and negative
    /// numbers count as 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed > 0.0 { speed.min(SPEED_MAX) } else { 0.0 };
    }

    /// The speed of the world, as last set.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// The real time that was dropped since it exceeded the steps of a frame.
    pub fn dropped(&self) -> Duration {
        self.dropped
    }

    /// The position of the drawn moment between the last step but one and the last, in [0, 1). Call it with the world
    /// that was advanced.
    pub fn fraction(&self) -> f32 {
        let fraction = (self.unspent as f64 / NANOSECONDS as f64) as f32;
        // The last thirty nanoseconds of a step round up.
        fraction.min(1.0_f32.next_down())
    }

    /// Makes the steps that are due `elapsed` after the last call: `step` is called for each, and makes one step of
    /// the world beside the game's own work in a step. Returns the number of steps.
    ///
    /// Entities that calls have moved since the last call are drawn at their new poses at once, and those that were
    /// teleported within `step` too, see [`World::teleported`]: by the game's own work, a command or a script. What
    /// sets the position of an entity in each step moves it evenly. The first call visits every entity, the others
    /// those that move.
    pub fn advance(&mut self, world: &mut World, elapsed: Duration, mut step: impl FnMut(&mut World)) -> u32 {
        if core::mem::replace(&mut self.knows_all, true) {
            self.jump(world, world.moved().iter().copied());
        } else {
            let transforms: Option<&Dense<Transform>> = world.entities().manager(TRANSFORM);
            let owners = transforms.into_iter().flat_map(Dense::owners);
            self.jump(world, owners.map(|(entity, _)| entity));
        }
        let due = self.due(world, elapsed);
        for _ in 0..due {
            step(world);
            self.record(world);
        }
        due
    }

    /// Takes the time since the last call, and returns the number of steps of the world that are due by now, which count as
    /// made: for a caller that makes them without interpolated poses. [`Stepper::advance`] does all of it. Costs nothing
    /// in the number of entities.
    pub fn due(&mut self, world: &World, elapsed: Duration) -> u32 {
        // The steps per second are an integer in every world.
        let rate = libm::roundf(1.0 / world.step_seconds()) as u128;
        let scaled = if self.speed == 1.0 {
            elapsed.as_nanos()
        } else {
            (elapsed.as_nanos() as f64 * f64::from(self.speed)) as u128
        };
        self.unspent = self.unspent.saturating_add(scaled.saturating_mul(rate));
        let mut steps = 0;
        while self.unspent >= NANOSECONDS && steps < self.catch_up_max {
            self.unspent -= NANOSECONDS;
            steps += 1;
        }
        if self.unspent >= NANOSECONDS {
            let whole = self.unspent - self.unspent % NANOSECONDS;
            let of_world = whole / rate;
            let real = if self.speed == 1.0 {
                of_world
            } else {
                // At a speed of 0 nothing is dropped: nothing becomes due.
                (of_world as f64 / f64::from(self.speed)) as u128
            };
            let nanoseconds = u64::try_from(real).unwrap_or(u64::MAX);
            self.dropped = self.dropped.saturating_add(Duration::from_nanos(nanoseconds));
            self.unspent -= whole;
        }
        steps
    }

    /// The pose for drawing an entity: between its poses before and after the last step. `None` if it does not exist
    /// or has none.
    pub fn pose(&self, world: &World, entity: Entity) -> Option<Pose> {
        let pose = world.pose(entity)?;
        Some(match self.track(entity) {
            // An entity that a call has moved since is drawn where the call put it.
            Some(track) if track.now == pose => between(track.before, track.now, self.fraction()),
            _ => pose,
        })
    }

    /// Clears the tracks and the unused time: for a world that was restored or replaced.
    pub fn reset(&mut self) {
        self.unspent = 0;
        self.tracks.clear();
        self.moving.clear();
        self.knows_all = false;
    }

    fn track(&self, entity: Entity) -> Option<&Track> {
        let track = self.tracks.get(entity.index() as usize)?.as_ref();
        track.filter(|track| track.entity == entity)
    }

    /// Sets the tracks of entities that calls have moved to their new poses at once.
    fn jump(&mut self, world: &World, entities: impl Iterator<Item = Entity>) {
        for entity in entities {
            let Some(pose) = world.pose(entity) else {
                continue;
            };
            if self.track(entity).is_none_or(|track| track.now != pose) {
                self.put(Track {
                    entity,
                    before: pose,
                    now: pose,
                });
            }
        }
    }

    /// Records the moves of entities in the last step.
    fn record(&mut self, world: &World) {
        for entity in core::mem::take(&mut self.moving) {
            if let Some(Some(track)) = self.tracks.get_mut(entity.index() as usize) {
                track.before = track.now;
            }
        }
        for &entity in world.moved() {
            let Some(now) = world.pose(entity) else {
                continue;
            };
            // An entity that was spawned in this step begins at its pose.
            let before = self.track(entity).map_or(now, |track| track.before);
            self.put(Track { entity, before, now });
            self.moving.push(entity);
        }
        for entity in world.teleported() {
            if let Some(Some(track)) = self.tracks.get_mut(entity.index() as usize) {
                track.before = track.now;
            }
        }
    }

    fn put(&mut self, track: Track) {
        let index = track.entity.index() as usize;
        if self.tracks.len() <= index {
            self.tracks.resize(index + 1, None);
        }
        self.tracks[index] = Some(track);
    }
}

/// Interpolates two poses, by the chord of the rotation.
fn between(before: Pose, now: Pose, fraction: f32) -> Pose {
    let [a, b] = [before.rotation, now.rotation];
    let cos = a.cos + (b.cos - a.cos) * fraction;
    let sin = a.sin + (b.sin - a.sin) * fraction;
    let length = libm::sqrtf(cos * cos + sin * sin);
    // For half a turn in one step neither direction is the shorter one.
    let rotation = if length < 0.1 {
        b
    } else {
        Rot {
            cos: cos / length,
            sin: sin / length,
        }
    };
    Pose {
        position: before.position.lerp(now.position, fraction),
        rotation,
    }
}
