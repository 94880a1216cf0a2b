//! Debug drawing: what is drawn, where, and that drawing changes nothing.

use tombolo_physics::{
    Aabb, BodyDef, BodyId, BodyKind, DebugDraw, DistanceDef, DrawColor, DrawOptions, DrawPalette, FilterDef,
    GRAPH_COLORS, GearDef, GenericDef, JointDef, JointKind, MotorDef, MoverDef, PhysicsWorld, PogoDef,
    PrismaticDef, PulleyDef, RackDef, RevoluteDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef, WorldDef,
};

/// All that was drawn.
#[derive(Default)]
struct Drawn {
    lines: Vec<([Vec2; 2], DrawColor)>,
    polygons: Vec<(Vec<Vec2>, bool, DrawColor)>,
    dots: Vec<(Vec2, DrawColor)>,
    texts: Vec<String>,
}

impl Drawn {
    fn of(world: &PhysicsWorld, options: &DrawOptions) -> Self {
        let mut drawn = Self::default();
        world.draw(&mut drawn, options);
        drawn
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.polygons.is_empty() && self.dots.is_empty() && self.texts.is_empty()
    }
}

impl DebugDraw for Drawn {
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
        self.lines.push(([from, to], color));
    }

    fn polygon(&mut self, corners: &[Vec2], filled: bool, color: DrawColor) {
        self.polygons.push((corners.to_vec(), filled, color));
    }

    fn dot(&mut self, at: Vec2, _size_m: f32, color: DrawColor) {
        self.dots.push((at, color));
    }

    fn text(&mut self, _at: Vec2, text: &str, _color: DrawColor) {
        self.texts.push(text.to_string());
    }
}

fn nothing() -> DrawOptions {
    DrawOptions {
        shapes: false,
        joints: false,
        ..DrawOptions::default()
    }
}

fn box_at(world: &mut PhysicsWorld, def: &BodyDef, width: f32, height: f32) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(width, height).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

/// A floor whose top is at zero, and a box of 1 m at rest on it.
fn resting() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    box_at(&mut world, &BodyDef::fixed(0.0, -1.0), 20.0, 2.0);
    box_at(&mut world, &BodyDef::dynamic(0.0, 0.5), 1.0, 1.0);
    for _ in 0..20 {
        world.step(1.0 / 60.0).unwrap();
    }
    world
}

#[test]
fn shapes_are_drawn_where_they_are_static_ones_first() {
    let world = resting();
    let drawn = Drawn::of(&world, &DrawOptions::default());
    let palette = DrawPalette::default();
    assert_eq!(drawn.polygons.len(), 2);
    assert_eq!(drawn.polygons[0].2, palette.fixed);
    let around = Aabb::from_points(&drawn.polygons[1].0);
    assert!((around.min - Vec2::new(-0.5, 0.0)).length() < 0.01, "{around:?}");
    assert!((around.max - Vec2::new(0.5, 1.0)).length() < 0.01, "{around:?}");
    let island = world.bodies().find_map(|body| body.island()).unwrap();
    assert_eq!(drawn.polygons[1].2, DrawColor::of_island(island));
    let options = DrawOptions {
        islands: false,
        ..DrawOptions::default()
    };
    assert_eq!(Drawn::of(&world, &options).polygons[1].2, palette.dynamic);
    assert!(Drawn::of(&world, &nothing()).is_empty());
    let mut asleep = world.clone();
    for _ in 0..120 {
        asleep.step(1.0 / 60.0).unwrap();
    }
    let drawn = Drawn::of(&asleep, &DrawOptions::default());
    assert_eq!(drawn.polygons[1].2, palette.sleeping);
}

#[test]
fn what_is_not_solid_is_not_filled_and_circles_show_how_they_are_turned() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::fixed(3.0, 0.0)).unwrap();
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    world.create_shape(body, &sensor, &circle).unwrap();
    let segment = Shape::segment(Vec2::ZERO, Vec2::X).unwrap();
    world.create_shape(body, &ShapeDef::default(), &segment).unwrap();
    let drawn = Drawn::of(&world, &DrawOptions::default());
    assert_eq!(drawn.polygons.len(), 1);
    assert!(!drawn.polygons[0].1);
    assert_eq!(drawn.lines.len(), 2, "a spoke and the segment");
    assert_eq!(drawn.lines[0].0, [Vec2::new(3.0, 0.0), Vec2::new(4.0, 0.0)]);
    assert_eq!(drawn.lines[1].0, [Vec2::new(3.0, 0.0), Vec2::new(4.0, 0.0)]);
}

#[test]
fn of_a_half_space_is_drawn_what_is_in_sight() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let ground = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    world.create_shape(body, &ShapeDef::default(), &ground).unwrap();
    let bounds = Aabb::new(Vec2::new(90_000.0, -5.0), Vec2::new(90_020.0, 5.0));
    let options = DrawOptions {
        bounds: Some(bounds),
        ..DrawOptions::default()
    };
    let drawn = Drawn::of(&world, &options);
    let around = Aabb::from_points(&drawn.polygons[0].0);
    assert!(
        around.min.x < bounds.min.x && around.max.x > bounds.max.x,
        "{around:?}"
    );
    assert!(
        around.max.y.abs() < 0.01 && around.min.y < bounds.min.y,
        "{around:?}"
    );
}

#[test]
fn what_is_out_of_sight_is_left_out() {
    let world = resting();
    let all = DrawOptions {
        contacts: true,
        contact_forces: true,
        boxes: true,
        centers: true,
        velocities: true,
        user_keys: true,
        ..DrawOptions::default()
    };
    assert!(!Drawn::of(&world, &all).is_empty());
    let elsewhere = DrawOptions {
        bounds: Some(Aabb::new(Vec2::splat(50.0), Vec2::splat(60.0))),
        ..all
    };
    assert!(Drawn::of(&world, &elsewhere).is_empty());
}

#[test]
fn forces_of_contacts_bear_the_weight() {
    let world = resting();
    let options = DrawOptions {
        contact_forces: true,
        meters_per_newton: 0.001,
        ..nothing()
    };
    let drawn = Drawn::of(&world, &options);
    let sum: f32 = drawn
        .lines
        .iter()
        .map(|([from, to], _)| (*to - *from).y.abs())
        .sum();
    let body = world.bodies().last().unwrap();
    let weight = body.mass() * WorldDef::default().gravity.length();
    assert!(
        (sum / 0.001 - weight).abs() < 0.02 * weight,
        "{sum} beside {weight} N"
    );
    let points = Drawn::of(
        &world,
        &DrawOptions {
            contacts: true,
            ..nothing()
        },
    );
    assert_eq!(points.dots.len(), 2);
    assert!(points.dots.iter().all(|(at, _)| at.y.abs() < 0.01));
    let standing = DrawOptions { dt: 0.0, ..options };
    assert!(Drawn::of(&world, &standing).is_empty(), "no time, no force");
}

#[test]
fn boxes_centers_velocities_and_keys_are_drawn_on_request() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = box_at(&mut world, &BodyDef::dynamic(2.0, 3.0), 1.0, 1.0);
    let mut body = world.body_mut(body).unwrap();
    body.set_linear_velocity(Vec2::new(10.0, 0.0)).unwrap();
    body.set_user_key(u64::MAX);
    let boxes = DrawOptions {
        boxes: true,
        ..nothing()
    };
    let fat = world.shapes().next().unwrap().fat_aabb().unwrap();
    assert_eq!(Aabb::from_points(&Drawn::of(&world, &boxes).polygons[0].0), fat);
    let motion = DrawOptions {
        centers: true,
        velocities: true,
        user_keys: true,
        ..nothing()
    };
    let drawn = Drawn::of(&world, &motion);
    assert_eq!(drawn.dots[0].0, Vec2::new(2.0, 3.0));
    let way = drawn.lines.last().unwrap().0;
    assert_eq!(way, [Vec2::new(2.0, 3.0), Vec2::new(3.0, 3.0)]);
    assert_eq!(drawn.texts, [u64::MAX.to_string()]);
}

#[test]
fn every_kind_of_joint_is_drawn_between_its_bodies() {
    let kinds: [fn(BodyId, BodyId) -> JointDef; 9] = [
        |a, b| RevoluteDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| DistanceDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| PrismaticDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| WeldDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| WheelDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| MotorDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| GenericDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| PogoDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        |a, b| MoverDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
    ];
    let options = DrawOptions {
        joints: true,
        ..nothing()
    };
    for (number, kind) in kinds.into_iter().enumerate() {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let first = box_at(&mut world, &BodyDef::dynamic(0.0, 0.0), 1.0, 1.0);
        let second = box_at(&mut world, &BodyDef::dynamic(3.0, 0.0), 1.0, 1.0);
        world.create_joint(kind(first, second)).unwrap();
        let drawn = Drawn::of(&world, &options);
        assert!(!drawn.is_empty(), "kind {number}");
        assert!(
            drawn
                .lines
                .iter()
                .all(|(ends, _)| ends.iter().all(|end| end.is_finite()))
        );
        assert_eq!(
            drawn.lines.first().map(|line| line.1),
            drawn.lines.last().map(|line| line.1)
        );
    }
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let first = box_at(&mut world, &BodyDef::dynamic(-1.0, 0.0), 1.0, 1.0);
    let second = box_at(&mut world, &BodyDef::dynamic(1.0, 0.0), 1.0, 1.0);
    let rope = PulleyDef {
        ground_anchor_a: Vec2::new(-1.0, 9.0),
        ground_anchor_b: Vec2::new(1.0, 9.0),
        ..PulleyDef::new(first, Vec2::ZERO, second, Vec2::ZERO)
    };
    world.create_joint(rope).unwrap();
    let drawn = Drawn::of(&world, &options);
    let highest = drawn.lines.iter().map(|(ends, _)| ends[1].y).fold(0.0, f32::max);
    assert!(highest >= 9.0, "the rope leads over its wheels: {highest}");
}

/// The lines of a joint between a fixed body at the origin and a dynamic box at (3, 1), or the other way around.
fn lines_of(is_second_fixed: bool, def: impl FnOnce(BodyId, BodyId) -> JointDef) -> Vec<[Vec2; 2]> {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let fixed = box_at(&mut world, &BodyDef::fixed(0.0, 0.0), 1.0, 1.0);
    let moving = box_at(&mut world, &BodyDef::dynamic(3.0, 1.0), 1.0, 1.0);
    let [a, b] = if is_second_fixed {
        [moving, fixed]
    } else {
        [fixed, moving]
    };
    world.create_joint(def(a, b)).unwrap();
    let options = DrawOptions {
        joints: true,
        ..nothing()
    };
    let drawn = Drawn::of(&world, &options);
    drawn.lines.into_iter().map(|(ends, _)| ends).collect()
}

/// Each limit, spring and motor of each kind is seen: the drawing of the joint with it is another one.
#[test]
fn every_limit_spring_and_motor_of_a_joint_is_drawn() {
    macro_rules! drawings {
        ($($def:ident { $($field:ident: $value:expr),* })*) => {
            [$((
                concat!(stringify!($def), $(" ", stringify!($field)),*),
                lines_of(false, |a, b| $def::new(a, Vec2::new(0.5, 0.0), b, Vec2::ZERO).into()),
                lines_of(false, |a, b| $def {
                    $($field: $value,)* ..$def::new(a, Vec2::new(0.5, 0.0), b, Vec2::ZERO)
                }.into()),
            )),*]
        };
    }
    let drawings = drawings! {
        RevoluteDef { enable_limit: true, lower_angle: -1.0, upper_angle: 0.5 }
        RevoluteDef { enable_spring: true, spring_hertz: 2.0 }
        RevoluteDef { enable_motor: true, motor_speed: 1.0, max_motor_torque: 5.0 }
        DistanceDef { enable_limit: true, min_length: 0.0, max_length: 9.0 }
        DistanceDef { enable_spring: true, spring_hertz: 2.0 }
        DistanceDef { enable_motor: true, motor_speed: -1.0, max_motor_force: 5.0 }
        PrismaticDef { enable_limit: true, lower_translation: -1.5, upper_translation: 3.0 }
        PrismaticDef { enable_spring: true, spring_hertz: 2.0 }
        PrismaticDef { enable_motor: true, motor_speed: 1.0, max_motor_force: 5.0 }
        WeldDef { linear_hertz: 5.0 }
        WeldDef { angular_hertz: 5.0 }
        WheelDef { enable_spring: false }
        WheelDef { enable_limit: true, lower_translation: -0.5, upper_translation: 0.5 }
        WheelDef { enable_motor: true, motor_speed: 1.0, max_motor_torque: 5.0 }
        MotorDef { linear_hertz: 2.0, max_spring_force: 5.0 }
        MotorDef { angular_hertz: 2.0, max_spring_torque: 5.0 }
        MotorDef { linear_velocity: Vec2::X, max_velocity_force: 5.0 }
        MotorDef { angular_velocity: 1.0, max_velocity_torque: 5.0 }
        GenericDef { lock_x: true }
        GenericDef { enable_limit_x: true, lower_x: -1.0, upper_x: 2.0 }
        GenericDef { enable_spring_x: true, spring_hertz_x: 2.0 }
        GenericDef { enable_motor_x: true, motor_speed_x: 1.0, max_motor_force_x: 5.0 }
        GenericDef { lock_y: true }
        GenericDef { enable_limit_y: true, lower_y: -1.0, upper_y: 2.0 }
        GenericDef { enable_spring_y: true, spring_hertz_y: 2.0 }
        GenericDef { enable_motor_y: true, motor_speed_y: -1.0, max_motor_force_y: 5.0 }
        GenericDef { lock_angle: true }
        GenericDef { enable_limit_angle: true, lower_angle: -1.0, upper_angle: 0.5 }
        GenericDef { enable_spring_angle: true, spring_hertz_angle: 2.0 }
        GenericDef { enable_motor_angle: true, motor_speed_angle: 1.0, max_motor_torque: 5.0 }
        PogoDef { enable_spring: false }
        MoverDef { linear_velocity: Vec2::Y, max_force: Vec2::ONE }
        RackDef { radius: -0.5 }
    };
    for (what, without, with) in &drawings {
        assert_ne!(without, with, "{what}");
        assert!(with.iter().flatten().all(|end| end.is_finite()), "{what}");
    }
    let of_generic = |what: &str| drawings.iter().find(|(known, ..)| *known == what).unwrap();
    let axes = [
        "GenericDef enable_spring_x spring_hertz_x",
        "GenericDef enable_spring_y spring_hertz_y",
    ];
    assert_ne!(
        of_generic(axes[0]).2,
        of_generic(axes[1]).2,
        "which axis is sprung"
    );
    let rack = lines_of(false, |a, b| RackDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into());
    let gear = lines_of(false, |a, b| GearDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into());
    assert_ne!(rack, gear);
    let filter = lines_of(false, |a, b| FilterDef::new(a, b).into());
    assert!(filter.is_empty());
    assert_eq!(JointKind::ALL.len(), 13, "another kind is drawn, too");
}

/// The stops of an angle are where the body comes to stand, whichever of both is the one that turns.
#[test]
fn the_arc_of_a_revolute_joint_ends_where_its_limits_are() {
    for is_second_fixed in [false, true] {
        let lines = lines_of(is_second_fixed, |a, b| {
            // The pivot is the origin, and the box at (3, 1) the hand.
            let own = Vec2::new(-3.0, -1.0);
            let [anchor_a, anchor_b] = if is_second_fixed {
                [own, Vec2::ZERO]
            } else {
                [Vec2::ZERO, own]
            };
            RevoluteDef {
                enable_limit: true,
                lower_angle: -0.2,
                upper_angle: 0.7,
                ..RevoluteDef::new(a, anchor_a, b, anchor_b)
            }
            .into()
        });
        let arm = Vec2::new(3.0, 1.0);
        let angle = |at: Vec2| libm::atan2f(arm.perp().dot(at), arm.dot(at));
        // A stop is a line towards the pivot that does not begin there.
        let is_stop = |[from, to]: &[Vec2; 2]| {
            from.length() > 0.1 && (angle(*from) - angle(*to)).abs() < 1e-4 && from.distance(*to) < 1.0
        };
        let stops: Vec<f32> = lines
            .iter()
            .filter(|ends| is_stop(ends))
            .map(|ends| angle(ends[1]))
            .collect();
        let wanted = if is_second_fixed { [0.2, -0.7] } else { [-0.2, 0.7] };
        assert_eq!(stops.len(), 2, "{stops:?}");
        for (stop, wanted) in stops.into_iter().zip(wanted) {
            assert!((stop - wanted).abs() < 1e-3, "{stop} is not {wanted}");
        }
    }
}

#[test]
fn a_joint_is_redder_the_more_it_is_strained() {
    let strain_of = |mass: f32| {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let hook = world.create_body(&BodyDef::fixed(0.0, 10.0)).unwrap();
        let load = box_at(&mut world, &BodyDef::dynamic(0.0, 8.0), 1.0, 1.0);
        world.body_mut(load).unwrap().set_added_mass(mass).unwrap();
        let def = WeldDef {
            force_threshold: 10_000.0,
            breaks: false,
            ..WeldDef::new(hook, Vec2::new(0.0, -2.0), load, Vec2::ZERO)
        };
        let joint = world.create_joint(def).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
        }
        world.joint(joint).unwrap().strain()
    };
    let (light, heavy, most) = (strain_of(9.0), strain_of(499.0), strain_of(1e5));
    let expected = 500.0 * WorldDef::default().gravity.length() / 10_000.0;
    assert!(
        (heavy - expected).abs() < 0.05 * expected,
        "{heavy} beside {expected}"
    );
    assert!(light < 0.1 * heavy, "{light} beside {heavy}");
    assert_eq!(most, 1.0);
}

/// Any load is more than a threshold of zero, and is reported; no load is not.
#[test]
fn a_threshold_of_zero_is_strained_by_any_load() {
    for (force_threshold, torque_threshold) in [(0.0, f32::INFINITY), (0.0, 0.0), (0.0, 1e6)] {
        for (gravity_scale, wanted) in [(1.0, 1.0), (0.0, 0.0)] {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            let hook = world.create_body(&BodyDef::fixed(0.0, 10.0)).unwrap();
            let def = BodyDef {
                gravity_scale,
                ..BodyDef::dynamic(0.0, 8.0)
            };
            let load = box_at(&mut world, &def, 1.0, 1.0);
            let def = RevoluteDef {
                force_threshold,
                torque_threshold,
                breaks: false,
                ..RevoluteDef::new(hook, Vec2::new(0.0, -2.0), load, Vec2::ZERO)
            };
            let joint = world.create_joint(def).unwrap();
            for _ in 0..10 {
                world.step(1.0 / 60.0).unwrap();
                let is_reported = !world.events().joint().is_empty();
                assert_eq!(is_reported, wanted > 0.0, "{force_threshold} {torque_threshold}");
            }
            let strain = world.joint(joint).unwrap().strain();
            assert_eq!(strain, wanted, "{force_threshold} {torque_threshold}");
        }
    }
}

#[test]
fn drawing_changes_nothing() {
    let world = resting();
    let before = world.state_hash();
    let options = DrawOptions {
        pixel_m: f32::NAN,
        meters_per_newton: f32::INFINITY,
        dt: f32::NAN,
        contacts: true,
        contact_forces: true,
        boxes: true,
        centers: true,
        ..DrawOptions::default()
    };
    let _ = Drawn::of(&world, &options);
    assert_eq!(world.state_hash(), before);
}

#[test]
fn circles_are_circles_for_a_target_that_draws_them() {
    #[derive(Default)]
    struct Circles(Vec<(Vec2, f32, bool)>, usize);
    impl DebugDraw for Circles {
        fn line(&mut self, _: Vec2, _: Vec2, _: DrawColor) {
            self.1 += 1;
        }
        fn circle(&mut self, center: Vec2, radius_m: f32, filled: bool, _: DrawColor) {
            self.0.push((center, radius_m, filled));
        }
    }
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::dynamic(3.0, 1.0)).unwrap();
    for (shape, sensor) in [
        (Shape::circle(Vec2::new(0.5, 0.0), 0.25).unwrap(), false),
        (Shape::circle(Vec2::ZERO, 2.0).unwrap(), true),
    ] {
        let def = ShapeDef {
            sensor,
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &shape).unwrap();
    }
    let mut circles = Circles::default();
    world.draw(&mut circles, &DrawOptions::default());
    circles.0.sort_by(|a, b| a.1.total_cmp(&b.1));
    let expected = [
        (Vec2::new(3.5, 1.0), 0.25, true),
        (Vec2::new(3.0, 1.0), 2.0, false),
    ];
    assert_eq!(circles.0, expected);
    assert_eq!(circles.1, 2, "each has a spoke");
    // Without circles of its own a target gets polygons whose corners are on the circle.
    let drawn = Drawn::of(&world, &DrawOptions::default());
    assert_eq!(drawn.polygons.len(), 2);
    for (corners, filled, _) in &drawn.polygons {
        let (center, radius, _) = expected[usize::from(!filled)];
        assert!(corners.len() >= 20);
        assert!(
            corners
                .iter()
                .all(|corner| (corner.distance(center) - radius).abs() < 1e-5)
        );
    }
}

/// Constraints of one color share no body that moves, and are drawn alike.
#[test]
fn constraints_are_drawn_in_the_colors_in_which_they_are_solved() {
    let mut world = resting();
    let ends = [4.0, 5.5, 7.0].map(|x| box_at(&mut world, &BodyDef::dynamic(x, 0.5), 1.0, 1.0));
    for pair in ends.windows(2) {
        let def = DistanceDef::new(pair[0], Vec2::ZERO, pair[1], Vec2::ZERO);
        world.create_joint(def).unwrap();
    }
    for _ in 0..5 {
        world.step(1.0 / 60.0).unwrap();
    }
    let mut used: Vec<(BodyId, u32)> = Vec::new();
    let contacts = world.contacts().filter_map(|contact| {
        Some((
            contact.color()?,
            contact.shapes().map(|shape| shape.body()).to_vec(),
        ))
    });
    let joints = world
        .joints()
        .filter_map(|joint| Some((joint.color()?, joint.bodies().to_vec())));
    for (color, bodies) in contacts.chain(joints) {
        assert!(color < GRAPH_COLORS);
        let moving = bodies.iter().filter(|body| body.kind() == BodyKind::Dynamic);
        used.extend(moving.map(|body| (body.id(), color)));
    }
    let count = used.len();
    assert_eq!(count, 4 + 4, "four boxes on the floor, two joints of two");
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), count, "{used:?}");
    for past in [GRAPH_COLORS - 1, GRAPH_COLORS, u32::MAX] {
        assert_eq!(DrawColor::of_graph_color(past), DrawColor::new(0.0, 0.0, 0.0));
    }
    let options = DrawOptions {
        joints: true,
        contacts: true,
        graph_colors: true,
        ..nothing()
    };
    let drawn = Drawn::of(&world, &options);
    let mut colors: Vec<DrawColor> = world
        .contacts()
        .filter_map(|contact| contact.color())
        .map(DrawColor::of_graph_color)
        .collect();
    colors.extend(
        world
            .joints()
            .filter_map(|joint| joint.color())
            .map(DrawColor::of_graph_color),
    );
    assert!(drawn.lines.iter().all(|(_, color)| colors.contains(color)));
    assert!(
        colors
            .iter()
            .all(|color| drawn.lines.iter().any(|(_, drawn)| drawn == color))
    );
    for _ in 0..200 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(
        world.contacts().all(|contact| contact.color().is_none()),
        "all sleep"
    );
    assert!(world.joints().all(|joint| joint.color().is_none()));
    let drawn = Drawn::of(&world, &options);
    assert!(
        drawn
            .lines
            .iter()
            .all(|(_, color)| *color == DrawPalette::default().sleeping)
    );
}
