//! [`DrawOptions`]: what of a world is drawn.

use super::palette::DrawPalette;
use tombolo_geometry::{Aabb, Vec2};

/// What is drawn. The default draws shapes and joints.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawOptions {
    /// Shapes in the color of their body: by kind, and of awake dynamic bodies by island if `islands` is set.
    pub shapes: bool,
    /// Whether awake dynamic bodies have the colors of their islands, or all the same one.
    pub islands: bool,
    /// Joints as what they do, the redder the more they are strained.
    pub joints: bool,
    /// The points of touching contacts, each with its normal.
    pub contacts: bool,
    /// The normal force at each contact point, as a line; its length is meters for a newton: see
    /// [`DrawOptions::meters_per_newton`].
    pub contact_forces: bool,
    /// The fat boxes of the broad phase.
    pub boxes: bool,
    /// The centers of mass, with the axes of the body's frame.
    pub centers: bool,
    /// Velocities, as the way of a tenth of a second.
    pub velocities: bool,
    /// User keys of bodies, as text.
    pub user_keys: bool,
    /// Names of bodies that have one, as text; with the key behind it if `user_keys` is set.
    pub names: bool,
    /// What lies outside of this box is left out, so that a window into a large world costs what it shows; all if `None`.
    pub bounds: Option<Aabb>,
    /// Meters for a pixel: the size of what has none in the world, such as pins and arrows. Positive.
    pub pixel_m: f32,
    /// The length of a line that shows a force of one newton, in meters.
    pub meters_per_newton: f32,
    /// How long the last step was, in seconds: impulses divided by it are forces.
    pub dt: f32,
    /// The colors.
    pub palette: DrawPalette,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            shapes: true,
            islands: true,
            joints: true,
            contacts: false,
            contact_forces: false,
            boxes: false,
            centers: false,
            velocities: false,
            user_keys: false,
            names: false,
            bounds: None,
            pixel_m: 0.02,
            meters_per_newton: 0.01,
            dt: 1.0 / 60.0,
            palette: DrawPalette::default(),
        }
    }
}

impl DrawOptions {
    /// Whether a box is in sight.
    pub(super) fn shows(&self, area: Aabb) -> bool {
        self.bounds.is_none_or(|bounds| bounds.overlaps(area))
    }

    /// Whether a point is in sight.
    pub(super) fn shows_point(&self, point: Vec2) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_point(point))
    }
}
