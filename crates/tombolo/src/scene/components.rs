//! The components that an entity can have in a scene.
//!
//! A component has a name of its own within its entity (`"hull"`) and a kind (`Collider`); an entity may have several
//! of one kind under different names. The register (`component/register.rs`) has the properties of a kind and their
//! forms; `component_reader.rs` reads a component by it, the engine's own kinds and those of a game alike.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::de::VariantAccess;
use tombolo_entity::{ManagerId, Schema, Value};
use tombolo_geometry::Vec2;

use super::kinds::Kinds;
use super::reader::{CheckFailure, Name, properties};
use super::values::{Choice, NumberRange, Rest};
use crate::component::script::NAME;
use crate::component::{
    self, COLLIDER, FIELD, Field, FieldAction, GeometryKind, InScene, JOINT, KindEntry, SCRIPT, SceneForm,
    TILES, TRANSFORM, TRIGGER, Transform, ZONE,
};

/// The definition of one component: the properties that were given.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) kind: Arc<KindEntry>,
    /// The values, by the indices of the kind's properties; `None` for those that were not given.
    pub(crate) values: Vec<Option<Value>>,
    /// The ends of a joint, which placements resolve.
    pub(crate) from: Option<JointEnd>,
    pub(crate) to: Option<JointEnd>,
}

impl Component {
    /// The approximate size in memory, in bytes.
    fn bytes(&self) -> usize {
        let given = self.values.iter().flatten();
        size_of::<Self>() + given.map(bytes_of).sum::<usize>()
    }

    /// A component of a kind without any given property.
    pub(crate) fn blank(kind: &Arc<KindEntry>) -> Self {
        Self {
            kind: kind.clone(),
            values: alloc::vec![None; kind.entries().len()],
            from: None,
            to: None,
        }
    }

    /// Whether the component's kind is that of this manager of the engine's own.
    pub(crate) fn is(&self, manager: ManagerId) -> bool {
        self.kind.manager() == Some(manager)
    }

    /// Whether any property of a form was given.
    fn has(&self, form: SceneForm) -> bool {
        let mut entries = self.kind.entries().iter().zip(&self.values);
        entries.any(|(entry, value)| value.is_some() && entry.in_scene().is_within(form))
    }

    /// The component as the engine stores it.
    pub(crate) fn build<T: component::register::Registered>(&self, schema: &Schema<T>) -> T {
        let mut built = T::default();
        for (place, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                let set = schema.set(&mut built, place, value);
                debug_assert!(set.is_ok(), "values are of their properties' kinds");
            }
        }
        built
    }

    /// Takes all properties of a form from a component of the engine.
    pub(crate) fn take<T: component::register::Registered>(
        &mut self,
        form: SceneForm,
        schema: &Schema<T>,
        from: &T,
    ) {
        for (place, entry) in self.kind.entries().iter().enumerate() {
            if entry.in_scene().is_within(form) {
                self.values[place] = schema.get(from, place);
            }
        }
    }

    /// Takes all properties of a form from another component of the kind; those that it does not give get their
    /// defaults.
    pub(crate) fn take_from(&mut self, form: SceneForm, other: &Self) {
        for (place, entry) in self.kind.entries().iter().enumerate() {
            if entry.in_scene().is_within(form) {
                let default = || entry.property().default.clone();
                self.values[place] = Some(other.values[place].clone().unwrap_or_else(default));
            }
        }
    }

    /// Sets the word that a form begins with, by its index among the words.
    pub(crate) fn take_word(&mut self, form: SceneForm, word: u32) {
        for (place, entry) in self.kind.entries().iter().enumerate() {
            if entry.in_scene() == InScene::WordOf(form) {
                self.values[place] = Some(Value::Choice(word));
            }
        }
    }

    /// Refuses given properties that the joint's kind does not have.
    fn check_joint(&self, joint: &component::Joint) -> Result<(), (String, String)> {
        for (entry, value) in self.kind.entries().iter().zip(&self.values) {
            let property = entry.property();
            let is_given = value.as_ref().is_some_and(|value| *value != property.default);
            let lacks = entry
                .joint_kinds()
                .is_some_and(|kinds| !kinds.contains(joint.kind));
            if is_given && lacks {
                let kind = joint.kind.name();
                let message = format!("a {kind} joint has none; leave it out");
                let name = match entry.in_scene() {
                    InScene::Within(form, _) => form.word(),
                    _ => &property.name,
                };
                return Err((name.to_string(), message));
            }
        }
        joint.check()
    }

    /// The component as a Transform, if it is one.
    pub(crate) fn transform(&self, kinds: &Kinds) -> Option<Transform> {
        self.is(TRANSFORM).then(|| self.build(&kinds.schemas.transform))
    }

    /// Checks that involve several properties.
    ///
    /// # Errors
    ///
    /// The place in the component, and the reason.
    pub(crate) fn check(&self, kinds: &Kinds) -> Result<(), (String, String)> {
        let schemas = &kinds.schemas;
        match self.kind.manager() {
            Some(COLLIDER) => {
                let collider = self.build(&schemas.collider);
                self.check_geometry(&collider.geometry)?;
                self.check_ranges(&schemas.collider, &collider)
            }
            Some(TRIGGER) => {
                let trigger = self.build(&schemas.trigger);
                if let Some(message) = trigger.geometry.why_no_sensor() {
                    return Err((SceneForm::Shape.word().to_string(), message.to_string()));
                }
                self.check_geometry(&trigger.geometry)?;
                self.check_ranges(&schemas.trigger, &trigger)
            }
            Some(ZONE) => {
                let zone = self.build(&schemas.zone);
                if let Some(message) = why_no_area(zone.geometry.kind) {
                    return Err((SceneForm::Shape.word().to_string(), message.to_string()));
                }
                self.check_geometry(&zone.geometry)?;
                self.check_ranges(&schemas.zone, &zone)
            }
            Some(FIELD) => {
                let field = self.build(&schemas.field);
                self.check_field(&field)?;
                self.check_ranges(&schemas.field, &field)
            }
            Some(SCRIPT) => {
                let script = self.build(&schemas.script);
                if script.name.is_empty() == script.text.is_empty() {
                    let message = "give the name of a script, or its text".to_string();
                    return Err((NAME.to_string(), message));
                }
                Ok(())
            }
            Some(TILES) => {
                let checked = self.build(&schemas.tiles).def(None);
                checked
                    .map(drop)
                    .map_err(|(property, why)| (property.to_string(), why))
            }
            Some(JOINT) => self.check_joint(&self.build(&schemas.joint)),
            _ => Ok(()),
        }
    }

    /// Checks a field: a chain's gravity needs a chain, and any other field that is not everywhere needs a closed
    /// shape.
    fn check_field(&self, field: &Field) -> Result<(), (String, String)> {
        let is_chain = field.action == FieldAction::ChainGravity;
        if field.everywhere && !is_chain {
            return Ok(());
        }
        self.check_geometry(&field.geometry)?;
        let message = match (field.geometry.kind, why_no_area(field.geometry.kind)) {
            (GeometryKind::Chain, _) if is_chain => return Ok(()),
            _ if is_chain => "the gravity of a chain is along a chain; give Chain(points: …)",
            (_, Some(message)) => message,
            (GeometryKind::Concave, _) => "the area of a field is convex; give several fields",
            _ => return Ok(()),
        };
        Err((SceneForm::Shape.word().to_string(), message.to_string()))
    }

    /// Checks that a shape which a scene gives has numbers that its properties may have.
    fn check_ranges<T: component::register::Registered>(
        &self,
        schema: &Schema<T>,
        component: &T,
    ) -> Result<(), (String, String)> {
        if !self.has(SceneForm::Shape) {
            return Ok(());
        }
        let wrong = |error| (SceneForm::Shape.word().to_string(), format!("{error}"));
        schema.check(component).map_err(wrong)
    }

    fn check_geometry(&self, geometry: &component::ShapeGeometry) -> Result<(), (String, String)> {
        let wrong = |message| (SceneForm::Shape.word().to_string(), message);
        if !self.has(SceneForm::Shape) {
            let message = format!("missing; give one of {}", GeometryKind::WORDS.join(", "));
            return Err(wrong(message));
        }
        super::geometry::check(geometry).map_err(wrong)
    }
}

impl InScene {
    pub(crate) fn is_within(self, form: SceneForm) -> bool {
        matches!(self, Self::Within(of, _) | Self::WordOf(of) if of == form)
    }
}

/// An item of an entity under a name.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A component.
    Component(Component),
    /// All components of another entity resource.
    Inherits(Name),
    /// A child entity.
    Child(Child),
}

/// A child entity of a resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Child {
    pub(crate) entity: Option<Name>,
    position: Vec2,
    angle: f32,
}

properties!(Child {
    "entity" => entity = Some(name()),
    "at" => position = vector(),
    "angle" => angle = number(NumberRange::Any),
} check Child::check);

impl Child {
    /// Where it is in the frame of its parent.
    pub(crate) fn frame(&self) -> Transform {
        Transform::at(self.position, self.angle)
    }

    fn check(&self) -> Result<(), CheckFailure> {
        match self.entity {
            Some(_) => Ok(()),
            None => Err((
                Some("entity"),
                "missing; say which entity comes along".to_string(),
            )),
        }
    }
}

/// An end of a joint in a scene.
#[derive(Clone, Debug)]
pub(crate) enum JointEnd {
    /// A placed instance, by its name.
    Entity(Name),
    /// The instance before this one in its row or grid.
    Previous,
    /// The parent of this entity.
    Parent,
}

impl Choice for JointEnd {
    const WORDS: &'static [&'static str] = &["Entity", "Previous", "Parent"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        match word {
            "Entity" => rest.name().map(Self::Entity),
            "Previous" => rest.nothing().map(|()| Self::Previous),
            _ => rest.nothing().map(|()| Self::Parent),
        }
    }
}

impl JointEnd {
    /// The name of the instance, if there is one.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Entity(name) => &name.text,
            Self::Previous | Self::Parent => "",
        }
    }
}

/// A component with its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedComponent {
    pub(crate) name: String,
    pub(crate) component: Component,
}

impl NamedComponent {
    /// The approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.component.bytes()
    }
}

/// The approximate size of a value in memory, in bytes.
fn bytes_of(value: &Value) -> usize {
    let behind = match value {
        Value::String(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::List(values) => values.iter().map(bytes_of).sum(),
        _ => 0,
    };
    size_of::<Value>() + behind
}

/// The reason why a kind of shape has no inside; `None` if it has one.
fn why_no_area(kind: GeometryKind) -> Option<&'static str> {
    match kind {
        GeometryKind::Chain | GeometryKind::Segment | GeometryKind::Heightfield => {
            Some("a chain, segment or heightfield has no inside; give another shape")
        }
        GeometryKind::HalfSpace => Some("a half-space has no end; give another shape"),
        _ => None,
    }
}
