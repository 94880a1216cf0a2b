//! Writes the forms in which a scene file gives several properties of a component at once: the inverse of what
//! `component_reader.rs` reads. For programs that put edits into scene files.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_entity::{Kind, Value};
use tombolo_geometry::Vec2;

use super::Scene;
use super::components::Component;
use super::quote::quoted;
use super::references::components_of;
use super::value_text::show_value;
use crate::component::joint::kind_at;
use crate::component::{Entry, GeometryKind, InScene, SceneForm};

impl Scene {
    /// The value of a property of a placed entity's component at the first moment; `None` if nothing of this name is
    /// placed, or it has no such component or property. O(log entities).
    pub fn property(&self, entity: &str, component: &str, property: &str) -> Option<Value> {
        self.placed_component(entity, component)?.named(property).cloned()
    }

    /// A form of a placed entity's component, as it is written in a scene's file: with its present values, and with
    /// other values for some of its properties. `None` for what has no such form, as the end of a joint that leads
    /// nowhere. A property that the form does not have with the other values is not in it, such as the radius of a box
    /// or the speed of a motor that is off. O(log entities + values).
    ///
    /// ```
    /// use tombolo::Scene;
    /// use tombolo::component::SceneForm;
    /// use tombolo::entity::Value;
    /// let scene = Scene::parse("a.ron", r#"(
    ///     entities: {"coin": {
    ///         "body": Body(kind: Dynamic),
    ///         "hull": Collider(shape: Circle(radius: 0.5)),
    ///     }},
    ///     place: [One(name: "coin", entity: "coin")],
    /// )"#)?;
    /// let larger = ("radius".into(), Value::F32(0.75));
    /// let [before, after] = scene.form_with("coin", "hull", SceneForm::Shape, &[larger]);
    /// assert_eq!(before.as_deref(), Some("Circle(radius: 0.5)"));
    /// assert_eq!(after.as_deref(), Some("Circle(radius: 0.75)"));
    /// # Ok::<(), tombolo::SceneError>(())
    /// ```
    pub fn form_with(
        &self,
        entity: &str,
        component: &str,
        form: SceneForm,
        changes: &[(String, Value)],
    ) -> [Option<String>; 2] {
        let Some(before) = self.placed_component(entity, component) else {
            return [None, None];
        };
        [before, &before.with(changes)].map(|component| component.form(form))
    }

    /// The same form of a component of an entity resource, with other values for some of its properties: that of an
    /// entity which a program places. `None` also if there is no such resource or component. O(log resources + values).
    pub fn form_of_resource(
        &self,
        resource: &str,
        component: &str,
        form: SceneForm,
        changes: &[(String, Value)],
    ) -> Option<String> {
        let resource = &self.library.resources[self.library.find(resource)?];
        let mut components = resource.components.iter();
        let named = components.find(|named| *named.name == *component)?;
        named.component.with(changes).form(form)
    }

    /// The same form of a component of a kind that a program adds: with these values, and else the defaults. `None` also
    /// if there is no such kind. O(log kinds + values).
    pub fn form_of_kind(&self, kind: &str, form: SceneForm, changes: &[(String, Value)]) -> Option<String> {
        let kind = self.library.kinds.get(kind)?;
        Component::blank(kind).with(changes).form(form)
    }

    /// The component of a placed entity, with the overrides of its placement.
    fn placed_component(&self, entity: &str, component: &str) -> Option<&Component> {
        let &index = self.population.by_name.get(entity)?;
        let placement = &self.placements[self.population.instances[index].placement];
        let mut components = components_of(&self.library, placement);
        let (_, component) = components.find(|(name, _)| *name == component)?;
        Some(component)
    }
}

impl Component {
    /// The same with other values for some of its properties.
    fn with(&self, changes: &[(String, Value)]) -> Self {
        let mut changed = self.clone();
        for (place, entry) in self.kind.entries().iter().enumerate() {
            let mut changes = changes.iter();
            if let Some((_, value)) = changes.find(|(name, _)| **name == *entry.property().name) {
                changed.values[place] = Some(value.clone());
            }
        }
        changed
    }

    /// The value of a property: the one that was given, or the default.
    fn value(&self, place: usize) -> &Value {
        let default = &self.kind.entries()[place].property().default;
        self.values[place].as_ref().unwrap_or(default)
    }

    /// The place of a property by its name.
    fn place_of(&self, name: &str) -> Option<usize> {
        let mut entries = self.kind.entries().iter();
        entries.position(|entry| *entry.property().name == *name)
    }

    /// The value of a property by its name.
    fn named(&self, name: &str) -> Option<&Value> {
        self.place_of(name).map(|place| self.value(place))
    }

    /// A property's value by its name, as text.
    fn text(&self, name: &str) -> Option<String> {
        let place = self.place_of(name)?;
        Some(show_value(
            self.kind.entries()[place].property().kind,
            self.value(place),
        ))
    }

    /// A form as text, by the component's values.
    fn form(&self, form: SceneForm) -> Option<String> {
        match form {
            SceneForm::Shape => self.shape(),
            SceneForm::Material => Some(self.group(form, "", &|_| true)),
            SceneForm::JointKind => {
                let &Value::Choice(kind) = self.named("kind")? else {
                    return None;
                };
                let has_it = |entry: &Entry| {
                    let kinds = entry.joint_kinds();
                    kinds.is_none_or(|kinds| kinds.contains(kind_at(kind)))
                };
                Some(format!(
                    "{}{}",
                    kind_at(kind).name(),
                    self.group(form, "", &has_it)
                ))
            }
            SceneForm::From => self.end("from_name"),
            SceneForm::To => self.end("to_name").or_else(|| {
                let is_parent = self.named("to_parent") == Some(&Value::Bool(true));
                is_parent.then(|| "Parent".into())
            }),
            SceneForm::ToPivot => {
                let is_apart = self.named("apart") == Some(&Value::Bool(true));
                self.text("to_pivot").filter(|_| is_apart)
            }
            SceneForm::Numbers => {
                let (Value::List(names), Value::List(values)) = (self.named("names")?, self.named("values")?)
                else {
                    return None;
                };
                let pairs = names.iter().zip(values);
                let pairs = pairs.map(|(name, value)| {
                    let [name, value] = [(Kind::String, name), (Kind::F32, value)]
                        .map(|(kind, value)| show_value(kind, value));
                    format!("{name}: {value}")
                });
                Some(format!("{{{}}}", joined(pairs)))
            }
        }
    }

    /// The properties of a form whose places there begin with a group, in parentheses; those that have their defaults
    /// are left out, and groups that are off.
    fn group(&self, form: SceneForm, group: &str, has_it: &dyn Fn(&Entry) -> bool) -> String {
        let entries = self.kind.entries().iter().enumerate();
        let within = |entry: &Entry| match entry.in_scene() {
            InScene::Within(of, path) if of == form && has_it(entry) => path.strip_prefix(group),
            _ => None,
        };
        let fields = entries.filter_map(|(place, entry)| {
            let name = within(entry).filter(|name| !name.contains('.'))?;
            let value = self.value(place);
            if *value == entry.property().default {
                return None;
            }
            let inner = format!("{group}{name}.");
            let mut others = self.kind.entries().iter();
            let is_group = others.any(|other| match other.in_scene() {
                InScene::Within(of, path) => of == form && path.starts_with(&inner),
                _ => false,
            });
            let text = if is_group {
                self.group(form, &inner, has_it)
            } else {
                show_value(entry.property().kind, value)
            };
            Some(format!("{name}: {text}"))
        });
        format!("({})", joined(fields))
    }

    /// A joint's end that is named.
    fn end(&self, property: &str) -> Option<String> {
        match self.named(property)? {
            Value::String(name) if !name.is_empty() => Some(format!("Entity({})", quoted(name))),
            _ => None,
        }
    }

    /// The shape of a Collider, Trigger, Zone or Field.
    fn shape(&self) -> Option<String> {
        let &Value::Choice(kind) = self.named("shape")? else {
            return None;
        };
        let word = *GeometryKind::WORDS.get(kind as usize)?;
        let Value::List(points) = self.named("points")? else {
            return None;
        };
        let all = || points.iter().map(|point| show_value(Kind::Vec2, point));
        let points_of = |from: usize, end: usize| format!("[{}]", joined(all().take(end).skip(from)));
        let field = |name: &str, text: String| format!("{name}: {text}");
        let radius = || self.text("radius").map(|text| field("radius", text));
        let rounded = || radius().filter(|_| self.named("radius") != Some(&Value::F32(0.0)));
        let ends = || all().zip(["from", "to"]).map(|(point, name)| field(name, point));
        let fields: Vec<String> = match word {
            "Circle" => radius().into_iter().collect(),
            "Capsule" => ends().chain(radius()).collect(),
            "Segment" => ends().collect(),
            "Box" => {
                let &Value::Vec2(size) = self.named("size")? else {
                    return None;
                };
                let sides = ["width", "height"].into_iter().zip(size.to_array());
                sides.map(|(name, length)| format!("{name}: {length}")).collect()
            }
            "Polygon" => [field("points", points_of(0, points.len()))]
                .into_iter()
                .chain(rounded())
                .collect(),
            "Chain" => {
                let is_closed = self.named("closed") == Some(&Value::Bool(true));
                let closed = is_closed.then(|| "closed: true".into());
                let points = field("points", points_of(0, points.len()));
                [points].into_iter().chain(closed).collect()
            }
            "Outline" => {
                let ends = self.loop_ends();
                let border = ends.first().copied().unwrap_or(points.len());
                let holes = ends.windows(2).map(|ends| points_of(ends[0], ends[1]));
                let holes: Vec<String> = holes.collect();
                let holes = (!holes.is_empty()).then(|| format!("holes: [{}]", holes.join(", ")));
                let points = field("points", points_of(0, border));
                [points].into_iter().chain(holes).chain(rounded()).collect()
            }
            "Heightfield" => heightfield(points)?,
            _ => return Some(word.into()),
        };
        Some(format!("{word}({})", fields.join(", ")))
    }

    /// The number of points up to the end of each loop of an outline.
    fn loop_ends(&self) -> Vec<usize> {
        let Some(Value::List(ends)) = self.named("loop_ends") else {
            return Vec::new();
        };
        let ends = ends.iter().filter_map(|end| match end {
            Value::U32(end) => Some(*end as usize),
            _ => None,
        });
        ends.collect()
    }
}

/// The fields of a heightfield with these points, those next to its ends included.
fn heightfield(points: &[Value]) -> Option<Vec<String>> {
    let points = points.iter().filter_map(|point| match point {
        Value::Vec2(point) => Some(*point),
        _ => None,
    });
    let points: Vec<Vec2> = points.collect();
    let [before, heights @ .., after] = &points[..] else {
        return None;
    };
    let spacing = heights.get(1)?.x;
    let heights = joined(heights.iter().map(|point| format!("{}", point.y)));
    Some(alloc::vec![
        format!("spacing: {spacing}"),
        format!("heights: [{heights}]"),
        format!("before: {}", before.y),
        format!("after: {}", after.y),
    ])
}

/// Texts with commas between them.
fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
