//! Debug drawing: [`PhysicsWorld::draw`] hands the shapes, joints, contacts and boxes of a world to whatever implements
//! [`DebugDraw`], in meters of the world.
//!
//! `target.rs` has the trait, `options.rs` what is drawn, `palette.rs` the colors. `bodies.rs` draws shapes and what bodies have,
//! `joints.rs` joints, `contacts.rs` contacts; `marks.rs` is what a drawing shows of a joint. Drawing reads a world through its
//! public views and changes nothing.

mod bodies;
mod contacts;
mod joints;
mod marks;
mod options;
mod palette;
mod target;

pub use marks::JointMarks;
pub use options::DrawOptions;
pub use palette::{DrawColor, DrawPalette};
pub use target::DebugDraw;

use crate::world::PhysicsWorld;

impl PhysicsWorld {
    /// Draws the world as it is between two steps: bodies by kind (static, kinematic, dynamic) and then by index, joints and
    /// contacts by index. Sizes below a hair and options that are not finite draw less or nothing; there is no error.
    ///
    /// Costs what exists, also outside of [`DrawOptions::bounds`], but calls `draw` for what is inside only.
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
