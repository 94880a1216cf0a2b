//! [`Handler`]: the events that scripts handle.

use crate::component::script::HANDLERS;

/// The events of an entity that its script can handle, in the order of [`HANDLERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handler {
    Spawn,
    Tick,
    Timer,
    BeginTouch,
    EndTouch,
    Hit,
    Force,
    Enter,
    Leave,
    Strain,
    Break,
    Despawn,
}

impl Handler {
    pub(super) const ALL: [Self; HANDLERS.len()] = [
        Self::Spawn,
        Self::Tick,
        Self::Timer,
        Self::BeginTouch,
        Self::EndTouch,
        Self::Hit,
        Self::Force,
        Self::Enter,
        Self::Leave,
        Self::Strain,
        Self::Break,
        Self::Despawn,
    ];

    /// The name of the function, and the names of its arguments.
    pub(super) const fn signature(self) -> (&'static str, &'static [&'static str]) {
        HANDLERS[self as usize]
    }
}
