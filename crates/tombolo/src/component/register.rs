//! The register of properties: one entry for each property of each kind of component of the engine's own.
//! `docs/extending.md#a-new-property` has the steps to add one.
//!
//! An entry is written beside the component's fields, in its `Registered::entries`, and is the only place where the
//! property is named. It says what the property is (name, kind, range, unit, documentation, default), how the component's
//! field is read and written, how a change is applied ([`Apply`]), how the property is read where physics knows it better
//! ([`Live`]), whether setting it wakes a body ([`Wakes`]), and how it is written in a scene file ([`InScene`]). Scene files, [`World::get`](crate::World::get)
//! and [`World::set`](crate::World::set), scripts, inspectors, saves, the push to physics and the documents go by it.
//! [`Registered::Apply`] is a type of each kind's own, so that a property of a body without a way to reach the body does
//! not compile.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::RangeInclusive;

use tombolo_entity::{Component, Kind, ManagerId, Property, PropertyValue, Schema, Value};
use tombolo_physics::{
    BodyDef, BodyId, BodyRef, JointMut, JointRef, PhysicsError, PhysicsWorld, RigidWeldRef, ShapeDef,
    ShapeId, ShapeRef,
};

use super::joint::{Joint, JointKinds};
use super::rigid_weld::RigidWeld;

/// Whether setting a property wakes a sleeping body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakes {
    /// It wakes nobody.
    No,
    /// It wakes the body that the component belongs to; a joint's, both.
    Yes,
    /// It wakes that body on this condition.
    If(&'static str),
}

/// How a property is written in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InScene {
    /// In the component's parentheses, under its own name.
    Plain,
    /// The same, for 64 bits: a number from 0 to 2⁶⁴ - 1, or -1 for all.
    Bits,
    /// The same, for a choice of a game's own kind: its word is written in quotes.
    Quoted,
    /// As a part of something that has a form of its own: where in it.
    Within(SceneForm, &'static str),
    /// As the word that such a form begins with.
    WordOf(SceneForm),
    /// Not at all: it is set while the world runs.
    Never,
}

/// What stands in a component's parentheses in a form of its own, and gives several properties at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SceneForm {
    /// `shape: Box(width: 2, height: 1)`
    Shape,
    /// `material: "wood"`, one of the section `materials`
    Material,
    /// `kind: Revolute(motor: (speed: 1, max_torque: 5))`
    JointKind,
    /// `from: Entity("quay")`
    From,
    /// `to: Previous`
    To,
    /// `to_pivot: (0, 2)`, which says also that the joint's points are apart
    ToPivot,
    /// `values: {"density": 0.4}`
    Numbers,
}

impl SceneForm {
    /// The word in front of it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Material => "material",
            Self::JointKind => "kind",
            Self::From => "from",
            Self::To => "to",
            Self::ToPivot => "to_pivot",
            Self::Numbers => "values",
        }
    }
}

/// How a body follows what its component now says.
pub(crate) type ToBody = fn(&mut PhysicsWorld, BodyId, &BodyDef) -> Result<(), PhysicsError>;

/// How the shapes of a collider follow what it now says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToShapes {
    /// Each shape is changed where it is.
    Each(fn(&mut PhysicsWorld, ShapeId, &ShapeDef) -> Result<(), PhysicsError>),
    /// Other shapes take their place.
    Anew,
}

/// How a trigger's sensor follows what it now says: another takes its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SensorAnew;

/// The area of a zone is cut anew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZoneAnew;

/// Physics' field becomes another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAnew;

/// How a grid of tiles follows what its component now says: another takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToTiles {
    /// With the cells that the component begins with.
    Cells,
    /// With the cells as they are now.
    Kinds,
}

/// How a joint of physics follows what its component now says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToJoint {
    /// It is changed where it is.
    AtOnce(fn(&mut JointMut<'_>, &Joint) -> Result<(), PhysicsError>),
    /// Another takes its place, after the component has forgotten what no longer holds.
    Anew(fn(&mut Joint)),
}

/// How a rigid weld follows what its component now says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToWeld {
    /// When it is reported and breaks is set where it is.
    Thresholds,
    /// Another takes its place, after the component has forgotten what no longer holds.
    Anew(fn(&mut RigidWeld)),
}

/// How the world follows a Transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToPose {
    /// The entity is put there, with all that hangs on it.
    Teleport,
    /// It gets another parent; its place is then seen from there.
    Parent,
    /// Only its extent in space changes.
    Extent,
}

/// The entity's box in space is found anew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent;

/// No further effect: the system that runs the component reads the field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept;

/// What follows when a property was set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Apply {
    /// As [`Kept`].
    Kept,
    /// As [`Extent`].
    Extent,
    /// As [`ToPose`].
    Pose(ToPose),
    /// As [`ToBody`].
    Body(ToBody),
    /// As [`ToShapes`].
    Shapes(ToShapes),
    /// As [`SensorAnew`].
    Sensor,
    /// As [`ZoneAnew`].
    Zone,
    /// As [`FieldAnew`].
    Field,
    /// As [`ToJoint`].
    Joint(ToJoint),
    /// As [`ToWeld`].
    Weld(ToWeld),
    /// As [`ToTiles`].
    Tiles(ToTiles),
}

macro_rules! applies {
    ($($type:ty => |$to:pat_param| $apply:expr),+ $(,)?) => {$(
        impl From<$type> for Apply {
            fn from($to: $type) -> Self {
                $apply
            }
        }
    )+};
}

applies!(
    Kept => |Kept| Self::Kept,
    Extent => |Extent| Self::Extent,
    ToPose => |to| Self::Pose(to),
    ToBody => |to| Self::Body(to),
    ToShapes => |to| Self::Shapes(to),
    SensorAnew => |SensorAnew| Self::Sensor,
    ZoneAnew => |ZoneAnew| Self::Zone,
    FieldAnew => |FieldAnew| Self::Field,
    ToJoint => |to| Self::Joint(to),
    ToWeld => |to| Self::Weld(to),
    ToTiles => |to| Self::Tiles(to),
);

/// Where a property is read that physics knows better than the component.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Live {
    /// Physics does not: the component's own value holds.
    Kept,
    /// Of the body.
    Body(fn(BodyRef<'_>) -> Value),
    /// Of the sensor.
    Sensor(fn(ShapeRef<'_>) -> Value),
    /// Of the joint.
    Joint(fn(JointRef<'_>) -> Value),
    /// Of the rigid weld.
    Weld(fn(RigidWeldRef<'_>) -> Value),
}

impl From<Infallible> for Live {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<fn(BodyRef<'_>) -> Value> for Live {
    fn from(read: fn(BodyRef<'_>) -> Value) -> Self {
        Self::Body(read)
    }
}

impl From<fn(ShapeRef<'_>) -> Value> for Live {
    fn from(read: fn(ShapeRef<'_>) -> Value) -> Self {
        Self::Sensor(read)
    }
}

impl From<fn(JointRef<'_>) -> Value> for Live {
    fn from(read: fn(JointRef<'_>) -> Value) -> Self {
        Self::Joint(read)
    }
}

impl From<fn(RigidWeldRef<'_>) -> Value> for Live {
    fn from(read: fn(RigidWeldRef<'_>) -> Value) -> Self {
        Self::Weld(read)
    }
}

/// What the engine knows of a property beside what the entity crate does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) apply: Apply,
    pub(crate) live: Live,
    /// Whether a step changes it in physics, so that the component takes it over before anything of it is set.
    pub(crate) drifts: bool,
    /// Refuses what a component may begin with and cannot be set to later, and says why.
    pub(crate) refused_later: Option<fn(&Value) -> Option<&'static str>>,
    /// Whether setting it does something even if the value is the one that it has.
    pub(crate) acts: bool,
    pub(crate) wakes: Wakes,
    pub(crate) in_scene: InScene,
    /// Of a joint's properties, which kinds of joints have it; `None` for all.
    pub(crate) kinds: Option<JointKinds>,
}

impl Link {
    fn new(apply: Apply, wakes: Wakes) -> Self {
        Self {
            apply,
            live: Live::Kept,
            drifts: false,
            refused_later: None,
            acts: false,
            wakes,
            in_scene: InScene::Plain,
            kinds: None,
        }
    }
}

/// A component of the engine's own.
pub(crate) trait Registered: Component {
    /// How a property of it is applied.
    type Apply: Into<Apply>;
    /// How a property of it is read where physics knows it better.
    type Live: Into<Live>;

    /// Its properties.
    fn entries() -> Entries<Self>;
}

/// The properties of a kind while they are written down. What describes a property follows it.
pub(crate) struct Entries<T> {
    schema: Schema<T>,
    links: Vec<Link>,
}

impl<T: Registered> Entries<T> {
    pub(crate) fn new() -> Self {
        let (schema, links) = (Schema::new(), Vec::new());
        Self { schema, links }
    }

    /// A property, as in [`Schema::property`]; what follows when it was set; and whether that wakes a body.
    pub(crate) fn property<V: PropertyValue + 'static>(
        self,
        name: &str,
        get: impl Fn(&T) -> V + Send + Sync + 'static,
        set: impl Fn(&mut T, V) + Send + Sync + 'static,
        apply: T::Apply,
        wakes: Wakes,
    ) -> Self {
        let schema = self.schema.property(name, get, set);
        Self { schema, ..self }.link(apply.into(), wakes)
    }

    /// A property that is one of a few words, as in [`Schema::choice`].
    pub(crate) fn choice(
        self,
        (name, words): (&str, &'static [&'static str]),
        get: impl Fn(&T) -> u32 + Send + Sync + 'static,
        set: impl Fn(&mut T, u32) + Send + Sync + 'static,
        apply: T::Apply,
        wakes: Wakes,
    ) -> Self {
        let schema = self.schema.choice(name, words, get, set);
        Self { schema, ..self }.link(apply.into(), wakes)
    }

    /// A property that can be read only.
    pub(crate) fn derived<V: PropertyValue + 'static>(
        self,
        name: &str,
        get: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Self {
        let schema = self.schema.derived(name, get);
        let mut entries = Self { schema, ..self }.link(Apply::Kept, Wakes::No);
        entries.last().in_scene = InScene::Never;
        entries
    }

    pub(crate) fn range(self, range: RangeInclusive<f64>) -> Self {
        let schema = self.schema.range(range);
        Self { schema, ..self }
    }

    pub(crate) fn unit(self, unit: &'static str) -> Self {
        let schema = self.schema.unit(unit);
        Self { schema, ..self }
    }

    pub(crate) fn doc(self, documentation: &'static str) -> Self {
        let schema = self.schema.doc(documentation);
        Self { schema, ..self }
    }

    /// Physics knows it better.
    pub(crate) fn live(mut self, read: T::Live) -> Self {
        self.last().live = read.into();
        self
    }

    /// A step changes it; see [`Link::drifts`].
    pub(crate) fn drifts(mut self) -> Self {
        self.last().drifts = true;
        self
    }

    /// See [`Link::refused_later`].
    pub(crate) fn refused_later(mut self, refuse: fn(&Value) -> Option<&'static str>) -> Self {
        self.last().refused_later = Some(refuse);
        self
    }

    pub(crate) fn zero_or(self, range: RangeInclusive<f64>) -> Self {
        let schema = self.schema.zero_or(range);
        Self { schema, ..self }
    }

    /// See [`Link::acts`].
    pub(crate) fn acts(mut self) -> Self {
        self.last().acts = true;
        self
    }

    pub(crate) fn in_scene(mut self, in_scene: InScene) -> Self {
        self.last().in_scene = in_scene;
        self
    }

    /// See [`Link::kinds`].
    pub(crate) fn of_kinds(mut self, kinds: JointKinds) -> Self {
        self.last().kinds = Some(kinds);
        self
    }

    /// What the entity crate is told.
    pub(crate) fn into_schema(self) -> Schema<T> {
        self.schema
    }

    fn link(mut self, apply: Apply, wakes: Wakes) -> Self {
        self.links.push(Link::new(apply, wakes));
        self
    }

    fn last(&mut self) -> &mut Link {
        self.links.last_mut().expect("a property to describe comes first")
    }
}

/// From 0 up to a limit.
pub(super) fn up_to(most: f32) -> RangeInclusive<f64> {
    0.0..=f64::from(most)
}

/// From one limit to another.
pub(super) fn between(least: f32, most: f32) -> RangeInclusive<f64> {
    f64::from(least)..=f64::from(most)
}

/// Up to a limit either way.
pub(super) fn either_way(most: f32) -> RangeInclusive<f64> {
    -f64::from(most)..=f64::from(most)
}

/// One property of a kind of components, with all that is known of it.
#[derive(Clone, Debug)]
pub struct Entry {
    property: Property,
    pub(crate) link: Link,
}

impl Entry {
    /// Name, kind, range, unit, default and documentation.
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// Whether setting it wakes a body.
    pub fn wakes(&self) -> Wakes {
        self.link.wakes
    }

    /// Whether physics makes other shapes, another joint or another weld when it is set, so that their ids change.
    pub fn remakes(&self) -> bool {
        matches!(
            self.link.apply,
            Apply::Shapes(ToShapes::Anew)
                | Apply::Sensor
                | Apply::Tiles(_)
                | Apply::Joint(ToJoint::Anew(_))
                | Apply::Weld(ToWeld::Anew(_))
        )
    }

    /// How it is written in a scene file.
    pub fn in_scene(&self) -> InScene {
        self.link.in_scene
    }

    /// Which kinds of joints have it; `None` for all, and for what is no joint's.
    pub fn joint_kinds(&self) -> Option<JointKinds> {
        self.link.kinds
    }

    /// The same in words, as in `kind: Revolute(motor: (speed))`; empty if it is not written there.
    pub fn scene_text(&self) -> String {
        let InScene::Within(form, path) = self.link.in_scene else {
            return match self.link.in_scene {
                InScene::Never => String::new(),
                InScene::WordOf(form) => format!("{}: …(the word)", form.word()),
                _ => String::from(&*self.property.name),
            };
        };
        let word = form.word();
        match form {
            SceneForm::Shape => format!("{word}: …({path})"),
            SceneForm::Material => format!("{word}s: {{…: ({path})}}"),
            SceneForm::JointKind => {
                let inner = path.rsplit('.').map(String::from);
                let inner = inner.reduce(|inner, outer| format!("{outer}: ({inner})"));
                let kinds = self.link.kinds.map(|kinds| kinds.words("…"));
                format!(
                    "{word}: {}({})",
                    kinds.unwrap_or_default(),
                    inner.unwrap_or_default()
                )
            }
            SceneForm::ToPivot => String::from(word),
            SceneForm::From | SceneForm::To => format!("{word}: {path}"),
            SceneForm::Numbers => format!("{word}: {{{path}}}"),
        }
    }
}

/// A kind of components: the engine's own, or one that a game has registered a manager for.
#[derive(Debug)]
pub struct KindEntry {
    name: Box<str>,
    documentation: &'static str,
    manager: Option<ManagerId>,
    entries: Vec<Entry>,
}

impl KindEntry {
    /// A kind of the engine's own: its manager with its name, and what such a component is.
    pub(super) fn new<T: Registered>(
        manager: ManagerId,
        (name, documentation): (&str, &'static str),
    ) -> Arc<Self> {
        let Entries { schema, links } = T::entries();
        let properties = schema.properties().iter().cloned();
        Arc::new(Self {
            name: name.into(),
            documentation,
            manager: Some(manager),
            entries: properties
                .zip(links)
                .map(|(property, link)| Entry { property, link })
                .collect(),
        })
    }

    /// A kind of a game's own.
    pub(crate) fn of_game(name: &str, properties: &[Property]) -> Arc<Self> {
        let entry = |property: &Property| {
            let mut link = Link::new(Apply::Kept, Wakes::No);
            // Who knows what a game's setter does?
            link.acts = true;
            link.in_scene = match property.kind {
                _ if property.read_only => InScene::Never,
                Kind::Entity => InScene::Never,
                Kind::Choice(_) => InScene::Quoted,
                _ => InScene::Plain,
            };
            let property = property.clone();
            Entry { property, link }
        };
        Arc::new(Self {
            name: name.into(),
            documentation: "",
            manager: None,
            entries: properties.iter().map(entry).collect(),
        })
    }

    /// The kind's name, which is that of its manager.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What such a component is, in a sentence; empty for a game's own.
    pub fn documentation(&self) -> &'static str {
        self.documentation
    }

    /// Its properties in the order in which they are shown and saved.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The manager, if it is one of the engine's own.
    pub(crate) fn manager(&self) -> Option<ManagerId> {
        self.manager
    }
}
