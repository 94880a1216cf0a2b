//! Writes edits back into the scene's text, by the names in it. Everything that was not edited stays the same in the
//! text.
//!
//! A scene describes the first moment of a world. So an edit that was made later holds from the first moment on when
//! the file is read again; and what users did otherwise, pushing, cutting and dragging, is not written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tombolo::Scene;
use tombolo::component::SceneForm;
use tombolo::entity::Value;
use tombolo::geometry::{Pose, Rot, Vec2};
use tombolo::scene::quoted;

use crate::edit::{Change, Edit};
use crate::failure::Failure;
use crate::form_text::set_form;
use crate::placement_text::{
    NO_BRACKETS, NO_RESOURCE, add_placement, one, remove_component, set_fields, set_override, several,
    with_own_resource,
};
use crate::scene_draft::SceneDraft;
use crate::scene_text::SceneText;

/// A text with edits in it, and the reasons why some are left out.
#[derive(Debug)]
pub struct WrittenBack {
    /// The text with the edits.
    pub text: String,
    /// The edits that are not in it, with their reasons, one sentence each.
    pub left_out: Vec<String>,
}

/// The names of the placements of a scene's text; none if the text is not a scene.
pub(crate) fn placed_names(text: &str) -> BTreeSet<String> {
    SceneDraft::new(text).map_or_else(|_| BTreeSet::new(), SceneDraft::into_names)
}

/// The text of a scene with edits in it, in their order. An edit that makes the text invalid is left out.
///
/// Reading a scene costs far more than a change of its text, so it is read twice, before the edits and after them; what an
/// edit needs of those before it is noted beside the scene. If they make the text invalid they are tried by halves.
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
    let mut writer = Writer {
        file,
        read: read(file, text).map_err(Failure)?,
        draft: SceneDraft::new(text)?,
        left_out: Vec::new(),
        lost: BTreeSet::new(),
        edited: BTreeMap::new(),
    };
    let mut rest = &needed[..];
    while !rest.is_empty() {
        let (run, after) = rest.split_at(run_length(rest));
        writer.put(run);
        rest = after;
    }
    Ok(WrittenBack {
        text: writer.draft.scene().text().to_string(),
        left_out: writer.left_out,
    })
}

/// Reads a scene. `file` is its name in messages.
fn read(file: &str, text: &str) -> Result<Scene, String> {
    #[cfg(test)]
    SCENES_READ.set(SCENES_READ.get() + 1);
    Scene::parse(file, text).map_err(|error| error.to_string())
}

/// The edits without those that later ones replace.
fn needed<'e>(edits: impl Iterator<Item = &'e Edit>) -> Vec<Cow<'e, Edit>> {
    let mut needed: Vec<Option<Cow<'e, Edit>>> = Vec::new();
    // For each name the places of its edits, and of those that copy its entity.
    let mut about: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for edit in edits {
        let known = about.entry(edit.name()).or_default();
        let earlier = known
            .iter()
            .rev()
            .filter_map(|&place| Some((place, needed[place].as_deref()?)));
        // An entity that came or went in between is a different one of the same name, as is a component that was
        // removed; and a copy has what was before.
        let mut since = earlier.take_while(|(_, other)| !other.divides(edit.name()));
        let same = since
            .find(|(_, other)| edit.replaces(other))
            .map(|(place, _)| place);
        let mut edit = Cow::Borrowed(edit);
        let place = needed.len();
        if let Some(same) = same {
            known.retain(|place| *place != same);
            if let Some(replaced) = needed[same].take()
                && matches!(edit.change, Change::Form { .. })
            {
                edit = Cow::Owned(edit.after(&replaced));
            }
        }
        known.push(place);
        if let Cow::Borrowed(Edit {
            change: Change::Copy { of, .. },
            ..
        }) = edit
        {
            about.entry(of).or_default().push(place);
        }
        needed.push(Some(edit));
    }
    needed.into_iter().flatten().collect()
}

/// The number of edits from the first on that can be made by the same reading of the scene: all, but for those that depend
/// on where a Transform puts an entity after one came or went.
fn run_length(edits: &[&Edit]) -> usize {
    let mut is_changed = false;
    let reads_anew = edits.iter().position(|edit| {
        let reads_anew = is_changed && edit.reads_transform();
        is_changed |= edit.changes_transform();
        reads_anew
    });
    reads_anew.unwrap_or(edits.len())
}

/// What writes edits into a text.
struct Writer<'e> {
    /// The file's name in messages.
    file: &'e str,
    draft: SceneDraft,
    /// The scene of the text, as it was when it was read last.
    read: Scene,
    /// What the edits since have made of it, by the names of entities.
    edited: BTreeMap<&'e str, Edited<'e>>,
    left_out: Vec<String>,
    /// The names of entities whose creation could not be written: the file's entry of such a name is of another entity.
    lost: BTreeSet<&'e str>,
}

/// What edits have made of an entity since the scene was read.
#[derive(Clone)]
struct Edited<'e> {
    source: Source<'e>,
    /// Its initial pose, if that is another one.
    pose: Option<Pose>,
    components: BTreeMap<&'e str, EditedComponent<'e>>,
}

/// Where the scene that was read has the components of an entity.
#[derive(Clone, Copy)]
enum Source<'e> {
    Placed(&'e str),
    Resource(&'e str),
}

/// What edits have made of a component.
#[derive(Clone, Default)]
struct EditedComponent<'e> {
    /// Its kind, if it was added.
    kind: Option<&'e str>,
    /// Its values within forms, the newest first.
    values: Vec<(String, Value)>,
}

impl<'e> Edited<'e> {
    fn of(source: Source<'e>) -> Self {
        Self {
            source,
            pose: None,
            components: BTreeMap::new(),
        }
    }
}

impl<'e> Writer<'e> {
    /// Makes some edits, which the same reading of the scene serves.
    fn put(&mut self, edits: &[&'e Edit]) {
        let (before, lost) = (self.draft.mark(), self.lost.clone());
        let (mut made, mut left_out) = (Vec::new(), Vec::new());
        for edit in edits {
            let mark = self.draft.mark();
            let refused = self.apply(edit).err();
            match &refused {
                None => made.push(*edit),
                Some(why) => {
                    self.draft.roll_back(mark);
                    left_out.push(format!("{}: {why}", edit.name));
                }
            }
            if edit.is_new() && refused.is_none() {
                self.lost.remove(edit.name());
            } else if edit.is_new() {
                self.lost.insert(edit.name());
            }
        }
        self.edited.clear();
        match read(self.file, self.draft.scene().text()) {
            Ok(read) => {
                left_out.extend(last(&made).flat_map(|edit| edit.unsaid(&read)));
                self.read = read;
                self.left_out.append(&mut left_out);
            }
            Err(why) => {
                self.draft.roll_back(before);
                self.lost = lost;
                if let [edit] = edits {
                    self.left_out.push(format!("{}: {why}", edit.name));
                    if edit.is_new() {
                        self.lost.insert(edit.name());
                    }
                } else {
                    (edits.chunks(edits.len().div_ceil(2))).for_each(|half| self.put(half));
                }
            }
        }
    }

    /// Makes one edit, or says why it cannot be made: some of it may have been made then.
    fn apply(&mut self, edit: &'e Edit) -> Result<(), String> {
        if edit.needs().is_some_and(|name| self.lost.contains(name)) {
            return Err("who was edited is not in the file".to_string());
        }
        let name = edit.name();
        match &edit.change {
            Change::Property {
                component,
                property,
                text,
                ..
            } => set_override(&mut self.draft, name, component, property, text),
            Change::Form {
                component,
                form,
                values,
            } => self.set_form(name, component, *form, values),
            Change::Pose { at, angle } => self.set_pose(name, *at, *angle),
            Change::Gone => {
                let parts = self.draft.scene().removed(one(&self.draft, name)?);
                self.draft.put(&parts)
            }
            Change::New { resource, at, angle } => {
                if self.read.pose_in_resource(resource).is_none() {
                    return Err(NO_RESOURCE.to_string());
                }
                let [shown, entity] = [name, resource].map(quoted);
                add_placement(&mut self.draft, &format!("One(name: {shown}, entity: {entity})"))?;
                self.edited.insert(name, Edited::of(Source::Resource(resource)));
                self.set_pose(name, Some(*at), Some(*angle))
            }
            Change::Copy { of, at, angle } => {
                copy(&mut self.draft, name, of)?;
                let copied = self.edited(of).clone();
                self.edited.insert(name, copied);
                self.set_pose(name, Some(*at), Some(*angle))
            }
            Change::Added { component, kind } => {
                with_own_resource(&mut self.draft, name, |scene, resource| {
                    let entry = format!("{}: {kind}()", quoted(component));
                    Ok(scene.added(resource, &entry).ok_or(NO_BRACKETS)?)
                })?;
                let added = EditedComponent {
                    kind: Some(kind),
                    values: Vec::new(),
                };
                self.edited(name).components.insert(component, added);
                Ok(())
            }
            Change::Script { text } => set_named(&mut self.draft, "scripts", name, &raw(text)),
            Change::Graph { text } => {
                let graph = SceneText::parse(text).map_err(|Failure(why)| why)?;
                set_named(&mut self.draft, "graphs", name, &graph.embedded())
            }
            Change::Removed { component, .. } => remove_component(&mut self.draft, name, component),
            Change::Unsaid(why) => Err(why.clone()),
        }
    }

    /// What edits have made of an entity; without any it is as the scene places it.
    fn edited(&mut self, name: &'e str) -> &mut Edited<'e> {
        (self.edited.entry(name)).or_insert_with(|| Edited::of(Source::Placed(name)))
    }

    /// Sets properties that a component has in a form.
    fn set_form(
        &mut self,
        name: &'e str,
        component: &'e str,
        form: SceneForm,
        values: &[(String, Value)],
    ) -> Result<(), String> {
        let source = self.edited(name).source;
        let known = self
            .edited(name)
            .components
            .get(component)
            .cloned()
            .unwrap_or_default();
        let written = |values: &[(String, Value)]| match (known.kind, source) {
            (Some(kind), _) => self.read.form_of_kind(kind, form, values),
            (None, Source::Placed(name)) => {
                let [_, changed] = self.read.form_with(name, component, form, values);
                changed
            }
            (None, Source::Resource(resource)) => {
                self.read.form_of_resource(resource, component, form, values)
            }
        };
        let values = [values, &known.values].concat();
        let forms = [written(&known.values), written(&values)];
        set_form(&mut self.draft, name, component, form, forms)?;
        let kind = known.kind;
        (self.edited(name).components).insert(component, EditedComponent { kind, values });
        Ok(())
    }

    /// Sets another position or angle of a placed entity in the world. The placement gets what its Transform leaves of it:
    /// both together are the entity's pose.
    fn set_pose(&mut self, name: &'e str, at: Option<[f32; 2]>, angle: Option<f32>) -> Result<(), String> {
        let Edited { source, pose, .. } = *self.edited(name);
        let (inner, initial) = match source {
            Source::Placed(name) => (self.read.pose_in_placement(name), self.read.initial_pose(name)),
            // A new one is given its whole pose.
            Source::Resource(resource) => (self.read.pose_in_resource(resource), Some(Pose::IDENTITY)),
        };
        let (Some(inner), Some(initial)) = (inner, pose.or(initial)) else {
            return Err("the file does not place it".to_string());
        };
        let placement = &one(&self.draft, name)?.value;
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
        let start = placement.span.start;
        set_fields(&mut self.draft, start, &fields)?;
        self.edited(name).pose = Some(wanted);
        Ok(())
    }
}

/// The edits whose values a file has if it has them at all: no later one makes them out of date.
fn last<'m, 'e>(made: &'m [&'e Edit]) -> impl Iterator<Item = &'e Edit> + use<'m, 'e> {
    let mut of_name: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
    for edit in made {
        of_name.entry(edit.name()).or_default().push(edit);
    }
    made.iter().copied().filter(move |edit| {
        let all = of_name.get(edit.name()).map_or(&[][..], Vec::as_slice);
        let mut later = all.iter().rev().take_while(|other| !std::ptr::eq(**other, *edit));
        !later.any(|later| later.outdates(edit))
    })
}

/// Sets another value of a name in a section.
fn set_named(draft: &mut SceneDraft, section: &str, name: &str, value: &str) -> Result<(), String> {
    let entries = draft.scene().root().get(section);
    let known = entries.and_then(|entries| entries.get(name));
    let known = known.ok_or_else(|| format!("the file has no such entry in `{section}`"))?;
    draft.put(&known.replaced(value))
}

/// Adds a copy of a placement under another name.
fn copy(draft: &mut SceneDraft, name: &str, of: &str) -> Result<(), String> {
    let name = quoted(name);
    match (one(draft, of), several(draft, of)) {
        (Ok(entry), _) => {
            let entry = draft.scene().written(&entry.value).to_string();
            let added = add_placement(draft, &entry)?;
            set_fields(draft, added, &[("name", &name)])
        }
        // One entity of a placement of several gets a placement by itself.
        (Err(_), Some(entry)) => {
            let field = |name: &str| {
                let value = entry.value.get(name)?;
                Some(format!(", {name}: {}", draft.scene().written(value)))
            };
            let [entity, overrides] = ["entity", "overrides"].map(|name| field(name).unwrap_or_default());
            let entry = format!("One(name: {name}{entity}{overrides})");
            add_placement(draft, &entry).map(drop)
        }
        (Err(why), None) => Err(why),
    }
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

#[cfg(test)]
std::thread_local! {
    /// The number of scenes that this thread has read.
    static SCENES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests;
