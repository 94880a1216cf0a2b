//! Resources: spawning, inheritance, children, reloading, and every error of a definition.

use tombolo_entity::{
    Accessor, ComponentManager, Dense, EntitySystem, Library, Override, ResourceDefinition, ResourceError,
    Value, Writer,
};

use crate::{Fog, system};

fn density(value: f32) -> [(&'static str, Value); 1] {
    [("density", Value::F32(value))]
}

fn fog(value: f32) -> ResourceDefinition {
    ResourceDefinition::new("fog")
        .component("Mist", "Fog", density(value))
        .component("Smoke", "Fog", [])
}

fn loaded(resources: Vec<ResourceDefinition>) -> (EntitySystem, Library) {
    let (mut system, ..) = system();
    let mut library = Library::new();
    library.load(&mut system, resources).unwrap();
    (system, library)
}

#[test]
fn a_batch_shares_one_prototype_and_has_the_values_of_the_resource() {
    let (mut system, mut library) = loaded(vec![fog(0.25)]);
    let spawned = library.spawn(&mut system, "fog", 50, &[]).unwrap();
    let first = system.index().prototype(spawned.roots()[0]);
    for &entity in spawned.roots() {
        assert_eq!(system.index().prototype(entity), first);
        assert_eq!(system.get(entity, "Mist.density"), Ok(Value::F32(0.25)));
        assert_eq!(library.origin(entity), Some("fog"));
    }
    // Fifty entities and the library itself.
    assert_eq!(system.index().user_count(first), 51);
    assert_eq!(
        system.names().get(system.components(spawned.roots()[0])[1].name),
        Some("Smoke")
    );
}

#[test]
fn an_heir_has_the_inherited_components_first_and_its_own_values() {
    let thick = ResourceDefinition::new("thick")
        .inherits("fog")
        .component("Mist", "Fog", density(0.9))
        .component("Haunted", "Tag", []);
    let (mut system, mut library) = loaded(vec![thick, fog(0.25)]);
    let entity = library.spawn(&mut system, "thick", 1, &[]).unwrap().roots()[0];
    let names: Vec<&str> = system
        .components(entity)
        .iter()
        .map(|entry| system.names().get(entry.name).unwrap())
        .collect();
    assert_eq!(names, ["Mist", "Smoke", "Haunted"]);
    assert_eq!(system.get(entity, "Mist.density"), Ok(Value::F32(0.9)));
}

#[test]
fn children_come_along_and_know_their_parents() {
    let tree = vec![
        ResourceDefinition::new("leaf").component("Haunted", "Tag", []),
        ResourceDefinition::new("twig").child("leaf").child("leaf"),
        ResourceDefinition::new("tree").child("twig").child("leaf"),
    ];
    let (mut system, mut library) = loaded(tree);
    let spawned = library.spawn(&mut system, "tree", 2, &[]).unwrap();
    assert_eq!((spawned.roots().len(), spawned.entities().len()), (2, 10));
    let links: Vec<_> = spawned.links().collect();
    assert_eq!(links.len(), 8);
    let kind = |entity| library.origin(entity).unwrap();
    let mut seen = spawned.roots().to_vec();
    for (child, parent) in links {
        assert!(seen.contains(&parent), "parents come before their children");
        seen.push(child);
        assert!(matches!(
            (kind(child), kind(parent)),
            ("leaf" | "twig", "tree") | ("leaf", "twig")
        ));
    }
}

#[test]
fn overrides_hold_for_the_spawned_and_are_checked() {
    let (mut system, mut library) = loaded(vec![fog(0.25)]);
    let thick = |path: &str, value| {
        [Override {
            path: path.into(),
            value: Value::F32(value),
        }]
    };
    let entity = library
        .spawn(&mut system, "fog", 1, &thick("Mist.density", 0.75))
        .unwrap()
        .roots()[0];
    assert_eq!(system.get(entity, "Mist.density"), Ok(Value::F32(0.75)));
    for (path, value, part) in [
        ("Mits.density", 0.5, "no component `Mits`"),
        ("Mist.densty", 0.5, "no property `densty`"),
        ("Mist.density", 7.0, "between 0 and 1"),
        ("Mist", 0.5, "not a path"),
    ] {
        let error = library
            .spawn(&mut system, "fog", 1, &thick(path, value))
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(system.entities().len(), 1);
}

#[test]
fn a_reload_reaches_the_living_but_not_what_was_overridden_or_changed() {
    let (mut system, mut library) = loaded(vec![fog(0.25)]);
    let plain = library
        .spawn(&mut system, "fog", 3, &[])
        .unwrap()
        .roots()
        .to_vec();
    let same = [Override {
        path: "Mist.density".into(),
        value: Value::F32(0.25),
    }];
    let overridden = library.spawn(&mut system, "fog", 1, &same).unwrap().roots()[0];
    system.set(plain[1], "Mist.density", Value::F32(0.5)).unwrap();
    system.destroy(plain[2]);
    let mut accessor = Accessor::new("Mist.density").unwrap();
    system.get_with(&mut accessor, plain[0]).unwrap();
    let report = library.load(&mut system, vec![fog(1.0)]).unwrap();
    assert_eq!(
        (
            report.added,
            report.changed,
            report.entities.len(),
            report.refused
        ),
        (0, 1, 3, 0)
    );
    let densities =
        [plain[0], plain[1], overridden].map(|entity| system.get_with(&mut accessor, entity).unwrap());
    assert_eq!(densities, [Value::F32(1.0), Value::F32(0.5), Value::F32(0.25)]);
}

#[test]
fn a_reload_adds_and_ends_components_and_reaches_heirs() {
    let heir = ResourceDefinition::new("heir").inherits("fog");
    let (mut system, mut library) = loaded(vec![fog(0.25), heir]);
    let entity = library.spawn(&mut system, "heir", 1, &[]).unwrap().roots()[0];
    let mut accessor = Accessor::new("Mist.density").unwrap();
    system.get_with(&mut accessor, entity).unwrap();
    let other = ResourceDefinition::new("fog")
        .component("Haunted", "Tag", [])
        .component("Mist", "Fog", density(0.5))
        .component("Steam", "Fog", density(0.125));
    let report = library.load(&mut system, vec![other]).unwrap();
    assert_eq!((report.changed, report.entities.len()), (2, 1));
    assert_eq!(
        system.get_with(&mut accessor, entity),
        Ok(Value::F32(0.5)),
        "also after a hot reload"
    );
    assert_eq!(system.get(entity, "Steam.density"), Ok(Value::F32(0.125)));
    assert!(system.find(entity, "Smoke").is_none() && system.find(entity, "Haunted").is_some());
    let fogs = system.manager_id("Fog").unwrap();
    assert_eq!(system.manager::<Dense<Fog>>(fogs).unwrap().len(), 2);
}

#[test]
fn whatever_is_wrong_with_a_resource_is_named_and_nothing_is_loaded() {
    let (mut system, mut library) = loaded(vec![fog(0.25)]);
    let new = ResourceDefinition::new;
    let cases = [
        (vec![new("a"), new("a")], "resource `a` is defined twice"),
        (
            vec![new("a").inherits("b")],
            "resource `a` names a resource `b`, which is not there",
        ),
        (
            vec![new("a").child("b")],
            "resource `a` names a resource `b`, which is not there",
        ),
        (
            vec![new("a").inherits("b"), new("b").inherits("a")],
            "resource `a` inherits from itself",
        ),
        (
            vec![new("a").child("b"), new("b").child("a")],
            "resource `a` is among its own children",
        ),
        (
            vec![new("a").component("x", "Fog", []).component("x", "Tag", [])],
            "resource `a` has two components `x`",
        ),
        (
            vec![new("a").component("x", "Frog", [])],
            "component `x` of resource `a`: there is no manager `Frog`",
        ),
        (
            vec![new("a").inherits("fog").component("Mist", "Tag", [])],
            "component `Mist` of resource `a` has manager `Tag`, but inherits from `Fog`",
        ),
        (
            vec![new("a").component("x", "Fog", [("densty", Value::F32(0.0))])],
            "resource `a`: component `x` (Fog) has no property `densty`; it has: density, height",
        ),
        (
            vec![new("a").component("x", "Fog", [("density", Value::I32(0))])],
            "resource `a`: `x.density` is f32, not i32",
        ),
        (
            vec![
                new("a")
                    .component("liquid", "Fog", [])
                    .component("costarring", "Fog", []),
            ],
            "resource `a`: the names `costarring` and `liquid` have the same hash",
        ),
    ];
    let before = system.index().save();
    for (resources, message) in cases {
        let error = library.load(&mut system, resources).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(library.iter().len(), 1);
    assert_eq!(system.names().get(tombolo_entity::NameHash::of("x")), None);
    assert_eq!(system.index().save(), before);
}

#[test]
fn a_resource_that_doubles_twenty_times_is_refused_before_it_is_spawned() {
    let mut resources = vec![ResourceDefinition::new("0")];
    for level in 1..=25 {
        let below = (level - 1).to_string();
        resources.push(
            ResourceDefinition::new(&level.to_string())
                .child(&below)
                .child(&below),
        );
    }
    let (mut system, ..) = system();
    let error = Library::new().load(&mut system, resources).unwrap_err();
    assert!(matches!(error, ResourceError::TooLarge { .. }), "{error}");
}

/// Takes the first ten instances and no more.
#[derive(Clone, Debug)]
struct Ten(u32);

impl ComponentManager for Ten {
    fn create(
        &mut self,
        _: tombolo_entity::Entity,
        _: tombolo_entity::InstanceId,
    ) -> Result<(), tombolo_entity::ManagerError> {
        if self.0 == 10 {
            return Err(tombolo_entity::ManagerError::Other("ten are enough".into()));
        }
        self.0 += 1;
        Ok(())
    }
    fn contains(&self, _: tombolo_entity::Entity, _: tombolo_entity::InstanceId) -> bool {
        true
    }
    fn destroy(&mut self, _: tombolo_entity::Entity, _: tombolo_entity::InstanceId) -> bool {
        self.0 -= 1;
        true
    }
    fn collect(&mut self, _: &tombolo_entity::Entities, _: usize) -> usize {
        0
    }
    fn len(&self) -> usize {
        self.0 as usize
    }
    fn clone_boxed(&self) -> Box<dyn ComponentManager> {
        Box::new(self.clone())
    }
    fn save(&self, out: &mut tombolo_entity::Writer) {
        out.u32(self.0);
    }
    fn restore(&mut self, from: &mut tombolo_entity::Reader<'_>) -> Result<(), tombolo_entity::DataError> {
        self.0 = from.u32("how many there are")?;
        Ok(())
    }
}

#[test]
fn a_spawn_that_a_manager_refuses_leaves_nothing_behind() {
    let (mut system, fog_manager, _) = system();
    let ten = system.register("Ten", Ten(0)).unwrap();
    let mut library = Library::new();
    let mixed = fog(0.5).component("Few", "Ten", []);
    library.load(&mut system, vec![mixed]).unwrap();
    let error = library
        .spawn(&mut system, "fog", 11, &[])
        .unwrap_err()
        .to_string();
    assert_eq!(error, "component `Few` of resource `fog`: ten are enough");
    assert_eq!(system.entities().len(), 0);
    assert_eq!(system.manager::<Dense<Fog>>(fog_manager).unwrap().len(), 0);
    assert_eq!(system.manager::<Ten>(ten).unwrap().len(), 0);
    assert!(library.spawn(&mut system, "fog", 10, &[]).is_ok());
}

#[test]
fn overrides_of_what_ended_are_forgotten() {
    let (mut system, mut library) = loaded(vec![fog(0.25)]);
    let same = [Override {
        path: "Mist.density".into(),
        value: Value::F32(0.25),
    }];
    let bytes = |library: &Library| {
        let mut out = Writer::new();
        library.save(&mut out);
        out.finish().len()
    };
    let kept = library.spawn(&mut system, "fog", 1, &same).unwrap().roots()[0];
    let first = library.spawn(&mut system, "fog", 1, &same).unwrap().roots()[0];
    system.destroy_now(first);
    library.forget_overrides(first);
    let before = bytes(&library);
    for _ in 0..100 {
        let entity = library.spawn(&mut system, "fog", 1, &same).unwrap().roots()[0];
        system.destroy_now(entity);
        library.forget_overrides(entity);
    }
    assert_eq!(bytes(&library), before);
    library.load(&mut system, vec![fog(0.5)]).unwrap();
    assert_eq!(
        system.get(kept, "Mist.density"),
        Ok(Value::F32(0.25)),
        "it was overridden"
    );
}
