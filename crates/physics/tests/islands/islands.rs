//! The islands of a world against islands found from scratch: after every step those of the bodies that sleep are
//! exactly the groups that touches and joints form, those of the awake are these groups or whole unions of them
//! (splitting is put off), an island is awake or asleep as one, and nothing but dynamic bodies belongs to one.

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::worlds::{WORLDS, add, add_box, add_floor, empty};
use crate::world_support::{DT, SeedOnPanic};
use std::collections::{BTreeMap, BTreeSet};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyRef, IslandAlgorithm, JointKind, PhysicsWorld, Shape, ShapeDef, WorldDef,
};

fn belongs(body: &BodyRef<'_>) -> bool {
    body.kind() == BodyKind::Dynamic && body.is_enabled()
}

/// For each body that belongs to an island, the smallest body that it is tied to, directly or through others.
fn groups(world: &PhysicsWorld) -> BTreeMap<BodyId, BodyId> {
    let touches = world
        .contacts()
        .filter(|contact| contact.is_touching() && !contact.rule().is_some_and(|rule| rule.sensor))
        .map(|contact| contact.shapes().map(|shape| shape.body()));
    // A filter keeps two bodies from touching and ties nothing.
    let ties = world.joints().filter(|joint| joint.kind() != JointKind::Filter);
    let joints = ties.map(|joint| joint.bodies());
    let mut neighbors: BTreeMap<BodyId, Vec<BodyId>> = BTreeMap::new();
    for [a, b] in touches.chain(joints) {
        if belongs(&a) && belongs(&b) {
            neighbors.entry(a.id()).or_default().push(b.id());
            neighbors.entry(b.id()).or_default().push(a.id());
        }
    }
    let mut groups = BTreeMap::new();
    let mut members: Vec<BodyId> = world.bodies().filter(belongs).map(|body| body.id()).collect();
    members.sort();
    for first in members {
        let mut open = vec![first];
        while let Some(body) = open.pop() {
            if groups.contains_key(&body) {
                continue;
            }
            groups.insert(body, first);
            open.extend(neighbors.get(&body).into_iter().flatten());
        }
    }
    groups
}

fn check(world: &PhysicsWorld) {
    let groups = groups(world);
    let mut islands_of_group: BTreeMap<BodyId, BTreeSet<u32>> = BTreeMap::new();
    let mut groups_of_island: BTreeMap<u32, BTreeSet<BodyId>> = BTreeMap::new();
    let mut awake_in_island: BTreeMap<u32, BTreeSet<bool>> = BTreeMap::new();
    for body in world.bodies() {
        let Some(island) = body.island() else {
            assert!(!belongs(&body), "a dynamic body has an island");
            continue;
        };
        assert!(
            belongs(&body),
            "only dynamic bodies that are enabled have islands"
        );
        let group = groups[&body.id()];
        islands_of_group.entry(group).or_default().insert(island);
        groups_of_island.entry(island).or_default().insert(group);
        awake_in_island.entry(island).or_default().insert(body.is_awake());
    }
    for (group, islands) in islands_of_group {
        assert_eq!(islands.len(), 1, "the group of {group:?} is in one island");
    }
    for (island, awake) in &awake_in_island {
        assert_eq!(awake.len(), 1, "island {island} wakes and sleeps as one");
        if awake.contains(&false) {
            assert_eq!(
                groups_of_island[island].len(),
                1,
                "sleeping island {island} is one group"
            );
        }
    }
}

#[test]
fn random_worlds_under_random_calls() {
    for seed in 900..920 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        for _ in 0..250 {
            calls.calls();
            calls.worlds[0].step(DT).unwrap();
            check(&calls.worlds[0]);
        }
    }
}

#[test]
fn worlds_that_come_to_rest() {
    for named in &WORLDS {
        let mut world = (named.build)();
        for _ in 0..named.steps {
            world.step(DT).unwrap();
            check(&world);
        }
    }
}

#[test]
fn every_algorithm_finds_the_same_islands() {
    for algorithm in IslandAlgorithm::ALL {
        let mut world = PhysicsWorld::new(&WorldDef {
            islands: algorithm,
            ..WorldDef::default()
        })
        .unwrap();
        add_floor(&mut world);
        for i in 0..40 {
            add_box(&mut world, (i % 8) as f32 * 1.3 - 5.0, 0.6 + (i / 8) as f32 * 1.1);
        }
        for _ in 0..300 {
            world.step(DT).unwrap();
            check(&world);
        }
        assert_eq!(world.counters().awake_bodies, 0, "{algorithm:?}");
    }
}

#[test]
fn is_2_the_ground_and_a_lift_link_nobody() {
    let mut world = empty();
    add_floor(&mut world);
    let plank = Shape::new_box(8.0, 0.4).unwrap();
    add(
        &mut world,
        &BodyDef::kinematic(0.0, 0.2),
        &ShapeDef::default(),
        &plank,
    );
    let boxes = [-9.0, -2.0, 2.0, 9.0].map(|x: f32| {
        let on_the_lift = x.abs() < 4.0;
        add_box(&mut world, x, if on_the_lift { 0.9 } else { 0.5 })
    });
    for _ in 0..120 {
        world.step(DT).unwrap();
        let islands: BTreeSet<u32> = boxes
            .iter()
            .filter_map(|&body| world.body(body).and_then(|body| body.island()))
            .collect();
        assert_eq!(islands.len(), boxes.len());
    }
    assert_eq!(world.counters().awake_bodies, 0, "each came to rest alone");
}

#[test]
fn waking_one_wakes_all_that_it_is_tied_to_at_once() {
    let mut world = empty();
    add_floor(&mut world);
    let row: Vec<BodyId> = (0..30)
        .map(|i| add_box(&mut world, i as f32 * 1.0 - 15.0, 0.5))
        .collect();
    let apart = add_box(&mut world, 25.0, 0.5);
    while world.counters().awake_bodies > 0 {
        world.step(DT).unwrap();
    }
    check(&world);
    world.body_mut(row[0]).unwrap().wake();
    check(&world);
    let tied = world.body(row[0]).unwrap().island();
    for &body in &row {
        let body = world.body(body).unwrap();
        assert_eq!(body.is_awake(), body.island() == tied);
    }
    assert!(
        world.body(row[29]).unwrap().is_awake(),
        "the row touches all along"
    );
    assert!(!world.body(apart).unwrap().is_awake());
}
