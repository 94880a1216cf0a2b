//! Debug drawing: [`PhysicsWorld::draw`] hands the shapes, joints, contacts and boxes of a world to whatever implements
//! [`DebugDraw`], in meters of the world.
//!
//! `bodies.rs` draws shapes and what bodies have, `joints.rs` joints, `contacts.rs` contacts, `palette.rs` has the colors, `marks.rs`
//! what a drawing shows of a joint. Drawing reads a world through its public views and changes nothing.

mod bodies;
mod contacts;
mod joints;
mod marks;
mod palette;

pub use marks::JointMarks;
pub use palette::{DrawColor, DrawPalette};

use crate::Aabb;
use crate::world::PhysicsWorld;
use tombolo_geometry::Vec2;

/// Chords of an arc per half turn, where a circle is drawn as lines.
const ARC_PIECES: u32 = 12;

/// What can draw lines, and perhaps more. Only [`DebugDraw::line`] must be there; the others fall back on it, or on nothing
/// for text. All places are in meters of the world, y up.
///
/// ```
/// use tombolo_physics::{BodyDef, DebugDraw, DrawColor, DrawOptions, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
///
/// #[derive(Default)]
/// struct Svg(String);
///
/// impl DebugDraw for Svg {
///     fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
///         let [red, green, blue, _] = color.to_bytes();
///         self.0 += &format!(
///             "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='rgb({red},{green},{blue})'/>\n",
///             from.x, -from.y, to.x, -to.y
///         );
///     }
/// }
///
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let body = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
/// world.create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 1.0)?)?;
/// let mut svg = Svg::default();
/// world.draw(&mut svg, &DrawOptions::default());
/// assert_eq!(svg.0.lines().count(), 4);
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
pub trait DebugDraw {
    /// A straight line.
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor);

    /// A line through points.
    fn polyline(&mut self, points: &[Vec2], color: DrawColor) {
        for ends in points.windows(2) {
            self.line(ends[0], ends[1], color);
        }
    }

    /// A closed polygon, convex, its corners counter-clockwise. `filled` is false where what it stands for is not solid,
    /// as a sensor is.
    fn polygon(&mut self, corners: &[Vec2], filled: bool, color: DrawColor) {
        let _ = filled;
        self.polyline(corners, color);
        if let [first, .., last] = *corners {
            self.line(last, first, color);
        }
    }

    /// A dot of the size of a pin, whatever the scale: a joint's anchor, a contact point, a center of mass.
    fn dot(&mut self, at: Vec2, size_m: f32, color: DrawColor) {
        let reach = 0.5 * size_m;
        self.line(at - Vec2::new(reach, 0.0), at + Vec2::new(reach, 0.0), color);
        self.line(at - Vec2::new(0.0, reach), at + Vec2::new(0.0, reach), color);
    }

    /// A text that begins at a point.
    fn text(&mut self, at: Vec2, text: &str, color: DrawColor) {
        let _ = (at, text, color);
    }
}

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
    fn shows(&self, area: Aabb) -> bool {
        self.bounds.is_none_or(|bounds| bounds.overlaps(area))
    }

    /// Whether a point is in sight.
    fn shows_point(&self, point: Vec2) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_point(point))
    }
}

impl PhysicsWorld {
    /// Draws the world as it is between two steps: bodies by kind (static, kinematic, dynamic) and then by index, joints and
    /// contacts by index. Sizes below a hair and options that are not finite draw less or nothing; there is no error.
    ///
    /// Costs what exists, also outside of [`DrawOptions::bounds`], but calls `draw` for what is inside only.
    pub fn draw(&self, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        if options.shapes || options.boxes || options.centers || options.velocities || options.user_keys {
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
