//! Debug drawing: [`PhysicsWorld::draw`] passes the shapes, joints, contacts and boxes of a world to an implementation
//! of [`DebugDraw`], in meters of the world.
//!
//! `target.rs` has the trait, `options.rs` the choice of what is drawn, `palette.rs` the colors. `bodies.rs` draws
//! shapes and properties of bodies, `joints.rs` joints, `contacts.rs` contacts; `marks.rs` has the properties of a
//! joint that a drawing shows, `symbols.rs` the symbols that show them. Drawing reads a world through its public views and changes nothing.

mod bodies;
mod contacts;
mod joints;
mod marks;
mod options;
mod palette;
mod symbols;
mod target;

pub use marks::{CoordinateMarks, JointMarks};
pub use options::DrawOptions;
pub use palette::{DrawColor, DrawPalette};
pub use symbols::{JointDirection, JointPoint, JointSymbol};
pub use target::DebugDraw;

use crate::world::PhysicsWorld;

impl PhysicsWorld {
    /// Draws the world between two steps: bodies by kind (static, kinematic, dynamic) and then by index, joints and
    /// contacts by index. Sizes that are tiny and options that are not finite draw less or nothing; there is no error.
    ///
    /// Costs all objects, also outside of [`DrawOptions::bounds`], but calls `draw` only for those inside.
    pub fn draw(&self, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        let texts = options.names || options.user_keys;
        if options.shapes || options.boxes || options.centers || options.velocities || texts {
            bodies::draw(self, draw, options);
        }
        if options.joints {
            joints::draw(self, draw, options);
        }
        if options.contacts || options.contact_forces {
            contacts::draw(self, draw, options);
        }
    }
}
