//! Reads a component by the register's entries of its kind: plain properties under their names, the others in the
//! forms that they are part of. Only the reading of scenes uses it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor};
use tombolo_physics::JointKind;

use super::components::{Component, Item, JointEnd};
use super::geometry::GeometryEntry;
use super::library::Library;
use super::nearest::advice;
use super::reader::{FieldReader, NameSeed, Reader};
use super::values::Rest;
use crate::component::joint::kind_at;
use crate::component::{
    self, COLLIDER, Collider, FIELD, InScene, Joint, KindEntry, RIGID_WELD, RenderData, RigidWeld, SceneForm,
    Trigger, ZONE, Zone,
};

/// The item that a word in a component's parentheses begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// A property, by its index in the kind.
    Property(usize),
    /// A form that gives several properties.
    Form(SceneForm),
}

/// The words of a kind, in the order of its entries.
fn words(kind: &KindEntry) -> Vec<(&str, Word)> {
    let mut words: Vec<(&str, Word)> = Vec::new();
    for (place, entry) in kind.entries().iter().enumerate() {
        let (name, word) = match entry.in_scene() {
            InScene::Plain | InScene::Bits | InScene::Quoted => {
                (&*entry.property().name, Word::Property(place))
            }
            InScene::Within(form, _) | InScene::WordOf(form) => (form.word(), Word::Form(form)),
            InScene::Never => continue,
        };
        if words.iter().all(|(_, known)| *known != word) {
            words.push((name, word));
        }
    }
    words
}

/// The reason why a property of the kind cannot be in a scene file under its name, or the form in which it can be.
fn why_not(kind: &KindEntry, name: &str) -> Option<String> {
    let mut entries = kind.entries().iter();
    let entry = entries.find(|entry| *entry.property().name == *name)?;
    match entry.in_scene() {
        InScene::Never if entry.property().read_only => Some(String::from("can be read only")),
        InScene::Never => Some(String::from("cannot be given here; set it when the world runs")),
        InScene::Within(..) | InScene::WordOf(_) => {
            Some(format!("a scene gives it as {}", entry.scene_text()))
        }
        _ => None,
    }
}

/// Reads a component, with the inherited one of the same name as its defaults if there is one.
pub(crate) struct ComponentSeed<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) library: &'r Library,
    pub(crate) inherited: Option<&'r Component>,
}

impl<'de> DeserializeSeed<'de> for ComponentSeed<'_, '_> {
    type Value = Item;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Item, D::Error> {
        deserializer.deserialize_enum("", &component::NAMES, self)
    }
}

impl<'de> Visitor<'de> for ComponentSeed<'_, '_> {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", component::NAMES.join(", "))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Item, A::Error> {
        let Self { reader, library, .. } = self;
        let (word, access) = data.variant_seed(NameSeed { reader, word: true })?;
        let rest = Rest { access, reader };
        match word.text.as_str() {
            "Inherits" => return rest.name().map(Item::Inherits),
            "Child" => return rest.fresh().map(Item::Child),
            _ => {}
        }
        let Some(kind) = library.kinds.get(&word.text) else {
            let words = library.kinds.iter().map(KindEntry::name);
            let words: Vec<&str> = words.chain(["Inherits", "Child"]).collect();
            let advice = advice(&word.text, words.iter().copied());
            return Err(reader.refuse(format!("unknown word {:?}; {advice}", word.text)));
        };
        let mut component = Component::blank(kind);
        if let Some(inherited) = self.inherited {
            if inherited.kind.name() != kind.name() {
                let message = format!("is inherited as {}; give that", inherited.kind.name());
                return Err(reader.refuse(message));
            }
            component = inherited.clone();
        }
        let over = ComponentOver {
            reader,
            library,
            component: &mut component,
        };
        rest.access.struct_variant(&[], over)?;
        Ok(Item::Component(component))
    }
}

/// Reads properties into an existing component. Serves as seed and as visitor of a variant.
pub(crate) struct ComponentOver<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) library: &'r Library,
    pub(crate) component: &'r mut Component,
}

impl<'de> DeserializeSeed<'de> for ComponentOver<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("", &[], self)
    }
}

impl<'de> Visitor<'de> for ComponentOver<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            reader,
            library,
            component,
        } = self;
        let kind = component.kind.clone();
        let words = words(&kind);
        let own_line = reader.line();
        let mut given: Vec<(&str, usize)> = Vec::new();
        while let Some(key) = map.next_key_seed(NameSeed { reader, word: true })? {
            let Some(&(name, word)) = words.iter().find(|(name, _)| *name == key.text) else {
                if let Some(why) = why_not(&kind, &key.text) {
                    return Err(reader.refuse_property(&key.text, key.line, why));
                }
                let known: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
                return Err(reader.refuse_unknown(&key, &known));
            };
            reader.enter(name, key.line);
            if given.iter().any(|&(earlier, _)| earlier == name) {
                return Err(reader.refuse("given twice; keep one"));
            }
            given.push((name, key.line));
            let map = &mut map;
            let mut field = FieldReader { map, reader };
            match word {
                Word::Property(place) => {
                    component.values[place] = Some(field.value(&kind.entries()[place])?);
                }
                Word::Form(form) => read_form(component, form, &mut field, library)?,
            }
            reader.leave();
        }
        component.check(&library.kinds).map_err(|(path, message)| {
            let first = path.split('.').next();
            let line = given.iter().find(|&&(name, _)| Some(name) == first);
            reader.go_back_to(Some(&path), line.map_or(own_line, |&(_, line)| line));
            reader.refuse(message)
        })?;
        library.check_script(component, reader)
    }
}

/// Reads a form and sets all properties that are part of it.
fn read_form<'de, A: MapAccess<'de>>(
    component: &mut Component,
    form: SceneForm,
    field: &mut FieldReader<'_, '_, A>,
    library: &Library,
) -> Result<(), A::Error> {
    let (reader, schemas) = (field.reader, &library.kinds.schemas);
    match form {
        SceneForm::Shape => read_shape(component, form, field, library)?,
        SceneForm::Material => {
            let name = field.name()?.text;
            let Some(material) = library.materials.get(&name) else {
                let advice = advice(&name, library.materials.keys().map(String::as_str));
                return Err(field.refuse(format!("unknown material {name:?}; {advice}")));
            };
            component.take_from(form, material);
        }
        SceneForm::JointKind => field.by(JointKindSeed { reader, component })?,
        SceneForm::From => {
            let from = field.choice::<JointEnd>()?;
            if matches!(from, JointEnd::Parent) {
                return Err(field.refuse("a joint leads to the parent and not from it; give `to: Parent`"));
            }
            let part = Joint {
                from_name: from.name().into(),
                ..Joint::default()
            };
            component.take(form, &schemas.joint, &part);
            component.from = Some(from);
        }
        SceneForm::To => {
            let to = field.choice::<JointEnd>()?;
            let (to_name, to_parent) = (to.name().into(), matches!(to, JointEnd::Parent));
            if component.is(RIGID_WELD) {
                let part = RigidWeld {
                    to_name,
                    to_parent,
                    ..RigidWeld::default()
                };
                component.take(form, &schemas.rigid_weld, &part);
            } else {
                let part = Joint {
                    to_name,
                    to_parent,
                    ..Joint::default()
                };
                component.take(form, &schemas.joint, &part);
            }
            component.to = Some(to);
        }
        SceneForm::ToPivot => {
            let part = Joint {
                apart: true,
                to_pivot: field.vector()?,
                ..Joint::default()
            };
            component.take(form, &schemas.joint, &part);
        }
        SceneForm::Numbers => {
            let (names, values) = field.named_numbers()?.into_iter().unzip();
            let part = RenderData {
                names,
                values,
                ..RenderData::default()
            };
            component.take(form, &schemas.render_data, &part);
        }
    }
    Ok(())
}

/// Reads the shape of a Collider, Trigger, Zone or Field.
fn read_shape<'de, A: MapAccess<'de>>(
    component: &mut Component,
    form: SceneForm,
    field: &mut FieldReader<'_, '_, A>,
    library: &Library,
) -> Result<(), A::Error> {
    let schemas = &library.kinds.schemas;
    let geometry = field.choice::<GeometryEntry>()?.component().or_else(|name| {
        let known = library.outlines.get(&name.text).cloned();
        known.ok_or_else(|| {
            let advice = advice(&name.text, library.outlines.keys().map(String::as_str));
            field.refuse(format!("unknown outline {:?}; {advice}", name.text))
        })
    })?;
    if component.is(COLLIDER) {
        let part = Collider {
            geometry,
            ..Collider::default()
        };
        component.take(form, &schemas.collider, &part);
    } else if component.is(ZONE) {
        let part = Zone {
            geometry,
            ..Zone::default()
        };
        component.take(form, &schemas.zone, &part);
    } else if component.is(FIELD) {
        let part = crate::component::Field {
            geometry,
            ..crate::component::Field::default()
        };
        component.take(form, &schemas.field, &part);
    } else {
        let part = Trigger {
            geometry,
            ..Trigger::default()
        };
        component.take(form, &schemas.trigger, &part);
    }
    Ok(())
}

/// Reads `Revolute(…)`, or another kind: properties that are not in the parentheses have their defaults.
struct JointKindSeed<'r, 's> {
    reader: &'r Reader<'s>,
    component: &'r mut Component,
}

impl<'de> DeserializeSeed<'de> for JointKindSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_enum("", JointKind::NAMES, self)
    }
}

impl<'de> Visitor<'de> for JointKindSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", JointKind::NAMES.join(", "))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<(), A::Error> {
        let Self { reader, component } = self;
        let (word, access) = data.variant_seed(NameSeed { reader, word: true })?;
        let Some(place) = JointKind::NAMES.iter().position(|known| *known == word.text) else {
            let advice = advice(&word.text, JointKind::NAMES.iter().copied());
            return Err(reader.refuse(format!("unknown word {:?}; {advice}", word.text)));
        };
        let (form, place) = (SceneForm::JointKind, place as u32);
        component.take_from(form, &Component::blank(&component.kind));
        component.take_word(form, place);
        let over = FormOver {
            reader,
            component,
            form,
            group: "",
            joint: Some(kind_at(place)),
        };
        access.struct_variant(&[], over)
    }
}

/// Reads the properties that are part of a form, by their paths in it: `motor: (speed: 1)` is the property at
/// `motor.speed`, and the flag at `motor` is then true.
pub(crate) struct FormOver<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) component: &'r mut Component,
    pub(crate) form: SceneForm,
    /// The path so far, with a period at its end unless it is empty.
    pub(crate) group: &'r str,
    /// The kind of joint, if the component is one.
    pub(crate) joint: Option<JointKind>,
}

impl<'de> DeserializeSeed<'de> for FormOver<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("", &[], self)
    }
}

impl<'de> Visitor<'de> for FormOver<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self {
            reader,
            component,
            form,
            group,
            joint,
        } = self;
        let kind = component.kind.clone();
        // All properties below the group, with their indices.
        let below = kind.entries().iter().enumerate().filter_map(|(place, entry)| {
            let InScene::Within(of, path) = entry.in_scene() else {
                return None;
            };
            let has_it = |joint| entry.joint_kinds().is_none_or(|kinds| kinds.contains(joint));
            if !joint.is_none_or(has_it) {
                return None;
            }
            Some((path.strip_prefix(group).filter(|_| of == form)?, place))
        });
        let below: Vec<(&str, usize)> = below.collect();
        let mut given: Vec<String> = Vec::new();
        while let Some(key) = map.next_key_seed(NameSeed { reader, word: true })? {
            let Some(&(word, place)) = below.iter().find(|(word, _)| *word == key.text) else {
                let known = below.iter().map(|(word, _)| *word);
                let known: Vec<&str> = known.filter(|word| !word.contains('.')).collect();
                return Err(reader.refuse_unknown(&key, &known));
            };
            reader.enter(word, key.line);
            if given.contains(&key.text) {
                return Err(reader.refuse("given twice; keep one"));
            }
            let inner = format!("{group}{word}.");
            let is_group = below
                .iter()
                .any(|(other, _)| other.strip_prefix(word).is_some_and(|rest| rest.starts_with('.')));
            let value = if is_group {
                let component = &mut *component;
                map.next_value_seed(FormOver {
                    reader,
                    component,
                    form,
                    group: &inner,
                    joint,
                })?;
                tombolo_entity::Value::Bool(true)
            } else {
                let map = &mut map;
                FieldReader { map, reader }.value(&kind.entries()[place])?
            };
            component.values[place] = Some(value);
            given.push(key.text);
            reader.leave();
        }
        Ok(())
    }
}
