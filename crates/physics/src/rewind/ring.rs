//! [`Rewind`]: the last frames of a world.

use alloc::collections::VecDeque;
use core::fmt;

/// What [`Rewind`] keeps frames of: a [`PhysicsWorld`](crate::PhysicsWorld), or a world that has one in it.
pub trait Rewindable {
    /// The world at one moment.
    type Frame: Clone;

    /// The world as it is now.
    fn frame(&mut self) -> Self::Frame;

    /// Makes the world what it was in a frame.
    fn restore_frame(&mut self, frame: &Self::Frame);

    /// Bytes of a frame, or those that it does not share with the one `before`.
    fn bytes(frame: &Self::Frame, before: Option<&Self::Frame>) -> usize;
}

/// A frame of a [`Rewind`]. Numbers go up with each save and are never given out twice, so one of a future that was dropped
/// is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u64);

impl FrameId {
    /// The number: how many frames the ring had saved before.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// How much a [`Rewind`] keeps. The newest frame is kept whatever they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewindLimits {
    /// The most frames; 0 counts as 1.
    pub frames_max: usize,
    /// The most bytes of pages, those that frames share counted once.
    pub bytes_max: usize,
}

impl Default for RewindLimits {
    /// 600 frames, ten seconds of sixty steps; 256 MiB.
    fn default() -> Self {
        Self {
            frames_max: 600,
            bytes_max: 256 << 20,
        }
    }
}

/// Why a frame could not be restored. The world is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewindError {
    /// The frame made room for newer ones.
    TooOld {
        /// The oldest frame that there is, if there is any.
        oldest: Option<FrameId>,
    },
    /// The frame belongs to a future that was dropped when an older frame was restored, or to another ring.
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

/// The last frames of a world: any of them can be restored in place, or asked without being restored.
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
    /// From the oldest to the newest, numbered without gaps but for those of dropped futures.
    frames: VecDeque<Kept<W::Frame>>,
    limits: RewindLimits,
    /// The number of the next frame.
    next: u64,
    /// The world in which the past is asked, kept from one question to the next.
    witness: Option<W>,
}

/// A frame in the ring.
struct Kept<F> {
    id: FrameId,
    frame: F,
    /// Bytes that the frame before it does not have; of the oldest, those that the one that is gone did not have.
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

    /// Saves the world as the newest frame, and lets go of the oldest ones that there is no room for.
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
    /// If the frame is gone.
    pub fn restore(&mut self, world: &mut W, id: FrameId) -> Result<(), RewindError> {
        let place = self.place(id)?;
        world.restore_frame(&self.frames[place].frame);
        self.frames.truncate(place + 1);
        Ok(())
    }

    /// A frame that is kept, for a fork.
    ///
    /// # Errors
    ///
    /// If the frame is gone.
    pub fn frame(&self, id: FrameId) -> Result<&W::Frame, RewindError> {
        Ok(&self.frames[self.place(id)?].frame)
    }

    /// The frames that are kept, the oldest first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = FrameId> + ExactSizeIterator {
        self.frames.iter().map(|kept| kept.id)
    }

    /// Bytes of the pages of all frames, those that they share counted once. Costs the number of frames.
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

    /// Lets go of all frames.
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
    /// A world as it was in a frame, to be asked: rays, overlaps, casts, bodies. `world` itself stays where it is; the ring
    /// keeps a copy of it, made at the first question, and moves that to the frame, which costs the pages in which the frame
    /// differs from the last one asked.
    ///
    /// # Errors
    ///
    /// If the frame is gone.
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
