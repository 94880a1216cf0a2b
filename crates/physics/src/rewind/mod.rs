//! Frames: snapshots of a world at the cost of the changes since the previous one; and [`Rewind`], a ring of them.
//!
//! The first frame starts the marking of changes (`persistent/marks.rs`): code that returns an element of a persistent
//! array for writing marks its page. The next frame compares marked pages only and shares all others
//! (`persistent/pages.rs`).

mod ring;

pub use ring::{FrameId, Rewind, RewindError, RewindLimits, Rewindable};

use crate::ShapeId;
use crate::persistent::{Image, Overwrite};
use crate::recording::Recorded;
use crate::settings::WorldDef;
use crate::state::is_bookkeeping;
use crate::world::{DestroyedShapes, PhysicsWorld};
use alloc::sync::Arc;

/// A snapshot of a [`PhysicsWorld`], from [`PhysicsWorld::frame`]: pages that it shares with other frames and never
/// changes.
///
/// A clone costs a pointer, and any number of threads may hold one: forks can be created from it at any time.
#[derive(Clone, Debug)]
pub struct Frame {
    image: Image,
    step_index: u64,
    /// Whether the world has bullets, or may have had some, so that restoring it needs no search for them.
    may_have_bullets: bool,
    /// The identity of the frame within a recording, if the world was recorded.
    recorded: Option<Recorded>,
    /// The shapes that were destroyed while bodies were watched and that events of the next step may name; `None` without any.
    destroyed_shapes: Option<Arc<[(ShapeId, u64)]>>,
}

impl Frame {
    /// The number of steps that the world had made.
    pub fn step_index(&self) -> u64 {
        self.step_index
    }

    /// The size of all its pages in bytes, or of those that it does not share with `before`: the cost of keeping both.
    pub fn bytes(&self, before: Option<&Self>) -> usize {
        self.image.bytes(before.map(|before| &before.image))
    }

    /// The [hash](PhysicsWorld::state_hash) of the world at that moment, for comparison between peers. Costs the pages
    /// whose hash was not yet computed in any frame.
    pub fn checksum(&self) -> u64 {
        self.image.hash(is_bookkeeping)
    }
}

impl PhysicsWorld {
    /// Takes a frame of the world. The first frame costs a copy of the world and starts the marking of changes; a later
    /// one costs the changes since the previous frame, or since the one that was restored.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ball = world.create_body(&BodyDef::dynamic(0.0, 10.0))?;
    /// world.create_shape(ball, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
    /// let before = world.frame();
    /// for _ in 0..30 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// world.destroy_body(ball)?;
    /// world.restore_frame(&before);
    /// assert_eq!(world.body(ball).expect("it is back").position().y, 10.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frame(&mut self) -> Frame {
        self.mark_broken_step();
        let image = self.image.get_or_insert_default();
        image.take_over(|visitor| self.state.arrays(visitor));
        self.state.marks(&mut |marks| marks.begin());
        Frame {
            image: image.clone(),
            recorded: self.log.frame(),
            step_index: self.state.step_index(),
            may_have_bullets: self.scratch.look_for_bullets(&self.state),
            destroyed_shapes: Some(self.destroyed_shapes.since_step())
                .filter(|shapes| !shapes.is_empty())
                .map(Arc::from),
        }
    }

    /// Restores the state of a frame, of this world or of another one. Ids that were issued before the frame are valid
    /// again; ids issued since are not. Events are empty until the next step, and a watch of changed bodies ends;
    /// [`destroyed_shapes`](Self::destroyed_shapes) are those that had been destroyed by then.
    ///
    /// Costs the pages in which the frame differs from the last one that this world took or restored, and those that
    /// changed since. A world that never took or restored one is overwritten as a whole.
    pub fn restore_frame(&mut self, frame: &Frame) {
        self.mark_broken_step();
        let before = self.image.take();
        self.state
            .overwrite(&mut Overwrite::new(before.as_ref(), &frame.image));
        self.state.marks(&mut |marks| marks.begin());
        self.image = Some(frame.image.clone());
        self.events.clear();
        self.scratch.are_there_bullets = Some(frame.may_have_bullets);
        self.watched = None;
        let destroyed = frame.destroyed_shapes.as_deref().unwrap_or_default();
        self.destroyed_shapes = DestroyedShapes::of_frame(destroyed);
        self.geometry_version += 1;
        self.scratch.none_woke_late = false;
        let state = &self.state;
        self.log.restored_frame(frame.recorded.as_ref(), || {
            crate::persistent::save(|visitor| state.arrays(visitor))
        });
    }

    /// A fork: a second world in the state of the frame. It costs a copy; a fork that is kept and set to other frames
    /// by [`PhysicsWorld::restore_frame`] costs the pages in which they differ.
    #[must_use]
    pub fn from_frame(frame: &Frame) -> Self {
        let mut world = Self::new(&WorldDef::default()).expect("the default definition is valid");
        world.restore_frame(frame);
        world
    }

    /// Stops the marking of changes that the first frame started. Existing frames stay valid; the next frame costs as
    /// much as a first one.
    pub fn end_frames(&mut self) {
        self.image = None;
        self.state.marks(&mut |marks| marks.end());
    }
}

impl Rewindable for PhysicsWorld {
    type Frame = Frame;

    fn frame(&mut self) -> Frame {
        Self::frame(self)
    }

    fn restore_frame(&mut self, frame: &Frame) {
        Self::restore_frame(self, frame);
    }

    fn bytes(frame: &Frame, before: Option<&Frame>) -> usize {
        frame.bytes(before)
    }
}
