//! Frames: a world at one moment, at the cost of what changed since the last one; and [`Rewind`], the ring of them.
//!
//! Taking a frame begins the marking of changes (`persistent/marks.rs`): whoever hands out an element of a persistent array for
//! writing marks its page. The next frame looks at marked pages only and shares all others (`persistent/pages.rs`).

mod ring;

pub use ring::{FrameId, Rewind, RewindError, RewindLimits, Rewindable};

use crate::persistent::{Image, Overwrite};
use crate::recording::Recorded;
use crate::settings::WorldDef;
use crate::state::ISLANDS;
use crate::world::PhysicsWorld;

/// A [`PhysicsWorld`] at one moment, from [`PhysicsWorld::frame`]: pages that it shares with other frames and never changes.
///
/// A clone costs a pointer for each array, and any number of threads may hold one: it is how a fork waits for its turn.
#[derive(Clone, Debug)]
pub struct Frame {
    image: Image,
    step_index: u64,
    /// Whether it has bullets, or may have had some: who takes it over need not look for them.
    may_have_bullets: bool,
    /// Which frame of a recording it is, if the world was recorded.
    recorded: Option<Recorded>,
}

impl Frame {
    /// How many steps the world had made.
    pub fn step_index(&self) -> u64 {
        self.step_index
    }

    /// Bytes of all its pages, or of those that it does not share with `before`: what it costs to keep both.
    pub fn bytes(&self, before: Option<&Self>) -> usize {
        self.image.bytes(before.map(|before| &before.image))
    }

    /// A hash of all that the next steps depend on, the same on every machine, for peers to compare. As in
    /// [`PhysicsWorld::state_hash`], which gives another number, the bookkeeping of islands is left out. Costs the pages
    /// that no frame was asked for yet.
    pub fn checksum(&self) -> u64 {
        self.image.hash(ISLANDS)
    }
}

impl PhysicsWorld {
    /// The world as it is now. The first frame costs a copy of the world and begins the marking of changes; a later one
    /// costs what changed since the frame before, or since the one that was restored.
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
        let image = self.image.get_or_insert_default();
        image.take_over(|visitor| self.state.arrays(visitor));
        self.state.marks(&mut |marks| marks.begin());
        Frame {
            image: image.clone(),
            recorded: self.log.frame(),
            step_index: self.state.step_index(),
            may_have_bullets: self.scratch.look_for_bullets(&self.state),
        }
    }

    /// Makes this world what it was when the frame was taken of it, or what another world was. Ids that had been given out
    /// then are valid again; ids given out since are not. Events are empty until the next step, and a watch of changed
    /// bodies is over.
    ///
    /// Costs the pages in which the frame differs from the one that this world last gave or took, and those that changed
    /// since. A world that never gave or took one is overwritten as a whole.
    pub fn restore_frame(&mut self, frame: &Frame) {
        let before = self.image.take();
        self.state
            .overwrite(&mut Overwrite::new(before.as_ref(), &frame.image));
        self.state.marks(&mut |marks| marks.begin());
        self.image = Some(frame.image.clone());
        self.events.clear();
        self.scratch.are_there_bullets = Some(frame.may_have_bullets);
        self.changed_bodies = None;
        self.scratch.none_woke_late = false;
        let state = &self.state;
        self.log.restored_frame(frame.recorded.as_ref(), || {
            crate::persistent::save(|visitor| state.arrays(visitor))
        });
    }

    /// A second world that begins where the frame was taken. It costs a copy; one that is kept and given other frames by
    /// [`PhysicsWorld::restore_frame`] costs the pages in which they differ.
    #[must_use]
    pub fn from_frame(frame: &Frame) -> Self {
        let mut world = Self::new(&WorldDef::default()).expect("the default definition is valid");
        world.restore_frame(frame);
        world
    }

    /// Ends the marking of changes that the first frame began. Frames that were taken stay valid; the next one is a first
    /// one.
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
