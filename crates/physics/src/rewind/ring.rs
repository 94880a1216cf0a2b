//! [`Rewind`]: a ring of the most recent frames of a world, limited by number and bytes.

use alloc::collections::VecDeque;
use core::fmt;

/// A world of which [`Rewind`] can keep frames: a [`PhysicsWorld`](crate::PhysicsWorld), or a world that contains one.
pub trait Rewindable {
    /// A snapshot of the world.
    type Frame: Clone;

    /// Takes a frame of the world.
    fn frame(&mut self) -> Self::Frame;

    /// Restores the state of a frame.
    fn restore_frame(&mut self, frame: &Self::Frame);

    /// The size of a frame in bytes, or of the part that it does not share with `before`.
    fn bytes(frame: &Self::Frame, before: Option<&Self::Frame>) -> usize;
}

/// The id of a frame in a [`Rewind`]. Numbers increase with each save and are never reused, so the id of a dropped
/// frame is refused.
///
/// It is an id of the ring that issued it: any other ring takes it for its own frame of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u64);

impl FrameId {
    /// The number: how many frames the ring had saved before this one.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The limits of a [`Rewind`]. The newest frame is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewindLimits {
    /// The greatest number of frames; 0 counts as 1.
    pub frames_max: usize,
    /// The greatest size of all pages in bytes, shared pages counted once.
    pub bytes_max: usize,
}

impl Default for RewindLimits {
    /// 600 frames, ten seconds at sixty steps per second; 256 MiB.
    fn default() -> Self {
        Self {
            frames_max: 600,
            bytes_max: 256 << 20,
        }
    }
}

/// The reason why a frame could not be restored. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewindError {
    /// The frame was dropped to make room for newer ones.
    TooOld {
        /// The oldest frame of the ring, if it has any.
        oldest: Option<FrameId>,
    },
    /// The frame was dropped when an older one was restored, or the ring has not saved as many yet.
    Dropped,
}

impl fmt::Display for RewindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooOld { oldest: Some(oldest) } => {
                write!(
                    f,
                    "the frame made room for newer ones; the oldest is {}",
                    oldest.0
                )
            }
            Self::TooOld { oldest: None } => write!(f, "the frame is gone, and there is no other"),
            Self::Dropped => write!(f, "the frame is of a future that was dropped, or of another ring"),
        }
    }
}

impl core::error::Error for RewindError {}

/// The most recent frames of a world: any of them can be restored in place, or queried without being restored.
///
/// ```
/// use tombolo_physics::{BodyDef, PhysicsWorld, Rewind, RewindLimits, Shape, ShapeDef, Vec2, WorldDef};
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let ball = world.create_body(&BodyDef::dynamic(0.0, 10.0))?;
/// world.create_shape(ball, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
/// let mut rewind = Rewind::new(RewindLimits { frames_max: 60, ..RewindLimits::default() });
/// let mut saved = Vec::new();
/// for _ in 0..30 {
///     saved.push(rewind.save(&mut world));
///     world.step(1.0 / 60.0)?;
/// }
/// let (place, hash) = (world.body(ball).unwrap().position(), world.state_hash());
/// // Eight steps back, and again.
/// rewind.restore(&mut world, saved[22])?;
/// for _ in 22..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert_eq!((world.body(ball).unwrap().position(), world.state_hash()), (place, hash));
/// // The frames behind the restored one are of a future that did not come.
/// assert!(rewind.restore(&mut world, saved[29]).is_err());
/// // Where was the ball when it began to fall? The world stays where it is.
/// let past = rewind.ask(&world, saved[0])?;
/// assert_eq!(past.body(ball).unwrap().position().y, 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rewind<W: Rewindable> {
    /// The frames from the oldest to the newest, numbered without gaps except for dropped ones.
    frames: VecDeque<Kept<W::Frame>>,
    limits: RewindLimits,
    /// The number of the next frame.
    next: u64,
    /// The world in which past frames are queried, kept from one query to the next.
    witness: Option<W>,
}

/// A frame in the ring.
struct Kept<F> {
    id: FrameId,
    frame: F,
    /// Bytes that the frame does not share with the one before it; for the oldest, those not shared with its removed
    /// predecessor.
    new_bytes: usize,
}

impl<W: Rewindable> Rewind<W> {
    /// A ring without frames.
    pub fn new(limits: RewindLimits) -> Self {
        Self {
            frames: VecDeque::new(),
            limits,
            next: 0,
            witness: None,
        }
    }

    /// Saves the world as the newest frame, and drops the oldest ones beyond the limits.
    pub fn save(&mut self, world: &mut W) -> FrameId {
        let id = FrameId(self.next);
        self.next += 1;
        let frame = world.frame();
        let before = self.frames.back().map(|kept| &kept.frame);
        let new_bytes = W::bytes(&frame, before);
        self.frames.push_back(Kept { id, frame, new_bytes });
        let RewindLimits {
            frames_max,
            bytes_max,
        } = self.limits;
        while self.frames.len() > 1 && (self.frames.len() > frames_max || self.bytes() > bytes_max) {
            self.frames.pop_front();
        }
        id
    }

    /// Restores a frame and drops all newer ones.
    ///
    /// # Errors
    ///
    /// If the frame is not in the ring.
    pub fn restore(&mut self, world: &mut W, id: FrameId) -> Result<(), RewindError> {
        let place = self.place(id)?;
        world.restore_frame(&self.frames[place].frame);
        self.frames.truncate(place + 1);
        Ok(())
    }

    /// A frame of the ring, for a fork.
    ///
    /// # Errors
    ///
    /// If the frame is not in the ring.
    pub fn frame(&self, id: FrameId) -> Result<&W::Frame, RewindError> {
        Ok(&self.frames[self.place(id)?].frame)
    }

    /// The ids of the frames in the ring, the oldest first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = FrameId> + ExactSizeIterator {
        self.frames.iter().map(|kept| kept.id)
    }

    /// The size of the pages of all frames in bytes, shared pages counted once. Costs the number of frames.
    pub fn bytes(&self) -> usize {
        let oldest = self.frames.front().map_or(0, |kept| W::bytes(&kept.frame, None));
        oldest
            + self
                .frames
                .iter()
                .skip(1)
                .map(|kept| kept.new_bytes)
                .sum::<usize>()
    }

    /// Drops all frames.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.witness = None;
    }

    fn place(&self, id: FrameId) -> Result<usize, RewindError> {
        let found = self.frames.binary_search_by_key(&id, |kept| kept.id);
        found.map_err(|place| match (place, self.frames.front()) {
            (0, oldest) if id.0 < self.next => RewindError::TooOld {
                oldest: oldest.map(|kept| kept.id),
            },
            _ => RewindError::Dropped,
        })
    }
}

impl<W: Rewindable + Clone> Rewind<W> {
    /// A world in the state of a frame, for queries: rays, overlaps, casts, bodies. `world` itself is unchanged; the
    /// ring keeps a copy of it, made at the first query, and restores the frame in the copy, which costs the pages in
    /// which the frame differs from the last one queried.
    ///
    /// # Errors
    ///
    /// If the frame is not in the ring.
    pub fn ask(&mut self, world: &W, id: FrameId) -> Result<&W, RewindError> {
        let place = self.place(id)?;
        let witness = self.witness.get_or_insert_with(|| world.clone());
        witness.restore_frame(&self.frames[place].frame);
        Ok(witness)
    }
}

impl<W: Rewindable> fmt::Debug for Rewind<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewind")
            .field("frames", &self.frames.len())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
