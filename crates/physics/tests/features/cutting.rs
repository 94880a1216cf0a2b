//! What a cut keeps: area, mass, momentum, the segment that cuts, the number of parts, the radius of rounded shapes. What follows
//! from a cut is in `after_cuts.rs`.

use crate::cut_support::{add_concave_polygon, ring_polygon, slice, u_polygon};
use crate::feature_support::{DT, Random, plain, weightless, world};
use tombolo_physics::constants::DENSITY_MIN;
use tombolo_physics::{
    BodyDef, BodyId, ConcavePolygon, DVec2, Debris, DebrisFate, PhysicsWorld, Position, QueryFilter, Shape,
    ShapeDef, Shatter, Tile, TileGridDef, VanishEvent, Vec2, WorldDef,
};

/// Mass, momentum, angular momentum about the origin and area of some bodies and of what vanished, in double precision.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    mass: f64,
    momentum: DVec2,
    angular: f64,
    area: f64,
}

impl Sums {
    fn of(world: &PhysicsWorld, bodies: &[BodyId], vanished: &[VanishEvent]) -> Self {
        let mut sums = Self::default();
        let mut add = |mass: f32, center: Position, velocity: Vec2, spin: f64| {
            let (center, momentum) = (center.to_vec2().as_dvec2(), f64::from(mass) * velocity.as_dvec2());
            sums.mass += f64::from(mass);
            sums.momentum += momentum;
            sums.angular += spin + center.perp_dot(momentum);
        };
        for body in bodies.iter().map(|&body| world.body(body).unwrap()) {
            let spin = f64::from(body.inertia()) * f64::from(body.angular_velocity());
            add(body.mass(), body.center_of_mass(), body.linear_velocity(), spin);
        }
        for event in vanished {
            add(event.mass, event.center, event.velocity, 0.0);
        }
        sums.area = bodies.iter().map(|&body| area(world, body)).sum();
        sums.area += vanished.iter().map(|event| f64::from(event.area)).sum::<f64>();
        sums
    }
}

fn area(world: &PhysicsWorld, body: BodyId) -> f64 {
    let body = world.body(body).unwrap();
    let mut seen = None;
    let mut sum = 0.0;
    for shape in body.shapes() {
        match shape.part_of() {
            None => sum += f64::from(shape.geometry().mass_properties(1.0).mass),
            concave_polygon if concave_polygon != seen => {
                seen = concave_polygon;
                sum += world.concave_polygon(concave_polygon.unwrap()).unwrap().area();
            }
            _ => {}
        }
    }
    sum
}

/// A body of one to three random shapes, round and rounded ones if asked for, somewhere and moving.
fn random_body(world: &mut PhysicsWorld, random: &mut Random, rounded: bool) -> BodyId {
    let density = |random: &mut Random| random.between(0.5, 4.0);
    random_body_of(world, random, rounded, density)
}

/// As [`random_body`], of other densities.
fn random_body_of(
    world: &mut PhysicsWorld,
    random: &mut Random,
    rounded: bool,
    density: fn(&mut Random) -> f32,
) -> BodyId {
    let def = BodyDef {
        angle: random.between(-3.0, 3.0),
        linear_velocity: Vec2::new(random.between(-9.0, 9.0), random.between(-9.0, 9.0)),
        angular_velocity: random.between(-9.0, 9.0),
        ..BodyDef::dynamic(random.between(-20.0, 20.0), random.between(-20.0, 20.0))
    };
    let body = world.create_body(&def).unwrap();
    for _ in 0..1 + random.next() % 3 {
        let shape_def = ShapeDef {
            density: density(random),
            ..Default::default()
        };
        let (w, h) = (random.between(0.3, 1.5), random.between(0.3, 1.5));
        let at = Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let shape = match random.next() % if rounded { 5 } else { 2 } {
            0 => Shape::box_at(2.0 * w, 2.0 * h, at, w),
            1 => {
                let scale = DVec2::new(f64::from(w), f64::from(h));
                let place = |concave_polygon: ConcavePolygon| -> Vec<DVec2> {
                    let corners = concave_polygon.points().iter();
                    corners.map(|p| *p * scale + at.as_dvec2()).collect()
                };
                let concave_polygon = ConcavePolygon::new(&place(u_polygon())).unwrap();
                world
                    .create_concave_polygon(body, &shape_def, &concave_polygon)
                    .unwrap();
                continue;
            }
            2 => Shape::circle(at, w),
            3 => Shape::capsule(at, at + Vec2::new(w, h), 0.5 * h),
            _ => Shape::rounded_box(2.0 * w, 2.0 * h, 0.2 * w),
        };
        world.create_shape(body, &shape_def, &shape.unwrap()).unwrap();
    }
    body
}

/// How far two sums are apart, as parts of what there is; `size` is how far out and how fast things are.
fn check_kept(before: Sums, after: Sums, tolerance: [f64; 3], seed: u64) {
    let [of_mass, of_momentum, of_angular] = tolerance;
    let scale = before.mass * 9.0;
    assert!(
        (after.mass - before.mass).abs() < of_mass * before.mass,
        "mass, seed {seed}: {before:?} {after:?}"
    );
    assert!(
        after.momentum.distance(before.momentum) < of_momentum * scale,
        "momentum, seed {seed}: {before:?} {after:?}"
    );
    assert!(
        (after.angular - before.angular).abs() < of_angular * scale * 30.0,
        "angular momentum, seed {seed}: {before:?} {after:?}"
    );
}

#[test]
fn slicing_keeps_area_mass_and_momentum() {
    let mut cut_count = 0;
    for seed in 0..600 {
        let mut random = Random(seed);
        let mut world = world(&weightless());
        let body = random_body(&mut world, &mut random, false);
        let center = world.body(body).unwrap().center_of_mass();
        let near =
            |random: &mut Random| center + Vec2::new(random.between(-0.7, 0.7), random.between(-0.7, 0.7));
        let (from, to) = (near(&mut random), near(&mut random));
        let before = Sums::of(&world, &[body], &[]);
        let Some(cut) = world.slice(body, from, to).unwrap() else {
            continue;
        };
        world.validate();
        cut_count += 1;
        let bodies: Vec<BodyId> = [cut.body].into_iter().chain(cut.pieces).collect();
        let after = Sums::of(&world, &bodies, &cut.vanished);
        check_kept(before, after, [1e-6, 1e-6, 2e-6], seed);
        assert!(
            (after.area - before.area).abs() < 1e-6 * before.area,
            "seed {seed}"
        );
    }
    assert!(cut_count > 500, "{cut_count}");
}

#[test]
fn slicing_round_shapes_keeps_mass_and_momentum_within_the_stated_error() {
    for seed in 0..600 {
        let mut random = Random(seed ^ 0xABCD);
        let mut world = world(&weightless());
        let body = random_body(&mut world, &mut random, true);
        let center = world.body(body).unwrap().center_of_mass();
        let to = center + Vec2::new(random.between(-0.7, 0.7), random.between(0.1, 0.7));
        let before = Sums::of(&world, &[body], &[]);
        if let Some(cut) = world.slice(body, center, to).unwrap() {
            let bodies: Vec<BodyId> = [cut.body].into_iter().chain(cut.pieces).collect();
            let after = Sums::of(&world, &bodies, &cut.vanished);
            // Linear momentum is kept to rounding; the spin's part of the inertia and the corners of rounded shapes differ.
            check_kept(before, after, [2e-6, 2e-6, 5e-3], seed);
        }
    }
}

#[test]
fn pieces_of_the_lightest_shapes_can_be_saved() {
    let mut cut_count = 0;
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut world = world(&weightless());
        let body = random_body_of(&mut world, &mut random, true, |_| DENSITY_MIN);
        // So little is rounded that the skin that a cut takes is less than the rounding of an area.
        let (width, height) = (random.between(0.3, 3.0), random.between(0.3, 3.0));
        let radius = random.between(1.0e-9, 1.0e-7);
        let plate = Shape::rounded_box(width, height, radius).unwrap();
        let light = ShapeDef {
            density: DENSITY_MIN,
            ..Default::default()
        };
        world.create_shape(body, &light, &plate).unwrap();
        let center = world.body(body).unwrap().center_of_mass();
        let mut bodies = vec![body];
        for _ in 0..4 {
            let turn = Vec2::new(random.between(-0.7, 0.7), random.between(-0.7, 0.7));
            let (from, to) = (center + -turn, center + turn);
            for body in bodies.clone() {
                if let Some(cut) = world.slice(body, from, to).unwrap() {
                    cut_count += 1;
                    bodies.extend(cut.pieces);
                }
            }
        }
        for body in bodies {
            drop(world.shatter(body, &Shatter::Seeded { seed, count: 3 }));
        }
        world.validate();
        let again = PhysicsWorld::from_save(&world.save());
        again.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert!(cut_count > 300, "{cut_count}");
}

/// Each body alone says whether it is cut: a ray goes deep through it from outside, or misses it.
#[test]
fn a_segment_finds_what_it_cuts_however_long_it_is() {
    let mut cut_count = 0;
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut world = world(&weightless());
        for _ in 0..30 {
            let (x, y) = (random.between(-20.0, 20.0), random.between(-20.0, 20.0));
            let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
            let size = random.between(0.3, 4.0);
            let shape = match random.next() % 3 {
                0 => Shape::circle(Vec2::ZERO, size),
                1 => Shape::box_at(size, 0.1, Vec2::ZERO, random.between(-3.0, 3.0)),
                _ => Shape::capsule(Vec2::ZERO, Vec2::new(size, 0.5), 0.2),
            };
            world
                .create_shape(body, &ShapeDef::default(), &shape.unwrap())
                .unwrap();
        }
        let along = Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)).normalize_or_zero();
        let middle = Vec2::new(random.between(-9.0, 9.0), random.between(-9.0, 9.0));
        let reach = [60.0, 1.0e3, 1.0e5][seed as usize % 3];
        let (from, to) = (
            Position::from(middle - along * reach),
            Position::from(middle + along * reach),
        );
        let hits = |from: Position, to: Position| {
            world
                .cast_ray_all(from, to.to_vec2() - from.to_vec2(), QueryFilter::default())
                .unwrap()
        };
        let (there, back) = (hits(from, to), hits(to, from));
        // The polygon that stands for a circle stands out of it by less than the way to the next rays.
        let aside = Vec2::new(-along.y, along.x) * 0.05;
        let mut beside = there.clone();
        beside.extend(hits(from + aside, to + aside));
        beside.extend(hits(from + -aside, to + -aside));
        let near = world.shapes_near_segment(from, to, QueryFilter::default());
        assert!((there.len()..=30).contains(&near), "seed {seed}: {near}");
        let deep: Vec<BodyId> = there
            .iter()
            .filter(|hit| {
                let end = back.iter().find(|other| other.shape == hit.shape);
                end.is_some_and(|end| (1.0 - end.fraction - hit.fraction) * 2.0 * reach > 0.2)
            })
            .map(|hit| hit.body)
            .collect();
        let bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
        let cuts = world.cut_through(from, to, QueryFilter::default()).unwrap();
        world.validate();
        let is_cut = |body: &BodyId| cuts.iter().any(|cut| cut.body == *body);
        assert!(deep.iter().all(is_cut), "seed {seed}: {deep:?}");
        let missed = |body: &&BodyId| beside.iter().all(|hit| hit.body != **body);
        let count = bodies.iter().filter(missed).filter(|body| is_cut(body)).count();
        assert_eq!(count, 0, "seed {seed}: cut though the ray missed it");
        cut_count += cuts.len();
    }
    assert!(cut_count > 800, "{cut_count}");
}

#[test]
fn shattering_keeps_area_mass_and_momentum() {
    for seed in 0..150 {
        let mut random = Random(seed);
        let mut world = world(&weightless());
        let body = random_body(&mut world, &mut random, false);
        let before = Sums::of(&world, &[body], &[]);
        let count = 2 + (random.next() % 30) as usize;
        let Some(cut) = world.shatter(body, &Shatter::Seeded { seed, count }).unwrap() else {
            continue;
        };
        world.validate();
        let bodies: Vec<BodyId> = [cut.body].into_iter().chain(cut.pieces).collect();
        let after = Sums::of(&world, &bodies, &cut.vanished);
        check_kept(before, after, [2e-6, 2e-6, 4e-6], seed);
        assert!(
            (after.area - before.area).abs() < 2e-6 * before.area,
            "seed {seed}"
        );
    }
}

#[test]
fn cells_are_what_is_nearest_to_their_sites() {
    let mut world = world(&weightless());
    let pane = plain(
        &mut world,
        &BodyDef::dynamic(3.0, 1.0),
        &Shape::new_box(4.0, 2.0).unwrap(),
    );
    let sites =
        [(1.5, 0.5), (4.0, 0.6), (2.0, 1.7), (4.5, 1.8), (3.0, 1.1)].map(|(x, y)| Position::new(x, y));
    let cut = world
        .shatter(pane, &Shatter::Sites(sites.to_vec()))
        .unwrap()
        .unwrap();
    assert_eq!(cut.pieces.len(), 4);
    for body in cut
        .pieces
        .iter()
        .chain([&cut.body])
        .map(|&id| world.body(id).unwrap())
    {
        let shape = body.shapes().next().unwrap();
        let concave_polygon = world.concave_polygon(shape.part_of().unwrap()).unwrap();
        let center = body.center_of_mass();
        let nearest = |place: Position| {
            let distance = |site: &Position| (*site - place).length();
            sites.iter().map(distance).fold(f32::MAX, f32::min)
        };
        let own = sites
            .into_iter()
            .min_by(|a, b| (*a - center).length().total_cmp(&(*b - center).length()))
            .unwrap();
        for corner in concave_polygon.loop_points(0) {
            let corner = Position::from(body.pose().transform_point(corner));
            assert!((own - corner).length() < nearest(corner) + 1e-5);
        }
    }
}

#[test]
fn a_hundred_cuts_do_not_multiply_the_parts() {
    let mut world = world(&weightless());
    world
        .set_debris(Debris {
            area_max: 1e-3,
            fate: DebrisFate::Vanish,
        })
        .unwrap();
    let first = add_concave_polygon(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &ShapeDef::default(),
        &ring_polygon(),
    );
    let mut random = Random(5);
    let mut bodies = vec![first];
    for _ in 0..100 {
        let [x, y] = [0; 2].map(|_| random.between(-1.5, 1.5));
        let (from, angle) = (Position::new(x, y), random.between(0.0, 6.3));
        let to = from + Vec2::new(libm::cosf(angle), libm::sinf(angle));
        for index in 0..bodies.len() {
            if let Some(cut) = world.slice(bodies[index], from, to).unwrap() {
                bodies.extend(cut.pieces);
            }
        }
    }
    world.validate();
    assert!(bodies.len() > 500, "{}", bodies.len());
    for concave_polygon in world.concave_polygons() {
        let whole = concave_polygon.to_polygon();
        // Each part has at most eight corners, and each reflex corner needs a part more.
        let reflex = (0..whole.loop_count())
            .map(|loop_index| {
                let ring = whole.loop_points(loop_index);
                let at = |i: usize| ring[i % ring.len()];
                let turn = |i: usize| (at(i + 1) - at(i)).perp_dot(at(i + 2) - at(i + 1));
                (0..ring.len()).filter(|&i| turn(i) < -1e-9).count()
            })
            .sum::<usize>();
        let corners = whole.points().len();
        let least = (1 + reflex.div_ceil(2)).max((corners - 2).div_ceil(6));
        let parts = concave_polygon.parts().count();
        assert!(parts <= 4 * least, "{parts} parts where {least} might do");
    }
    let total: f64 = world
        .concave_polygons()
        .map(|concave_polygon| concave_polygon.area())
        .sum();
    assert!(total > 11.0 && total <= 12.0 + 1e-9, "{total}");
}

#[test]
fn rounded_polygons_keep_their_radius_and_meet_at_the_line() {
    let mut world = world(&weightless());
    let body = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::rounded_box(2.0, 1.0, 0.125).unwrap(),
    );
    let mass = world.body(body).unwrap().mass();
    let cut = slice(&mut world, body, (0.25, 0.0), (0.25, 1.0)).unwrap();
    let reach = [cut.body, cut.pieces[0]].map(|id| {
        let body = world.body(id).unwrap();
        assert!(body.shapes().all(|shape| shape.geometry().radius() == 0.125));
        body.aabb().unwrap()
    });
    assert!((reach[0].max.x - 0.25).abs() < 1e-6 && (reach[1].min.x - 0.25).abs() < 1e-6);
    let sum: f32 = [cut.body, cut.pieces[0]]
        .map(|id| world.body(id).unwrap().mass())
        .iter()
        .sum();
    assert!((sum - mass).abs() < 1e-6 * mass);
    // A line within the skin cuts nothing.
    let before = world.state_hash();
    assert_eq!(slice(&mut world, body, (-1.1, 0.0), (-1.1, 1.0)), None);
    assert_eq!(world.state_hash(), before);
}

/// Tiles are cut by no line but go with the nearest piece, with their mass: whatever the rest of the body weighs, mass, momentum
/// and angular momentum are kept, and so is the effect of a force.
#[test]
fn a_cut_keeps_the_momentum_of_a_body_with_tiles() {
    for density in [1.0, 0.01, 0.0] {
        let mut world = world(&weightless());
        let def = BodyDef {
            linear_velocity: Vec2::new(1.0, 2.0),
            angular_velocity: 1.0,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        let grid = TileGridDef {
            origin: Vec2::new(-2.0, -2.0),
            width: 4,
            height: 4,
            tiles: vec![Tile::default()],
            cells: vec![1; 16],
            ..TileGridDef::default()
        };
        world.create_tile_grid(body, &grid).unwrap();
        let plank = Shape::box_at(4.0, 1.0, Vec2::new(8.0, 0.0), 0.0).unwrap();
        let light = ShapeDef {
            density,
            ..ShapeDef::default()
        };
        world.create_shape(body, &light, &plank).unwrap();
        world
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(Vec2::ONE)
            .unwrap();
        let before = Sums::of(&world, &[body], &[]);
        let center = world.body(body).unwrap().center_of_mass().to_vec2();
        world
            .body_mut(body)
            .unwrap()
            .apply_force(Vec2::new(300.0, 0.0))
            .unwrap();
        let cut = slice(&mut world, body, (8.0, -5.0), (8.0, 5.0)).unwrap();
        let pieces = [cut.body, cut.pieces[0]];
        let velocity = |world: &PhysicsWorld, id| {
            let body = world.body(id).unwrap();
            let arm = body.center_of_mass().to_vec2() - center;
            body.linear_velocity() - Vec2::ONE - body.angular_velocity() * arm.perp()
        };
        for piece in pieces {
            let amiss = velocity(&world, piece);
            assert!(amiss.length() < 1e-4, "density {density}: {amiss}");
        }
        if density == 0.0 {
            // The piece without mass weighs a kilogram from now on.
            continue;
        }
        let after = Sums::of(&world, &pieces, &[]);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + b.abs());
        assert!(close(after.mass, before.mass), "{after:?}, {before:?}");
        assert!(
            (after.momentum - before.momentum).length() < 1e-3,
            "{after:?}, {before:?}"
        );
        assert!(close(after.angular, before.angular), "{after:?}, {before:?}");
        world.step(DT).unwrap();
        let pushed = Sums::of(&world, &pieces, &[]).momentum - after.momentum;
        let expected = DVec2::new(300.0 * f64::from(DT), 0.0);
        assert!((pushed - expected).length() < 1e-2, "density {density}: {pushed}");
    }
}

/// Lasting forces are shared by mass, and lasting torques by inertia: what hovers hovers on in pieces.
#[test]
fn the_parts_of_what_hovers_hover() {
    let mut world = world(&WorldDef::default());
    let def = BodyDef {
        lasting_force: Vec2::new(0.0, 20.0),
        lasting_torque: 0.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut world, &def, &Shape::new_box(2.0, 1.0).unwrap());
    let cut = slice(&mut world, body, (0.5, -1.0), (0.5, 1.0)).unwrap();
    let pieces = [cut.body, cut.pieces[0]];
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    for id in pieces {
        let body = world.body(id).unwrap();
        let weight = 10.0 * body.mass();
        assert!(
            (body.lasting_force().y - weight).abs() < 1e-4,
            "{:?}",
            body.lasting_force()
        );
        assert!(body.position().y.abs() < 0.01, "{:?}", body.position());
    }
}

#[test]
fn the_parts_of_what_a_lasting_torque_turns_turn_alike() {
    let mut world = world(&weightless());
    let def = BodyDef {
        lasting_torque: 3.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut world, &def, &Shape::new_box(2.0, 1.0).unwrap());
    let inertia = world.body(body).unwrap().inertia();
    let cut = slice(&mut world, body, (0.5, -1.0), (0.5, 1.0)).unwrap();
    world.step(DT).unwrap();
    for id in [cut.body, cut.pieces[0]] {
        let spin = world.body(id).unwrap().angular_velocity();
        assert!((spin - DT * 3.0 / inertia).abs() < 1e-5, "{spin}");
    }
}
