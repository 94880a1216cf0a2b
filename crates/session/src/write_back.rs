//! Writes edits back into the scene's text, by the names in it. Everything that was not edited stays the same in the
//! text.
//!
//! A scene describes the first moment of a world. So an edit that was made later holds from the first moment on when
//! the file is read again; and what users did otherwise, pushing, cutting and dragging, is not written.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tombolo::component::{Entry, InScene, KindEntry, NAMES, SceneForm, TRANSFORM};
use tombolo::entity::{Entity, Kind, Value};
use tombolo::geometry::{Pose, Rot, Vec2};
use tombolo::scene::{quoted, unquoted};
use tombolo::{Scene, World};

use crate::action::Action;
use crate::failure::Failure;
use crate::form_text::set_form;
use crate::placement_text::{
    NO_BRACKETS, add_placement, one, remove_component, set_fields, set_override, several, with_own_resource,
};
use crate::scene_text::SceneText;

/// An edit of an entity with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    name: String,
    change: Change,
}

/// The kinds of edits.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// A property of a component has a new value; `text` is that as it is written in a scene.
    Property {
        component: String,
        property: String,
        text: String,
        value: Value,
    },
    /// Properties of a component that a scene file gives together, in one form, have new values.
    Form {
        component: String,
        form: SceneForm,
        values: Vec<(String, Value)>,
    },
    /// The entity has another position, another angle, or both, in the world.
    Pose {
        at: Option<[f32; 2]>,
        angle: Option<f32>,
    },
    /// The entity was despawned.
    Gone,
    /// The entity was spawned from a resource.
    New {
        resource: String,
        at: [f32; 2],
        angle: f32,
    },
    /// The entity was made as a copy of another one.
    Copy { of: String, at: [f32; 2], angle: f32 },
    /// The name is that of a script, which has another text.
    Script { text: String },
    /// The name is that of a node graph, which has another text.
    Graph { text: String },
    /// A component was added.
    Added { component: String, kind: String },
    /// A component was removed.
    Removed { component: String },
    /// An edit that a file cannot express, and why.
    Unsaid(String),
}

/// A text with edits in it, and the reasons why some are left out.
#[derive(Debug)]
pub struct WrittenBack {
    /// The text with the edits.
    pub text: String,
    /// The edits that are not in it, with their reasons, one sentence each.
    pub left_out: Vec<String>,
}

impl Edit {
    /// The edit of a file that an applied action amounts to; `None` if there is none. `name` is the entity's name
    /// before the action.
    pub(crate) fn of(action: &Action, name: Option<String>, world: &World) -> Option<Self> {
        // An entity without a name was never in a file.
        let name = name?;
        let change = match action {
            Action::Set { entity, path, .. } => property_change(world, entity.0, path),
            Action::Move { entity, at, angle } => match world.parent(entity.0) {
                None => Change::Pose {
                    at: *at,
                    angle: *angle,
                },
                Some(_) => Change::Unsaid("it is the child of another".to_string()),
            },
            Action::Despawn { .. } => Change::Gone,
            Action::Drop { resource, at, .. } => Change::New {
                resource: resource.clone(),
                at: *at,
                angle: 0.0,
            },
            Action::Duplicate { entity, at, .. } => match world.name_of(entity.0) {
                Some(of) => Change::Copy {
                    of: of.to_string(),
                    at: *at,
                    angle: world.pose(entity.0).map_or(0.0, |pose| pose.rotation.angle()),
                },
                None => Change::Unsaid("it is a copy of one without a name".to_string()),
            },
            Action::Script { text, .. } => Change::Script { text: text.clone() },
            Action::Graph { text, .. } => Change::Graph { text: text.clone() },
            Action::AddComponent { kind, name, .. } => Change::Added {
                component: name.clone(),
                kind: kind.clone(),
            },
            Action::RemoveComponent { name, .. } => Change::Removed {
                component: name.clone(),
            },
            _ => return None,
        };
        Some(Self { name, change })
    }

    /// The name of the edited entity, script or graph.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name whose entry in the file it changes, if any.
    fn needs(&self) -> Option<&str> {
        match &self.change {
            Change::New { .. } => None,
            Change::Copy { of, .. } => Some(of),
            _ => Some(&self.name),
        }
    }

    /// Whether an entity of the name was made or despawned.
    fn creates_or_despawns(&self) -> bool {
        self.is_new() || matches!(self.change, Change::Gone)
    }

    /// Whether an entity of the name was made.
    fn is_new(&self) -> bool {
        matches!(self.change, Change::New { .. } | Change::Copy { .. })
    }

    /// Whether it makes an earlier edit unnecessary.
    fn replaces(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.change, &other.change) {
                (Change::Script { .. }, Change::Script { .. })
                | (Change::Graph { .. }, Change::Graph { .. }) => true,
                (
                    Change::Pose { at, angle },
                    Change::Pose {
                        at: other_at,
                        angle: other_angle,
                    },
                ) => at.is_some() >= other_at.is_some() && angle.is_some() >= other_angle.is_some(),
                (
                    Change::Property {
                        component, property, ..
                    },
                    Change::Property {
                        component: other_component,
                        property: other_property,
                        ..
                    },
                ) => component == other_component && property == other_property,
                (
                    Change::Form { component, form, .. },
                    Change::Form {
                        component: other_component,
                        form: other_form,
                        ..
                    },
                ) => component == other_component && form == other_form,
                _ => false,
            }
    }

    /// This edit with what the one that it replaces has beside it: other properties of the same form.
    fn after(&self, replaced: &Self) -> Self {
        let mut joined = self.clone();
        if let (Change::Form { values, .. }, Change::Form { values: before, .. }) =
            (&mut joined.change, &replaced.change)
        {
            let is_new = |name: &String| values.iter().all(|(known, _)| known != name);
            let rest: Vec<_> = before.iter().filter(|(name, _)| is_new(name)).cloned().collect();
            values.splice(0..0, rest);
        }
        joined
    }

    /// Whether it is written by what the scene places, which other edits of the same name change.
    fn reads_scene(&self) -> bool {
        matches!(self.change, Change::Pose { .. } | Change::Form { .. })
    }

    /// The properties whose values a scene that has the edit does not have: the form has no words for them as it is, or
    /// the file says them where nothing is read.
    fn unsaid(&self, read: &Scene) -> Vec<String> {
        let is_said = |component: &str, property: &str, value: &Value| {
            let known = read.property(&self.name, component, property);
            // An entity may be gone by a later edit.
            known.is_none_or(|known| known == *value)
        };
        match &self.change {
            Change::Form {
                component, values, ..
            } => {
                let unsaid = values
                    .iter()
                    .filter(|(property, value)| !is_said(component, property, value));
                let unsaid = unsaid.map(|(property, _)| {
                    format!(
                        "{}: `{component}.{property}`: what the file says of `{component}` has no place for it",
                        self.name
                    )
                });
                unsaid.collect()
            }
            Change::Property {
                component,
                property,
                value,
                ..
            } if !is_said(component, property, value) => vec![format!(
                "{}: `{component}.{property}`: the file with it would have another value",
                self.name
            )],
            _ => Vec::new(),
        }
    }

    /// Whether an entity of the file may have another value of an edited property by this later edit.
    fn outdates(&self, other: &Self) -> bool {
        self.name == other.name
            && (self.replaces(other) || matches!(self.change, Change::Added { .. } | Change::Removed { .. }))
    }
}

/// The edit that sets a property to its present value, written as in a scene.
fn property_change(world: &World, entity: Entity, path: &str) -> Change {
    let unsaid = |why: &str| Change::Unsaid(format!("`{path}`: {why}"));
    let Some((component, property)) = path.split_once('.') else {
        return unsaid("this is no property");
    };
    let parts = world.describe(entity);
    let part = parts.iter().find(|part| part.name == component);
    let found = part.and_then(|part| part.properties.iter().find(|(known, _)| *known.name == *property));
    let (Some(part), Some((known, value))) = (part, found) else {
        return unsaid("a part of a property is not written; set the whole");
    };
    if !can_be_written(known.kind) {
        return unsaid("a scene file has no such values");
    }
    if part.manager == NAMES[usize::from(TRANSFORM.0)] && world.parent(entity).is_some() {
        return unsaid("it is the child of another");
    }
    let is_transform = part.manager == NAMES[usize::from(TRANSFORM.0)];
    let kinds = world.kinds();
    let kind = kinds.iter().find(|kind| kind.name() == part.manager);
    let mut entries = kind.into_iter().flat_map(KindEntry::entries);
    let entry = entries.find(|entry| entry.property().name == known.name);
    if let Some(InScene::Within(form, _) | InScene::WordOf(form)) = entry.map(Entry::in_scene) {
        return Change::Form {
            component: component.to_string(),
            form,
            values: vec![(property.to_string(), value.clone())],
        };
    }
    match (property, value) {
        ("position", Value::Vec2(position)) if is_transform => Change::Pose {
            at: Some(position.to_array()),
            angle: None,
        },
        ("angle", Value::F32(angle)) if is_transform => Change::Pose {
            at: None,
            angle: Some(*angle),
        },
        _ => Change::Property {
            component: component.to_string(),
            property: property.to_string(),
            text: world.show_value(known.kind, value),
            value: value.clone(),
        },
    }
}

fn can_be_written(kind: Kind) -> bool {
    match kind {
        Kind::Blob | Kind::Entity => false,
        Kind::List(of) => can_be_written(*of),
        _ => true,
    }
}

/// The names of the placements of a scene's text; none if the text is not a scene.
pub(crate) fn placed_names(text: &str) -> BTreeSet<String> {
    let Ok(scene) = SceneText::parse(text) else {
        return BTreeSet::new();
    };
    let place = scene.root().get("place");
    let entries = place
        .and_then(|place| place.entries.as_deref())
        .unwrap_or_default();
    let names = entries
        .iter()
        .filter_map(|entry| unquoted(scene.written(entry.value.get("name")?)));
    names.collect()
}

/// The text of a scene with edits in it, in their order. An edit that makes the text invalid is left out.
///
/// Reading a scene costs far more than a change of its text, so many edits are made before it is read again; if they
/// make it invalid they are tried by halves.
///
/// # Errors
/// The text is not a scene.
pub(crate) fn write_back<'e>(
    file: &str,
    text: &str,
    edits: impl Iterator<Item = &'e Edit>,
) -> Result<WrittenBack, Failure> {
    let needed = needed(edits);
    let needed: Vec<&Edit> = needed.iter().map(Cow::as_ref).collect();
    let mut draft = Draft {
        file,
        read: Scene::parse(file, text).map_err(|error| Failure(error.to_string()))?,
        written: WrittenBack {
            text: text.to_string(),
            left_out: Vec::new(),
        },
        lost: BTreeSet::new(),
    };
    let mut rest = &needed[..];
    while !rest.is_empty() {
        let (run, after) = rest.split_at(run_length(rest));
        draft.put(run);
        rest = after;
    }
    Ok(draft.written)
}

/// The edits without those that later ones replace.
fn needed<'e>(edits: impl Iterator<Item = &'e Edit>) -> Vec<Cow<'e, Edit>> {
    let mut needed: Vec<Cow<'e, Edit>> = Vec::new();
    for edit in edits {
        // An entity that came or went in between is a different one of the same name, as is a component that was
        // removed; and a copy has what was before.
        let of_name = needed.iter().rposition(|other| {
            other.name == edit.name
                && (other.creates_or_despawns() || matches!(other.change, Change::Removed { .. }))
                || matches!(&other.change, Change::Copy { of, .. } if *of == edit.name)
        });
        let same = needed.iter().rposition(|other| edit.replaces(other));
        let mut edit = Cow::Borrowed(edit);
        if let Some(place) = same.filter(|_| same >= of_name) {
            edit = match needed.remove(place) {
                replaced if edit.reads_scene() => Cow::Owned(edit.after(&replaced)),
                _ => edit,
            };
        }
        needed.push(edit);
    }
    needed
}

/// The number of edits from the first on that can be made by the same reading of the scene.
fn run_length(edits: &[&Edit]) -> usize {
    let mut names = BTreeSet::new();
    let reads_anew = edits.iter().position(|edit| {
        let is_known = !names.insert(edit.name());
        is_known && edit.reads_scene()
    });
    reads_anew.unwrap_or(edits.len())
}

/// A text that edits are made in.
struct Draft<'e> {
    /// The file's name in messages.
    file: &'e str,
    written: WrittenBack,
    /// The scene of the text.
    read: Scene,
    /// The names of entities whose creation could not be written: the file's entry of such a name is of another entity.
    lost: BTreeSet<&'e str>,
}

impl<'e> Draft<'e> {
    /// Makes some edits, which the same reading of the scene serves.
    fn put(&mut self, edits: &[&'e Edit]) {
        let (mut text, mut lost) = (self.written.text.clone(), self.lost.clone());
        let (mut made, mut left_out) = (Vec::new(), Vec::new());
        for edit in edits {
            match self.applied(&text, &lost, edit) {
                Ok(changed) => {
                    text = changed;
                    made.push(*edit);
                    if edit.is_new() {
                        lost.remove(edit.name());
                    }
                }
                // An edit before it may have made the text invalid, which is read for what is added.
                Err(_) if edit.is_new() && edits.len() > 1 => return self.put_halves(edits),
                Err(why) => {
                    left_out.push(format!("{}: {why}", edit.name));
                    if edit.is_new() {
                        lost.insert(edit.name());
                    }
                }
            }
        }
        match (Scene::parse(self.file, &text), edits) {
            (Ok(read), _) => {
                let last = |place: usize| !made[place + 1..].iter().any(|later| later.outdates(made[place]));
                let last = (0..made.len()).filter(|&place| last(place));
                left_out.extend(last.flat_map(|place| made[place].unsaid(&read)));
                (self.written.text, self.read, self.lost) = (text, read, lost);
                self.written.left_out.append(&mut left_out);
            }
            (Err(why), [edit]) => {
                self.written.left_out.push(format!("{}: {why}", edit.name));
                if edit.is_new() {
                    self.lost.insert(edit.name());
                }
            }
            (Err(_), _) => self.put_halves(edits),
        }
    }

    /// Makes several edits by halves.
    fn put_halves(&mut self, edits: &[&'e Edit]) {
        (edits.chunks(edits.len().div_ceil(2))).for_each(|half| self.put(half));
    }

    /// The text with one edit in it, or why it cannot be made.
    fn applied(&self, text: &str, lost: &BTreeSet<&str>, edit: &Edit) -> Result<String, String> {
        if edit.needs().is_some_and(|name| lost.contains(name)) {
            return Err("who was edited is not in the file".to_string());
        }
        let scene = SceneText::parse(text).map_err(|Failure(why)| why)?;
        apply(self.file, &scene, &self.read, edit)
    }
}

/// The text with one edit in it. `read` is the scene of the text, `file` its name in messages.
fn apply(file: &str, scene: &SceneText, read: &Scene, edit: &Edit) -> Result<String, String> {
    match &edit.change {
        Change::Property {
            component,
            property,
            text,
            ..
        } => set_override(scene, one(scene, &edit.name)?, component, property, text),
        Change::Form {
            component,
            form,
            values,
        } => set_form(
            scene,
            &edit.name,
            component,
            *form,
            read.form_with(&edit.name, component, *form, values),
        ),
        Change::Pose { at, angle } => set_pose(scene, read, &edit.name, *at, *angle),
        Change::Gone => Ok(scene.removed(one(scene, &edit.name)?)),
        Change::New { resource, at, angle } => {
            let [name, entity] = [&edit.name, resource].map(|text| quoted(text));
            let added = add_placement(scene, &format!("One(name: {name}, entity: {entity})"))?;
            put_new(file, &added, &edit.name, *at, *angle)
        }
        Change::Copy { of, at, angle } => {
            put_new(file, &copy(scene, &edit.name, of)?, &edit.name, *at, *angle)
        }
        Change::Added { component, kind } => with_own_resource(scene, &edit.name, |scene, resource| {
            let entry = format!("{}: {kind}()", quoted(component));
            scene
                .added(resource, &entry)
                .ok_or_else(|| NO_BRACKETS.to_string())
        }),
        Change::Script { text } => set_named(scene, "scripts", &edit.name, &raw(text)),
        Change::Graph { text } => {
            let graph = SceneText::parse(text).map_err(|Failure(why)| why)?;
            set_named(scene, "graphs", &edit.name, &graph.embedded())
        }
        Change::Removed { component } => remove_component(scene, &edit.name, component),
        Change::Unsaid(why) => Err(why.clone()),
    }
}

/// The text with another value of a name in a section.
fn set_named(scene: &SceneText, section: &str, name: &str, value: &str) -> Result<String, String> {
    let entries = scene.root().get(section);
    let known = entries.and_then(|entries| entries.get(name));
    let known = known.ok_or_else(|| format!("the file has no such entry in `{section}`"))?;
    Ok(scene.replaced(known, value))
}

/// The text with a pose of an entity whose placement was added to it.
fn put_new(file: &str, text: &str, name: &str, at: [f32; 2], angle: f32) -> Result<String, String> {
    let scene = SceneText::parse(text).map_err(|Failure(why)| why)?;
    let read = Scene::parse(file, text).map_err(|error| error.to_string())?;
    set_pose(&scene, &read, name, Some(at), Some(angle))
}

/// The text with another position or angle of a placed entity in the world. The placement gets what its Transform
/// leaves of it: both together are the entity's pose.
fn set_pose(
    scene: &SceneText,
    read: &Scene,
    name: &str,
    at: Option<[f32; 2]>,
    angle: Option<f32>,
) -> Result<String, String> {
    let placement = &one(scene, name)?.value;
    let initial = read.instances().find(|(known, _)| *known == name);
    let (Some((_, initial)), Some(inner)) = (initial, read.pose_in_placement(name)) else {
        return Err("the file does not place it".to_string());
    };
    let wanted = Pose {
        position: at.map_or(initial.position, Vec2::from),
        rotation: angle.map_or(initial.rotation, Rot::from_angle),
    };
    let placed = wanted.compose(inner.to(Pose::IDENTITY));
    let is_moved = at.is_some() || inner.position != Vec2::ZERO;
    let at = is_moved.then(|| shown_place(placed.position.to_array()));
    let angle = angle.map(|angle| format!("{}", angle - inner.rotation.angle()));
    let has_angle = placement.get("angle").is_some() || angle.as_deref() != Some("0");
    let angle = angle.filter(|_| has_angle);
    let fields = [("at", at.as_deref()), ("angle", angle.as_deref())];
    let fields: Vec<_> = fields
        .into_iter()
        .filter_map(|(field, text)| Some((field, text?)))
        .collect();
    set_fields(scene, placement, &fields)
}

/// The text with a copy of a placement under another name.
fn copy(scene: &SceneText, name: &str, of: &str) -> Result<String, String> {
    let name = quoted(name);
    let entry = match (one(scene, of), several(scene, of)) {
        (Ok(entry), _) => {
            // A text of its own, in which the copy's name is set.
            let copy = SceneText::parse(scene.written(&entry.value)).map_err(|Failure(why)| why)?;
            set_fields(&copy, copy.root(), &[("name", &name)])?
        }
        // One entity of a placement of several gets a placement by itself.
        (Err(_), Some(entry)) => {
            let field = |name: &str| {
                let value = entry.value.get(name)?;
                Some(format!(", {name}: {}", scene.written(value)))
            };
            let [entity, overrides] = ["entity", "overrides"].map(|name| field(name).unwrap_or_default());
            format!("One(name: {name}{entity}{overrides})")
        }
        (Err(why), None) => return Err(why),
    };
    add_placement(scene, &entry)
}

/// A text of several lines, quoted as in a file.
fn raw(text: &str) -> String {
    let mut marks = String::from("#");
    while text.contains(&format!("\"{marks}")) {
        marks.push('#');
    }
    format!("r{marks}\"{text}\"{marks}")
}

/// A position, written as in a file.
fn shown_place([x, y]: [f32; 2]) -> String {
    format!("({x}, {y})")
}
