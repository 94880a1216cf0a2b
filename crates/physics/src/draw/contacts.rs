//! Drawing of contacts: points, normals, and normal forces.

use super::options::DrawOptions;
use super::target::DebugDraw;
use crate::world::PhysicsWorld;

/// The size of a contact point and the length of its normal, in pixels.
const POINT_PIXELS: f32 = 5.0;
const NORMAL_PIXELS: f32 = 12.0;

/// Draws the touching contacts.
pub(super) fn draw(world: &PhysicsWorld, draw: &mut dyn DebugDraw, options: &DrawOptions) {
    for contact in world.contacts().filter(|contact| contact.is_touching()) {
        let normal = contact.normal();
        let color = if options.graph_colors {
            options.palette.graph_color(contact.color())
        } else {
            options.palette.contact
        };
        for (at, _, impulse) in contact.points() {
            let at = at.to_vec2();
            if !options.shows_point(at) {
                continue;
            }
            if options.contacts {
                draw.dot(at, POINT_PIXELS * options.pixel_m, color);
                draw.line(at, at + normal * NORMAL_PIXELS * options.pixel_m, color);
            }
            // Without a step there are no forces.
            let force = impulse / options.dt;
            if options.contact_forces && force > 0.0 && force.is_finite() {
                let end = at + normal * force * options.meters_per_newton;
                draw.line(at, end, options.palette.force);
            }
        }
    }
}
