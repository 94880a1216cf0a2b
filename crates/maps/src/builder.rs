//! Converts the things of a map, from either editor, to entities and placements of a scene. The readers of both
//! formats add to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tombolo::Kinds;
use tombolo::component::KindEntry;
use tombolo::entity::NAME_BYTES_MAX;
use tombolo::scene::{nearest, quoted};

use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point, Use, number, vector};
use crate::limits::{BYTES_MAX, CORNERS_MAX, OBJECTS_MAX, PROPERTY_BYTES_MAX, SETTINGS_MAX};
use crate::names::Names;
use crate::picture::Pictures;
use crate::prototypes::{Component, DRAWN, Prototypes};
use crate::scene_text::{Lines, MapScene};
use crate::settings::{Said, Setting, ValueWriter, is_word};

/// The kinds of components that can have a drawn shape.
const SHAPED: [&str; 4] = ["Collider", "Trigger", "Zone", "Field"];

/// The name of the component with a grid of tiles.
const TILES: &str = "tiles";

/// An item of a map: an object, an entity, or tiles of a layer with the same class and properties.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) origin: Origin,
    /// The key that other things refer to it by.
    pub(crate) key: Option<String>,
    /// The given name; empty for none.
    pub(crate) name: String,
    /// The name to use without a given one, no longer than a name may be.
    pub(crate) fallback: String,
    /// The prototype of the thing; empty for solid ground.
    pub(crate) class: String,
    /// The position, in meters.
    pub(crate) at: Point,
    /// The rotation, in radians.
    pub(crate) angle: f64,
    /// The drawn figures, in meters, relative to the position.
    pub(crate) figures: Vec<Figure>,
    /// The fields of the component `tiles`, if the thing is a grid of tiles.
    pub(crate) tiles: Vec<(String, String)>,
    /// Whether lines are one-sided.
    pub(crate) one_sided: bool,
    pub(crate) settings: Vec<Setting>,
}

/// Collects the things of a map and writes its scene.
pub(crate) struct Builder {
    kinds: Kinds,
    prototypes: Prototypes,
    /// The file of the map.
    file: Origin,
    things: Vec<Thing>,
    figures: usize,
    corners: usize,
    /// The bytes of properties so far.
    bytes: usize,
    /// Settings of the scene that the scene file does not have.
    settings: Vec<(String, String)>,
    pictures: Pictures,
}

/// The components that a thing sets: changes of those of its base, and new ones.
#[derive(Default)]
struct Own {
    over: Vec<Component>,
    new: Vec<Component>,
}

/// The text of a scene while it is written, with the names that are taken.
struct Writing<'a> {
    builder: &'a Builder,
    names: Vec<String>,
    keys: BTreeMap<&'a str, usize>,
    /// Names of entities, those of the scene file first.
    taken: Names,
    /// The entities for solid ground, for things without figures, and for each class without a prototype.
    own: BTreeMap<String, (String, Vec<Arc<Component>>)>,
    entities: Lines,
    place: Lines,
}

impl Builder {
    pub(crate) fn new(file: Origin, prototypes: Prototypes, y_down: bool) -> Self {
        let mut settings = prototypes.settings.clone();
        if y_down && !settings.iter().any(|(name, _)| name == "gravity") {
            settings.push(("gravity".to_string(), "(0, 10)".to_string()));
        }
        Self {
            kinds: Kinds::default(),
            prototypes,
            file,
            things: Vec::new(),
            figures: 0,
            corners: 0,
            bytes: 0,
            settings,
            pictures: Pictures::default(),
        }
    }

    /// The kinds of components.
    pub(crate) fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Whether the scene file has an entity of this name.
    pub(crate) fn has(&self, class: &str) -> bool {
        self.prototypes.get(class).is_some()
    }

    /// The class if it is one, else an empty text: without a scene file a label has no meaning and may be ignored.
    ///
    /// # Errors
    /// There is a scene file, and no such entity in it.
    pub(crate) fn class(&self, class: &str, origin: &Origin) -> Result<String, MapError> {
        if class.is_empty() || !self.prototypes.is_given() {
            return Ok(String::new());
        }
        self.check_class(class, origin).map(|()| class.to_string())
    }

    fn check_class(&self, class: &str, origin: &Origin) -> Result<(), MapError> {
        if class.len() > NAME_BYTES_MAX {
            let message = format!("a class has {NAME_BYTES_MAX} bytes at most; give another");
            return Err(origin.refuse(message));
        }
        if class.is_empty() || !self.prototypes.is_given() || self.has(class) {
            return Ok(());
        }
        let advice = match nearest(class, self.prototypes.names()) {
            Some(name) => format!("did you mean {name:?}?"),
            None => "add one, or take the class away".to_string(),
        };
        Err(origin.refuse(format!("the scene file has no entity {class:?}; {advice}")))
    }

    /// Lets a property of a class pass that is no kind of component, and for another program.
    ///
    /// # Errors
    /// The class is the name of a kind but for its case.
    fn check_no_kind(&self, thing: &Thing, name: &str, class: &str) -> Result<(), MapError> {
        let meant = |kind: &&KindEntry| kind.name().eq_ignore_ascii_case(class);
        let Some(kind) = self.kinds.iter().find(meant) else {
            return Ok(());
        };
        let kind = kind.name();
        let message = format!("property {name:?}: its class {class:?} is no kind; did you mean {kind:?}?");
        Err(thing.origin.refuse(message))
    }

    /// Whether the entities of a class can have shapes: those of a prototype without such a component cannot.
    pub(crate) fn takes_shapes(&self, class: &str) -> bool {
        let components = self.prototypes.get(class);
        components.is_none_or(|list| list.iter().any(|component| component.name == DRAWN))
    }

    /// Adds a thing.
    ///
    /// # Errors
    /// Its name or class is invalid, or there are too many things.
    pub(crate) fn add(&mut self, thing: Thing) -> Result<(), MapError> {
        let origin = &thing.origin;
        self.check_class(&thing.class, origin)?;
        if thing.name.len() > NAME_BYTES_MAX {
            let message = format!("a name has {NAME_BYTES_MAX} bytes at most; give another");
            return Err(origin.refuse(message));
        }
        self.figures += thing.figures.len();
        self.corners += thing.figures.iter().map(Figure::corner_count).sum::<usize>();
        if self.things.len() == OBJECTS_MAX || self.figures > OBJECTS_MAX {
            let message = format!("the map has more than {OBJECTS_MAX} objects or shapes; divide it");
            return Err(origin.refuse(message));
        }
        if self.corners > CORNERS_MAX {
            let message = format!("the map's shapes have more than {CORNERS_MAX} corners; divide it");
            return Err(origin.refuse(message));
        }
        if thing.settings.len() > SETTINGS_MAX {
            let message = format!("has more than {SETTINGS_MAX} properties of components; take some away");
            return Err(origin.refuse(message));
        }
        self.bytes += thing.settings.iter().map(Setting::bytes).sum::<usize>();
        self.bytes += thing.tiles.iter().map(|(_, value)| value.len()).sum::<usize>();
        if self.bytes > PROPERTY_BYTES_MAX {
            let message = format!("the objects have more than {PROPERTY_BYTES_MAX} bytes of properties");
            return Err(origin.refuse(message));
        }
        self.things.push(thing);
        Ok(())
    }

    /// The index of the thing that was added last.
    pub(crate) fn last_thing(&self) -> Option<usize> {
        self.things.len().checked_sub(1)
    }

    /// The pictures, to add some.
    pub(crate) fn pictures(&mut self) -> &mut Pictures {
        &mut self.pictures
    }

    /// Writes the scene.
    ///
    /// # Errors
    /// A property of a thing is invalid in a scene, or its class has no component for its shape.
    pub(crate) fn finish(mut self, file: &str) -> Result<MapScene, MapError> {
        if self.things.is_empty() && self.prototypes.place.is_empty() {
            let message =
                "has nothing in it that becomes an entity; draw an object, or tiles with collision shapes";
            return Err(self.file.refuse(message));
        }
        let names = self.names()?;
        let pictures = std::mem::take(&mut self.pictures).named(&names);
        let keyed = self.things.iter().enumerate();
        let keys = keyed.filter_map(|(index, thing)| Some((thing.key.as_deref()?, index)));
        let mut writing = Writing {
            builder: &self,
            keys: keys.collect(),
            names,
            taken: Names::new(self.prototypes.names().map(str::to_string).collect()),
            own: BTreeMap::new(),
            entities: Lines::default(),
            place: Lines::default(),
        };
        for index in 0..self.things.len() {
            writing.thing(index)?;
            if writing.entities.bytes() + writing.place.bytes() > BYTES_MAX as usize {
                let message = format!("the scene has more than {BYTES_MAX} bytes up to here; divide the map");
                return Err(self.things[index].origin.refuse(message));
            }
        }
        let Writing { entities, place, .. } = writing;
        Ok(MapScene::new(
            file,
            self.assemble(file, &entities, &place),
            pictures,
        ))
    }

    /// A name for each thing that no placement of the scene file has. Each given name goes to the first thing that has
    /// it; then duplicates get a number, and then things without a name one of their own.
    fn names(&self) -> Result<Vec<String>, MapError> {
        let mut taken = Names::new(self.prototypes.placed_names()?);
        let mut names = vec![String::new(); self.things.len()];
        for (name, thing) in names.iter_mut().zip(&self.things) {
            if !thing.name.is_empty() && taken.take(&thing.name) {
                name.clone_from(&thing.name);
            }
        }
        for given in [true, false] {
            for (name, thing) in names.iter_mut().zip(&self.things) {
                if name.is_empty() && thing.name.is_empty() != given {
                    let wish = if given { &thing.name } else { &thing.fallback };
                    *name = taken.take_free(wish);
                }
            }
        }
        Ok(names)
    }

    fn assemble(&self, file: &str, entities: &Lines, place: &Lines) -> Lines {
        let (mut lines, whole) = (Lines::default(), &self.file);
        let shown = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let shown: String = shown.chars().filter(|letter| !letter.is_control()).collect();
        lines.push(&format!("// Made from {shown}.\n("), whole);
        let settings: Vec<String> = self
            .settings
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        if !settings.is_empty() {
            lines.push(&format!("    settings: ({}),", settings.join(", ")), whole);
        }
        let scene_file = self.prototypes.origin.as_ref().unwrap_or(whole);
        for (name, piece) in &self.prototypes.before {
            lines.push_piece(&format!("    {name}: "), piece, scene_file);
        }
        lines.push("    entities: {", whole);
        for (name, piece) in &self.prototypes.entities {
            lines.push_piece(&format!("        {}: ", quoted(name)), piece, scene_file);
        }
        lines.append(entities);
        lines.push("    },\n    place: [", whole);
        for piece in &self.prototypes.place {
            lines.push_piece("        ", piece, scene_file);
        }
        lines.append(place);
        lines.push("    ],", whole);
        if let Some(piece) = &self.prototypes.strokes {
            lines.push_piece("    strokes: ", piece, scene_file);
        }
        lines.push(")", whole);
        lines
    }
}

impl Writing<'_> {
    fn thing(&mut self, index: usize) -> Result<(), MapError> {
        let builder = self.builder;
        let thing = &builder.things[index];
        let (base, components) = self.base(thing);
        let mut own = self.own(thing, &components)?;
        if !thing.tiles.is_empty() {
            let tiles = component_of(&mut own.over, TILES, "Tiles");
            for (name, value) in &thing.tiles {
                set_field(tiles, name, value.clone());
            }
        }
        draw(thing, &components, &mut own)?;
        let (entity, overrides) = if own.new.is_empty() {
            let over: Vec<String> = own
                .over
                .iter()
                .map(|component| component_text(component, ""))
                .collect();
            let over = if over.is_empty() {
                String::new()
            } else {
                format!(", overrides: {{{}}}", over.join(", "))
            };
            (base, over)
        } else {
            (self.derived(index, &base, &own), String::new())
        };
        let angle = if thing.angle == 0.0 {
            String::new()
        } else {
            format!(", angle: {}", number(thing.angle))
        };
        let line = format!(
            "        One(name: {}, entity: {}, at: {}{angle}{overrides}),",
            quoted(&self.names[index]),
            quoted(&entity),
            vector(thing.at),
        );
        self.place.push(&line, &thing.origin);
        Ok(())
    }

    /// The entity that a thing is an instance of, and its components.
    fn base(&mut self, thing: &Thing) -> (String, Vec<Arc<Component>>) {
        let class = &thing.class;
        if let Some(components) = self.builder.prototypes.get(class) {
            return (class.clone(), components.to_vec());
        }
        let is_solid = class.is_empty() && !thing.figures.is_empty();
        let is_tiles = !thing.tiles.is_empty();
        let key = format!("{class}/{is_solid}/{is_tiles}");
        if let Some(known) = self.own.get(&key) {
            return known.clone();
        }
        let component = |name: &str, kind: &str, fields: &[(&str, &str)]| {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (name.to_string(), value.to_string()));
            Arc::new(Component {
                name: name.to_string(),
                kind: kind.to_string(),
                fields: fields.collect(),
            })
        };
        let (wish, components) = if is_solid {
            let shape = [("shape", "Box(width: 1, height: 1)")];
            let solid = vec![
                component("body", "Body", &[]),
                component(DRAWN, "Collider", &shape),
            ];
            ("solid", solid)
        } else if is_tiles {
            let tiles = vec![component("body", "Body", &[]), component(TILES, "Tiles", &[])];
            ("tiles", tiles)
        } else if class.is_empty() {
            ("place", Vec::new())
        } else {
            (class.as_str(), vec![component(class, "Tag", &[])])
        };
        let name = self.taken.take_free(wish);
        let texts: Vec<String> = components
            .iter()
            .map(|component| component_text(component, &component.kind))
            .collect();
        let line = format!("        {}: {{{}}},", quoted(&name), texts.join(", "));
        self.entities.push(&line, &thing.origin);
        self.own.insert(key, (name.clone(), components.clone()));
        (name, components)
    }

    /// The components in the properties of a thing.
    fn own(&self, thing: &Thing, base: &[Arc<Component>]) -> Result<Own, MapError> {
        let mut own = Own::default();
        let entity_name = |key: &str| self.keys.get(key).map(|&index| self.names[index].as_str());
        let writer = ValueWriter {
            kinds: &self.builder.kinds,
            entity_name: &entity_name,
        };
        for setting in &thing.settings {
            let name = &setting.component;
            let of_base = base.iter().find(|component| component.name == **name);
            let new = || own.new.iter().find(|component| component.name == **name);
            let known = of_base.map(|component| &**component).or_else(new);
            let kind = match (known, &setting.said) {
                (Some(known), Said::Kind(kind)) if known.kind != **kind => {
                    let message = format!("component {name:?} is a {}, and not a {kind}", known.kind);
                    return Err(thing.origin.refuse(message));
                }
                (Some(known), _) => known.kind.clone(),
                (None, Said::Kind(kind)) => kind.to_string(),
                (None, Said::Name) => return Err(no_component(thing, base, name)),
                (None, Said::Class(class)) => {
                    self.builder.check_no_kind(thing, name, class)?;
                    continue;
                }
            };
            let list = if of_base.is_some() {
                &mut own.over
            } else {
                &mut own.new
            };
            let component = component_of(list, name, &kind);
            if setting.property.is_empty() {
                continue;
            }
            let refuse = |error: String| {
                let property = format!("{name}.{}", setting.property);
                thing.origin.refuse(format!("property {property:?}: {error}"))
            };
            if !is_word(&setting.property) {
                return Err(refuse("a component's properties are words".to_string()));
            }
            if writer.is_unset(&kind, &setting.property, &setting.value) {
                continue;
            }
            let written = writer.write(&kind, &setting.property, &setting.value);
            let text = written.map_err(refuse)?;
            set_field(component, &setting.property, text);
        }
        own.over.retain(|component| !component.fields.is_empty());
        Ok(own)
    }

    /// Writes a separate entity for a thing with components beside those of its base.
    fn derived(&mut self, index: usize, base: &str, own: &Own) -> String {
        let origin = &self.builder.things[index].origin;
        let name = self.taken.take_free(&self.names[index]);
        let all = || own.over.iter().chain(&own.new);
        let inherits = if all().any(|component| component.name == "base") {
            "prototype"
        } else {
            "base"
        };
        let head = format!(
            "        {}: {{\n            {inherits:?}: Inherits({}),",
            quoted(&name),
            quoted(base)
        );
        self.entities.push(&head, origin);
        for component in all() {
            let line = format!("            {},", component_text(component, &component.kind));
            self.entities.push(&line, origin);
        }
        self.entities.push("        },", origin);
        name
    }
}

/// The component with a name in a list, which is added if it is missing.
fn component_of<'a>(list: &'a mut Vec<Component>, name: &str, kind: &str) -> &'a mut Component {
    let place = list.iter().position(|component| component.name == name);
    let place = place.unwrap_or_else(|| {
        list.push(Component {
            name: name.to_string(),
            kind: kind.to_string(),
            fields: Vec::new(),
        });
        list.len() - 1
    });
    &mut list[place]
}

fn set_field(component: &mut Component, name: &str, text: String) {
    match component.fields.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = text,
        None => component.fields.push((name.to_string(), text)),
    }
}

fn no_component(thing: &Thing, base: &[Arc<Component>], name: &str) -> MapError {
    let advice = match nearest(name, base.iter().map(|component| component.name.as_str())) {
        Some(known) => format!("did you mean {known:?}?"),
        None => "one of its own is a property of a class named as a kind, such as Body".to_string(),
    };
    thing.origin.refuse(format!(
        "property {name:?}: the entity has no such component; {advice}"
    ))
}

/// Assigns the drawn figures to the component for them, and to further components of its kind if there are several
/// shapes.
fn draw(thing: &Thing, base: &[Arc<Component>], own: &mut Own) -> Result<(), MapError> {
    let is_drawn = |component: &&Component| component.name == DRAWN;
    let own_drawn = own.new.iter().chain(&own.over).find(is_drawn).cloned();
    let base_drawn = base.iter().map(|component| &**component).find(is_drawn);
    let Some(kind) = base_drawn.or(own_drawn.as_ref()).map(|drawn| drawn.kind.clone()) else {
        return Ok(());
    };
    let says = |component: &Component, name: &str| component.fields.iter().any(|(field, _)| field == name);
    if thing.figures.is_empty() || own_drawn.as_ref().is_some_and(|drawn| says(drawn, "shape")) {
        return Ok(());
    }
    if !SHAPED.contains(&kind.as_str()) {
        let kinds = SHAPED.join(", ");
        let message = format!("component {DRAWN:?} is a {kind} and takes no shape; give one of {kinds}");
        return Err(thing.origin.refuse(message));
    }
    let both_sides = kind == "Collider" && !thing.one_sided;
    let figures = thing.figures.iter().flat_map(|figure| {
        let is_line = matches!(figure, Figure::Line(_));
        [
            Some(figure.clone()),
            (is_line && both_sides).then(|| figure.reversed()),
        ]
    });
    let use_ = if kind == "Field" { Use::Convex } else { Use::Any };
    let drawn = base_drawn.into_iter().chain(&own_drawn);
    let shared = drawn.fold(Vec::<&(String, String)>::new(), |mut fields, component| {
        fields.retain(|(name, _)| !says(component, name));
        fields.extend(&component.fields);
        fields
    });
    let each: usize = shared.iter().map(|(name, value)| name.len() + value.len()).sum();
    if each.saturating_mul(2 * thing.figures.len()) > PROPERTY_BYTES_MAX {
        let message = format!("its shapes have more than {PROPERTY_BYTES_MAX} bytes of properties");
        return Err(thing.origin.refuse(message));
    }
    for (index, figure) in figures.flatten().enumerate() {
        let middle = figure.middle();
        let mut fields = vec![("shape".to_string(), figure.text(middle, use_))];
        if middle != [0.0, 0.0] || shared.iter().any(|(name, _)| name == "position") {
            fields.push(("position".to_string(), vector(middle)));
        }
        if index == 0 {
            let list = if base_drawn.is_some() {
                &mut own.over
            } else {
                &mut own.new
            };
            let drawn = component_of(list, DRAWN, &kind);
            drawn.fields.retain(|(name, _)| name != "position");
            drawn.fields.splice(0..0, fields);
        } else {
            let rest = shared
                .iter()
                .filter(|(name, _)| name != "shape" && name != "position");
            fields.extend(rest.copied().cloned());
            own.new.push(Component {
                name: format!("{DRAWN} {}", index + 1),
                kind: kind.clone(),
                fields,
            });
        }
    }
    Ok(())
}

/// A component with its kind, as in an entity, or without it, as in overrides.
fn component_text(component: &Component, kind: &str) -> String {
    let fields: Vec<String> = component
        .fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    format!("{}: {kind}({})", quoted(&component.name), fields.join(", "))
}
