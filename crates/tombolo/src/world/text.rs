//! Properties as text, for command lines, inspectors and consoles: `crate_12.Body.linear_velocity=(3,0)`.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::de::DeserializeSeed;
use tombolo_entity::{Entity, Kind, Property, PropertyPlace, Value};

use super::World;
use crate::error::WorldError;
use crate::scene::{nearest, show_list, show_value};

/// A property that a text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The entity with the property.
    pub entity: Entity,
    /// `component.property` or `component.property.part`, with the component's own name.
    pub path: String,
}

impl World {
    /// The property that `entity.component.property` or `entity.component.property.part` refers to. The entity's name
    /// may have periods. If the entity has no component of the name, the name of a manager is accepted if it has
    /// exactly one of its components.
    ///
    /// # Errors
    ///
    /// If no entity has such a name, or it has no such component.
    pub fn target(&self, text: &str) -> Result<Target, WorldError> {
        let dots: Vec<usize> = text.match_indices('.').map(|(place, _)| place).collect();
        // Two words follow the entity's name, or three.
        for words in 2..=3 {
            let Some(&dot) = dots.len().checked_sub(words).and_then(|place| dots.get(place)) else {
                continue;
            };
            if let Some(entity) = self.find(&text[..dot]) {
                return self.target_of(entity, &text[dot + 1..]);
            }
        }
        let name = text.split('.').next().unwrap_or_default();
        let known = nearest(name, self.names().map(|(name, _)| name));
        let advice = known.map_or_else(String::new, |known| format!("; did you mean {known:?}?"));
        Err(WorldError::Text {
            text: text.into(),
            why: format!("no entity is called {name:?}{advice}").into(),
        })
    }

    fn target_of(&self, entity: Entity, path: &str) -> Result<Target, WorldError> {
        let (component, rest) = path.split_once('.').unwrap_or((path, ""));
        let component = match self.entities.find(entity, component) {
            Some(_) => component,
            None => self.only_one_of(entity, component).unwrap_or(component),
        };
        let path = format!("{component}.{rest}");
        self.entities.place(entity, &path)?;
        Ok(Target { entity, path })
    }

    /// The name of the entity's only component in a manager.
    fn only_one_of(&self, entity: Entity, manager: &str) -> Option<&str> {
        let id = self.entities.manager_id(manager)?;
        let mut entries = self
            .components_of(entity)
            .iter()
            .filter(|entry| entry.manager == id);
        let (first, second) = (entries.next()?, entries.next());
        second.is_none().then(|| self.entities.names().get(first.name))?
    }

    /// Sets a property by a text such as `crate_12.Body.linear_velocity=(3,0)`. Values are written as in a scene; words
    /// and strings need no quotes; an entity is written as its name or the number of its handle; brackets may be round
    /// or square, since most languages have one form for vectors and lists.
    ///
    /// # Errors
    ///
    /// If there is no `=`, the left side refers to no property, the right side is no value of its kind, or those of
    /// [`World::set`].
    pub fn set_text(&mut self, text: &str) -> Result<(), WorldError> {
        let wrong = |why: String| WorldError::Text {
            text: text.into(),
            why: why.into(),
        };
        let (left, right) = text
            .split_once('=')
            .ok_or_else(|| wrong("write entity.component.property=value".to_owned()))?;
        let Target { entity, path } = self.target(left.trim())?;
        let kind = self.kind_at(entity, &path)?;
        let value = self.parse_value(kind, right.trim()).map_err(wrong)?;
        self.set(entity, &path, value)
    }

    /// The value in a text for a property of an entity, or for its part, in the form of [`World::set_text`]. An
    /// inspector parses typed text with it.
    ///
    /// # Errors
    ///
    /// If the path refers to no property, or the text is no value of its kind. Only setting the value checks its
    /// range.
    ///
    /// ```
    /// use tombolo::entity::Value;
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("lamp.ron", r#"(
    ///     entities: {"lamp": {"look": Sprite(image: "lamp.png")}},
    ///     place: [One(name: "lamp", entity: "lamp")],
    /// )"#)?;
    /// let world = World::from_scene(&scene)?;
    /// let lamp = world.find("lamp").expect("the scene placed it");
    /// assert_eq!(world.parse_value_at(lamp, "look.layer", "7")?, Value::I32(7));
    /// assert!(world.parse_value_at(lamp, "look.layer", "seven").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_value_at(&self, entity: Entity, path: &str, text: &str) -> Result<Value, WorldError> {
        let kind = self.kind_at(entity, path)?;
        let text = text.trim();
        let value = self.parse_value(kind, text);
        value.map_err(|why| WorldError::Text {
            text: format!("{path}={text}").into(),
            why: why.into(),
        })
    }

    /// The value for a property of an entity, or for its part, from a text that a program has, such as one that it read
    /// from a property: a text property takes it as it is, with blanks, line ends and quotes, and for an entity it is the
    /// entity's name, whatever that is. For other kinds it is a value in the form of [`World::parse_value_at`].
    ///
    /// # Errors
    ///
    /// Those of [`World::parse_value_at`].
    ///
    /// ```
    /// use tombolo::entity::Value;
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("lamp.ron", r#"(
    ///     entities: {"lamp": {"look": Sprite(image: "lamp.png")}},
    ///     place: [One(name: "lamp", entity: "lamp")],
    /// )"#)?;
    /// let world = World::from_scene(&scene)?;
    /// let lamp = world.find("lamp").expect("the scene placed it");
    /// let text = " \"a\" ";
    /// assert_eq!(world.value_of_text(lamp, "look.image", text)?, Value::String(text.into()));
    /// assert_eq!(world.parse_value_at(lamp, "look.image", text)?, Value::String("a".into()));
    /// assert_eq!(world.value_of_text(lamp, "look.layer", "7")?, Value::I32(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value_of_text(&self, entity: Entity, path: &str, text: &str) -> Result<Value, WorldError> {
        match self.kind_at(entity, path)? {
            Kind::String => return Ok(Value::String(text.into())),
            Kind::Entity => {
                if let Some(entity) = self.find(text) {
                    return Ok(Value::Entity(Some(entity)));
                }
            }
            _ => {}
        }
        self.parse_value_at(entity, path, text)
    }

    /// The kind of a property or of its part: that of the values that [`World::get`] gives and [`World::set`] takes.
    ///
    /// # Errors
    ///
    /// If the path refers to no property.
    ///
    /// ```
    /// use tombolo::entity::{Kind, Value};
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("post.ron", r#"(
    ///     entities: {"post": {"body": Body()}},
    ///     place: [One(name: "post", entity: "post")],
    /// )"#)?;
    /// let world = World::from_scene(&scene)?;
    /// let post = world.find("post").expect("the scene placed it");
    /// let (kind, value) = (world.kind_at(post, "body.kind")?, world.get(post, "body.kind")?);
    /// assert!(matches!((kind, &value), (Kind::Choice(words), Value::Choice(0)) if words[0] == "Static"));
    /// assert_eq!(world.show_value(kind, &value), "Static");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kind_at(&self, entity: Entity, path: &str) -> Result<Kind, WorldError> {
        Ok(self.kind_of(self.entities.place(entity, path)?))
    }

    /// The kind of the property, or of the part, at a place.
    pub(super) fn kind_of(&self, place: PropertyPlace) -> Kind {
        let manager = self.entities.any_manager(place.manager);
        let property = manager.and_then(|manager| manager.properties().get(place.property));
        let kind = property.map_or(Kind::Bool, |property| property.kind);
        match (place.part, kind) {
            (None, kind) => kind,
            (Some(_), Kind::List(of)) => *of,
            (Some(_), _) => Kind::F32,
        }
    }

    fn parse_value(&self, kind: Kind, text: &str) -> Result<Value, String> {
        match kind {
            Kind::Choice(_) | Kind::String if !text.starts_with('"') => {
                return Ok(Value::String(text.into()));
            }
            Kind::Entity if text == "none" => return Ok(Value::Entity(None)),
            Kind::Entity => {
                let name = text.trim_matches('"');
                let entity = self.find(name).or_else(|| self.entity_of_key(name.parse().ok()?));
                let entity = entity.ok_or_else(|| format!("no entity is called {name:?}"))?;
                return Ok(Value::Entity(Some(entity)));
            }
            _ => {}
        }
        let no_value = |error: &dyn core::fmt::Display| format!("`{text}` is no {kind}: {error}");
        let bracketed = with_brackets_of(kind, text);
        let mut reader = ron::Deserializer::from_str(&bracketed).map_err(|error| no_value(&error.code))?;
        let value = kind.deserialize(&mut reader).map_err(|error| no_value(&error))?;
        reader.end().map_err(|error| no_value(&error))?;
        Ok(value)
    }

    /// A value as text, in the form that [`World::set_text`] reads.
    pub fn show_value(&self, kind: Kind, value: &Value) -> String {
        match (kind, value) {
            (_, Value::Entity(Some(entity))) => String::from(self.show(*entity)),
            (Kind::List(of), Value::List(values)) => show_list(values, |value| self.show_value(*of, value)),
            _ => show_value(kind, value),
        }
    }

    /// All readable data of an entity: each component in the order of adding, with its name, its manager's name, and
    /// its properties with their present values; for a joint, those of its kind.
    pub fn describe(&self, entity: Entity) -> Vec<ComponentView<'_>> {
        let entries = self.components_of(entity).iter();
        entries
            .filter_map(|entry| {
                let name = self.entities.names().get(entry.name)?;
                let manager = self.entities.any_manager(entry.manager)?;
                let joint = self.joint_kind(entity, *entry);
                let has_it = |place: usize| {
                    let link = self.register.link(entry.manager, place);
                    let kinds = link.and_then(|link| link.kinds);
                    kinds.is_none_or(|kinds| joint.is_none_or(|joint| kinds.contains(joint)))
                };
                let properties = manager.properties().iter().enumerate();
                let properties = properties.filter(|(place, _)| has_it(*place));
                let properties = properties.filter_map(|(_, property)| {
                    let value = self.get(entity, &format!("{name}.{}", property.name)).ok()?;
                    Some((property, value))
                });
                Some(ComponentView {
                    name,
                    manager: self.entities.manager_name(entry.manager).unwrap_or_default(),
                    properties: properties.collect(),
                })
            })
            .collect()
    }
}

/// A component with the present values of its properties, from [`World::describe`].
#[derive(Clone, Debug)]
pub struct ComponentView<'a> {
    /// The component's name.
    pub name: &'a str,
    /// The name of its manager.
    pub manager: &'a str,
    /// The readable properties with their values.
    pub properties: Vec<(&'a Property, Value)>,
}

/// The text of a value with the brackets that scenes have for its kind, square ones around lists and round ones around
/// all else, where others are given.
fn with_brackets_of(kind: Kind, text: &str) -> String {
    let (mut lists, mut inner) = (0, kind);
    while let Kind::List(of) = inner {
        (lists, inner) = (lists + 1, *of);
    }
    let (mut open, mut is_quoted, mut is_escaped) = (Vec::new(), false, false);
    let with_brackets = text.chars().map(|letter| {
        if is_quoted {
            is_quoted = is_escaped || letter != '"';
            is_escaped = letter == '\\' && !is_escaped;
            return letter;
        }
        match letter {
            '"' => is_quoted = true,
            '(' | '[' => {
                open.push(letter);
                return if open.len() <= lists { '[' } else { '(' };
            }
            ')' | ']' => {
                let is_list = open.len() <= lists;
                // A bracket that closes none of its form is refused as it is.
                if matches!((open.pop(), letter), (Some('('), ')') | (Some('['), ']')) {
                    return if is_list { ']' } else { ')' };
                }
            }
            _ => {}
        }
        letter
    });
    with_brackets.collect()
}
