//! The file of a recording, and the traits and texts that the commands on recordings share.

use std::fs;
use std::path::Path;

use tombolo::entity::Entity;
use tombolo::physics::{
    Call, LaneWidth, PhysicsError, PhysicsWorld, PlayerOf, RecordOptions, Recordable, Recording,
    RecordingError, RecordingOf,
};
use tombolo::{World, WorldCall, WorldRecording};

use crate::output::{Failure, counted, short};

/// A recording of physics, or of a world of entities.
pub(super) enum Opened {
    Physics(Recording),
    World(WorldRecording),
}

/// Reads a recording from a file.
///
/// # Errors
/// It cannot be read, or is not a recording.
pub(super) fn open(path: &Path) -> Result<Opened, Failure> {
    let shown = path.display().to_string();
    let refuse = |why: &dyn std::fmt::Display| Failure(format!("{}: {why}", short(&shown)));
    let bytes = fs::read(path).map_err(|error| refuse(&error))?;
    open_bytes(bytes).map_err(|Failure(why)| refuse(&why))
}

/// Reads a recording.
///
/// # Errors
/// The bytes are not a recording, or one that cannot be read.
pub(super) fn open_bytes(bytes: Vec<u8>) -> Result<Opened, Failure> {
    let other = other_kind(&bytes);
    let opened = if WorldRecording::is_one(&bytes) {
        WorldRecording::open(bytes).map(Opened::World)
    } else {
        Recording::open(bytes).map(Opened::Physics)
    };
    opened.map_err(|error| match other {
        Some(other) if error == RecordingError::NotARecording => Failure(other.to_string()),
        _ => error.into(),
    })
}

/// What a file that is no recording of this format is, by its first bytes, if it is one of Tombolo's.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&str, &str); 5] = [
        (
            "TOMBOREC",
            "this version does not read this format of recordings: a later one may",
        ),
        (
            "TOMBOWRC",
            "this version does not read this format of recordings: a later one may",
        ),
        ("TOMBOLO", "this is a save and no recording"),
        (
            "{\"tombolo_session\"",
            "this is the log of a session: `tombolo play --again` makes a recording of it",
        ),
        ("<!doctype html>", "this is a page and no recording"),
    ];
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|(start, _)| bytes.starts_with(start.as_bytes()));
    kind.map(|(_, what)| *what)
}

/// The operations on a world that the commands need in addition to playing.
pub(super) trait Replayed: Recordable<Call: PartialEq> {
    /// The world's physics.
    fn bodies(&self) -> &PhysicsWorld;

    /// The world of entities, if it is one.
    fn entities(&self) -> Option<&World>;

    /// Sets the lane width.
    ///
    /// # Errors
    /// The machine does not have it.
    fn compute_with(&mut self, lanes: LaneWidth) -> Result<(), PhysicsError>;

    /// Measures the times of stages from now on.
    fn measure(&mut self);

    /// Begins a recording.
    fn record(&mut self);

    /// Removes and returns the bytes recorded so far, without the end.
    fn recorded(&mut self) -> Vec<u8>;

    /// Ends the recording and returns its remaining bytes.
    fn end(&mut self) -> Vec<u8>;

    /// The first difference from another world, in words.
    fn difference(&self, other: &Self) -> Option<String>;

    /// The length of the step that a call makes.
    fn step_s(&self, call: &Self::Call) -> Option<f32>;
}

impl Replayed for PhysicsWorld {
    fn bodies(&self) -> &PhysicsWorld {
        self
    }

    fn entities(&self) -> Option<&World> {
        None
    }

    fn compute_with(&mut self, lanes: LaneWidth) -> Result<(), PhysicsError> {
        self.set_lanes(lanes)
    }

    fn measure(&mut self) {
        self.set_profiling(true);
    }

    fn record(&mut self) {
        self.start_recording(RecordOptions::default());
    }

    fn recorded(&mut self) -> Vec<u8> {
        self.take_recording()
    }

    fn end(&mut self) -> Vec<u8> {
        self.end_recording()
    }

    fn difference(&self, other: &Self) -> Option<String> {
        let difference = self.first_difference(other)?;
        let mut text = difference.to_string();
        let property = difference.property.as_ref();
        if let Some(entity) = property.and_then(|property| Entity::from_bits(property.body?.1)) {
            let (index, generation) = (entity.index(), entity.generation());
            text += &format!("\nin a world of entities that is entity {index}v{generation}");
        }
        Some(text)
    }

    fn step_s(&self, call: &Call) -> Option<f32> {
        match call {
            Call::Step { dt } => Some(*dt),
            _ => None,
        }
    }
}

impl Replayed for World {
    fn bodies(&self) -> &PhysicsWorld {
        self.physics()
    }

    fn entities(&self) -> Option<&World> {
        Some(self)
    }

    fn compute_with(&mut self, lanes: LaneWidth) -> Result<(), PhysicsError> {
        self.physics_mut().set_lanes(lanes)
    }

    fn measure(&mut self) {
        self.physics_mut().set_profiling(true);
    }

    fn record(&mut self) {
        self.start_recording(RecordOptions::default());
    }

    fn recorded(&mut self) -> Vec<u8> {
        self.take_recording()
    }

    fn end(&mut self) -> Vec<u8> {
        self.end_recording()
    }

    fn difference(&self, other: &Self) -> Option<String> {
        self.first_difference(other)
            .map(|difference| difference.to_string())
    }

    fn step_s(&self, call: &WorldCall) -> Option<f32> {
        matches!(call, WorldCall::Step { .. }).then(|| self.step_seconds())
    }
}

/// The length of a recording, such as "1,200 steps", and whether it is complete.
pub(super) fn length<W: Recordable>(recording: &RecordingOf<W>) -> String {
    let steps = counted(recording.steps() as usize, "step", "steps");
    let end = if recording.is_whole() {
        ""
    } else {
        ", cut off after that"
    };
    format!("{steps}{end}")
}

/// The result of comparing a player's hashes with those of its recording.
pub(super) fn agreement<W: Recordable>(player: &PlayerOf<'_, W>) -> String {
    match player.first_difference() {
        None => "as recorded".to_string(),
        Some([agreed, differs]) => {
            format!("differs from the recording: as recorded after step {agreed}, not after step {differs}")
        }
    }
}

#[cfg(test)]
mod tests {
    use tombolo::Settings;
    use tombolo::physics::WorldDef;

    use super::*;

    #[test]
    fn a_file_of_another_kind_is_told_by_its_name() {
        let why = |bytes: &[u8]| match open_bytes(bytes.to_vec()) {
            Ok(_) => panic!("{bytes:?} is no recording"),
            Err(Failure(why)) => why,
        };
        assert!(why(b"TOMBOWRC\x02\0\0\0").contains("a later one may"));
        assert!(why(b"TOMBOREC\xff\0\0\0").contains("a later one may"));
        assert!(why(b"TOMBOREC\x01\0\0\0").contains("ends before its first call"));
        assert!(why(&PhysicsWorld::new(&WorldDef::default()).unwrap().save()).contains("a save"));
        assert!(why(&World::new(&Settings::default()).unwrap().save()).contains("a save"));
        assert!(why(b"{\"tombolo_session\":1}").contains("play --again"));
        assert!(why(b"<!doctype html>").contains("a page"));
        for other in [&b""[..], b"\x89PNG\r\n\x1a\n", b"(entities: {})"] {
            assert!(why(other).contains("not a recording"), "{other:?}");
        }
    }
}
