//! Rings of the most recent frames of a world, of either kind.

use crate::locks;
use crate::queries::{AnyWorld, Inside};
use crate::refuse;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard};
use tombolo_physics::{FrameId as Id, PhysicsWorld, Rewind as Ring, RewindError, RewindLimits, Rewindable};

/// A ring of one of the kinds of worlds.
enum Rings {
    Physics(Box<Ring<PhysicsWorld>>),
    Scene(Box<Ring<tombolo::World>>),
}

/// The most recent frames of a world. A lock of the world is taken before this one's.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct Rewind(Mutex<Rings>);

/// The id of a frame in the ring that issued it.
#[pyclass(frozen, eq, hash, module = "tombolo._tombolo")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct FrameId(Id);

#[pymethods]
impl FrameId {
    /// The number of frames that the ring had saved before.
    fn number(&self) -> u64 {
        self.0.number()
    }
}

impl Rewind {
    /// The ring, for a thread that has Python's lock.
    fn rings(&self) -> MutexGuard<'_, Rings> {
        locks::attached(&self.0)
    }
}

/// A world of the other kind than the ring's.
fn wrong_kind() -> PyErr {
    refuse("the frames are those of a world of another kind")
}

#[pymethods]
impl Rewind {
    /// A ring without frames, for worlds of the kind of this one.
    #[new]
    fn new(world: AnyWorld<'_>, frames_max: usize, bytes_max: usize) -> Self {
        let limits = RewindLimits {
            frames_max,
            bytes_max,
        };
        Self(Mutex::new(match world.inside() {
            Inside::Physics(_) => Rings::Physics(Box::new(Ring::new(limits))),
            Inside::Scene(_) => Rings::Scene(Box::new(Ring::new(limits))),
        }))
    }

    /// Saves a world as the newest frame.
    fn save(&self, py: Python<'_>, world: AnyWorld<'_>) -> PyResult<FrameId> {
        let inside = world.inside();
        let saved = py.detach(|| match inside {
            Inside::Physics(world) => {
                let mut world = world.world_detached();
                match &mut *locks::detached(&self.0) {
                    Rings::Physics(ring) => Some(ring.save(&mut world)),
                    Rings::Scene(_) => None,
                }
            }
            Inside::Scene(world) => {
                let mut world = world.world_detached();
                match &mut *locks::detached(&self.0) {
                    Rings::Scene(ring) => Some(ring.save(&mut world)),
                    Rings::Physics(_) => None,
                }
            }
        });
        saved.map(FrameId).ok_or_else(wrong_kind)
    }

    /// Restores a frame in a world; drops all newer ones if it `rewinds`.
    fn restore(&self, py: Python<'_>, world: AnyWorld<'_>, frame: &FrameId, rewinds: bool) -> PyResult<()> {
        let (inside, id) = (world.inside(), frame.0);
        let restored = py.detach(|| match inside {
            Inside::Physics(world) => {
                let mut world = world.world_detached();
                match &mut *locks::detached(&self.0) {
                    Rings::Physics(ring) => Some(set_to(ring, &mut world, id, rewinds)),
                    Rings::Scene(_) => None,
                }
            }
            Inside::Scene(world) => {
                let mut world = world.world_detached();
                match &mut *locks::detached(&self.0) {
                    Rings::Scene(ring) => Some(set_to(ring, &mut world, id, rewinds)),
                    Rings::Physics(_) => None,
                }
            }
        });
        restored.ok_or_else(wrong_kind)?.map_err(refuse)
    }

    /// The ids of the frames, the oldest first.
    fn ids(&self) -> Vec<FrameId> {
        match &*self.rings() {
            Rings::Physics(ring) => ring.ids().map(FrameId).collect(),
            Rings::Scene(ring) => ring.ids().map(FrameId).collect(),
        }
    }

    /// The size of all frames in bytes.
    fn bytes(&self) -> usize {
        match &*self.rings() {
            Rings::Physics(ring) => ring.bytes(),
            Rings::Scene(ring) => ring.bytes(),
        }
    }

    /// Drops all frames.
    fn clear(&self) {
        match &mut *self.rings() {
            Rings::Physics(ring) => ring.clear(),
            Rings::Scene(ring) => ring.clear(),
        }
    }
}

/// Restores a frame in a world, and drops all newer ones if that `rewinds`.
fn set_to<W: Rewindable>(
    ring: &mut Ring<W>,
    world: &mut W,
    id: Id,
    rewinds: bool,
) -> Result<(), RewindError> {
    if rewinds {
        return ring.restore(world, id);
    }
    world.restore_frame(ring.frame(id)?);
    Ok(())
}
