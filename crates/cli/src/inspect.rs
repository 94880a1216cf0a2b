//! `tombolo inspect`: prints the entities of a world, their components, and every property of one of them.

use std::fmt::Write as _;

use serde::Serialize;
use tombolo::World;
use tombolo::entity::Entity;
use tombolo::physics::{ANY_CATEGORY, ANY_MATERIAL};
use tombolo::scene::{nearest, rule_text};
use tombolo::threads::Inline;

use crate::arguments::InspectOptions;
use crate::output::{Failure, counted, plain, print, short};
use crate::source::{Changes, Running, Source};

/// The counts, managers, prototypes and entities of a world.
#[derive(Debug, Serialize)]
struct Overview {
    scene: String,
    step: u32,
    entity_count: usize,
    managers: Vec<ManagerRow>,
    prototypes: Vec<PrototypeRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleRow>,
    entities: Vec<EntityRow>,
}

/// A contact rule.
#[derive(Debug, Serialize)]
struct RuleRow {
    /// What the two numbers are: materials or categories.
    of: &'static str,
    /// The two materials or categories; `any` stands for all.
    between: [String; 2],
    /// The fields that the rule sets.
    rule: String,
}

/// A manager and the number of its instances.
#[derive(Debug, Serialize)]
struct ManagerRow {
    name: String,
    instances: usize,
    properties: usize,
}

/// A prototype: a list of components that entities share.
#[derive(Debug, Serialize)]
struct PrototypeRow {
    id: u32,
    /// The number of entities with this list.
    entities: usize,
    components: Vec<ComponentName>,
}

/// A component's name and its manager's.
#[derive(Debug, Serialize)]
struct ComponentName {
    name: String,
    manager: String,
}

/// One entity.
#[derive(Debug, Serialize)]
struct EntityRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The handle's number.
    handle: u64,
    prototype: u32,
    /// The resource that it was spawned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// Position in meters.
    position: [f32; 2],
}

/// One entity with its components and their properties.
#[derive(Debug, Serialize)]
struct Detail {
    scene: String,
    step: u32,
    #[serde(flatten)]
    entity: EntityRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    children: Vec<String>,
    components: Vec<ComponentRow>,
}

/// One component.
#[derive(Debug, Serialize)]
struct ComponentRow {
    name: String,
    manager: String,
    properties: Vec<PropertyText>,
}

/// One property.
#[derive(Debug, Serialize)]
struct PropertyText {
    name: String,
    kind: String,
    value: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    read_only: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    documentation: &'static str,
}

/// Makes the steps of a world that were asked for, and prints its content.
///
/// # Errors
/// No such world or entity, a world without entities, a file that is wrong.
pub(crate) fn inspect(options: &InspectOptions) -> Result<(), Failure> {
    let source = Source::find(&options.scene)?;
    let mut running = source.start(Changes::default())?;
    for _ in 0..options.step {
        running.step(&Inline)?;
    }
    let Running::Scene(world) = &running else {
        let name = &source.name;
        return Err(Failure(format!(
            "{name} is a bare physics world: it has no entities"
        )));
    };
    let shown_name: Shown = if options.json { str::to_string } else { plain };
    let text = match &options.entity {
        None => {
            let overview = overview(world, &source.name, options.step, shown_name);
            shown(options.json, &overview, Overview::table)?
        }
        Some(wanted) => {
            let entity = find(world, wanted, options.step)?;
            let detail = detail(world, entity, &source.name, options.step, shown_name);
            shown(options.json, &detail, Detail::table)?
        }
    };
    print(&text)
}

fn shown<T: Serialize>(json: bool, what: &T, table: impl FnOnce(&T) -> String) -> Result<String, Failure> {
    if json {
        Ok(serde_json::to_string(what)? + "\n")
    } else {
        Ok(table(what))
    }
}

/// The form of names: verbatim for programs, without control characters for people.
type Shown = fn(&str) -> String;

/// An entity by its name; or by its handle, as the number that `inspect` shows for an entity without a name, or in the
/// form of messages: `Handle(75v1)`, `75v1`, or the index alone.
fn find(world: &World, wanted: &str, step: u32) -> Result<Entity, Failure> {
    if let Some(entity) = world.find(wanted) {
        return Ok(entity);
    }
    let bare = wanted
        .strip_prefix("Handle(")
        .and_then(|rest| rest.strip_suffix(')'));
    let bare = bare.unwrap_or(wanted);
    let (index, generation) = bare
        .split_once('v')
        .map_or((bare, None), |(index, life)| (index, Some(life)));
    let is_handle = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_handle(index) || !generation.is_none_or(is_handle) {
        let advice = nearest(wanted, world.names().map(|(name, _)| name));
        let advice = advice.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
        return Err(Failure(format!(
            "no entity is called {:?}{advice}",
            short(wanted)
        )));
    }
    let by_number = bare.parse().ok().and_then(Entity::from_bits);
    let by_number = by_number.filter(|entity| world.entities().entities().is_alive(*entity));
    let by_index = || {
        let fits = |entity: &Entity| {
            entity.index().to_string() == index
                && generation.is_none_or(|generation| entity.generation().to_string() == generation)
        };
        world.entities().entities().iter().find(fits)
    };
    by_number.or_else(by_index).ok_or_else(|| {
        let steps = counted(step as usize, "step", "steps");
        Failure(format!(
            "no entity has the handle {:?} after {steps}; --step says when to look",
            short(wanted)
        ))
    })
}

fn component_names(world: &World, entity: Entity, shown: Shown) -> Vec<ComponentName> {
    let rows = world.components_of(entity).iter();
    rows.map(|row| ComponentName {
        name: shown(world.entities().names().get(row.name).unwrap_or_default()),
        manager: shown(world.entities().manager_name(row.manager).unwrap_or_default()),
    })
    .collect()
}

fn entity_row(world: &World, entity: Entity, shown: Shown) -> EntityRow {
    EntityRow {
        name: world.name_of(entity).map(shown),
        handle: entity.to_bits(),
        prototype: world.entities().index().prototype(entity).id.get(),
        resource: world.library().origin(entity).map(shown),
        position: world
            .pose(entity)
            .map_or([0.0; 2], |pose| pose.position.to_array()),
    }
}

fn overview(world: &World, scene: &str, step: u32, shown: Shown) -> Overview {
    let system = world.entities();
    let managers = system.managers().map(|(_, name, manager)| ManagerRow {
        name: shown(system.names().get(name).unwrap_or_default()),
        instances: manager.len(),
        properties: manager.properties().len(),
    });
    let prototypes = system.index().prototypes().filter_map(|stamp| {
        let mut of = system.entities_of(stamp);
        let first = of.next()?;
        Some(PrototypeRow {
            id: stamp.id.get(),
            entities: 1 + of.count(),
            components: component_names(world, first, shown),
        })
    });
    Overview {
        scene: shown(scene),
        step,
        entity_count: world.entity_count(),
        managers: managers.collect(),
        prototypes: prototypes.collect(),
        rules: rules(world),
        entities: system
            .entities()
            .iter()
            .map(|entity| entity_row(world, entity, shown))
            .collect(),
    }
}

fn rules(world: &World) -> Vec<RuleRow> {
    let physics = world.physics();
    let materials = physics.contact_rules().map(|(between, rule)| RuleRow {
        of: "materials",
        between: between.map(|number| number_or_any(number.into(), ANY_MATERIAL.into())),
        rule: rule_text(rule),
    });
    let categories = physics.category_rules().map(|(between, rule)| RuleRow {
        of: "categories",
        between: between.map(|bit| number_or_any(bit, ANY_CATEGORY)),
        rule: rule_text(rule),
    });
    materials.chain(categories).collect()
}

fn number_or_any(number: u64, any: u64) -> String {
    if number == any {
        "any".to_string()
    } else {
        number.to_string()
    }
}

fn detail(world: &World, entity: Entity, scene: &str, step: u32, shown: Shown) -> Detail {
    let called = |entity: Entity| match world.name_of(entity) {
        Some(name) => shown(name),
        None => entity.to_bits().to_string(),
    };
    let components = world.describe(entity).into_iter().map(|view| ComponentRow {
        name: shown(view.name),
        manager: shown(view.manager),
        properties: view
            .properties
            .iter()
            .map(|(property, value)| PropertyText {
                name: shown(&property.name),
                kind: property.kind.to_string(),
                value: shown(&world.show_value(property.kind, value)),
                unit: property.unit,
                read_only: property.read_only,
                documentation: property.documentation,
            })
            .collect(),
    });
    Detail {
        scene: shown(scene),
        step,
        entity: entity_row(world, entity, shown),
        parent: world.parent(entity).map(called),
        children: world
            .children(entity)
            .iter()
            .map(|child| called(*child))
            .collect(),
        components: components.collect(),
    }
}

impl EntityRow {
    fn called(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.handle.to_string())
    }
}

impl Overview {
    fn table(&self) -> String {
        let mut text = format!(
            "{}: {} after {}\n\n",
            self.scene,
            counted(self.entity_count, "entity", "entities"),
            counted(self.step as usize, "step", "steps"),
        );
        let _ = writeln!(text, "{:<16} {:>9} {:>10}", "manager", "instances", "properties");
        for ManagerRow {
            name,
            instances,
            properties,
        } in &self.managers
        {
            let _ = writeln!(text, "{name:<16} {instances:>9} {properties:>10}");
        }
        let _ = writeln!(text, "\n{:>9} {:>9}  components", "prototype", "entities");
        for PrototypeRow {
            id,
            entities,
            components,
        } in &self.prototypes
        {
            let names: Vec<String> = components
                .iter()
                .map(|ComponentName { name, manager }| format!("{name} ({manager})"))
                .collect();
            let _ = writeln!(text, "{id:>9} {entities:>9}  {}", names.join(", "));
        }
        if !self.rules.is_empty() {
            let _ = writeln!(text, "\n{:<10} {:>11} {:>11}  contact rule", "of", "one", "other");
        }
        for RuleRow { of, between, rule } in &self.rules {
            let [one, other] = between;
            let _ = writeln!(text, "{of:<10} {one:>11} {other:>11}  {rule}");
        }
        let _ = writeln!(
            text,
            "\n{:<28} {:>9} {:>10} {:>10}  resource",
            "entity", "prototype", "x", "y"
        );
        for row in &self.entities {
            let [x, y] = row.position;
            let _ = writeln!(
                text,
                "{:<28} {:>9} {x:>10.3} {y:>10.3}  {}",
                row.called(),
                row.prototype,
                row.resource.as_deref().unwrap_or("-")
            );
        }
        text
    }
}

impl Detail {
    fn table(&self) -> String {
        let mut text = format!(
            "{} in {} after {}\n",
            self.entity.called(),
            self.scene,
            counted(self.step as usize, "step", "steps"),
        );
        let resource = self.entity.resource.as_deref().unwrap_or("none");
        let _ = writeln!(text, "resource {resource}, prototype {}", self.entity.prototype);
        if let Some(parent) = &self.parent {
            let _ = writeln!(text, "parent {parent}");
        }
        if !self.children.is_empty() {
            let _ = writeln!(text, "children {}", self.children.join(", "));
        }
        for component in &self.components {
            let _ = writeln!(text, "\n{} ({})", component.name, component.manager);
            for property in &component.properties {
                let value = format!("{} {}", property.value, property.unit);
                let _ = writeln!(
                    text,
                    "  {:<20} {:<28} {}",
                    property.name,
                    value.trim_end(),
                    property.documentation
                );
            }
        }
        text
    }
}
