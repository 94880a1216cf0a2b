//! Explosions, against the closed form: the impulse is that per meter, times the width across the way from the point.

use tombolo_physics::{
    BodyDef, BodyId, ExplosionDef, PhysicsWorld, Position, RigidWeldDef, Shape, ShapeDef, Vec2, WorldDef,
};

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    body
}

fn blast(radius: f32, falloff: f32, impulse_per_length: f32) -> ExplosionDef {
    ExplosionDef {
        radius,
        falloff,
        impulse_per_length,
        ..ExplosionDef::at(Position::ORIGIN)
    }
}

/// Linear and angular momentum.
fn momentum(world: &PhysicsWorld, body: BodyId) -> (Vec2, f32) {
    let body = world.body(body).unwrap();
    (
        body.mass() * body.linear_velocity(),
        body.inertia() * body.angular_velocity(),
    )
}

#[test]
fn a_disc_gets_the_impulse_of_its_diameter() {
    for (distance, radius) in [(3.0_f32, 0.5_f32), (4.0, 2.0), (1.0, 0.1)] {
        for angle in [0.0_f32, 1.0, 2.5, -2.0] {
            let mut world = world();
            let way = Vec2::new(libm::cosf(angle), libm::sinf(angle));
            let at = distance * way;
            let ball = Shape::circle(Vec2::ZERO, radius).unwrap();
            let ball = add(&mut world, &BodyDef::dynamic(at.x, at.y), &ball);
            assert_eq!(world.explode(&blast(10.0, 0.0, 3.0)).unwrap(), 1);
            let (linear, angular) = momentum(&world, ball);
            let wanted = 3.0 * 2.0 * radius * way;
            assert!(
                (linear - wanted).length() < 1e-4 * wanted.length(),
                "{linear}, wanted {wanted}"
            );
            assert!(angular.abs() < 1e-4, "{angular}");
        }
    }
}

#[test]
fn a_box_gets_the_impulse_of_its_width_at_its_nearest_point() {
    // Its face in front: the whole width, at the foot of the perpendicular.
    let mut world = world();
    let plank = Shape::new_box(1.0, 4.0).unwrap();
    let plank_body = add(&mut world, &BodyDef::dynamic(3.0, 1.0), &plank);
    world.explode(&blast(10.0, 0.0, 2.0)).unwrap();
    let (linear, angular) = momentum(&world, plank_body);
    assert!((linear - Vec2::new(8.0, 0.0)).length() < 1e-4, "{linear}");
    // One below the center: it turns about that arm.
    assert!((angular - 8.0).abs() < 1e-3, "{angular}");

    // A corner in front, turned by 45°: the diagonal.
    let mut world = self::world();
    let def = BodyDef {
        angle: std::f32::consts::FRAC_PI_4,
        ..BodyDef::dynamic(0.0, 5.0)
    };
    let square = add(&mut world, &def, &Shape::new_box(2.0, 2.0).unwrap());
    world.explode(&blast(10.0, 0.0, 2.0)).unwrap();
    let (linear, angular) = momentum(&world, square);
    let wanted = Vec2::new(0.0, 2.0 * 8.0_f32.sqrt());
    assert!(
        (linear - wanted).length() < 1e-3 && angular.abs() < 1e-2,
        "{linear} {angular}"
    );
}

/// The greatest impulse on the widest body, off its center.
#[test]
fn the_greatest_explosion_leaves_numbers() {
    let mut world = world();
    let plank = Shape::new_box(1.0, 20_000.0).unwrap();
    let plank = add(&mut world, &BodyDef::dynamic(3.0, 9_000.0), &plank);
    world.explode(&blast(10.0, 0.0, 1.0e30)).unwrap();
    let body = world.body(plank).unwrap();
    assert!(body.linear_velocity().is_finite() && body.angular_velocity().is_finite());
    world.step(1.0 / 60.0).unwrap();
    assert_eq!(world.events().frozen(), []);
}

/// Members of a composite that overlap: each is loaded by what pushed its own shape.
#[test]
fn an_explosion_loads_the_members_that_it_pushes() {
    let mut world = world();
    let mut members = Vec::new();
    let mut bodies = Vec::new();
    for x in [3.0, 3.4] {
        let square = add(
            &mut world,
            &BodyDef::dynamic(x, 0.0),
            &Shape::new_box(1.0, 1.0).unwrap(),
        );
        members.push(world.create_member(square, 0).unwrap());
        bodies.push(square);
    }
    let weld = RigidWeldDef::new(members[0], members[1], Vec2::new(3.2, 0.0).into());
    let weld = world.create_rigid_weld(&weld).unwrap();
    world.explode(&blast(10.0, 0.0, 5.0)).unwrap();
    world.step(1.0 / 60.0).unwrap();
    // Both are pushed alike and weigh the same, so nothing goes through the weld.
    let load = world.rigid_weld(weld).unwrap().force();
    assert!(load.length() < 1.0, "{load}");
}

#[test]
fn an_impulse_fades_beyond_the_radius_and_ends_beyond_the_falloff() {
    let of = |distance: f32| {
        let mut world = world();
        let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let ball = add(&mut world, &BodyDef::dynamic(distance + 0.5, 0.0), &ball);
        let pushed = world.explode(&blast(2.0, 4.0, 1.0)).unwrap();
        (pushed, momentum(&world, ball).0.x)
    };
    for (distance, wanted) in [(0.5, 1.0), (2.0, 1.0), (3.0, 0.75), (4.0, 0.5), (5.5, 0.125)] {
        let (pushed, got) = of(distance);
        assert!(
            pushed == 1 && (got - wanted).abs() < 1e-4,
            "{distance}: {got}, wanted {wanted}"
        );
    }
    assert_eq!(of(6.1), (0, 0.0));
}

#[test]
fn a_negative_one_draws_and_one_inside_pushes_from_the_middle() {
    let mut world = world();
    let ball = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let outside = add(&mut world, &BodyDef::dynamic(5.0, 0.0), &ball);
    let around = add(&mut world, &BodyDef::dynamic(-0.5, 0.0), &ball);
    let centered = add(&mut world, &BodyDef::dynamic(0.0, 0.0), &ball);
    world.explode(&blast(8.0, 0.0, -1.0)).unwrap();
    let near = |body: BodyId, x: f32| {
        let (linear, _) = momentum(&world, body);
        assert!((linear - Vec2::new(x, 0.0)).length() < 1e-4, "{linear}");
    };
    near(outside, -2.0);
    near(around, 2.0);
    near(centered, -2.0);
}

#[test]
fn only_dynamic_bodies_with_a_category_within_reach_are_pushed_and_wake() {
    let mut world = world();
    add(
        &mut world,
        &BodyDef::fixed(0.0, -0.5),
        &Shape::new_box(100.0, 1.0).unwrap(),
    );
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    let [near, far] = [3.0, 40.0].map(|x| add(&mut world, &BodyDef::dynamic(x, 0.5), &shape));
    let lift = add(&mut world, &BodyDef::kinematic(0.0, 4.0), &shape);
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let awake = |world: &PhysicsWorld| [near, far].map(|body| world.body(body).unwrap().is_awake());
    assert_eq!(awake(&world), [false, false]);
    let other = ExplosionDef {
        mask: 2,
        ..blast(10.0, 0.0, 1.0)
    };
    assert_eq!(
        (world.explode(&other).unwrap(), awake(&world)),
        (0, [false, false])
    );
    assert_eq!(world.explode(&blast(10.0, 0.0, 1.0)).unwrap(), 1);
    assert_eq!(awake(&world), [true, false]);
    assert_eq!(momentum(&world, lift).0, Vec2::ZERO);
}

#[test]
fn bad_numbers_are_refused_and_the_greatest_allowed_break_nothing() {
    let mut world = world();
    let speck = add(
        &mut world,
        &BodyDef::dynamic(1.0, 0.0),
        &Shape::circle(Vec2::ZERO, 0.0005).unwrap(),
    );
    let before = world.state_hash();
    for def in [
        blast(f32::NAN, 0.0, 1.0),
        blast(1.0, -1.0, 1.0),
        blast(1.0, 1.0, f32::INFINITY),
        ExplosionDef {
            position: Position::new(f32::NAN, 0.0),
            ..blast(1.0, 1.0, 1.0)
        },
    ] {
        assert!(world.explode(&def).is_err(), "{def:?}");
    }
    assert_eq!(world.state_hash(), before);
    world.explode(&blast(1.0e5, 1.0e5, 1.0e30)).unwrap();
    for _ in 0..10 {
        world.step(1.0 / 60.0).unwrap();
        world.explode(&blast(1.0e5, 1.0e5, -1.0e30)).unwrap();
    }
    assert!(world.body(speck).unwrap().linear_velocity().is_finite());
}
