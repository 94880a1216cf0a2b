//! Bodies of four corners go through fluids in lanes, all others one by one: both come to the same, and every width of
//! lanes to the same bits.

use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, FieldDef, FieldKind, Filter, LaneWidth, PhysicsWorld, Position, Shape, ShapeDef, Vec2, WorldDef,
};

/// Quadrilaterals at the surface of a pool that leans, under it and above it, fast and slow; none touches another one.
fn pool(mask: u64) -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let water = FieldKind::Fluid {
        density: 1.3,
        velocity: Vec2::new(0.4, -0.2),
        drag: 0.9,
        viscosity: 0.5,
    };
    let field = FieldDef {
        area: Some(Shape::new_box(200.0, 20.0).unwrap()),
        position: Position::new(0.0, -10.0),
        angle: 0.03,
        mask,
        ..FieldDef::new(water)
    };
    world.create_field(&field).unwrap();
    let mut random = Random(5);
    for i in 0..600 {
        let is_still = i % 7 == 0;
        let def = BodyDef {
            angle: random.between(-3.0, 3.0),
            linear_velocity: if is_still { Vec2::ZERO } else { random.vector(4.0) },
            angular_velocity: if is_still { 0.0 } else { random.between(-5.0, 5.0) },
            ..BodyDef::dynamic(random.between(-70.0, 70.0), random.between(-4.0, 4.0))
        };
        let body = world.create_body(&def).unwrap();
        let (wide, high) = (random.between(0.2, 1.5), random.between(0.2, 1.5));
        let lean = random.between(-0.15, 0.15);
        let corners = [
            (-wide, -high),
            (wide, -high + lean),
            (wide + lean, high),
            (-wide, high),
        ];
        let shape = Shape::polygon(&corners.map(Vec2::from), 0.0).unwrap();
        let def = ShapeDef {
            filter: Filter {
                mask: 0,
                ..Filter::default()
            },
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &shape).unwrap();
    }
    world
}

fn velocities(world: &PhysicsWorld) -> Vec<[f32; 3]> {
    let of = |velocity: Vec2, spin: f32| [velocity.x, velocity.y, spin];
    let bodies = world.bodies();
    bodies
        .map(|body| of(body.linear_velocity(), body.angular_velocity()))
        .collect()
}

#[test]
fn bodies_are_pushed_in_lanes_as_they_are_one_by_one() {
    // Fields that ask for categories look at bodies one by one; all bodies are of category 1.
    let (mut in_lanes, mut one_by_one) = (pool(u64::MAX), pool(1));
    let (mut dry, before) = (pool(2), velocities(&in_lanes));
    for world in [&mut in_lanes, &mut one_by_one, &mut dry] {
        world.step(DT).unwrap();
    }
    let (got, wanted, free) = (velocities(&in_lanes), velocities(&one_by_one), velocities(&dry));
    let pushed = wanted
        .iter()
        .zip(&free)
        .filter(|(one, other)| one != other)
        .count();
    assert!(
        pushed > 300 && pushed < 600,
        "{pushed} of {} are in the water",
        before.len()
    );
    for (i, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
        for (got, wanted) in got.iter().zip(wanted) {
            let off = (got - wanted).abs();
            assert!(
                off < 1.0e-5 * (1.0 + wanted.abs()),
                "body {i}: {got}, wanted {wanted}"
            );
        }
    }
}

#[test]
fn fluids_give_the_same_bits_in_all_lanes() {
    let run = |lanes: LaneWidth| {
        let mut world = pool(u64::MAX);
        world.set_lanes(lanes).unwrap();
        (0..60).for_each(|_| world.step(DT).unwrap());
        world.state_hash()
    };
    let first = run(LaneWidth::One);
    for lanes in LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available()) {
        assert_eq!(run(lanes), first, "{lanes:?}");
    }
}
