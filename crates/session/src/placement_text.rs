//! Changes of a scene's text: the placement of an entity, its overrides, and the resource that it is of. Each says why the
//! file cannot have the change; a part of it may have been made then.

use tombolo::scene::{quoted, unquoted};

use crate::scene_draft::SceneDraft;
use crate::scene_text::{Entry, Node, Parts, SceneText};

/// The reason why an entry of the file cannot be changed.
pub(crate) const NO_BRACKETS: &str = "the file's entry has no brackets";

/// The reason why a resource cannot be changed, or placed.
pub(crate) const NO_RESOURCE: &str = "the file has no such entity";

/// The placement of several entities that has this one.
pub(crate) fn several<'d>(draft: &'d SceneDraft, name: &str) -> Option<&'d Entry> {
    let (base, _) = name.rsplit_once('[')?;
    draft.named(base)
}

/// The placement of one entity.
pub(crate) fn one<'d>(draft: &'d SceneDraft, name: &str) -> Result<&'d Entry, String> {
    match (draft.named(name), several(draft, name)) {
        (Some(entry), _) if draft.scene().word(&entry.value) == "One" => Ok(entry),
        (Some(_), _) => Err("the file places several by one entry".to_string()),
        (None, Some(entry)) => {
            let word = draft.scene().word(&entry.value);
            Err(format!("it is one of a {word}: in the file they are alike"))
        }
        (None, None) => Err(match name.split_once('/') {
            Some((parent, _)) => format!("it comes with {parent}"),
            None => "the file does not place it".to_string(),
        }),
    }
}

/// Sets fields of the bracket that begins at a byte.
pub(crate) fn set_fields(draft: &mut SceneDraft, at: usize, fields: &[(&str, &str)]) -> Result<(), String> {
    for (field, text) in fields {
        let node = draft.scene().starting_at(at).ok_or(NO_BRACKETS)?;
        let parts = match node.get(field) {
            Some(value) => Some(value.replaced(text)),
            None => draft.scene().added(node, &format!("{field}: {text}")),
        };
        draft.put(&parts.ok_or(NO_BRACKETS)?)?;
    }
    Ok(())
}

/// Sets an override of a placed entity.
pub(crate) fn set_override(
    draft: &mut SceneDraft,
    name: &str,
    component: &str,
    property: &str,
    text: &str,
) -> Result<(), String> {
    let field = format!("{property}: {text}");
    let of_component = format!("{}: ({field})", quoted(component));
    let (scene, placement) = (draft.scene(), &one(draft, name)?.value);
    let overrides = placement.get("overrides");
    let parts = match (overrides, overrides.and_then(|all| all.get(component))) {
        (None, _) => scene.added(placement, &format!("overrides: {{{of_component}}}")),
        (Some(all), None) => scene.added(all, &of_component),
        (_, Some(known)) => match known.get(property) {
            Some(value) => Some(value.replaced(text)),
            None => scene.added(known, &field),
        },
    };
    draft.put(&parts.ok_or(NO_BRACKETS)?)
}

/// Removes a component from the resource that a placement is of, and from the placement's overrides.
pub(crate) fn remove_component(draft: &mut SceneDraft, name: &str, component: &str) -> Result<(), String> {
    with_own_resource(draft, name, |scene, resource| {
        let entry = resource.entry(component);
        let entry = entry.ok_or("the component comes from an entity that this one inherits from")?;
        Ok(scene.removed(entry))
    })?;
    let overrides = one(draft, name)?.value.get("overrides");
    match overrides.and_then(|overrides| overrides.entry(component)) {
        Some(entry) => draft.put(&draft.scene().removed(entry)),
        None => Ok(()),
    }
}

/// Makes a change in the resource that a placement is of. If others are of it too, it gets a copy of its own first.
pub(crate) fn with_own_resource(
    draft: &mut SceneDraft,
    name: &str,
    change: impl Fn(&SceneText, &Node) -> Result<Parts, String>,
) -> Result<(), String> {
    let placement = &one(draft, name)?.value;
    let written = placement.get("entity").map(|value| draft.scene().written(value));
    let mut resource = written.and_then(unquoted).ok_or(NO_BRACKETS)?;
    let node = find_resource(draft, &resource).ok_or(NO_RESOURCE)?;
    if draft.count_uses(&resource) != 1 {
        let own = format!("{resource} of {name}");
        if find_resource(draft, &own).is_some() {
            return Err(format!("the file has an entity {own:?} already"));
        }
        let entities = draft.scene().root().get("entities").ok_or(NO_BRACKETS)?;
        let entry = format!("{}: {}", quoted(&own), draft.scene().written(node));
        draft.put(&draft.scene().added(entities, &entry).ok_or(NO_BRACKETS)?)?;
        let placement = one(draft, name)?.value.span.start;
        set_fields(draft, placement, &[("entity", &quoted(&own))])?;
        resource = own;
    }
    let node = find_resource(draft, &resource).ok_or(NO_RESOURCE)?;
    draft.put(&change(draft.scene(), node)?)
}

fn find_resource<'d>(draft: &'d SceneDraft, resource: &str) -> Option<&'d Node> {
    draft.scene().root().get("entities")?.get(resource)
}

/// Adds a placement, and returns the byte at which it begins.
pub(crate) fn add_placement(draft: &mut SceneDraft, entry: &str) -> Result<usize, String> {
    let place = draft.scene().root().get("place");
    let parts = place.and_then(|place| draft.scene().added(place, entry));
    draft.put(&parts.ok_or("the file has no list of placements")?)?;
    let place = draft
        .scene()
        .root()
        .get("place")
        .and_then(|place| place.entries.as_deref());
    let added = place.and_then(<[Entry]>::last).ok_or(NO_BRACKETS)?;
    Ok(added.value.span.start)
}
