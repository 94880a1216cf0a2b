//! The components that an entity can have in a scene, and the registry from a kind's name to the code that reads it.
//!
//! A component has a name of its own within its entity (`"hull"`) and a kind (`Collider`); an entity may have
//! several of one kind under different names. Each kind reads its own definition while the text is parsed;
//! `definitions.rs` turns it into the values of its manager's properties. A new kind is one variant of
//! [`Component`], one word and one [`Properties`]; the game's own kinds are read by their managers' properties, in
//! `custom.rs`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor};
use tombolo_entity::Color;
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{DAMPING_RATIO_MAX, GRAVITY_MAX_M_S2, HERTZ_MAX, HERTZ_MIN, SPIN_MAX_RAD_S};
use tombolo_physics::{BodyDef, BodyKind, Filter, ShapeDef};

use super::custom::{Custom, CustomOver, Kinds};
use super::geometry::GeometryEntry;
use super::nearest::advice;
use super::reader::{Field, Finding, Name, NameSeed, Properties, Reader, properties};
use super::values::{Choice, NumberRange, Rest};
use crate::component;

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
    /// A region that notices who comes and goes.
    Trigger(Trigger),
    /// A picture.
    Sprite(component::Sprite),
    /// Numbers for the renderer.
    RenderData(RenderData),
    /// A mark.
    Tag(Tag),
    /// A script.
    Script(component::Script),
    /// What makes entities as time goes by.
    Spawner(component::Spawner),
    /// Who walks to a goal.
    Agent(Agent),
    /// A kind of the game's own.
    Custom(Custom),
}

impl Component {
    /// A component of a kind with default values; `None` if there is no such kind.
    pub(crate) fn blank(word: &str, kinds: &Kinds) -> Option<Self> {
        Some(match word {
            "Transform" => Self::Transform(Transform::default()),
            "Body" => Self::Body(BodyDef::default()),
            "Collider" => Self::Collider(Collider::default()),
            "Joint" => Self::Joint(Joint::default()),
            "Trigger" => Self::Trigger(Trigger::default()),
            "Sprite" => Self::Sprite(component::Sprite::default()),
            "RenderData" => Self::RenderData(RenderData::default()),
            "Tag" => Self::Tag(Tag),
            "Script" => Self::Script(component::Script::default()),
            "Spawner" => Self::Spawner(component::Spawner::default()),
            "Agent" => Self::Agent(Agent::default()),
            _ => Self::Custom(Custom::new(kinds.get(word)?)),
        })
    }

    /// The name of its kind, which is that of its manager.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Transform(_) => "Transform",
            Self::Body(_) => "Body",
            Self::Collider(_) => "Collider",
            Self::Joint(_) => "Joint",
            Self::Trigger(_) => "Trigger",
            Self::Sprite(_) => "Sprite",
            Self::RenderData(_) => "RenderData",
            Self::Tag(_) => "Tag",
            Self::Script(_) => "Script",
            Self::Spawner(_) => "Spawner",
            Self::Agent(_) => "Agent",
            Self::Custom(custom) => &custom.kind.name,
        }
    }

    /// Reads what follows the kind's name: the properties given replace those that are there.
    fn read_rest<'de, A: VariantAccess<'de>>(&mut self, rest: Rest<'_, '_, A>) -> Result<(), A::Error> {
        match self {
            Self::Transform(transform) => rest.over(transform),
            Self::Body(body) => rest.over(body),
            Self::Collider(collider) => rest.over(collider),
            Self::Joint(joint) => rest.over(joint),
            Self::Trigger(trigger) => rest.over(trigger),
            Self::Sprite(sprite) => rest.over(sprite),
            Self::RenderData(data) => rest.over(data),
            Self::Tag(tag) => rest.over(tag),
            Self::Script(script) => rest.over(script),
            Self::Spawner(spawner) => rest.over(spawner),
            Self::Agent(agent) => rest.over(agent),
            Self::Custom(custom) => {
                let reader = rest.reader;
                rest.access.struct_variant(&[], CustomOver { reader, custom })
            }
        }
    }

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
            Self::Trigger(trigger) => field.over(trigger),
            Self::Sprite(sprite) => field.over(sprite),
            Self::RenderData(data) => field.over(data),
            Self::Tag(tag) => field.over(tag),
            Self::Script(script) => field.over(script),
            Self::Spawner(spawner) => field.over(spawner),
            Self::Agent(agent) => field.over(agent),
            Self::Custom(custom) => field.by(CustomOver { reader, custom }),
        }
    }
}

/// Reads a component, over the inherited one of its name if there is one.
pub(crate) struct ComponentSeed<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) kinds: &'r Kinds,
    pub(crate) inherited: Option<&'r Component>,
}

/// What stands in an entity under a name.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// A component.
    Component(Component),
    /// All that another entity has.
    Inherits(Name),
    /// An entity that comes with it.
    Child(Child),
}

impl<'de> DeserializeSeed<'de> for ComponentSeed<'_, '_> {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_enum("", &component::NAMES, self)
    }
}

impl<'de> Visitor<'de> for ComponentSeed<'_, '_> {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", component::NAMES.join(", "))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Entry, A::Error> {
        let reader = self.reader;
        let (word, access) = data.variant_seed(NameSeed { reader, word: true })?;
        let rest = Rest { access, reader };
        match word.text.as_str() {
            "Inherits" => return rest.name().map(Entry::Inherits),
            "Child" => return rest.fresh().map(Entry::Child),
            _ => {}
        }
        let Some(mut component) = Component::blank(&word.text, self.kinds) else {
            let own = self.kinds.list.iter().map(|kind| &*kind.name);
            let words = component::NAMES
                .into_iter()
                .chain(["Inherits", "Child"])
                .chain(own);
            let advice = advice(&word.text, words);
            return Err(reader.refuse(format!("unknown word {:?}; {advice}", word.text)));
        };
        if let Some(inherited) = self.inherited {
            if inherited.word() != component.word() {
                let message = format!("is inherited as {}; give that", inherited.word());
                return Err(reader.refuse(message));
            }
            component = inherited.clone();
        }
        component.read_rest(rest)?;
        Ok(Entry::Component(component))
    }
}

/// An entity that comes with another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Child {
    pub(crate) entity: Option<Name>,
    pub(crate) frame: Transform,
}

properties!(Child {
    "entity" => entity = Some(name()),
    "at" => frame.position = vector(),
    "angle" => frame.angle = number(NumberRange::Any),
} check Child::check);

impl Child {
    fn check(&self) -> Result<(), Finding> {
        match self.entity {
            Some(_) => Ok(()),
            None => Err((
                Some("entity"),
                "missing; say which entity comes along".to_string(),
            )),
        }
    }
}

/// Where the entity's frame lies within the placement that puts it into the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    pub(crate) position: Vec2,
    /// Radians.
    pub(crate) angle: f32,
    /// For who draws.
    pub(crate) scale: Vec2,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            position: Vec2::ZERO,
            angle: 0.0,
            scale: Vec2::ONE,
        }
    }
}

properties!(Transform {
    "position" => position = vector(),
    "angle" => angle = number(NumberRange::Any),
    "scale" => scale = vector_within(NumberRange::Around(component::SCALE_MAX)),
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
    "angular_velocity" => angular_velocity = number(NumberRange::Around(SPIN_MAX_RAD_S)),
    "linear_damping" => linear_damping = number(NumberRange::NotNegative),
    "angular_damping" => angular_damping = number(NumberRange::NotNegative),
    "gravity_scale" => gravity_scale = number(NumberRange::Around(GRAVITY_MAX_M_S2)),
    "sleep_threshold" => sleep_threshold = number(NumberRange::NotNegative),
    "allow_sleep" => allow_sleep = plain(),
    "awake" => awake = plain(),
    "fixed_rotation" => fixed_rotation = plain(),
    "enabled" => enabled = plain(),
    "bullet" => bullet = plain(),
});

/// A shape on the entity's body.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// The geometry in its own frame; reading refuses a collider without.
    pub(crate) geometry: Option<GeometryEntry>,
    /// Where that frame lies on the body.
    pub(crate) frame: Transform,
    /// One of the scene's materials; physics' defaults without.
    pub(crate) material: Option<Name>,
    pub(crate) filter: Filter,
    pub(crate) sensor: bool,
    pub(crate) contact_events: bool,
    pub(crate) hit_events: bool,
}

impl Default for Collider {
    fn default() -> Self {
        let def = ShapeDef::default();
        Self {
            geometry: None,
            frame: Transform::default(),
            material: None,
            filter: def.filter,
            sensor: def.sensor,
            contact_events: def.contact_events,
            hit_events: def.hit_events,
        }
    }
}

properties!(Collider {
    "shape" => geometry = Some(choice()),
    "position" => frame.position = vector(),
    "angle" => frame.angle = number(NumberRange::Any),
    "material" => material = Some(name()),
    "category" => filter.category = plain(),
    "mask" => filter.mask = plain(),
    "group" => filter.group = plain(),
    "sensor" => sensor = plain(),
    "contact_events" => contact_events = plain(),
    "hit_events" => hit_events = plain(),
} check Collider::check);

impl Collider {
    fn check(&self) -> Result<(), Finding> {
        check_geometry(self.geometry.as_ref(), self.frame)
    }
}

fn check_geometry(geometry: Option<&GeometryEntry>, frame: Transform) -> Result<(), Finding> {
    let Some(geometry) = geometry else {
        let message = format!("missing; give one of {}", GeometryEntry::WORDS.join(", "));
        return Err((Some("shape"), message));
    };
    geometry.check(frame).map_err(|message| (Some("shape"), message))
}

/// A region that notices who comes and goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trigger {
    pub(crate) geometry: Option<GeometryEntry>,
    pub(crate) frame: Transform,
    pub(crate) filter: Filter,
}

properties!(Trigger {
    "shape" => geometry = Some(choice()),
    "position" => frame.position = vector(),
    "angle" => frame.angle = number(NumberRange::Any),
    "category" => filter.category = plain(),
    "mask" => filter.mask = plain(),
    "group" => filter.group = plain(),
} check Trigger::check);

impl Trigger {
    fn check(&self) -> Result<(), Finding> {
        if let Some(GeometryEntry::Chain(_)) = self.geometry {
            return Err((
                Some("shape"),
                "a chain has no inside; give another shape".to_string(),
            ));
        }
        check_geometry(self.geometry.as_ref(), self.frame)
    }
}

properties!(component::Sprite {
    "image" => image = text(),
    "size" => size = vector(),
    "offset" => offset = vector(),
    "colour" => color = color(),
    "layer" => layer = plain(),
    "visible" => visible = plain(),
});

/// Numbers under names for an effect of the renderer.
#[derive(Clone, Debug, Default)]
pub(crate) struct RenderData {
    pub(crate) effect: Box<str>,
    pub(crate) numbers: Vec<(Box<str>, f32)>,
    pub(crate) color: Color,
}

properties!(RenderData {
    "effect" => effect = text(),
    "values" => numbers = named_numbers(),
    "colour" => color = color(),
});

/// A mark: nothing but its name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tag;

impl Properties for Tag {
    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        _: &str,
        field: &mut Field<'_, '_, A>,
    ) -> Result<(), A::Error> {
        Err(field.refuse("a tag has no properties"))
    }
}

properties!(component::Script {
    "name" => name = text(),
    "text" => text = text(),
    "enabled" => enabled = plain(),
} check check_script);

fn check_script(script: &component::Script) -> Result<(), Finding> {
    if script.name.is_empty() == script.text.is_empty() {
        return Err((Some("name"), "give the name of a script, or its text".to_string()));
    }
    Ok(())
}

/// Who walks to a goal; one without a goal waits for it.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) goal: Option<Vec2>,
    pub(crate) speed: f32,
    pub(crate) clearance: f32,
    pub(crate) enabled: bool,
}

impl Default for Agent {
    fn default() -> Self {
        let agent = component::Agent::default();
        Self {
            goal: None,
            speed: agent.speed,
            clearance: agent.clearance,
            enabled: agent.enabled,
        }
    }
}

properties!(Agent {
    "goal" => goal = Some(vector()),
    "speed" => speed = number(NumberRange::UpTo(component::SPEED_MAX)),
    "clearance" => clearance = number(NumberRange::UpTo(component::CLEARANCE_MAX)),
    "enabled" => enabled = plain(),
});

properties!(component::Spawner {
    "resource" => resource = text(),
    "interval" => interval_s = number(NumberRange::Interval),
    "limit" => limit = plain(),
    "velocity" => velocity = vector(),
    "spread" => spread = vector(),
    "enabled" => enabled = plain(),
} check check_spawner);

fn check_spawner(spawner: &component::Spawner) -> Result<(), Finding> {
    if spawner.spread.min_element() < 0.0 {
        return Err((Some("spread"), "is negative; give 0 or more".to_string()));
    }
    Ok(())
}

/// An end of a joint.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A placed instance by its name.
    Entity(Name),
    /// The instance before this one in its row or grid.
    Previous,
    /// The entity that this one comes along with.
    Parent,
}

impl Choice for Target {
    const WORDS: &'static [&'static str] = &["Entity", "Previous", "Parent"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        match word {
            "Entity" => rest.name().map(Self::Entity),
            "Previous" => rest.nothing().map(|()| Self::Previous),
            _ => rest.nothing().map(|()| Self::Parent),
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
    Revolute(RevoluteEntry),
}

impl Default for JointKind {
    fn default() -> Self {
        Self::Revolute(RevoluteEntry::default())
    }
}

impl Choice for JointKind {
    const WORDS: &'static [&'static str] = &["Revolute"];

    fn read<'de, A: VariantAccess<'de>>(_: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        rest.fresh().map(Self::Revolute)
    }
}

/// A revolute joint's settings. Its angle is how far `from` has turned against `to` since they were placed.
#[derive(Clone, Debug, Default)]
pub(crate) struct RevoluteEntry {
    pub(crate) limit: Option<RevoluteLimit>,
    pub(crate) spring: Option<RevoluteSpring>,
    pub(crate) motor: Option<RevoluteMotor>,
    pub(crate) collide_connected: bool,
}

properties!(RevoluteEntry {
    "limit" => limit = Some(fresh()),
    "spring" => spring = Some(fresh()),
    "motor" => motor = Some(fresh()),
    "collide_connected" => collide_connected = plain(),
});

/// The range of a revolute joint's angle, in radians.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RevoluteLimit {
    pub(crate) lower: f32,
    pub(crate) upper: f32,
}

properties!(RevoluteLimit {
    "lower" => lower = number(NumberRange::RevoluteAngle),
    "upper" => upper = number(NumberRange::RevoluteAngle),
} check RevoluteLimit::check);

impl RevoluteLimit {
    fn check(&self) -> Result<(), Finding> {
        if self.lower <= self.upper {
            return Ok(());
        }
        let message = format!("{} is below the lower limit {}", self.upper, self.lower);
        Err((Some("upper"), message))
    }
}

/// A spring that pulls a revolute joint to an angle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RevoluteSpring {
    /// Oscillations per second.
    pub(crate) hertz: f32,
    /// 1 is critical.
    pub(crate) damping_ratio: f32,
    /// Radians.
    pub(crate) target_angle: f32,
}

properties!(RevoluteSpring {
    "hertz" => hertz = number(NumberRange::ZeroOr(HERTZ_MIN, HERTZ_MAX)),
    "damping_ratio" => damping_ratio = number(NumberRange::UpTo(DAMPING_RATIO_MAX)),
    "target_angle" => target_angle = number(NumberRange::Any),
});

/// A motor that turns a revolute joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RevoluteMotor {
    /// Radians per second.
    pub(crate) speed: f32,
    /// Newton meters.
    pub(crate) max_torque: f32,
}

properties!(RevoluteMotor {
    "speed" => speed = number(NumberRange::Around(SPIN_MAX_RAD_S)),
    "max_torque" => max_torque = number(NumberRange::NotNegative),
});

/// The name of a component and what it is.
#[derive(Clone, Debug)]
pub(crate) struct NamedComponent {
    pub(crate) name: String,
    pub(crate) component: Component,
}
