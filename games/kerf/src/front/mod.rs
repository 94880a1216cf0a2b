//! The front end: draws the game, plays sounds, and converts keys, pointer, fingers and gamepads to the input of the
//! game. Nothing here ever changes a world.

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
