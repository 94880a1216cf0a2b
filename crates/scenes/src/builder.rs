//! Common parts of the builders of scenes, and the displacement of bodies by a seed.

use crate::target::SceneTarget;
use tombolo_physics::{BodyDef, BodyId, ChainDef, PhysicsError, Shape, ShapeDef, ShapeError, Vec2};

/// Displaces bodies slightly when the seed is not 0.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    pub(crate) random: Option<oorandom::Rand64>,
}

impl Jitter {
    /// The greatest displacement, as a share of a body's size.
    const SHARE: f32 = 0.05;

    /// A vector of up to 5 % of `size_m` along each axis; zero for seed 0.
    pub(crate) fn offset(&mut self, size_m: f32) -> Vec2 {
        let Some(random) = &mut self.random else {
            return Vec2::ZERO;
        };
        let mut component = || (random.rand_float() as f32 * 2.0 - 1.0) * Self::SHARE * size_m;
        Vec2::new(component(), component())
    }
}

/// The target, with the calls that builders share.
pub(crate) struct Builder<'a> {
    pub(crate) target: &'a mut dyn SceneTarget,
    pub(crate) jitter: Jitter,
}

impl Builder<'_> {
    /// A static body.
    pub(crate) fn ground(&mut self, x: f32, y: f32) -> Result<BodyId, PhysicsError> {
        self.target.create_body(&BodyDef::fixed(x, y))
    }

    /// A body of `def` displaced by jitter that fits a body of `size_m` meters.
    pub(crate) fn body(&mut self, def: BodyDef, size_m: f32) -> Result<BodyId, PhysicsError> {
        let position = def.position + self.jitter.offset(size_m);
        self.target.create_body(&BodyDef { position, ..def })
    }

    /// A dynamic body with one shape.
    pub(crate) fn piece(
        &mut self,
        x: f32,
        y: f32,
        size_m: f32,
        def: &ShapeDef,
        shape: &Shape,
    ) -> Result<BodyId, PhysicsError> {
        let body = self.body(BodyDef::dynamic(x, y), size_m)?;
        self.shape(body, def, shape)?;
        Ok(body)
    }

    /// Creates a shape that reports no touches: the originals request none, and every report costs.
    pub(crate) fn shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        self.target.create_shape(body, &quiet(def), shape)
    }

    /// Creates a chain without reports of touches, like [`Self::shape`].
    pub(crate) fn chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let def = ChainDef {
            shape: quiet(&def.shape),
            ..def.clone()
        };
        self.target.create_chain(body, &def)
    }
}

/// The same definition without reports of touches.
pub(crate) fn quiet(def: &ShapeDef) -> ShapeDef {
    ShapeDef {
        contact_events: false,
        ..def.clone()
    }
}

/// A shape whose numbers are constants of a scene, so that a refusal is an error in this folder.
pub(crate) fn constant(shape: Result<Shape, ShapeError>) -> Shape {
    shape.expect("the scenes' own shapes are in range")
}

/// A rectangle of constant half extents about a constant center.
pub(crate) fn rectangle_at(half_width: f32, half_height: f32, x: f32, y: f32) -> Shape {
    constant(Shape::box_at(
        2.0 * half_width,
        2.0 * half_height,
        Vec2::new(x, y),
        0.0,
    ))
}

/// A rectangle of constant half extents about the body's origin, turned by an angle in radians.
pub(crate) fn rectangle_turned(half_width: f32, half_height: f32, angle: f32) -> Shape {
    constant(Shape::box_at(
        2.0 * half_width,
        2.0 * half_height,
        Vec2::ZERO,
        angle,
    ))
}

/// A rectangle of constant half extents about the body's origin.
pub(crate) fn rectangle(half_width: f32, half_height: f32) -> Shape {
    constant(Shape::new_box(2.0 * half_width, 2.0 * half_height))
}
