//! Changes of the forms in which a scene's text gives several properties at once: a shape, a material, the kind of a
//! joint and its ends. A form that the placement overrides already is changed in place, so that comments in it stay.

use tombolo::component::SceneForm;
use tombolo::scene::{quoted, unquoted};

use crate::failure::Failure;
use crate::placement_text::{NO_BRACKETS, count_uses, one, set_fields, set_override};
use crate::scene_text::{Node, SceneText};

/// The section of materials, and those that come before it in a file.
const MATERIALS: &str = "materials";
const BEFORE_MATERIALS: [&str; 2] = ["settings", "actions"];

/// The text with another form of a placed entity's component. `forms` are the form before and after.
pub(crate) fn set_form(
    scene: &SceneText,
    name: &str,
    component: &str,
    form: SceneForm,
    forms: [Option<String>; 2],
) -> Result<String, String> {
    let placement = one(scene, name)?;
    let [before, Some(after)] = forms else {
        return Err(format!(
            "`{component}`: a file has no words for `{}` as it is",
            form.word()
        ));
    };
    if before.as_ref() == Some(&after) {
        return Ok(scene.text().to_string());
    }
    let [before, after] = [before.unwrap_or_default(), after];
    let overridden = placement
        .value
        .get("overrides")
        .and_then(|all| all.get(component));
    let written = overridden.and_then(|all| all.get(form.word()));
    if form == SceneForm::Material {
        return set_material(scene, name, component, written, [&before, &after]);
    }
    match (written, SceneText::parse(&before), SceneText::parse(&after)) {
        (Some(node), Ok(was), Ok(is)) if is_alike(scene, node, &was) && is_alike(scene, node, &is) => {
            merged(scene, node.span.start, [(&was, was.root()), (&is, is.root())])
        }
        _ => set_override(scene, placement, component, form.word(), &after),
    }
}

/// Whether a value of the file can be changed entry by entry to a form: both have the same word and entries with names.
fn is_alike(scene: &SceneText, node: &Node, form: &SceneText) -> bool {
    let is_group = |node: &Node| node.entries.is_some() && !is_list(node);
    is_group(node) && is_group(form.root()) && scene.word(node) == form.word(form.root())
}

/// Whether a bracket has entries without names.
fn is_list(node: &Node) -> bool {
    let entries = node.entries.as_deref().unwrap_or_default();
    entries.iter().any(|entry| entry.key.is_none())
}

/// The text with the bracket at a byte changed where two forms of it differ.
fn merged(
    scene: &SceneText,
    at: usize,
    [(was, old), (is, new)]: [(&SceneText, &Node); 2],
) -> Result<String, String> {
    let read = |text: String| SceneText::parse(&text).map_err(|Failure(why)| why);
    let entries = |node: &'_ Node| node.entries.clone().unwrap_or_default();
    let mut scene = scene.clone();
    for entry in entries(old) {
        let key = entry.key.as_deref().unwrap_or_default();
        let here = scene.starting_at(at).and_then(|node| node.entry(key));
        if let Some(here) = here.filter(|_| new.get(key).is_none()) {
            scene = read(scene.removed(here))?;
        }
    }
    for entry in entries(new) {
        let key = entry.key.as_deref().unwrap_or_default();
        let (wanted, before) = (is.written(&entry.value), old.get(key));
        if before.is_some_and(|before| was.written(before) == wanted) {
            continue;
        }
        let node = scene.starting_at(at).ok_or(NO_BRACKETS)?;
        let changed = match (node.get(key), before) {
            (Some(here), Some(before))
                if here.entries.is_some() && before.entries.is_some() && !is_list(before) =>
            {
                merged(&scene, here.span.start, [(was, before), (is, &entry.value)])?
            }
            _ => set_fields(&scene, node, &[(key, wanted)])?,
        };
        scene = read(changed)?;
    }
    Ok(scene.text().to_string())
}

/// The text with another material for a component. `written` is the material that its placement overrides. Only one
/// that nothing else uses is changed; else the component gets one of its own.
fn set_material(
    scene: &SceneText,
    name: &str,
    component: &str,
    written: Option<&Node>,
    [before, after]: [&str; 2],
) -> Result<String, String> {
    let materials = scene.root().get(MATERIALS);
    let find = |name: &str| materials.and_then(|materials| materials.get(name));
    let overridden = written.and_then(|node| unquoted(scene.written(node)));
    let own = overridden.filter(|name| count_uses(scene, scene.root(), name) == 1);
    if let Some(own) = own.as_deref().and_then(find) {
        let [was, is] = [before, after].map(|text| SceneText::parse(text).map_err(|Failure(why)| why));
        let (was, is) = (was?, is?);
        return merged(scene, own.span.start, [(&was, was.root()), (&is, is.root())]);
    }
    let mut own = (1_u64..).map(|number| match number {
        1 => format!("{component} of {name}"),
        _ => format!("{component} of {name} {number}"),
    });
    let own = quoted(&own.find(|name| find(name).is_none()).unwrap_or_default());
    let pointed = set_override(
        scene,
        one(scene, name)?,
        component,
        SceneForm::Material.word(),
        &own,
    )?;
    let scene = SceneText::parse(&pointed).map_err(|Failure(why)| why)?;
    let entry = format!("{own}: {after}");
    let added = match scene.root().get(MATERIALS) {
        Some(materials) => scene.added(materials, &entry),
        None => {
            let sections = scene.root().entries.as_deref().unwrap_or_default();
            let is_before = |key: Option<&str>| key.is_some_and(|key| BEFORE_MATERIALS.contains(&key));
            let last = sections.iter().rfind(|section| is_before(section.key.as_deref()));
            scene.added_behind(scene.root(), last, &format!("{MATERIALS}: {{{entry}}}"))
        }
    };
    added.ok_or_else(|| NO_BRACKETS.to_string())
}
