//! Interest sets against sets made anew by queries.

use std::collections::BTreeSet;

use tombolo::entity::{Entity, Value};
use tombolo::geometry::orthtree::Bounds;
use tombolo::physics::Vec2;
use tombolo::{Interest, ObserverId, World};

use crate::{BUSY, Random, world_of};

fn members(world: &World, area: &Bounds<2>) -> BTreeSet<Entity> {
    world.space().find(area).into_iter().collect()
}

fn area(random: &mut Random) -> Bounds<2> {
    let center = [25.0 * random.sign(), 5.0 + 8.0 * random.sign()];
    Bounds::around(center, 9.0 * random.sign().abs())
}

fn hold(interest: &Interest, world: &World, id: ObserverId, before: &BTreeSet<Entity>, now: &Bounds<2>) {
    let after = members(world, now);
    let list = |set: BTreeSet<Entity>| set.into_iter().collect::<Vec<_>>();
    assert_eq!(interest.entered(id), list(&after - before));
    assert_eq!(interest.left(id), list(before - &after));
    assert_eq!(interest.stayed(world.space(), id), list(&after & before));
}

/// Observers that rest, creep, jump, come and go, over entities that fall, teleport, begin and end.
#[test]
fn who_entered_stayed_and_left_equals_the_difference_of_queries() {
    let mut world = world_of(BUSY);
    let random = &mut Random(11);
    let mut interest = Interest::new();
    let mut watched: Vec<(ObserverId, Bounds<2>, BTreeSet<Entity>)> = Vec::new();
    for _ in 0..12 {
        let area = area(random);
        watched.push((interest.add(area), area, BTreeSet::new()));
    }
    for round in 0..150 {
        for _ in 0..random.below(3) {
            world.step();
        }
        let all: Vec<Entity> = world.entities().entities().iter().collect();
        let any = all[random.below(all.len() as u64) as usize];
        match round % 5 {
            0 => {
                let place = Vec2::new(20.0 * random.sign(), 10.0 + 5.0 * random.sign());
                let path = if world.entities().find(any, "place").is_some() {
                    "place"
                } else {
                    "transform"
                };
                world
                    .set(any, &format!("{path}.position"), Value::Vec2(place))
                    .unwrap();
            }
            1 if all.len() > 30 => assert!(world.despawn(any)),
            _ => {}
        }
        world.update_space();
        for (id, area_now, _) in &mut watched {
            match random.below(4) {
                0 => {}
                1 => *area_now = area(random),
                _ => {
                    let way = [0.5 * random.sign(), 0.5 * random.sign()];
                    for (axis, way) in way.into_iter().enumerate() {
                        area_now.min[axis] += way;
                        area_now.max[axis] += way;
                    }
                }
            }
            assert!(interest.set_area(*id, *area_now));
        }
        if round % 7 == 3 {
            let (id, _, _) = watched.swap_remove(random.below(watched.len() as u64) as usize);
            assert!(interest.remove(id) && !interest.remove(id) && !interest.set_area(id, area(random)));
            let area = area(random);
            watched.push((interest.add(area), area, BTreeSet::new()));
        }
        interest.update(world.space());
        for (id, area, before) in &mut watched {
            hold(&interest, &world, *id, before, area);
            *before = members(&world, area);
        }
    }
}

#[test]
fn areas_that_are_no_boxes_hold_nobody() {
    let mut world = world_of(BUSY);
    world.step();
    let mut interest = Interest::new();
    let empty = interest.add(Bounds::new([f32::NAN; 2], [1.0; 2]));
    let everything = interest.add(Bounds::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]));
    interest.update(world.space());
    interest.update(world.space());
    assert!(interest.entered(empty).is_empty() && interest.left(empty).is_empty());
    assert_eq!(
        interest.stayed(world.space(), everything).len(),
        world.space().len()
    );
}
