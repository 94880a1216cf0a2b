//! Changes of the forms in which a scene's text gives several properties at once: a shape, a material, the kind of a
//! joint and its ends. A form that the placement overrides already is changed in place, so that comments in it stay.

use tombolo::component::SceneForm;
use tombolo::scene::{quoted, unquoted};

use crate::failure::Failure;
use crate::placement_text::{NO_BRACKETS, one, set_fields, set_override};
use crate::scene_draft::SceneDraft;
use crate::scene_text::{Entry, Node, SceneText};

/// The section of materials, and those that come before it in a file.
const MATERIALS: &str = "materials";
const BEFORE_MATERIALS: [&str; 2] = ["settings", "actions"];

/// Sets another form of a placed entity's component. `forms` are the form before and after.
pub(crate) fn set_form(
    draft: &mut SceneDraft,
    name: &str,
    component: &str,
    form: SceneForm,
    forms: [Option<String>; 2],
) -> Result<(), String> {
    let placement = &one(draft, name)?.value;
    let [before, Some(after)] = forms else {
        return Err(format!(
            "`{component}`: a file has no words for `{}` as it is",
            form.word()
        ));
    };
    if before.as_ref() == Some(&after) {
        return Ok(());
    }
    let [before, after] = [before.unwrap_or_default(), after];
    let overridden = placement.get("overrides").and_then(|all| all.get(component));
    let written = overridden.and_then(|all| all.get(form.word()));
    if form == SceneForm::Material {
        let overridden = written.and_then(|node| unquoted(draft.scene().written(node)));
        return set_material(draft, name, component, overridden, [&before, &after]);
    }
    if let (Some(node), Ok(was), Ok(is)) = (written, SceneText::parse(&before), SceneText::parse(&after))
        && [&was, &is]
            .into_iter()
            .all(|form| is_alike(draft.scene(), node, form))
    {
        let at = node.span.start;
        return merge(draft, at, [(&was, was.root()), (&is, is.root())]);
    }
    set_override(draft, name, component, form.word(), &after)
}

/// Whether a value of the file can be changed entry by entry to a form: both have the same word and entries with names.
fn is_alike(scene: &SceneText, node: &Node, form: &SceneText) -> bool {
    let is_group = |node: &Node| node.entries.is_some() && !is_list(node);
    is_group(node) && is_group(form.root()) && scene.word(node) == form.word(form.root())
}

/// Whether a bracket has entries without names.
fn is_list(node: &Node) -> bool {
    entries(node).iter().any(|entry| entry.key.is_none())
}

/// Changes the bracket at a byte where two forms of it differ.
fn merge(
    draft: &mut SceneDraft,
    at: usize,
    [(was, old), (is, new)]: [(&SceneText, &Node); 2],
) -> Result<(), String> {
    for entry in entries(old) {
        let key = entry.key.as_deref().unwrap_or_default();
        let here = draft.scene().starting_at(at).and_then(|node| node.entry(key));
        if let Some(here) = here.filter(|_| new.get(key).is_none()) {
            draft.put(&draft.scene().removed(here))?;
        }
    }
    for entry in entries(new) {
        let key = entry.key.as_deref().unwrap_or_default();
        let (wanted, before) = (is.written(&entry.value), old.get(key));
        if before.is_some_and(|before| was.written(before) == wanted) {
            continue;
        }
        let node = draft.scene().starting_at(at).ok_or(NO_BRACKETS)?;
        match (node.get(key), before) {
            (Some(here), Some(before))
                if here.entries.is_some() && before.entries.is_some() && !is_list(before) =>
            {
                let here = here.span.start;
                merge(draft, here, [(was, before), (is, &entry.value)])?;
            }
            _ => set_fields(draft, at, &[(key, wanted)])?,
        }
    }
    Ok(())
}

fn entries(node: &Node) -> &[Entry] {
    node.entries.as_deref().unwrap_or_default()
}

/// Sets another material for a component. `overridden` is the name of the one that its placement overrides. Only one that
/// nothing else uses is changed; else the component gets one of its own.
fn set_material(
    draft: &mut SceneDraft,
    name: &str,
    component: &str,
    overridden: Option<String>,
    [before, after]: [&str; 2],
) -> Result<(), String> {
    let materials = draft.scene().root().get(MATERIALS);
    let find = |name: &str| materials.and_then(|materials| materials.get(name));
    let own = overridden.filter(|name| draft.count_uses(name) == 1);
    if let Some(own) = own.as_deref().and_then(find) {
        let at = own.span.start;
        let [was, is] = [before, after].map(|text| SceneText::parse(text).map_err(|Failure(why)| why));
        let (was, is) = (was?, is?);
        return merge(draft, at, [(&was, was.root()), (&is, is.root())]);
    }
    let mut own = (1_u64..).map(|number| match number {
        1 => format!("{component} of {name}"),
        _ => format!("{component} of {name} {number}"),
    });
    let own = quoted(&own.find(|name| find(name).is_none()).unwrap_or_default());
    set_override(draft, name, component, SceneForm::Material.word(), &own)?;
    let (scene, entry) = (draft.scene(), format!("{own}: {after}"));
    let parts = match scene.root().get(MATERIALS) {
        Some(materials) => scene.added(materials, &entry),
        None => {
            let sections = entries(scene.root());
            let is_before = |key: Option<&str>| key.is_some_and(|key| BEFORE_MATERIALS.contains(&key));
            let last = sections.iter().rfind(|section| is_before(section.key.as_deref()));
            scene.added_behind(scene.root(), last, &format!("{MATERIALS}: {{{entry}}}"))
        }
    };
    draft.put(&parts.ok_or(NO_BRACKETS)?)
}
