//! Adding, removing and collecting components through the entity system.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo_entity::{
    ComponentManager, Dense, Entities, Entity, EntityIndex, InstanceId, ManagerError, ManagerId, NameHash,
    SystemError, Value,
};

use crate::{Fog, system};

#[test]
fn two_instances_of_one_manager_are_told_apart_by_name() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    let mist = system.add(valley, fog, "Mist").unwrap();
    let smoke = system.add(valley, fog, "Smoke").unwrap();
    assert_eq!(
        (mist, smoke),
        (NameHash::of("Mist").into(), NameHash::of("Smoke").into())
    );
    let fogs = system.manager_mut::<Dense<Fog>>(fog).unwrap();
    fogs.value_mut(valley, smoke).unwrap().density = 0.5;
    assert_eq!(fogs.value(valley, mist), Some(&Fog::default()));
    assert_eq!(system.get(valley, "Smoke.density"), Ok(Value::F32(0.5)));
}

#[test]
fn ei_2_a_taken_name_is_refused_with_the_names_in_the_error() {
    let (mut system, fog, tag) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    for manager in [fog, tag] {
        let error = system.add(valley, manager, "Mist").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{valley:?} already has a component `Mist`, held by `Fog`")
        );
    }
    assert_eq!(system.components(valley).len(), 1);
    assert_eq!(system.manager::<Dense<crate::Tag>>(tag).unwrap().len(), 0);
}

#[test]
fn ei_2_a_name_that_collides_is_refused_and_nothing_is_added() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "liquid").unwrap();
    let error = system.add(valley, fog, "costarring").unwrap_err();
    assert!(error.to_string().contains("`costarring` and `liquid`"), "{error}");
    assert_eq!(system.components(valley).len(), 1);
}

/// A name that was never registered led to the component that has its hash.
#[test]
fn ei_2_a_name_that_nobody_has_leads_nowhere() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "liquid").unwrap();
    assert_eq!(NameHash::of("liquid"), NameHash::of("costarring"));
    assert!(system.find(valley, "liquid").is_some());
    assert!(system.find(valley, "costarring").is_none());
    assert!(matches!(
        system.remove(valley, "costarring"),
        Err(SystemError::NoComponent { component, .. }) if &*component == "costarring"
    ));
    assert!(system.find(valley, "liquid").is_some());
    system.remove(valley, "liquid").unwrap();
    assert!(system.components(valley).is_empty());
}

#[test]
fn ei_2_a_name_taken_by_hand_in_the_manager_leaves_the_index_as_it_was() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    let instance: InstanceId = NameHash::of("Mist").into();
    system
        .manager_mut::<Dense<Fog>>(fog)
        .unwrap()
        .create(valley, instance)
        .unwrap();
    let error = system.add(valley, fog, "Mist").unwrap_err();
    let taken = ManagerError::Taken {
        entity: valley,
        instance,
    };
    assert_eq!(
        error,
        SystemError::Manager {
            manager: "Fog".into(),
            error: taken
        }
    );
    assert_eq!(
        (system.components(valley), system.find(valley, "Mist")),
        (&[][..], None)
    );
}

#[test]
fn ei_7_a_dead_entity_has_nothing_and_takes_nothing() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    assert!(system.destroy(valley));
    assert!(!system.destroy(valley));
    let dead = SystemError::NoEntity { entity: valley };
    assert_eq!(system.add(valley, fog, "Smoke"), Err(dead.clone()));
    assert_eq!(system.remove(valley, "Mist"), Err(dead));
    assert_eq!(system.find(valley, "Mist"), None);
    let next = system.create();
    assert_eq!(next.index(), valley.index());
    assert_eq!(system.find(next, "Mist"), None);
    system.add(next, fog, "Mist").unwrap();
    assert_eq!(
        system.manager::<Dense<Fog>>(fog).unwrap().len(),
        1,
        "the dead one's instance made room"
    );
}

#[test]
fn ei_9_a_component_added_later_is_found_and_one_destroyed_by_hand_fails_cleanly() {
    let (mut system, fog, tag) = system();
    let valley = system.create();
    let mist = system.add(valley, fog, "Mist").unwrap();
    system.add(valley, tag, "Haunted").unwrap();
    assert_eq!(system.find(valley, "Haunted").unwrap().manager, tag);
    assert!(
        system
            .manager_mut::<Dense<Fog>>(fog)
            .unwrap()
            .destroy(valley, mist)
    );
    let error = system.get(valley, "Mist.density").unwrap_err().to_string();
    assert_eq!(
        error,
        format!("component `Mist` of {valley:?} is no longer held by its manager `Fog`")
    );
    system.remove(valley, "Mist").unwrap();
    assert_eq!(system.find(valley, "Mist"), None);
}

#[test]
fn unknown_managers_and_components_are_named() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    let nobody = ManagerId(9);
    assert_eq!(
        system.add(valley, nobody, "Mist"),
        Err(SystemError::NoManager { manager: nobody })
    );
    system.add(valley, fog, "Mist").unwrap();
    let error = system.remove(valley, "Mits").unwrap_err().to_string();
    assert_eq!(error, format!("{valley:?} has no component `Mits`; it has: Mist"));
    let twice = system
        .register("Fog", Dense::<Fog>::new())
        .unwrap_err()
        .to_string();
    assert_eq!(twice, "a manager named `Fog` is registered already");
    assert_eq!(
        (system.manager_id("Fog"), system.manager_id("fog")),
        (Some(fog), None)
    );
}

#[test]
fn destroying_now_leaves_no_named_instance_behind() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    system.add(valley, fog, "Smoke").unwrap();
    assert!(system.destroy_now(valley));
    assert!(system.manager::<Dense<Fog>>(fog).unwrap().is_empty());
    system.collect_all();
    assert_eq!(system.index().memory().prototype_count, 0);
}

/// Numbers of handles may come from anywhere: another slot map's tag with this one's slot and generation.
#[test]
fn a_handle_with_another_tag_ends_nobody() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    let other = Entity::from_bits(valley.to_bits() | (5 << 48)).unwrap();
    assert!(!system.entities().is_alive(other));
    assert!(!system.destroy(other));
    assert!(!system.destroy_now(other));
    assert_eq!(system.components(valley).len(), 1);
    assert!(system.destroy_now(valley));
    assert!(system.manager::<Dense<Fog>>(fog).unwrap().is_empty());
}

/// One that lost its last component had a record, one that never had any had none.
#[test]
fn entities_of_the_empty_list_are_all_without_a_component() {
    let (mut system, fog, _) = system();
    let list: Vec<Entity> = (0..5).map(|_| system.create()).collect();
    let empty = system.index().prototype(list[0]);
    system.add(list[1], fog, "Mist").unwrap();
    system.remove(list[1], "Mist").unwrap();
    system.add(list[2], fog, "Mist").unwrap();
    system.destroy(list[3]);
    assert!(
        list.iter()
            .filter(|&&e| e != list[2])
            .all(|&e| system.index().prototype(e) == empty)
    );
    assert!(system.entities_of(empty).eq([list[0], list[1], list[4]]));
    let misty = system.index().prototype(list[2]);
    assert!(system.entities_of(misty).eq([list[2]]));
    // The slot of the dead is another's.
    let next = system.create();
    assert_eq!(next.index(), list[3].index());
    assert!(system.entities_of(empty).eq([list[0], list[1], next, list[4]]));
}

#[test]
fn a_clone_goes_its_own_way() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    let mut copy = system.clone();
    copy.set(valley, "Mist.density", Value::F32(1.0)).unwrap();
    copy.remove(valley, "Mist").unwrap();
    assert_eq!(system.get(valley, "Mist.density"), Ok(Value::F32(0.0)));
    assert_eq!(copy.create(), system.create());
}

/// The bound that `Dense` states: after ⌈slots / budget⌉ calls, whoever was dead at the first is gone; and a call looks
/// at no more slots than its budget.
#[test]
fn ei_15_the_dead_are_gone_after_a_round_and_a_call_costs_no_more_than_its_budget() {
    const SLOTS: usize = 1000;
    for (died_of_ten, budget) in [(1, 7), (5, 64), (9, 100), (10, 1000)] {
        let mut entities = Entities::new();
        let mut fogs = Dense::<Fog>::new();
        let list = entities.create_many(SLOTS);
        for (&entity, instance) in list.iter().flat_map(|entity| [(entity, 1), (entity, 2)]) {
            fogs.create(entity, InstanceId(instance)).unwrap();
        }
        fogs.collect(&entities, 300); // a round may begin anywhere
        let dead = list
            .iter()
            .enumerate()
            .filter(|(place, _)| place % 10 < died_of_ten);
        let dead: Vec<Entity> = dead.map(|(_, &entity)| entity).collect();
        dead.iter().for_each(|&entity| assert!(entities.destroy(entity)));
        for _ in 0..SLOTS.div_ceil(budget) {
            let ended = fogs.collect(&entities, budget);
            assert!(ended <= 2 * budget, "{ended} ended with a budget of {budget}");
        }
        assert_eq!(
            fogs.len(),
            2 * (SLOTS - dead.len()),
            "{died_of_ten} of 10 died, budget {budget}"
        );
    }
}

/// In a steady state of births and deaths the entries of the dead stay below deaths × ⌈slots / budget⌉.
#[test]
fn ei_15_with_steady_deaths_the_instances_of_the_dead_stay_bounded() {
    let (living, deaths, budget) = (400, 5, 40);
    let mut entities = Entities::new();
    let mut fogs = Dense::<Fog>::new();
    let mut list: Vec<Entity> = entities.create_many(living);
    list.iter()
        .for_each(|&entity| fogs.create(entity, InstanceId(1)).unwrap());
    for tick in 0..500 {
        for death in 0..deaths {
            let place = (tick * 37 + death * 101) % list.len();
            entities.destroy(list.swap_remove(place));
            let born = entities.create();
            fogs.create(born, InstanceId(1)).unwrap();
            list.push(born);
        }
        fogs.collect(&entities, budget);
        let slots = list
            .iter()
            .map(|entity| entity.index() as usize + 1)
            .max()
            .unwrap();
        let dead_instances = fogs.len() - list.len();
        assert!(
            dead_instances <= deaths * slots.div_ceil(budget),
            "tick {tick}: {dead_instances} entries of the dead"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// `Dense` beside a map from entity and instance to value.
    #[test]
    fn dense_answers_like_a_map(operations in prop::collection::vec((0..6_u8, 0..12_usize, 0..4_u32), 1..200)) {
        let mut entities = Entities::new();
        let mut living: Vec<Entity> = entities.create_many(12);
        let mut fogs = Dense::<Fog>::new();
        let mut model: BTreeMap<(Entity, u32), f32> = BTreeMap::new();
        for (step, (what, place, instance)) in operations.into_iter().enumerate() {
            let (entity, id) = (living[place], InstanceId(instance));
            match what {
                0..=2 => {
                    let value = Fog { density: step as f32, height: 0.0 };
                    let free = !model.contains_key(&(entity, instance));
                    prop_assert_eq!(fogs.insert(entity, id, value).is_ok(), free);
                    model.entry((entity, instance)).or_insert(step as f32);
                }
                3 => prop_assert_eq!(fogs.destroy(entity, id), model.remove(&(entity, instance)).is_some()),
                4 => {
                    entities.destroy(entity);
                    living[place] = entities.create();
                    model.retain(|(owner, _), _| *owner != entity);
                }
                _ => {
                    fogs.collect(&entities, place);
                }
            }
        }
        fogs.collect(&entities, usize::MAX);
        prop_assert_eq!(fogs.len(), model.len());
        for (entity, instance) in living.iter().flat_map(|&entity| (0..4).map(move |id| (entity, id))) {
            let found = fogs.value(entity, InstanceId(instance)).map(|fog| fog.density);
            prop_assert_eq!(found, model.get(&(entity, instance)).copied());
        }
    }
}

/// The quick way for slots that have nothing took no second look at entities that stand twice: one of the two entries
/// was in no list, and taking it out never ended.
#[test]
fn a_batch_in_which_an_entity_stands_twice_makes_nothing() {
    let (mut system, fogs, _) = system();
    let list: Vec<_> = (0..4).map(|_| system.create()).collect();
    let batches = [
        vec![list[0], list[1], list[0]],
        vec![list[3], list[3]],
        vec![list[2], list[1], list[3], list[1]],
    ];
    let instance = tombolo_entity::NameHash::of("Mist").into();
    for batch in batches {
        let manager = system.any_manager_mut(fogs).unwrap();
        assert!(manager.create_many(&batch, instance, &[]).is_err());
        assert_eq!(manager.len(), 0);
        assert!(list.iter().all(|&entity| !manager.contains(entity, instance)));
        assert!(list.iter().all(|&entity| !manager.destroy(entity, instance)));
    }
    let manager = system.any_manager_mut(fogs).unwrap();
    let order = [list[2], list[0], list[3], list[1]];
    manager.create_many(&order, instance, &[]).unwrap();
    assert!(order.iter().all(|&entity| manager.destroy(entity, instance)));
    assert_eq!(manager.len(), 0);
}

#[test]
fn a_batch_that_is_taken_back_has_ended_nothing() {
    let (mut entities, instance) = (Entities::default(), NameHash::of("Mist").into());
    let list: Vec<Entity> = (0..3).map(|_| entities.create()).collect();
    let mut fogs = Dense::<Fog>::keeping_ended();
    fogs.create(list[2], instance).unwrap();
    assert!(fogs.create_many(&list, instance, &[]).is_err());
    assert_eq!((fogs.len(), fogs.take_ended().len()), (1, 0));
    assert!(fogs.destroy(list[2], instance));
    assert_eq!(fogs.take_ended().len(), 1);
}

/// A component whose clone panics when the countdown ends.
#[derive(Debug, Default)]
struct Fragile;

thread_local! {
    static CLONES_LEFT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        CLONES_LEFT.set(CLONES_LEFT.get().checked_sub(1).expect("the clone that panics"));
        Self
    }
}

impl tombolo_entity::Component for Fragile {
    fn schema() -> tombolo_entity::Schema<Self> {
        tombolo_entity::Schema::new()
    }
}

#[test]
fn a_clone_that_panics_in_a_batch_leaves_no_instance_behind() {
    let mut manager = tombolo_entity::Dense::<Fragile>::new();
    let mut entities = tombolo_entity::Entities::new();
    let mut list = entities.create_many(6);
    let instance = tombolo_entity::NameHash::of("Vase").into();
    for _ in 0..2 {
        for clones in 0..6 {
            CLONES_LEFT.set(clones);
            let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                manager.create_many(&list, instance, &[]).unwrap();
            }));
            assert!(made.is_err());
            assert_eq!((manager.len(), manager.values().len()), (0, 0));
            assert!(list.iter().all(|&entity| !manager.contains(entity, instance)));
        }
        list.reverse();
    }
    CLONES_LEFT.set(100);
    manager.create_many(&list, instance, &[]).unwrap();
    assert!(list.iter().all(|&entity| manager.destroy(entity, instance)));
}
