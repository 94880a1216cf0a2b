//! Changes of a scene's text: the placement of an entity, its overrides, and the resource that it is of. Each returns
//! the changed text, or why the file cannot have the change.

use tombolo::scene::{quoted, unquoted};

use crate::failure::Failure;
use crate::scene_text::{Entry, Node, SceneText};

/// The reason why an entry of the file cannot be changed.
pub(crate) const NO_BRACKETS: &str = "the file's entry has no brackets";

/// The placement of a name.
fn named<'s>(scene: &'s SceneText, name: &str) -> Option<&'s Entry> {
    let place = scene.root().get("place")?;
    place.entries.as_deref()?.iter().find(|entry| {
        let written = entry.value.get("name").map(|value| scene.written(value));
        written.and_then(unquoted).as_deref() == Some(name)
    })
}

/// The placement of several entities that has this one.
pub(crate) fn several<'s>(scene: &'s SceneText, name: &str) -> Option<&'s Entry> {
    let (base, _) = name.rsplit_once('[')?;
    named(scene, base)
}

/// The placement of one entity.
pub(crate) fn one<'s>(scene: &'s SceneText, name: &str) -> Result<&'s Entry, String> {
    match (named(scene, name), several(scene, name)) {
        (Some(entry), _) if scene.word(&entry.value) == "One" => Ok(entry),
        (Some(_), _) => Err("the file places several by one entry".to_string()),
        (None, Some(entry)) => {
            let word = scene.word(&entry.value);
            Err(format!("it is one of a {word}: in the file they are alike"))
        }
        (None, None) => Err(match name.split_once('/') {
            Some((parent, _)) => format!("it comes with {parent}"),
            None => "the file does not place it".to_string(),
        }),
    }
}

/// The text with fields of a bracket set.
pub(crate) fn set_fields(scene: &SceneText, node: &Node, fields: &[(&str, &str)]) -> Result<String, String> {
    let Some(((field, text), rest)) = fields.split_first() else {
        return Ok(scene.text().to_string());
    };
    let set = match node.get(field) {
        Some(value) => Some(scene.replaced(value, text)),
        None => scene.added(node, &format!("{field}: {text}")),
    };
    let set = set.ok_or(NO_BRACKETS)?;
    if rest.is_empty() {
        return Ok(set);
    }
    let start = node.span.start;
    let scene = SceneText::parse(&set).map_err(|Failure(why)| why)?;
    let node = scene.starting_at(start).ok_or(NO_BRACKETS)?;
    set_fields(&scene, node, rest)
}

/// The text with an override in a placement.
pub(crate) fn set_override(
    scene: &SceneText,
    placement: &Entry,
    component: &str,
    property: &str,
    text: &str,
) -> Result<String, String> {
    let field = format!("{property}: {text}");
    let of_component = format!("{}: ({field})", quoted(component));
    let overrides = placement.value.get("overrides");
    let set = match (overrides, overrides.and_then(|all| all.get(component))) {
        (None, _) => scene.added(&placement.value, &format!("overrides: {{{of_component}}}")),
        (Some(all), None) => scene.added(all, &of_component),
        (_, Some(known)) => match known.get(property) {
            Some(value) => Some(scene.replaced(value, text)),
            None => scene.added(known, &field),
        },
    };
    set.ok_or_else(|| NO_BRACKETS.to_string())
}

/// The text with a component removed from the resource that a placement is of, and from the placement's overrides.
pub(crate) fn remove_component(scene: &SceneText, name: &str, component: &str) -> Result<String, String> {
    let without = with_own_resource(scene, name, |scene, resource| {
        let entry = resource.entry(component);
        let entry = entry.ok_or("the component comes from an entity that this one inherits from")?;
        Ok(scene.removed(entry))
    })?;
    let scene = SceneText::parse(&without).map_err(|Failure(why)| why)?;
    let overrides = one(&scene, name)?.value.get("overrides");
    let overridden = overrides.and_then(|overrides| overrides.entry(component));
    Ok(overridden.map_or(without, |entry| scene.removed(entry)))
}

/// The text with a change in the resource that a placement is of. If others are of it too, it gets a copy of its own
/// first.
pub(crate) fn with_own_resource(
    scene: &SceneText,
    name: &str,
    change: impl Fn(&SceneText, &Node) -> Result<String, String>,
) -> Result<String, String> {
    let written = one(scene, name)?
        .value
        .get("entity")
        .map(|value| scene.written(value));
    let resource = written.and_then(unquoted).ok_or(NO_BRACKETS)?;
    let find = |scene: &SceneText, resource: &str| {
        let entities = scene.root().get("entities");
        entities.and_then(|entities| entities.get(resource)).cloned()
    };
    let node = find(scene, &resource).ok_or("the file has no such entity")?;
    if count_uses(scene, scene.root(), &resource) == 1 {
        return change(scene, &node);
    }
    let own = format!("{resource} of {name}");
    if find(scene, &own).is_some() {
        return Err(format!("the file has an entity {own:?} already"));
    }
    let entities = scene.root().get("entities").ok_or(NO_BRACKETS)?;
    let entry = format!("{}: {}", quoted(&own), scene.written(&node));
    let copied = scene.added(entities, &entry).ok_or(NO_BRACKETS)?;
    let copied = SceneText::parse(&copied).map_err(|Failure(why)| why)?;
    let placement = &one(&copied, name)?.value;
    let pointed = set_fields(&copied, placement, &[("entity", &quoted(&own))])?;
    let pointed = SceneText::parse(&pointed).map_err(|Failure(why)| why)?;
    let node = find(&pointed, &own).ok_or("the file has no such entity")?;
    change(&pointed, &node)
}

/// The number of uses of an entity resource: its name as any value but the name of a placement or component, and quoted
/// in a script. Any of these may spawn it: a placement, a child, a resource that inherits from it, a spawner, a node of
/// a graph.
pub(crate) fn count_uses(scene: &SceneText, node: &Node, resource: &str) -> usize {
    let entries = node.entries.as_deref().unwrap_or_default();
    let uses = entries.iter().map(|entry| {
        // In braces it is the key of an entry of that name.
        if entry.key.as_deref() == Some("name") && !scene.written(node).starts_with('{') {
            return 0;
        }
        let text = unquoted(scene.written(&entry.value)).unwrap_or_default();
        let is_quoted = ['"', '`'].map(|quote| text.contains(&format!("{quote}{resource}{quote}")));
        let is_it = text == resource || is_quoted.contains(&true);
        usize::from(is_it) + count_uses(scene, &entry.value, resource)
    });
    uses.sum()
}

pub(crate) fn add_placement(scene: &SceneText, entry: &str) -> Result<String, String> {
    let place = scene.root().get("place");
    let added = place.and_then(|place| scene.added(place, entry));
    added.ok_or_else(|| "the file has no list of placements".to_string())
}
