//! Paths: clear of walls, found if and only if a flood over a fine raster finds one, the shortest in free space, and the
//! same however walls came about.

use tombolo::entity::Value;
use tombolo::physics::Vec2;
use tombolo::{PathError, SpawnDef, World};
use tombolo_geometry::Pose;

use crate::raster::Raster;
use crate::{Random, world_of};

const ROOM: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "border": {
            "body": Body(),
            "south": Collider(shape: Box(width: 26, height: 1), position: (0, -12.5)),
            "north": Collider(shape: Box(width: 26, height: 1), position: (0, 12.5)),
            "west": Collider(shape: Box(width: 1, height: 26), position: (-12.5, 0)),
            "east": Collider(shape: Box(width: 1, height: 26), position: (12.5, 0)),
        },
        "block": {"body": Body(), "stone": Collider(shape: Box(width: 3, height: 2))},
        "disc": {"body": Body(), "stone": Collider(shape: Circle(radius: 1.5))},
        "plank": {"body": Body(), "stone": Collider(shape: Capsule(from: (-2, 0), to: (2, 0), radius: 0.2))},
    },
    place: [One(name: "border", entity: "border")],
)"#;

pub(crate) const CLEARANCE: f32 = 0.5;

/// The least distance from a point to any static shape, by sampling of nothing: physics' own query.
fn is_free(world: &World, point: Vec2, clearance: f32) -> bool {
    let circle = tombolo_geometry::shape::Shape::circle(Vec2::ZERO, clearance).unwrap();
    let mut hits = 0;
    for entity in world.entities().entities().iter() {
        let body = world.body_of(entity).and_then(|body| world.physics().body(body));
        for shape in body.iter().flat_map(|body| body.shapes()) {
            let pose = shape.body().pose();
            let there = Pose::new(point, 0.0);
            let distance = tombolo_geometry::distance::distance(shape.geometry(), &circle, pose.to(there));
            hits += usize::from(distance.distance <= 0.0);
        }
    }
    hits == 0
}

fn scatter(world: &mut World, seed: u64, count: usize) {
    let random = &mut Random(seed);
    for _ in 0..count {
        let resource = ["block", "disc", "plank"][random.below(3) as usize];
        let mut position = Vec2::new(11.0 * random.sign(), 11.0 * random.sign());
        let mut angle = 0.0;
        match random.below(4) {
            // In line with others, so that paths run along several walls.
            0 | 1 => position = 2.0 * (0.5 * position).round(),
            2 => {}
            _ => angle = 3.0 * random.sign(),
        }
        let def = SpawnDef {
            pose: Some(Pose::new(position, angle)),
            ..SpawnDef::default()
        };
        world.spawn(resource, &def).unwrap();
    }
}

/// Whether two points are joined over a raster of what is free.
fn flood(world: &World, start: Vec2, goal: Vec2, clearance: f32) -> bool {
    const STEP: f32 = 0.25;
    const WIDTH: usize = 97;
    let place = |x: usize, y: usize| Vec2::new(x as f32 - 48.0, y as f32 - 48.0) * STEP;
    let cell = |point: Vec2| {
        let at = (point / STEP).round() + 48.0;
        (at.x as usize, at.y as usize)
    };
    let mut known = vec![false; WIDTH * WIDTH];
    let mut stack = vec![cell(start)];
    while let Some((x, y)) = stack.pop() {
        if (x, y) == cell(goal) {
            return true;
        }
        let is_known = std::mem::replace(&mut known[y * WIDTH + x], true);
        if is_known || !is_free(world, place(x, y), clearance) {
            continue;
        }
        for (dx, dy) in [(1, 0), (0, 1), (-1, 0), (0, -1_i32)] {
            let (x, y) = (x as i32 + dx, y as i32 + dy);
            if (0..WIDTH as i32).contains(&x) && (0..WIDTH as i32).contains(&y) {
                stack.push((x as usize, y as usize));
            }
        }
    }
    false
}

#[test]
fn paths_are_clear_and_found_where_there_is_space() {
    let (mut found, mut closed) = (0, 0);
    for seed in 0..24 {
        let mut world = world_of(ROOM);
        scatter(&mut world, seed, if seed % 2 == 0 { 8 } else { 40 });
        let (start, goal) = (Vec2::new(-10.0, -10.0), Vec2::new(10.0, 10.0));
        match world.find_path(start, goal, CLEARANCE) {
            Ok(path) => {
                found += 1;
                assert_eq!(path.last(), Some(&goal));
                let mut from = start;
                for corner in path {
                    for part in 0..=20 {
                        let point = from.lerp(corner, part as f32 / 20.0);
                        assert!(
                            is_free(&world, point, CLEARANCE - 0.001),
                            "seed {seed}, at {point}"
                        );
                    }
                    from = corner;
                }
            }
            Err(PathError::Unreachable) => {
                closed += 1;
                // What is nearer than one and a half clearances and two cells may count as wall.
                assert!(!flood(&world, start, goal, 2.0 * CLEARANCE + 0.4), "seed {seed}");
            }
            Err(PathError::StartInWall(point) | PathError::GoalInWall(point)) => {
                assert!(!is_free(&world, point, 2.5 * CLEARANCE + 0.01), "seed {seed}");
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(found >= 4 && closed >= 1, "{found} found, {closed} closed");
}

#[test]
fn paths_are_the_shortest_in_free_space() {
    let (mut found, mut bent) = (0, 0);
    for seed in 100..148 {
        let mut world = world_of(ROOM);
        scatter(&mut world, seed, [6, 16, 30][seed as usize % 3]);
        let raster = Raster::of(&mut world);
        let random = &mut Random(seed);
        for _ in 0..6 {
            let [start, goal] = [(); 2].map(|()| Vec2::new(11.5 * random.sign(), 11.5 * random.sign()));
            let free = world.free_space(CLEARANCE).unwrap();
            if !(free.is_free(start) && free.is_free(goal)) {
                continue;
            }
            let least = raster.least_length(start, goal);
            match world.find_path(start, goal, CLEARANCE) {
                Ok(path) => {
                    let corners = || std::iter::once(start).chain(path.iter().copied());
                    let length: f32 = corners().zip(&path).map(|(a, b)| a.distance(*b)).sum();
                    let least = least.expect("the raster knows a path too");
                    assert!(
                        (length - least).abs() < 1.0e-3,
                        "seed {seed}: {length} instead of {least} from {start} to {goal}"
                    );
                    found += 1;
                    bent += usize::from(path.len() > 2);
                }
                Err(PathError::Unreachable) => {
                    assert_eq!(least, None, "seed {seed}, from {start} to {goal}");
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(found >= 30 && bent >= 10, "{found} found, {bent} of them bent");
}

/// Starts where rectangles of free space meet: a tile is 64 cells of half a clearance, so four meet at the origin.
#[test]
fn a_start_where_four_rectangles_meet_finds_its_path_or_none() {
    for corner in [Vec2::ZERO, Vec2::new(-16.0, 0.0), Vec2::new(32.0, -48.0)] {
        let mut world = world_of(
            r#"(entities: {
                "wall": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 8))},
                "cage": {
                    "body": Body(),
                    "west": Collider(shape: Box(width: 1, height: 5), position: (-2, 0)),
                    "east": Collider(shape: Box(width: 1, height: 5), position: (2, 0)),
                    "south": Collider(shape: Box(width: 5, height: 1), position: (0, -2)),
                    "north": Collider(shape: Box(width: 5, height: 1), position: (0, 2)),
                },
            }, place: [One(name: "far", entity: "wall", at: (200, 200))])"#,
        );
        let place = |offset: Vec2| SpawnDef {
            pose: Some(Pose::new(corner + offset, 0.0)),
            ..SpawnDef::default()
        };
        world.spawn("wall", &place(Vec2::new(4.0, 0.0))).unwrap();
        world.spawn("cage", &place(Vec2::new(-6.0, 1.0))).unwrap();
        let hidden = corner + Vec2::new(8.0, 0.0);
        let path = world.find_path(corner, hidden, CLEARANCE).unwrap();
        assert!(path.len() == 3 && path[2] == hidden, "{path:?}");
        let back = world.find_path(hidden, corner, CLEARANCE).unwrap();
        assert!(back.len() == 3 && back[2] == corner, "{back:?}");
        let caged = corner + Vec2::new(-6.0, 1.0);
        assert_eq!(
            world.find_path(corner, caged, CLEARANCE),
            Err(PathError::Unreachable)
        );
        assert_eq!(
            world.find_path(caged, corner, CLEARANCE),
            Err(PathError::Unreachable)
        );
    }
}

#[test]
fn starts_and_goals_on_sides_and_corners_of_rectangles_have_shortest_paths() {
    let (mut found, mut bent) = (0, 0);
    for seed in 200..260 {
        let mut world = world_of(ROOM);
        scatter(&mut world, seed, [6, 16, 30][seed as usize % 3]);
        let raster = Raster::of(&mut world);
        let random = &mut Random(seed);
        // At whole cells, on one of the lines between tiles, or where those meet.
        let mut place = |kind| {
            let cell = [(); 2].map(|()| 0.25 * (random.below(93) as f32 - 46.0));
            match kind {
                0 => Vec2::ZERO,
                1 => Vec2::new(0.0, cell[1]),
                2 => Vec2::new(cell[0], 0.0),
                3 => Vec2::new(11.5 * random.sign(), 11.5 * random.sign()),
                _ => Vec2::from_array(cell),
            }
        };
        for case in 0..24 {
            let (start, goal) = (place(case % 6), place((case / 6 + case) % 6));
            let free = world.free_space(CLEARANCE).unwrap();
            if !(free.is_free(start) && free.is_free(goal)) || raster.is_gap(start) || raster.is_gap(goal) {
                continue;
            }
            let least = raster.least_length(start, goal);
            let length = match world.find_path(start, goal, CLEARANCE) {
                Ok(path) => {
                    let corners = || std::iter::once(start).chain(path.iter().copied());
                    bent += usize::from(path.len() > 1);
                    Some(corners().zip(&path).map(|(a, b)| a.distance(*b)).sum::<f32>())
                }
                Err(PathError::Unreachable) => None,
                Err(error) => panic!("seed {seed}: {error}"),
            };
            assert!(
                length.is_some() == least.is_some()
                    && (length.unwrap_or(0.0) - least.unwrap_or(0.0)).abs() < 1.0e-3,
                "seed {seed}: {length:?} instead of {least:?} from {start} to {goal}"
            );
            found += usize::from(length.is_some());
        }
    }
    assert!(found >= 200 && bent >= 100, "{found} found, {bent} of them bent");
}

#[test]
fn free_space_does_not_remember_what_was() {
    for seed in 0..6 {
        let mut world = world_of(ROOM);
        let mut other = world_of(ROOM);
        let (start, goal) = (Vec2::new(-10.0, -10.0), Vec2::new(10.0, 10.0));
        // One world sees all walls come, some move and some go, the other the last state only.
        let first = world.find_path(start, goal, CLEARANCE).unwrap();
        assert_eq!(first, [goal]);
        scatter(&mut world, seed, 10);
        drop(world.find_path(start, goal, CLEARANCE));
        let walls: Vec<_> = world.entities().entities().iter().collect();
        for (index, &wall) in walls.iter().enumerate().skip(1) {
            if index % 3 == 0 {
                assert_eq!(world.despawn(wall), Ok(()));
            } else if index % 3 == 1 {
                let place = world.pose(wall).unwrap().position + Vec2::new(1.0, -0.5);
                world.set(wall, "transform.position", Value::Vec2(place)).unwrap();
            }
        }
        other.restore(&world.save()).unwrap();
        assert_eq!(
            world.find_path(start, goal, CLEARANCE),
            other.find_path(start, goal, CLEARANCE)
        );
        let random = &mut Random(seed);
        for _ in 0..40 {
            let [start, goal] = [(); 2].map(|()| Vec2::new(13.0 * random.sign(), 13.0 * random.sign()));
            assert_eq!(
                world.find_path(start, goal, CLEARANCE),
                other.find_path(start, goal, CLEARANCE),
                "seed {seed}, from {start} to {goal}"
            );
            let nearest = |world: &mut World| world.free_space(CLEARANCE).unwrap().nearest_free(start, 2.0);
            let (ours, theirs) = (nearest(&mut world), nearest(&mut other));
            assert_eq!(ours, theirs);
            assert!(ours.is_none_or(|place| is_free(&world, place, CLEARANCE - 0.001)));
        }
        let (ours, theirs) = (
            world.free_space(CLEARANCE).unwrap().leaf_count(),
            other.free_space(CLEARANCE).unwrap().leaf_count(),
        );
        assert_eq!(ours, theirs);
    }
}

#[test]
fn find_path_from_within_a_wall_gives_the_nearest_free_place() {
    let mut world = world_of(ROOM);
    let free = world.free_space(CLEARANCE).unwrap();
    let inside = Vec2::new(3.0, 3.0);
    assert_eq!(free.nearest_free(inside, 0.0), Some(inside));
    // The wall's face is at 12 m, what is free ends half a meter and at most a cell before it.
    let found = free.nearest_free(Vec2::new(12.4, 1.0), 2.0).unwrap();
    assert!((11.25..=11.5).contains(&found.x) && found.y == 1.0, "{found}");
    assert_eq!(free.nearest_free(Vec2::new(12.4, 1.0), 0.5), None);
    assert_eq!(free.nearest_free(Vec2::new(f32::NAN, 1.0), 0.5), None);
    assert_eq!(free.nearest_free(Vec2::new(12.4, 1.0), f32::NAN), None);
    // From there a path leads on, though it lies on the border.
    assert!(world.find_path(found, inside, CLEARANCE).is_ok());
}

#[test]
fn nothing_is_clear_outside_of_free_space() {
    let mut world = world_of(ROOM);
    let free = world.free_space(CLEARANCE).unwrap();
    let (inside, other) = (Vec2::new(3.0, 3.0), Vec2::new(-3.0, 1.0));
    assert!(free.is_clear(inside, other) && free.is_clear(inside, inside));
    assert!(!free.is_clear(inside, Vec2::new(20.0, 0.0)));
    for outside in [
        Vec2::new(f32::NAN, 1.0),
        Vec2::new(1.0, f32::INFINITY),
        Vec2::new(0.0, 1.0e5),
    ] {
        assert!(!free.is_clear(inside, outside) && !free.is_clear(outside, inside));
        assert!(!free.is_clear(outside, outside));
    }
}

#[test]
fn walls_beyond_free_space_are_no_fault() {
    let mut world = world_of(ROOM);
    for place in [
        Vec2::new(600.0, 0.0),
        Vec2::new(512.0, 20.0),
        Vec2::new(-9.0e4, 9.0e4),
    ] {
        let def = SpawnDef {
            pose: Some(Pose::new(place, 0.3)),
            ..SpawnDef::default()
        };
        world.spawn("plank", &def).unwrap();
    }
    let free = world.free_space(CLEARANCE).unwrap();
    assert!(!free.is_free(Vec2::new(511.0, 20.0)) && free.is_free(Vec2::new(511.0, 0.0)));
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

#[test]
fn bad_questions_have_typed_answers() {
    let mut world = world_of(ROOM);
    let (inside, wall) = (Vec2::new(3.0, 3.0), Vec2::new(12.4, 0.0));
    let far = Vec2::new(1.0e5, 0.0);
    assert_eq!(
        world.find_path(wall, inside, 0.5),
        Err(PathError::StartInWall(wall))
    );
    assert_eq!(
        world.find_path(inside, wall, 0.5),
        Err(PathError::GoalInWall(wall))
    );
    assert_eq!(
        world.find_path(inside, Vec2::new(20.0, 0.0), 0.5),
        Err(PathError::Unreachable)
    );
    assert_eq!(world.find_path(inside, far, 0.5), Err(PathError::Outside(far)));
    assert!(matches!(
        world.find_path(inside, Vec2::new(f32::NAN, 0.0), 0.5),
        Err(PathError::Outside(_))
    ));
    for clearance in [-0.1, f32::NAN, 2000.0] {
        assert!(matches!(
            world.find_path(inside, inside, clearance),
            Err(PathError::Clearance(_))
        ));
    }
    assert_eq!(world.find_path(inside, inside, 0.0), Ok(vec![inside]));
}

/// What a number means with an axis turned around, or not.
type Turn = fn(Vec2) -> Vec2;

/// A world of walls whose edges, grown by the clearance, lie on planes between cells, a step of `f32` beside them, or
/// anywhere; seen in the mirror if `turn` is one.
fn walls_on_planes(seed: u64, cell: f32, turn: Turn) -> World {
    let random = &mut Random(seed);
    let mut entities = String::new();
    let mut place = String::new();
    for wall in 0..6 {
        let mut number = |most: u64| {
            let number = cell * (random.below(most) as f32);
            match random.below(4) {
                0 => number.next_up(),
                1 => number.next_down(),
                2 => number + 0.37 * cell,
                _ => number,
            }
        };
        let mut points: Vec<Vec2> = (0..3)
            .map(|_| Vec2::new(number(12), number(12)) - 5.0 * cell)
            .collect();
        let (from, to) = (points[0], points[1]);
        let corner = Vec2::new(to.x, from.y);
        match wall {
            0 => points.truncate(2),
            1 | 2 => points = vec![from, corner, to, Vec2::new(from.x, to.y)],
            3 => points = vec![from, corner],
            _ => {}
        }
        let points: Vec<Vec2> = points.into_iter().map(turn).collect();
        let pair = |point: Vec2| format!("({:?}, {:?})", point.x, point.y);
        let shape = match points.len() {
            2 => format!("Segment(from: {}, to: {})", pair(points[0]), pair(points[1])),
            _ => {
                let points: Vec<String> = points.into_iter().map(pair).collect();
                format!("Polygon(points: [{}])", points.join(", "))
            }
        };
        let entity = format!("\"wall{wall}\": {{\"body\": Body(), \"stone\": Collider(shape: {shape})}},\n");
        let text = format!("(entities: {{{entity}}}, place: [One(name: \"it\", entity: \"wall{wall}\")])");
        // What has no extent is no wall; whether it has one does not depend on the mirror.
        if tombolo::Scene::parse("test.ron", &text).is_ok() {
            entities += &entity;
            place += &format!("One(name: \"it{wall}\", entity: \"wall{wall}\"), ");
        }
    }
    world_of(&format!(
        "(entities: {{\"nothing\": {{\"mark\": Tag()}}, {entities}}}, place: [One(name: \"n\", entity: \"nothing\"), {place}])"
    ))
}

#[test]
fn free_space_in_the_mirror_is_the_mirror_of_free_space() {
    const AS_IT_IS: Turn = |point| point;
    const TURNS: [Turn; 3] = [
        |point| Vec2::new(-point.x, point.y),
        |point| Vec2::new(point.x, -point.y),
        |point| -point,
    ];
    let (mut stones, mut walls, mut free) = (0, 0, 0);
    for seed in 0..120 {
        let clearance = [0.5, 0.3, 0.0][seed as usize % 3];
        let cell = if clearance == 0.0 { 0.125 } else { 0.5 * clearance };
        let mut world = walls_on_planes(seed, cell, AS_IT_IS);
        stones += world.physics().bodies().len();
        for turn in TURNS {
            let mut mirror = walls_on_planes(seed, cell, turn);
            let there = mirror.free_space(clearance).unwrap();
            let here = world.free_space(clearance).unwrap();
            for number in 0..40 * 40 {
                let point = Vec2::new((number % 40) as f32 - 19.5, (number / 40) as f32 - 19.5) * cell;
                let is_free = here.is_free(point);
                assert_eq!(
                    there.is_free(turn(point)),
                    is_free,
                    "seed {seed}, {point} and {}",
                    turn(point)
                );
                *if is_free { &mut free } else { &mut walls } += 1;
            }
        }
    }
    assert!(stones > 400, "{stones} walls stand");
    assert!(
        walls > 20_000 && free > 50_000,
        "{walls} cells of walls, {free} free"
    );
}

#[test]
fn a_wall_on_the_planes_takes_its_cells_and_no_more() {
    let mut world = world_of(ROOM);
    world.spawn("block", &SpawnDef::default()).unwrap();
    let space = world.free_space(CLEARANCE).unwrap();
    // Cells are a quarter of a meter wide; the block of 3 by 2, grown by half a meter, ends on planes.
    for step in 0..20 {
        let along = 0.25 * step as f32 + 0.125;
        for across in [-0.6, 0.1, 0.9] {
            for side in [-along, along] {
                assert_eq!(
                    space.is_free(Vec2::new(side, across)),
                    along > 2.0,
                    "{side}, {across}"
                );
                assert_eq!(
                    space.is_free(Vec2::new(across, side)),
                    along > 1.5,
                    "{across}, {side}"
                );
            }
        }
    }
    // Along its edges an agent may walk, a step nearer it may not.
    for turned in [-1.0, 1.0] {
        let [from, to] = [-4.0, 4.0].map(|x| Vec2::new(x, 1.5 * turned));
        assert!(space.is_clear(from, to));
        let nearer = Vec2::new(0.0, 1.499 * turned);
        assert!(!space.is_clear(nearer, nearer));
    }
}
