//! The engine's space: interest sets beside full queries, and the time of the stage `space` for moved entities.

use anyhow::ensure;
use tombolo::entity::{Accessor, Entity, Value};
use tombolo::geometry::orthtree::Bounds;
use tombolo::physics::Vec2;
use tombolo::{Interest, Scene, Settings, World, WorldStage};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Timing, time};

/// A server's step: all entities move, and observers, some of them moving too, query their surroundings.
pub(super) fn interest(run: &mut Run) -> anyhow::Result<()> {
    let (entity_count, observer_count, side) = if run.smoke {
        (2_000, 50, 150.0)
    } else {
        (100_000, 1_000, 1024.0)
    };
    for (what, moving) in [("observers rest", false), ("observers move", true)] {
        let random = &mut Random(21);
        let mut world = World::new(&Settings::default())?;
        let mut place = Accessor::new("transform.position")?;
        let mut entities: Vec<(Entity, Vec2)> = Vec::new();
        for _ in 0..entity_count {
            let entity = world.create(None)?;
            let at = Vec2::from(random.place::<2>(side));
            world.set_with(&mut place, entity, Value::Vec2(at))?;
            entities.push((entity, at));
        }
        world.update_space();
        let mut interest = Interest::new();
        let mut observers: Vec<(_, Bounds<2>, Vec<Entity>)> = Vec::new();
        for _ in 0..observer_count {
            let area = Bounds::around(random.place::<2>(side), 0.1 * side);
            observers.push((interest.add(area)?, area, Vec::new()));
        }
        let rounds = if run.smoke { 3 } else { 12 };
        let [mut ours, mut full] = ["tombolo", "full queries"].map(|name| Timing {
            name: name.to_owned(),
            rounds_ns: Vec::new(),
        });
        for round in 0..rounds {
            for (entity, at) in &mut entities {
                *at += 0.1 * Vec2::new(random.sign(), random.sign());
                world.set_with(&mut place, *entity, Value::Vec2(*at))?;
            }
            world.update_space();
            if moving {
                for (id, area, _) in &mut observers {
                    let way = [0.1 * random.sign(), 0.1 * random.sign()];
                    *area = Bounds::new(
                        [area.min[0] + way[0], area.min[1] + way[1]],
                        [area.max[0] + way[0], area.max[1] + way[1]],
                    );
                    interest.set_area(*id, *area)?;
                }
            }
            let (our_time, ()) = time(|| interest.update(world.space()));
            let (full_time, changes) = time(|| {
                let mut changes = Vec::new();
                for (_, area, before) in &mut observers {
                    let now = world.space().find(area);
                    changes.push(differences(before, &now));
                    *before = now;
                }
                changes
            });
            for ((id, ..), expected) in observers.iter().zip(changes) {
                let found = (interest.entered(*id)?.len(), interest.left(*id)?.len());
                ensure!(
                    found == expected,
                    "{what}: {found:?} told, {expected:?} by queries"
                );
            }
            // In the first round all entities enter.
            if round > 0 {
                ours.rounds_ns.push(our_time.as_secs_f64() * 1e9);
                full.rounds_ns.push(full_time.as_secs_f64() * 1e9);
            }
        }
        let case = format!("{observer_count} observers, {entity_count} moving entities, {what}");
        run.report
            .compare(&case, "interest sets", "ms", 1e6, &ours, &[&full]);
    }
    Ok(())
}

/// The number of entities that entered and that left, of two sorted lists.
fn differences(before: &[Entity], now: &[Entity]) -> (usize, usize) {
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    let (mut came, mut left) = (0, 0);
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return (came, left),
            (Some(_), None) => {
                left += 1;
                old.next();
            }
            (None, Some(_)) => {
                came += 1;
                new.next();
            }
            (Some(a), Some(b)) => match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    left += 1;
                    old.next();
                }
                std::cmp::Ordering::Greater => {
                    came += 1;
                    new.next();
                }
                std::cmp::Ordering::Equal => {
                    old.next();
                    new.next();
                }
            },
        }
    }
}

/// The time of the stage `space` in steps of a world of balls far from each other, of which some fly and the others
/// sleep.
pub(super) fn upkeep(run: &mut Run) -> anyhow::Result<()> {
    let side = if run.smoke { 20 } else { 200 };
    for one_in in [0, 100, 1] {
        let text = format!(
            r#"(
                settings: (gravity: (0, 0), sleeping: true),
                entities: {{"ball": {{"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.3))}}}},
                place: [Grid(name: "ball", entity: "ball", at: (0, 0), columns: {side}, rows: {side},
                    column_step: (4, 0), row_step: (0, 4))],
            )"#
        );
        let mut world = World::from_scene(&Scene::parse("balls.ron", &text)?)?;
        let entities: Vec<Entity> = world.entities().entities().iter().collect();
        let mut moving_count = 0;
        for (index, &entity) in entities.iter().enumerate() {
            let body = world
                .body_of(entity)
                .filter(|_| one_in > 0 && index % one_in == 0);
            if let Some(mut body) = body.and_then(|body| world.physics_mut().body_mut(body).ok()) {
                body.set_linear_velocity(Vec2::new(3.0, 1.0))?;
                moving_count += 1;
            }
        }
        // Balls that do not fly fall asleep.
        for _ in 0..60 {
            world.step();
        }
        let mut times = Vec::new();
        for _ in 0..if run.smoke { 3 } else { 120 } {
            world.step();
            times.push(world.profile().seconds(WorldStage::Space));
        }
        let moved_count = world.moved().len();
        ensure!(moved_count == moving_count, "{moved_count} have moved");
        times.sort_by(f64::total_cmp);
        let median_us = times[times.len() / 2] * 1e6;
        let case = format!("{} entities, {moving_count} of them moving", entities.len());
        run.report.push(&case, "stage space", "us", median_us, None);
        if moving_count > 0 {
            let each_ns = median_us * 1e3 / moving_count as f64;
            run.report
                .push(&case, "stage space for each that moves", "ns", each_ns, None);
        }
    }
    Ok(())
}
