//! The components an entity can have in a scene, and the registry that leads from a kind's name to the code that reads it.
//!
//! A component has a name of its own within its entity (`"hull"`) and a kind (`Collider`); several of one kind may stand
//! in one entity under different names. Each kind reads its own definition while the text is parsed. A new kind is one
//! variant of [`Component`], one word of the registry and one [`Properties`].

use alloc::format;
use alloc::string::{String, ToString};

use serde::de::{MapAccess, VariantAccess};
use tombolo_geometry::Vec2;
use tombolo_physics::{BodyDef, BodyKind, Filter};

use super::outline::Outline;
use super::reader::{Field, Finding, Name, Reader, properties};
use super::values::{Choice, Limit, Rest};

/// One component's definition.
#[derive(Clone, Debug)]
pub(crate) enum Component {
    /// Where the entity's own frame lies within the placement.
    Transform(Transform),
    /// Physics' definition as it is; its place comes from the instance.
    Body(BodyDef),
    /// A shape on the entity's body.
    Collider(Collider),
    /// What ties two bodies.
    Joint(Joint),
}

impl Choice for Component {
    const WORDS: &'static [&'static str] = &["Transform", "Body", "Collider", "Joint"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        match word {
            "Transform" => rest.fresh().map(Self::Transform),
            "Body" => rest.fresh().map(Self::Body),
            "Collider" => rest.fresh().map(Self::Collider),
            _ => rest.fresh().map(Self::Joint),
        }
    }
}

impl Component {
    /// Reads an override: the properties given replace those that are there.
    pub(crate) fn read_over<'de, A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
        reader: &Reader<'_>,
    ) -> Result<(), A::Error> {
        let mut field = Field { map, reader };
        match self {
            Self::Transform(transform) => field.over(transform),
            Self::Body(body) => field.over(body),
            Self::Collider(collider) => field.over(collider),
            Self::Joint(joint) => field.over(joint),
        }
    }
}

/// Where the entity's frame lies within the placement that puts it into the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transform {
    pub(crate) position: Vec2,
    /// Radians.
    pub(crate) angle: f32,
}

properties!(Transform {
    "position" => position = vector(),
    "angle" => angle = number(Limit::Any),
});

impl Choice for BodyKind {
    const WORDS: &'static [&'static str] = &["Static", "Kinematic", "Dynamic"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        rest.nothing()?;
        Ok(match word {
            "Static" => Self::Static,
            "Kinematic" => Self::Kinematic,
            _ => Self::Dynamic,
        })
    }
}

properties!(BodyDef {
    "kind" => kind = choice(),
    "linear_velocity" => linear_velocity = vector(),
    "angular_velocity" => angular_velocity = number(Limit::Any),
    "linear_damping" => linear_damping = number(Limit::NotNegative),
    "angular_damping" => angular_damping = number(Limit::NotNegative),
    "gravity_scale" => gravity_scale = number(Limit::Any),
    "sleep_threshold" => sleep_threshold = number(Limit::NotNegative),
    "allow_sleep" => allow_sleep = plain(),
    "awake" => awake = plain(),
    "fixed_rotation" => fixed_rotation = plain(),
    "enabled" => enabled = plain(),
});

/// A shape on the entity's body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collider {
    /// The outline in its own frame; reading refuses a collider without.
    pub(crate) outline: Option<Outline>,
    /// Where that frame lies on the body.
    pub(crate) frame: Transform,
    /// One of the scene's materials; physics' defaults without.
    pub(crate) material: Option<Name>,
    pub(crate) filter: Filter,
}

properties!(Collider {
    "shape" => outline = Some(choice()),
    "position" => frame.position = vector(),
    "angle" => frame.angle = number(Limit::Any),
    "material" => material = Some(name()),
    "category" => filter.category = plain(),
    "mask" => filter.mask = plain(),
    "group" => filter.group = plain(),
} check Collider::check);

impl Collider {
    fn check(&self) -> Result<(), Finding> {
        let Some(outline) = &self.outline else {
            let message = format!("missing; give one of {}", Outline::WORDS.join(", "));
            return Err((Some("shape"), message));
        };
        match outline.shape(self.frame) {
            Ok(_) => Ok(()),
            Err(error) => Err((Some("shape"), error.to_string())),
        }
    }
}

/// An end of a joint.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A placed instance by its name.
    Entity(Name),
    /// The instance before this one in its row or grid.
    Previous,
}

impl Choice for Target {
    const WORDS: &'static [&'static str] = &["Entity", "Previous"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        if word == "Entity" {
            rest.name().map(Self::Entity)
        } else {
            rest.nothing().map(|()| Self::Previous)
        }
    }
}

/// What ties the body of `from`, else the entity's own, to that of `to`, at a point of the entity's frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joint {
    pub(crate) from: Option<Target>,
    pub(crate) to: Option<Target>,
    pub(crate) pivot: Vec2,
    pub(crate) kind: JointKind,
}

properties!(Joint {
    "from" => from = Some(choice()),
    "to" => to = Some(choice()),
    "pivot" => pivot = vector(),
    "kind" => kind = choice(),
});

/// How a joint lets its bodies move.
#[derive(Clone, Debug)]
pub(crate) enum JointKind {
    /// They share the pivot and turn about it.
    Revolute(Hinge),
}

impl Default for JointKind {
    fn default() -> Self {
        Self::Revolute(Hinge::default())
    }
}

impl Choice for JointKind {
    const WORDS: &'static [&'static str] = &["Revolute"];

    fn read<'de, A: VariantAccess<'de>>(_: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        rest.fresh().map(Self::Revolute)
    }
}

/// A hinge's settings. Its angle is how far `from` has turned against `to` since they were placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hinge {
    pub(crate) limit: Option<HingeLimit>,
    pub(crate) spring: Option<HingeSpring>,
    pub(crate) motor: Option<HingeMotor>,
    pub(crate) collide_connected: bool,
}

properties!(Hinge {
    "limit" => limit = Some(fresh()),
    "spring" => spring = Some(fresh()),
    "motor" => motor = Some(fresh()),
    "collide_connected" => collide_connected = plain(),
});

/// The range of a hinge's angle, in radians.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HingeLimit {
    pub(crate) lower: f32,
    pub(crate) upper: f32,
}

properties!(HingeLimit {
    "lower" => lower = number(Limit::HingeAngle),
    "upper" => upper = number(Limit::HingeAngle),
} check HingeLimit::check);

impl HingeLimit {
    fn check(&self) -> Result<(), Finding> {
        if self.lower <= self.upper {
            return Ok(());
        }
        let message = format!("{} is below the lower limit {}", self.upper, self.lower);
        Err((Some("upper"), message))
    }
}

/// A spring that pulls a hinge to an angle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HingeSpring {
    /// Oscillations per second.
    pub(crate) hertz: f32,
    /// 1 is critical.
    pub(crate) damping_ratio: f32,
    /// Radians.
    pub(crate) target_angle: f32,
}

properties!(HingeSpring {
    "hertz" => hertz = number(Limit::NotNegative),
    "damping_ratio" => damping_ratio = number(Limit::NotNegative),
    "target_angle" => target_angle = number(Limit::Any),
});

/// A motor that turns a hinge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HingeMotor {
    /// Radians per second.
    pub(crate) speed: f32,
    /// Newton metres.
    pub(crate) max_torque: f32,
}

properties!(HingeMotor {
    "speed" => speed = number(Limit::Any),
    "max_torque" => max_torque = number(Limit::NotNegative),
});

/// The name of a component and what it is.
#[derive(Clone, Debug)]
pub(crate) struct NamedComponent {
    pub(crate) name: String,
    pub(crate) component: Component,
}
