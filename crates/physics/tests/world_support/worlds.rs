//! Small worlds that between them use every kind of shape, body and constraint.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};

/// A world by name.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) build: fn() -> PhysicsWorld,
    /// How many steps show what there is to see.
    pub(crate) steps: usize,
}

/// Every world, in the order in which the golden file lists them.
pub(crate) const WORLDS: [Named; 8] = [
    Named {
        name: "falling_hinges",
        build: falling_hinges,
        steps: 400,
    },
    Named {
        name: "pile",
        build: pile,
        steps: 180,
    },
    Named {
        name: "chain",
        build: chain,
        steps: 180,
    },
    Named {
        name: "spinner",
        build: spinner,
        steps: 180,
    },
    Named {
        name: "bouncing",
        build: bouncing,
        steps: 180,
    },
    Named {
        name: "drum",
        build: drum,
        steps: 180,
    },
    Named {
        name: "joints",
        build: super::machines::joints,
        steps: 180,
    },
    Named {
        name: "skins",
        build: skins,
        steps: 180,
    },
];

pub(crate) fn empty() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

pub(crate) fn add(world: &mut PhysicsWorld, def: &BodyDef, shape_def: &ShapeDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, shape_def, shape).unwrap();
    body
}

/// A dynamic box with sides of 1 m.
pub(crate) fn add_box(world: &mut PhysicsWorld, x: f32, y: f32) -> BodyId {
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    add(world, &BodyDef::dynamic(x, y), &ShapeDef::default(), &shape)
}

/// A wide floor whose upper side is at height zero.
pub(crate) fn add_floor(world: &mut PhysicsWorld) -> BodyId {
    let shape = Shape::new_box(80.0, 2.0).unwrap();
    add(world, &BodyDef::fixed(0.0, -1.0), &ShapeDef::default(), &shape)
}

/// Four towers of twenty boxes, jointed in pairs with limit, spring and motor, that fall and come to rest: the scene by
/// which Box2D tests its determinism, restated from its numbers.
pub(crate) fn falling_hinges() -> PhysicsWorld {
    const HALF: f32 = 0.25;
    const COLUMNS: u32 = 4;
    const ROWS: u32 = 20;
    let mut world = empty();
    add_floor(&mut world);
    let square = Shape::new_box(2.0 * HALF, 2.0 * HALF).unwrap();
    for column in 0..COLUMNS {
        let column_x = 10.0 * HALF * (column as f32 - 0.5 * (COLUMNS - 1) as f32);
        let mut below = None;
        for row in 0..ROWS {
            let def = BodyDef {
                angle: if row % 2 == 0 { -0.1 } else { 0.1 },
                ..BodyDef::dynamic(column_x + 0.4 * HALF * row as f32, HALF + 2.0 * HALF * row as f32)
            };
            let body = add(&mut world, &def, &ShapeDef::default(), &square);
            below = match below {
                None => Some(body),
                Some(below) => {
                    let anchors = (Vec2::new(-HALF, HALF), Vec2::new(-HALF, -HALF));
                    let revolute = RevoluteDef {
                        enable_limit: true,
                        lower_angle: -0.1 * core::f32::consts::PI,
                        upper_angle: 0.2 * core::f32::consts::PI,
                        enable_spring: true,
                        spring_hertz: 1.0,
                        spring_damping_ratio: 1.0,
                        enable_motor: true,
                        max_motor_torque: 0.25,
                        constraint_damping_ratio: 0.0,
                        ..RevoluteDef::new(below, anchors.0, body, anchors.1)
                    };
                    world.create_joint(revolute).unwrap();
                    None
                }
            };
        }
    }
    world
}

/// The shapes that piles are made of, in turn.
pub(crate) fn shapes_to_probe() -> [Shape; 5] {
    let corners = [
        Vec2::new(-0.4, -0.2),
        Vec2::new(0.4, -0.25),
        Vec2::new(0.3, 0.3),
        Vec2::new(-0.1, 0.45),
    ];
    [
        Shape::circle(Vec2::new(0.05, 0.0), 0.35).unwrap(),
        Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.05), 0.2).unwrap(),
        Shape::new_box(0.8, 0.6).unwrap(),
        Shape::rounded_box(0.6, 0.4, 0.1).unwrap(),
        Shape::polygon(&corners, 0.0).unwrap(),
    ]
}

/// Shapes of all kinds fall into a trough of segments, some of them with two shapes.
pub(crate) fn pile() -> PhysicsWorld {
    let mut world = empty();
    let trough = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    for (from, to) in [
        ((-8.0, 6.0), (-4.0, 0.0)),
        ((-4.0, 0.0), (4.0, 0.0)),
        ((4.0, 0.0), (8.0, 6.0)),
    ] {
        let segment = Shape::segment(from.into(), to.into()).unwrap();
        world
            .create_shape(trough, &ShapeDef::default(), &segment)
            .unwrap();
    }
    let shapes_to_probe = shapes_to_probe();
    for i in 0..90 {
        let (column, row) = (i % 9, i / 9);
        let def = BodyDef {
            angle: 0.3 * i as f32,
            ..BodyDef::dynamic(
                0.95 * column as f32 - 3.8 + 0.05 * row as f32,
                1.0 + 1.1 * row as f32,
            )
        };
        let rolls = ShapeDef {
            rolling_resistance: if i % 4 == 0 { 0.1 } else { 0.0 },
            ..ShapeDef::default()
        };
        let body = add(&mut world, &def, &rolls, &shapes_to_probe[i % 5]);
        if i % 7 == 0 {
            let second = Shape::circle(Vec2::new(0.2, 0.3), 0.15).unwrap();
            world.create_shape(body, &rolls, &second).unwrap();
        }
    }
    world
}

/// Shapes of all kinds with contact skins, some of them fast, fall on blocks side by side and between two slopes, which
/// have skins too.
pub(crate) fn skins() -> PhysicsWorld {
    let skin = |contact_skin: f32| ShapeDef {
        contact_skin,
        ..ShapeDef::default()
    };
    let mut world = empty();
    let block = Shape::new_box(1.0, 1.0).unwrap();
    for i in 0..12 {
        add(
            &mut world,
            &BodyDef::fixed(i as f32 - 5.5, -0.5),
            &skin(0.04),
            &block,
        );
    }
    let walls = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    for side in [-1.0, 1.0] {
        let wall = Shape::half_space(Vec2::new(5.0 * side, 0.0), Vec2::new(-side, 0.5)).unwrap();
        world.create_shape(walls, &skin(0.1), &wall).unwrap();
    }
    let shapes_to_probe = shapes_to_probe();
    for i in 0..60 {
        let def = BodyDef {
            angle: 0.4 * i as f32,
            linear_velocity: Vec2::new(0.0, if i % 9 == 8 { -60.0 } else { 0.0 }),
            bullet: i % 18 == 8,
            ..BodyDef::dynamic(1.3 * (i % 6) as f32 - 3.2, 1.0 + 1.4 * (i / 6) as f32)
        };
        add(
            &mut world,
            &def,
            &skin(0.03 * (i % 4) as f32),
            &shapes_to_probe[i % 5],
        );
    }
    world
}

/// A chain of revolute joints between two posts, with boxes falling on it.
pub(crate) fn chain() -> PhysicsWorld {
    let mut world = empty();
    let link = Shape::capsule(Vec2::new(-0.4, 0.0), Vec2::new(0.4, 0.0), 0.12).unwrap();
    let mut last = world.create_body(&BodyDef::fixed(-10.0, 4.0)).unwrap();
    let mut anchor = Vec2::ZERO;
    for i in 0..20 {
        let def = BodyDef::dynamic(-9.5 + i as f32, 4.0);
        let body = add(&mut world, &def, &ShapeDef::default(), &link);
        world
            .create_joint(RevoluteDef::new(last, anchor, body, Vec2::new(-0.5, 0.0)))
            .unwrap();
        (last, anchor) = (body, Vec2::new(0.5, 0.0));
    }
    let post = world.create_body(&BodyDef::fixed(10.0, 4.0)).unwrap();
    world
        .create_joint(RevoluteDef::new(last, anchor, post, Vec2::ZERO))
        .unwrap();
    for i in 0..24 {
        add_box(
            &mut world,
            -6.0 + (i % 8) as f32 * 1.6,
            6.0 + (i / 8) as f32 * 1.2,
        );
    }
    world
}

/// A motor turns a cross among boxes, a lift goes up and down, and a belt carries.
pub(crate) fn spinner() -> PhysicsWorld {
    let mut world = empty();
    let floor = add_floor(&mut world);
    let wheel = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    for angle in [0.0, 0.5 * core::f32::consts::PI] {
        let bar = Shape::box_at(5.0, 0.4, Vec2::ZERO, angle).unwrap();
        world.create_shape(wheel, &ShapeDef::default(), &bar).unwrap();
    }
    let motor = RevoluteDef {
        enable_motor: true,
        motor_speed: 3.0,
        max_motor_torque: 4000.0,
        ..RevoluteDef::new(floor, Vec2::new(0.0, 4.0), wheel, Vec2::ZERO)
    };
    world.create_joint(motor).unwrap();
    let belt = ShapeDef {
        tangent_speed: 2.0,
        ..ShapeDef::default()
    };
    let plank = Shape::new_box(8.0, 0.4).unwrap();
    add(&mut world, &BodyDef::fixed(-9.0, 0.5), &belt, &plank);
    let lift = BodyDef {
        linear_velocity: Vec2::new(0.0, 0.5),
        angular_velocity: 0.1,
        ..BodyDef::kinematic(8.0, 0.5)
    };
    add(&mut world, &lift, &ShapeDef::default(), &plank);
    for i in 0..48 {
        add_box(
            &mut world,
            -12.0 + (i % 16) as f32 * 1.6,
            6.5 + (i / 16) as f32 * 1.3,
        );
    }
    world
}

/// Balls and boxes of different bounciness, some without weight, some damped.
pub(crate) fn bouncing() -> PhysicsWorld {
    let mut world = empty();
    add_floor(&mut world);
    let shapes_to_probe = shapes_to_probe();
    for i in 0..40 {
        let shape_def = ShapeDef {
            restitution: 0.025 * i as f32,
            friction: 0.1 * (i % 9) as f32,
            density: 0.5 + 0.25 * (i % 5) as f32,
            ..ShapeDef::default()
        };
        let def = BodyDef {
            kind: BodyKind::Dynamic,
            linear_velocity: Vec2::new(4.0 - 0.2 * i as f32, -3.0),
            angular_velocity: 0.5 * (i % 7) as f32,
            linear_damping: 0.1 * (i % 3) as f32,
            angular_damping: 0.2 * (i % 4) as f32,
            gravity_scale: if i % 11 == 10 { -0.1 } else { 1.0 },
            fixed_rotation: i % 13 == 12,
            ..BodyDef::dynamic(-15.0 + 0.75 * i as f32, 3.0 + (i % 6) as f32)
        };
        add(&mut world, &def, &shape_def, &shapes_to_probe[i % 5]);
    }
    world
}

/// A drum that a motor turns, full of boxes that never come to rest.
pub(crate) fn drum() -> PhysicsWorld {
    let mut world = empty();
    let frame = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let drum = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let heavy = ShapeDef {
        density: 50.0,
        ..ShapeDef::default()
    };
    for (half_x, half_y, x, y) in [
        (0.5, 5.0, 5.0, 0.0),
        (0.5, 5.0, -5.0, 0.0),
        (5.0, 0.5, 0.0, 5.0),
        (5.0, 0.5, 0.0, -5.0),
    ] {
        let side = Shape::box_at(2.0 * half_x, 2.0 * half_y, Vec2::new(x, y), 0.0).unwrap();
        world.create_shape(drum, &heavy, &side).unwrap();
    }
    let motor = RevoluteDef {
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_torque: 1.0e8,
        ..RevoluteDef::new(frame, Vec2::ZERO, drum, Vec2::ZERO)
    };
    world.create_joint(motor).unwrap();
    let square = Shape::new_box(0.4, 0.4).unwrap();
    for i in 0..144 {
        let def = BodyDef::dynamic(-3.3 + 0.6 * (i % 12) as f32, -3.3 + 0.6 * (i / 12) as f32);
        add(&mut world, &def, &ShapeDef::default(), &square);
    }
    world
}
