//! [`Camera`]: a rectangle of the world that is shown on a screen. [`Space::visible`](super::Space::visible) takes
//! one.

use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{Bounds, HalfSpace};

/// The visible area of a screen: a rectangle, rotated or not.
///
/// ```
/// use tombolo::{Camera, Settings, World};
/// use tombolo::physics::Vec2;
/// let mut world = World::new(&Settings::default())?;
/// let here = world.create(Some("here"))?;
/// world.update_space();
/// let mut camera = Camera { position: Vec2::new(8.0, 0.0), angle: 0.0, size: Vec2::new(20.0, 10.0) };
/// assert_eq!(world.space().visible(&camera), [here]);
/// camera.angle = 1.5;
/// assert!(world.space().visible(&camera).is_empty());
/// # Ok::<(), tombolo::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The center, in meters.
    pub position: Vec2,
    /// The rotation, in radians counter-clockwise.
    pub angle: f32,
    /// The width and height, in meters.
    pub size: Vec2,
}

impl Camera {
    /// The rectangle as the intersection of four half-planes.
    pub fn sides(&self) -> [HalfSpace<2>; 4] {
        let (sin, cos) = (libm::sinf(self.angle), libm::cosf(self.angle));
        let (right, up) = (Vec2::new(cos, sin), Vec2::new(-sin, cos));
        let half = 0.5 * self.size;
        [(right, half.x), (-right, half.x), (up, half.y), (-up, half.y)].map(|(normal, reach)| HalfSpace {
            normal: normal.to_array(),
            offset: normal.dot(self.position) + reach,
        })
    }

    /// A box around the rectangle, as small as rounding allows; `None` if it is not finite.
    pub fn bounds(&self) -> Option<Bounds<2>> {
        let (sin, cos) = (libm::sinf(self.angle).abs(), libm::cosf(self.angle).abs());
        let half = 0.5 * self.size;
        let reach = Vec2::new(cos * half.x + sin * half.y, sin * half.x + cos * half.y);
        // The sides are rounded too: by fewer units than these.
        let slack = 8.0 * f32::EPSILON * (self.position.abs() + reach.abs());
        let (min, max) = (self.position - reach - slack, self.position + reach + slack);
        (min.is_finite() && max.is_finite()).then(|| Bounds::new(min.to_array(), max.to_array()))
    }
}
