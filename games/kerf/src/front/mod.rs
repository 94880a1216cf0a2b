//! The front end: draws the game, plays sounds, and turns keys, pointer, fingers and gamepads into what the game takes.
//! What stands here never changes a world.

pub(crate) mod debug;
pub(crate) mod effects;
pub(crate) mod eye;
pub(crate) mod font;
pub(crate) mod input;
pub(crate) mod palette;
pub(crate) mod scenery;
pub(crate) mod screens;
pub(crate) mod shapes;
pub(crate) mod sound;
pub(crate) mod things;
pub(crate) mod traveler;
