//! [`DrawOptions`]: the choice of what debug drawing shows, its sizes and its colors.

use super::palette::DrawPalette;
use tombolo_geometry::{Aabb, Vec2};

/// The options of debug drawing. The default draws shapes and joints.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawOptions {
    /// Whether shapes are drawn, in the color of their body: by kind, and for awake dynamic bodies by island if
    /// `islands` is set.
    pub shapes: bool,
    /// Whether awake dynamic bodies have the colors of their islands, or all the same color.
    pub islands: bool,
    /// Whether joints are drawn, by symbols of their function, redder with more strain.
    pub joints: bool,
    /// Whether the points of touching contacts are drawn, each with its normal.
    pub contacts: bool,
    /// Whether the normal force at each contact point is drawn, as a line of length [`DrawOptions::meters_per_newton`]
    /// times the force.
    pub contact_forces: bool,
    /// Whether contact points and joints have the colors of their colors in the constraint graph
    /// ([`ContactRef::color`](crate::ContactRef::color)) instead of their own; what is not solved has that of sleepers.
    pub graph_colors: bool,
    /// Whether the fat boxes of the broad phase are drawn.
    pub boxes: bool,
    /// Whether the centers of mass are drawn, with the axes of the body's frame.
    pub centers: bool,
    /// Whether velocities are drawn, as the path of a tenth of a second.
    pub velocities: bool,
    /// Whether user keys of bodies are drawn, as text.
    pub user_keys: bool,
    /// Whether names of bodies that have one are drawn, as text; followed by the key if `user_keys` is set.
    pub names: bool,
    /// Whether the leaves of the free space in which agents find their paths are drawn, filled where they count as wall.
    /// Physics alone has none: a world of entities draws them.
    pub cells: bool,
    /// Whether the rest of each agent's path is drawn, by a world of entities as well.
    pub paths: bool,
    /// A box outside of which nothing is drawn, so that a window into a large world costs what it shows; everything is
    /// drawn if `None`.
    pub bounds: Option<Aabb>,
    /// The size of a pixel in meters, for symbols without a size in the world, such as pins and arrows. Positive.
    pub pixel_m: f32,
    /// The length of a line that shows a force of one newton, in meters.
    pub meters_per_newton: f32,
    /// The duration of the last step in seconds: impulses divided by it are forces.
    pub dt: f32,
    /// The colors of the drawing.
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
            graph_colors: false,
            boxes: false,
            centers: false,
            velocities: false,
            user_keys: false,
            names: false,
            cells: false,
            paths: false,
            bounds: None,
            pixel_m: 0.02,
            meters_per_newton: 0.01,
            dt: 1.0 / 60.0,
            palette: DrawPalette::default(),
        }
    }
}

impl DrawOptions {
    /// Whether a box is within the bounds.
    #[must_use]
    pub fn shows(&self, area: Aabb) -> bool {
        self.bounds.is_none_or(|bounds| bounds.overlaps(area))
    }

    /// Whether a point is within the bounds.
    pub(super) fn shows_point(&self, point: Vec2) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_point(point))
    }
}
