//! The register of properties: one entry for each property of each kind of component of the engine's own.
//! `docs/extending.md#a-new-property` has the steps to add one.
//!
//! An entry is written beside the component's fields, in its `Registered::entries`, and is the only place where the
//! property is named. It has the property's description (name, kind, range, unit, documentation, default), the
//! functions that read and write the component's field, the effect of a change ([`Apply`]), the function that reads
//! the value from physics ([`Live`]), whether setting it wakes a body ([`Wakes`]), and its form in a scene file
//! ([`InScene`]). Scene files, [`World::get`](crate::World::get) and [`World::set`](crate::World::set), scripts,
//! inspectors, saves, the push to physics and the documents use it. [`Registered::Apply`] is a type of each kind's
//! own, so that a property of a body without a function that changes the body does not compile.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::RangeInclusive;

use tombolo_entity::{Component, Kind, ManagerId, Property, PropertyValue, Schema, Value};
use tombolo_physics::{
    BodyDef, BodyId, BodyRef, JointMut, JointRef, PhysicsError, PhysicsWorld, RigidWeldRef, ShapeDef, ShapeId,
};

use super::joint::{Joint, JointKinds};
use super::rigid_weld::RigidWeld;

/// Whether setting a property wakes a sleeping body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakes {
    /// Wakes no body.
    No,
    /// Wakes the component's body; a joint's property wakes both bodies.
    Yes,
    /// Wakes the component's body on this condition.
    If(&'static str),
}

/// The form of a property in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InScene {
    /// In the component's parentheses, under its own name.
    Plain,
    /// The same, for 64 bits: a number from 0 to 2⁶⁴ - 1, or -1 for all.
    Bits,
    /// The same, for a choice of a game's own kind: its word is written in quotes.
    Quoted,
    /// As a part of a form of its own; the string has its place there.
    Within(SceneForm, &'static str),
    /// As the word that such a form begins with.
    WordOf(SceneForm),
    /// Not in scene files: the property is set while the world runs.
    Never,
}

/// A form of its own in a component's parentheses, which gives several properties at once.
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
    /// `to_pivot: (0, 2)`, which also sets `apart`
    ToPivot,
    /// `values: {"density": 0.4}`
    Numbers,
}

impl SceneForm {
    /// The word in front of the form.
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

/// Changes a body after its component has changed.
pub(crate) type ToBody = fn(&mut PhysicsWorld, BodyId, &BodyDef) -> Result<(), PhysicsError>;

/// Changes the shapes of a collider after it has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToShapes {
    /// Each shape is changed in place.
    Each(fn(&mut PhysicsWorld, ShapeId, &ShapeDef) -> Result<(), PhysicsError>),
    /// The shapes are created anew.
    Anew,
}

/// Changes a trigger's sensor after the component has changed: in place, unless it is a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToSensor;

/// Updates the area of a zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZoneAnew;

/// Changes the field in physics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAnew;

/// Creates a grid of tiles anew after its component has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToTiles {
    /// The cells are those of the component's definition.
    Cells,
    /// The cells are kept.
    Kinds,
}

/// Changes a joint of physics after its component has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToJoint {
    /// The joint is changed in place.
    AtOnce(fn(&mut JointMut<'_>, &Joint) -> Result<(), PhysicsError>),
    /// The joint is created anew, after the component has dropped values that no longer hold.
    Anew(fn(&mut Joint)),
}

/// Changes a rigid weld after its component has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToWeld {
    /// The thresholds and the flag for breaking are changed in place.
    Thresholds,
    /// The weld is created anew, after the component has dropped values that no longer hold.
    Anew(fn(&mut RigidWeld)),
}

/// Applies a change of a Transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToPose {
    /// The entity is teleported, with all entities below it.
    Teleport,
    /// The entity gets another parent; its position is then relative to that parent.
    Parent,
    /// Only the entity's extent in space changes.
    Extent,
}

/// Updates the entity's box in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent;

/// No further effect: the system that runs the component reads the field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored;

/// The effect of setting a property.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Apply {
    /// See [`Stored`].
    Stored,
    /// See [`Extent`].
    Extent,
    /// See [`ToPose`].
    Pose(ToPose),
    /// See [`ToBody`].
    Body(ToBody),
    /// See [`ToShapes`].
    Shapes(ToShapes),
    /// See [`ToSensor`].
    Sensor,
    /// See [`ZoneAnew`].
    Zone,
    /// See [`FieldAnew`].
    Field,
    /// See [`ToJoint`].
    Joint(ToJoint),
    /// See [`ToWeld`].
    Weld(ToWeld),
    /// See [`ToTiles`].
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
    Stored => |Stored| Self::Stored,
    Extent => |Extent| Self::Extent,
    ToPose => |to| Self::Pose(to),
    ToBody => |to| Self::Body(to),
    ToShapes => |to| Self::Shapes(to),
    ToSensor => |ToSensor| Self::Sensor,
    ZoneAnew => |ZoneAnew| Self::Zone,
    FieldAnew => |FieldAnew| Self::Field,
    ToJoint => |to| Self::Joint(to),
    ToWeld => |to| Self::Weld(to),
    ToTiles => |to| Self::Tiles(to),
);

/// The source of a property whose present value is in physics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Live {
    /// The component's own value holds.
    Stored,
    /// The body's value.
    Body(fn(BodyRef<'_>) -> Value),
    /// The value of a trigger's sensors.
    Sensors(fn(&PhysicsWorld, &[ShapeId]) -> Value),
    /// The joint's value.
    Joint(fn(JointRef<'_>) -> Value),
    /// The rigid weld's value.
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

impl From<fn(&PhysicsWorld, &[ShapeId]) -> Value> for Live {
    fn from(read: fn(&PhysicsWorld, &[ShapeId]) -> Value) -> Self {
        Self::Sensors(read)
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

/// The engine's data about a property, beside those of the entity crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) apply: Apply,
    pub(crate) live: Live,
    /// Refuses a value that a component may begin with but cannot be set to later, with the reason.
    pub(crate) refused_later: Option<fn(&Value) -> Option<&'static str>>,
    /// Whether setting the property has an effect even if the value stays the same.
    pub(crate) acts: bool,
    pub(crate) wakes: Wakes,
    pub(crate) in_scene: InScene,
    /// The kinds of joints that have the property; `None` for all.
    pub(crate) kinds: Option<JointKinds>,
}

impl Link {
    fn new(apply: Apply, wakes: Wakes) -> Self {
        Self {
            apply,
            live: Live::Stored,
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
    /// The type that applies a change of one of its properties.
    type Apply: Into<Apply>;
    /// The type that reads a property whose present value is in physics.
    type Live: Into<Live>;

    /// The properties of the component.
    fn entries() -> Entries<Self>;
}

/// The properties of a kind while they are declared. Calls that describe a property follow the call that adds it.
pub(crate) struct Entries<T> {
    schema: Schema<T>,
    links: Vec<Link>,
}

impl<T: Registered> Entries<T> {
    pub(crate) fn new() -> Self {
        let (schema, links) = (Schema::new(), Vec::new());
        Self { schema, links }
    }

    /// Adds a property, like [`Schema::property`], with the effect of setting it and whether that wakes a body.
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

    /// Adds a property that is one of a few words, like [`Schema::choice`].
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

    /// Adds a property that can only be read.
    pub(crate) fn derived<V: PropertyValue + 'static>(
        self,
        name: &str,
        get: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Self {
        let schema = self.schema.derived(name, get);
        let mut entries = Self { schema, ..self }.link(Apply::Stored, Wakes::No);
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

    /// Reads the property from physics.
    pub(crate) fn live(mut self, read: T::Live) -> Self {
        self.last().live = read.into();
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

    /// The schema for the entity crate.
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

/// The range from 0 to a limit.
pub(super) fn up_to(most: f32) -> RangeInclusive<f64> {
    0.0..=f64::from(most)
}

/// The range from one limit to another.
pub(super) fn between(least: f32, most: f32) -> RangeInclusive<f64> {
    f64::from(least)..=f64::from(most)
}

/// The range up to a limit in both directions.
pub(super) fn either_way(most: f32) -> RangeInclusive<f64> {
    -f64::from(most)..=f64::from(most)
}

/// A property of a kind of components, with the engine's data about it.
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

    /// Whether setting the property wakes a body.
    pub fn wakes(&self) -> Wakes {
        self.link.wakes
    }

    /// Whether setting the property creates other shapes, another joint or another weld, so that their ids change.
    pub fn recreates(&self) -> bool {
        matches!(
            self.link.apply,
            Apply::Shapes(ToShapes::Anew)
                | Apply::Sensor
                | Apply::Tiles(_)
                | Apply::Joint(ToJoint::Anew(_))
                | Apply::Weld(ToWeld::Anew(_))
        )
    }

    /// The property's form in a scene file.
    pub fn in_scene(&self) -> InScene {
        self.link.in_scene
    }

    /// The kinds of joints that have the property; `None` for all, and for properties of other kinds.
    pub fn joint_kinds(&self) -> Option<JointKinds> {
        self.link.kinds
    }

    /// The form in a scene file as text, as in `kind: Revolute(motor: (speed))`; empty if scene files do not have it.
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

/// A kind of components: the engine's own, or one for which a game has registered a manager.
#[derive(Debug)]
pub struct KindEntry {
    name: Box<str>,
    documentation: &'static str,
    manager: Option<ManagerId>,
    entries: Vec<Entry>,
}

impl KindEntry {
    /// A kind of the engine's own: its manager with its name, and its documentation.
    pub(super) fn new<T: Registered>(
        manager: ManagerId,
        name: &str,
        documentation: &'static str,
    ) -> Arc<Self> {
        let Entries { schema, links } = T::entries();
        let properties = schema.properties();
        assert_eq!(
            properties.len(),
            links.len(),
            "a link for each property of {name}"
        );
        Arc::new(Self {
            name: name.into(),
            documentation,
            manager: Some(manager),
            entries: properties
                .iter()
                .cloned()
                .zip(links)
                .map(|(property, link)| Entry { property, link })
                .collect(),
        })
    }

    /// A kind of a game.
    pub(crate) fn of_game(name: &str, properties: &[Property]) -> Arc<Self> {
        let entry = |property: &Property| {
            let mut link = Link::new(Apply::Stored, Wakes::No);
            // The effects of a game's setter are not known.
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

    /// The kind's documentation, a sentence; empty for kinds of a game.
    pub fn documentation(&self) -> &'static str {
        self.documentation
    }

    /// The kind's properties in the order in which they are shown and saved.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The manager, if the kind is one of the engine's own.
    pub(crate) fn manager(&self) -> Option<ManagerId> {
        self.manager
    }
}
