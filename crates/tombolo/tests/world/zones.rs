//! Zones: who is in them, by an oracle that looks at every pair after every step; events in pairs; the same in a world that
//! was restored.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{PI, TAU};

use proptest::prelude::*;
use tombolo::component::{ZONE, Zone};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::physics::{DVec2, Pose, Vec2};
use tombolo::{Event, Scene, SpawnDef, World, ZoneVisit};

/// Zones of every shape, small ones and one of kilometers, and those who walk about.
const COUNTRY: &str = r#"(
    settings: (gravity: (0, 0), seed: 3),
    entities: {
        "lake": {"water": Zone(shape: Outline(
            points: [(-20, -20), (20, -20), (20, 20), (0, 5), (-20, 20)],
            holes: [[(-10, -10), (-10, -4), (10, -4), (10, -10)]],
        ))},
        "lamp": {"light": Zone(shape: Circle(radius: 6), position: (1, 0)), "glow": Zone(shape: Box(width: 3, height: 2))},
        "kingdom": {"land": Zone(shape: Polygon(points: [(0, 0), (5000, -300), (4000, 6000)]), angle: 0.3)},
        "gate": {"arch": Zone(shape: Capsule(from: (-4, 0), to: (4, 0), radius: 1), notices: "knight")},
        "knight": {
            "body": Body(kind: Dynamic, linear_damping: 0), "armor": Collider(shape: Box(width: 1, height: 1), position: (3, 0)),
            "knight": Tag(), "torch": Child(entity: "lamp", at: (2, 0)),
        },
        "ghost": {"mark": Tag()},
    },
    place: [
        One(name: "lake", entity: "lake"),
        One(name: "lamp", entity: "lamp", at: (9, 9)),
        One(name: "kingdom", entity: "kingdom", at: (-40, -30)),
        One(name: "gate", entity: "gate", at: (0, -7)),
        Row(name: "knight", entity: "knight", count: 6, at: (-15, 0), step: (6, 1)),
        Row(name: "ghost", entity: "ghost", count: 6, at: (-12, -8), step: (5, 1)),
    ],
)"#;

fn country() -> World {
    let scene = Scene::parse("country.ron", COUNTRY).unwrap();
    World::from_scene(&scene).unwrap()
}

fn zones(world: &World) -> &Dense<Zone> {
    world.manager(ZONE).unwrap()
}

/// The loops of a zone in its entity's frame, from what was asked for.
fn loops(zone: &Zone) -> Vec<Vec<DVec2>> {
    use tombolo::component::GeometryKind;
    let geometry = &zone.geometry;
    let points: Vec<DVec2> = geometry.points.iter().map(|point| point.as_dvec2()).collect();
    let round = |center: DVec2, radius: f64| {
        let corner = |step: u32| center + radius * DVec2::from_angle(TAU * f64::from(step) / 720.0);
        (0..720).map(corner).collect::<Vec<_>>()
    };
    let radius = f64::from(geometry.radius);
    match geometry.kind {
        GeometryKind::Circle => vec![round(DVec2::ZERO, radius)],
        GeometryKind::Box => {
            let half = 0.5 * geometry.size.as_dvec2();
            let corner = |x: f64, y: f64| DVec2::new(x * half.x, y * half.y);
            vec![vec![
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ]]
        }
        GeometryKind::Capsule => {
            let along = (points[1] - points[0]).normalize();
            let side = |end: DVec2| {
                round(end, radius)
                    .into_iter()
                    .filter(move |p| (*p - end).dot(along) >= 0.0)
            };
            let other = |end: DVec2| {
                round(end, radius)
                    .into_iter()
                    .filter(move |p| (*p - end).dot(along) < 0.0)
            };
            let mut hull: Vec<DVec2> = side(points[1]).chain(other(points[0])).collect();
            let middle = (points[0] + points[1]) / 2.0;
            hull.sort_by(|a, b| (*a - middle).to_angle().total_cmp(&(*b - middle).to_angle()));
            vec![hull]
        }
        _ => {
            let mut ends: Vec<usize> = geometry.loop_ends.iter().map(|end| *end as usize).collect();
            if ends.is_empty() {
                ends.push(points.len());
            }
            let starts = [0].into_iter().chain(ends.clone());
            starts
                .zip(ends)
                .map(|(start, end)| points[start..end].to_vec())
                .collect()
        }
    }
}

/// Whether a loop goes around a point, and how far the point is from it.
fn seen(corners: &[DVec2], point: DVec2) -> (bool, f64) {
    let (mut angle, mut distance) = (0.0, f64::INFINITY);
    for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        angle += libm::atan2((*a - point).perp_dot(*b - point), (*a - point).dot(*b - point));
        let along = ((point - *a).dot(*b - *a) / (*b - *a).length_squared()).clamp(0.0, 1.0);
        distance = distance.min(point.distance(*a + along * (*b - *a)));
    }
    (angle.abs() > PI, distance)
}

/// Whether an entity is in a zone; `None` if it is so near to the border that rounding decides.
fn should_be_in(world: &World, owner: Entity, zone: &Zone, visitor: Entity) -> Option<bool> {
    if owner == visitor || !zone.notices.is_empty() && world.entities().find(visitor, &zone.notices).is_none()
    {
        return Some(false);
    }
    let (at, who) = (world.pose(owner).unwrap(), world.pose(visitor).unwrap());
    let frame = Pose::new(zone.geometry.position, zone.geometry.angle);
    let inverse = |pose: Pose, point: DVec2| {
        let (sin, cos) = (f64::from(pose.rotation.sin), f64::from(pose.rotation.cos));
        let d = point - pose.position.as_dvec2();
        DVec2::new(cos * d.x + sin * d.y, cos * d.y - sin * d.x)
    };
    let point = inverse(frame, inverse(at, who.position.as_dvec2()));
    let loops = loops(zone);
    let seen: Vec<(bool, f64)> = loops.iter().map(|corners| seen(corners, point)).collect();
    // Circles are polygons of many corners, here and there.
    let tolerance = if zone.geometry.radius > 0.0 {
        0.02 * f64::from(zone.geometry.radius)
    } else {
        1e-3
    };
    if seen.iter().any(|(_, distance)| *distance < tolerance) {
        return None;
    }
    Some(seen[0].0 && seen[1..].iter().all(|(is_inside, _)| !is_inside))
}

/// Who is in which zone, as the events of all steps say.
type Told = BTreeSet<(Entity, u32, Entity)>;

fn follow(world: &World, told: &mut Told) {
    for event in world.events() {
        let key = |visit: &ZoneVisit| (visit.zone, visit.component.to_bits(), visit.visitor);
        match event {
            Event::EnterZone(visit) => assert!(told.insert(key(visit)), "{visit:?} has entered before"),
            Event::LeaveZone(visit) => assert!(told.remove(&key(visit)), "{visit:?} had not entered"),
            _ => {}
        }
    }
}

fn check(world: &World, told: &Told) {
    let mut inside = Told::new();
    let mut of_visitors: BTreeMap<Entity, BTreeSet<Entity>> = BTreeMap::new();
    for ((owner, instance), zone) in zones(world).owners().zip(zones(world).values()) {
        for visitor in world.entities().entities().iter() {
            let is_inside = zone.visitors().binary_search(&visitor).is_ok();
            if let Some(expected) = should_be_in(world, owner, zone, visitor) {
                assert_eq!(
                    is_inside, expected,
                    "{visitor:?} in {owner:?} {:?}",
                    zone.geometry
                );
            }
            if is_inside {
                inside.insert((owner, instance.0, visitor));
                of_visitors.entry(visitor).or_default().insert(owner);
            }
        }
    }
    assert_eq!(&inside, told, "events say who is inside");
    for visitor in world.entities().entities().iter() {
        let expected = of_visitors.remove(&visitor).unwrap_or_default();
        assert_eq!(world.zones_of(visitor), Vec::from_iter(expected));
    }
}

/// Random numbers: splitmix64, as Steele, Lea and Flood gave it in 2014.
#[derive(Clone, Copy)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn both_ways(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }
}

/// A random call; some are refused, and then nothing happens.
fn change(world: &mut World, random: &mut Random) {
    let all: Vec<Entity> = world.entities().entities().iter().collect();
    if all.is_empty() {
        return;
    }
    let entity = all[random.below(all.len())];
    let mut unit = || random.both_ways();
    let near = Vec2::new(25.0 * unit(), 25.0 * unit());
    let pose = Pose::new(near, 3.0 * unit());
    let (size, choice) = (unit().abs(), (unit().abs() * 11.0) as u32);
    drop(match choice {
        0..=3 => world.teleport(entity, pose),
        4 => {
            world.despawn(entity).unwrap();
            Ok(())
        }
        5 => {
            let resource = ["knight", "ghost", "lamp", "lake", "gate"][(size * 5.0).min(4.0) as usize];
            let def = SpawnDef {
                pose: Some(pose),
                ..SpawnDef::default()
            };
            world.spawn(resource, &def).map(drop)
        }
        6 => world.set(entity, "water.notices", Value::String("knight".into())),
        7 => world.set(entity, "light.radius", Value::F32(0.5 + 30.0 * size * size)),
        8 => world.set(entity, "land.angle", Value::F32(size)),
        9 => world
            .remove_component(entity, "knight")
            .or_else(|_| world.remove_component(entity, "glow")),
        _ => world.add_component(entity, "Zone", "aura").map(drop),
    });
    if let Some(mut body) = world
        .body_of(entity)
        .and_then(|body| world.physics_mut().body_mut(body).ok())
    {
        body.set_linear_velocity(20.0 * near.normalize_or_zero()).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn visitors_of_zones_are_reported_whatever_moves_comes_and_goes(seed in any::<u64>()) {
        let mut world = country();
        let mut random = Random(seed);
        let (mut told, mut told_twin) = (Told::new(), Told::new());
        let mut twin = world.clone();
        for round in 0..40 {
            for _ in 0..random.below(4) {
                let mut same = random;
                change(&mut world, &mut random);
                change(&mut twin, &mut same);
            }
            if round % 3 == 0 {
                // Between a call and the step that looks at it.
                let bytes = twin.save();
                twin.restore(&bytes).unwrap();
                prop_assert_eq!(twin.save(), bytes);
            }
            world.step();
            twin.step();
            follow(&world, &mut told);
            follow(&twin, &mut told_twin);
            check(&world, &told);
            prop_assert_eq!(world.events(), twin.events());
            prop_assert_eq!(world.state_hash(), twin.state_hash());
            prop_assert_eq!(world.faults().len(), 0);
        }
    }
}

#[test]
fn a_zone_of_kilometers_and_one_of_centimeters_cost_alike() {
    let scene = |size: f32| {
        let text = format!(
            r#"(entities: {{"z": {{"z": Zone(shape: Outline(points: [(0, 0), ({size}, 0), ({size}, {size}), (0, {size})]))}}}},
                place: [One(name: "z", entity: "z", at: (0.3, 0.3))])"#
        );
        Scene::parse("z.ron", &text).unwrap()
    };
    for size in [0.02, 1.0, 300.0, 7.0e4] {
        let mut world = World::from_scene(&scene(size)).unwrap();
        world.step();
        assert_eq!(world.faults(), &[] as &[Box<str>]);
        let zone = world.find("z").unwrap();
        assert_eq!(world.zones_at(Vec2::splat(0.3 + 0.5 * size)), [zone], "{size}");
        assert_eq!(world.zones_at(Vec2::splat(0.3 - 0.1 * size)), [], "{size}");
    }
}

#[test]
fn shapes_without_an_inside_are_refused_and_all_is_as_it_was() {
    let mut world = country();
    world.step();
    let (lake, before) = (world.find("lake").unwrap(), world.state_hash());
    let bow_tie = [(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)].map(|(x, y)| Value::Vec2(Vec2::new(x, y)));
    for (path, value) in [
        ("water.shape", Value::String("Segment".into())),
        ("water.shape", Value::String("Chain".into())),
        ("water.points", Value::List(bow_tie.to_vec())),
        ("water.loop_ends", Value::List(vec![Value::U32(2)])),
        ("water.visitor_count", Value::U32(9)),
    ] {
        assert!(world.set(lake, path, value.clone()).is_err(), "{path} {value:?}");
        assert_eq!(world.state_hash(), before, "{path} {value:?}");
    }
    for (shape, says) in [
        ("Chain(points: [(0, 0), (1, 0), (1, 1)])", "has no inside"),
        ("Segment(from: (0, 0), to: (1, 0))", "has no inside"),
        ("Outline(points: [(0, 0), (4, 4), (4, 0), (0, 4)])", "cross"),
    ] {
        let text = format!(
            r#"(entities: {{"z": {{"z": Zone(shape: {shape})}}}}, place: [One(name: "z", entity: "z")])"#
        );
        let error = Scene::parse("z.ron", &text).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("z.ron:1"), "{error}");
    }
}
