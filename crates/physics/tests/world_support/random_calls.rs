//! [`RandomWorlds`]: random calls on one or several worlds that must stay one, good calls and bad ones.

use super::Random;
use super::random_joints::{joint_of, random_joint};
use tombolo_physics::{
    Aabb, BodyDef, BodyId, BodyKind, BodyMut, BodyName, IslandAlgorithm, JointId, JointLimit, JointMotor,
    JointMut, JointSpring, JointStiffness, JointThresholds, MassProperties, MemberId, Motion, PhysicsError,
    PhysicsWorld, Pose, Position, QueryFilter, RigidWeldId, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

/// The worlds that must stay the same, and the ids that calls are made with; some of them are stale.
pub(crate) struct RandomWorlds {
    pub(crate) random: Random,
    pub(crate) worlds: Vec<PhysicsWorld>,
    pub(crate) bodies: Vec<BodyId>,
    pub(crate) shapes: Vec<ShapeId>,
    pub(crate) joints: Vec<JointId>,
    pub(crate) members: Vec<MemberId>,
    pub(crate) rigid_welds: Vec<RigidWeldId>,
    /// Steps without calls that are left: now and then a world is given time to fall asleep.
    quiet_steps: usize,
}

/// Calls the same method on every world and gives the first answer, which all must give.
macro_rules! each {
    ($random:expr, |$world:ident| $call:expr) => {{
        let mut answers = Vec::new();
        for $world in &mut $random.worlds {
            answers.push($call);
        }
        let first = answers.remove(0);
        for answer in answers {
            assert_eq!(answer, first, "the worlds answer alike");
        }
        first
    }};
}
pub(super) use each;

/// Whether a body froze at the edge of the world: a point beside it may lie beyond.
fn is_at_the_edge(body: &BodyMut<'_>) -> bool {
    body.view().position().to_vec2().length() > 10_000.0
}

/// How many bodies are walls; they come first.
const WALLS: usize = 4;

impl RandomWorlds {
    /// `count` equal worlds with walls and some forty bodies.
    pub(crate) fn new(seed: u64, count: usize) -> Self {
        let mut random = Random(seed);
        let def = WorldDef {
            gravity: if random.chance(6) {
                Vec2::ZERO
            } else {
                random.vector(12.0)
            },
            substeps: 1 + random.below(5) as u32,
            sleeping: !random.chance(4),
            islands: if random.chance(3) {
                random.pick(&IslandAlgorithm::ALL).expect("there are some")
            } else {
                IslandAlgorithm::default()
            },
            ..Default::default()
        };
        let mut calls = Self {
            random,
            worlds: (0..count).map(|_| PhysicsWorld::new(&def).unwrap()).collect(),
            bodies: Vec::new(),
            shapes: Vec::new(),
            joints: Vec::new(),
            members: Vec::new(),
            rigid_welds: Vec::new(),
            quiet_steps: 0,
        };
        calls.walls();
        for _ in 0..40 {
            calls.create_body();
        }
        calls
    }

    fn walls(&mut self) {
        for (x, y, w, h) in [
            (0.0, -6.0, 12.0, 1.0),
            (-12.0, 0.0, 1.0, 8.0),
            (12.0, 0.0, 1.0, 8.0),
            (0.0, 9.0, 12.0, 1.0),
        ] {
            let wall = Shape::new_box(2.0 * w, 2.0 * h).unwrap();
            let body = each!(self, |world| world.create_body(&BodyDef::fixed(x, y)).unwrap());
            each!(self, |world| world
                .create_shape(body, &ShapeDef::default(), &wall)
                .unwrap());
            self.bodies.push(body);
        }
    }

    fn create_body(&mut self) {
        let random = &mut self.random;
        let kind = match random.below(10) {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        };
        let moving = kind == BodyKind::Dynamic || random.chance(3);
        let mut def = BodyDef {
            kind,
            position: Position::from(random.vector(9.0)),
            angle: random.between(-3.0, 3.0),
            linear_velocity: if moving { random.vector(8.0) } else { Vec2::ZERO },
            angular_velocity: if moving { random.between(-9.0, 9.0) } else { 0.0 },
            linear_damping: if random.chance(3) {
                random.between(0.0, 2.0)
            } else {
                0.0
            },
            gravity_scale: if random.chance(8) { -0.5 } else { 1.0 },
            sleep_threshold: random.between(0.02, 0.6),
            allow_sleep: !random.chance(8),
            awake: !random.chance(6),
            bullet: random.chance(5),
            fixed_rotation: random.chance(10),
            fast_rotation: random.chance(6),
            fixed_x: random.chance(12),
            fixed_y: random.chance(12),
            dominance: if random.chance(8) {
                random.below(5) as i8 - 2
            } else {
                0
            },
            extra_substeps: if random.chance(12) {
                random.below(4) as u32
            } else {
                0
            },
            added_mass: if random.chance(12) {
                random.between(0.1, 9.0)
            } else {
                0.0
            },
            speed_max: if random.chance(12) {
                random.between(0.0, 9.0)
            } else {
                1.0e6
            },
            contact_recycling: !random.chance(10),
            enabled: !random.chance(12),
            user_key: random.next(),
            ..Default::default()
        };
        if def.user_key.is_multiple_of(4) {
            def.name = BodyName::new(&format!("{:x}", def.user_key)).unwrap();
        }
        let body = each!(self, |world| world.create_body(&def).unwrap());
        self.bodies.push(body);
        for _ in 0..1 + self.random.below(2) {
            self.create_shape(body);
        }
    }

    fn create_joint(&mut self) {
        let random = &mut self.random;
        let (Some(a), Some(b)) = (random.pick(&self.bodies), random.pick(&self.bodies)) else {
            return;
        };
        let def = random_joint(random, a, b);
        if let Ok(id) = each!(self, |world| world.create_joint(def.clone())) {
            self.joints.push(id);
        }
    }

    /// The calls between two steps: up to three, or none for a while.
    pub(crate) fn calls(&mut self) {
        if self.quiet_steps > 0 {
            self.quiet_steps -= 1;
            return;
        }
        if self.random.chance(30) {
            self.quiet_steps = 50 + self.random.below(60);
        }
        for _ in 0..self.random.below(4) {
            self.call();
        }
    }

    /// One random call.
    pub(crate) fn call(&mut self) {
        match self.random.below(7) {
            0 => self.call_about_the_world(),
            1 | 2 => self.call_about_a_body(),
            3 => self.call_about_a_shape(),
            6 => self.call_about_rules(),
            4 => self.call_about_cutting(),
            _ => self.call_about_a_joint(),
        }
    }

    fn call_about_the_world(&mut self) {
        let random = &mut self.random;
        let (vector, flip) = (random.vector(12.0), random.chance(2));
        match random.below(12) {
            0 => each!(self, |world| world.set_gravity(vector).unwrap()),
            1 => {
                let substeps = 1 + random.below(6) as u32;
                each!(self, |world| world.set_substeps(substeps).unwrap());
            }
            2 => each!(self, |world| world.set_sleeping_enabled(flip)),
            3 => {
                let algorithm = random.pick(&IslandAlgorithm::ALL).expect("there are some");
                each!(self, |world| world.set_island_algorithm(algorithm));
            }
            4 => self.call_badly(),
            5..=8 => self.create_body(),
            _ => self.ask(),
        }
    }

    fn call_about_a_body(&mut self) {
        let random = &mut self.random;
        let Some(body) = random.pick(&self.bodies) else {
            return;
        };
        let (vector, angle, flip) = (random.vector(10.0), random.between(-3.0, 3.0), random.chance(2));
        let place = Position::from(0.8 * vector);
        match random.below(21) {
            0 if flip => drop(each!(self, |world| world.destroy_body(body))),
            1 => self.destroy_in_mid_contact(),
            2 | 3 => drop(each!(self, |world| world
                .body_mut(body)
                .map(|mut body| body.set_enabled(flip)))),
            4 => drop(each!(self, |world| world
                .body_mut(body)
                .and_then(|mut body| body.teleport(Pose::new(place.to_vec2(), angle))))),
            5 => self.change_body(body, |body| body.set_linear_velocity(vector)),
            6 => self.change_body(body, |body| body.set_angular_velocity(angle)),
            7 => self.change_body(body, |body| body.apply_impulse_at(vector, place)),
            8 => self.change_body(body, |body| body.apply_torque(angle)),
            9 => self.change_body(body, |body| {
                // Who froze at the edge of the world would have to be too fast.
                let dt = if is_at_the_edge(body) { 1.0 } else { 1.0 / 60.0 };
                body.set_target(place, angle, dt)
            }),
            10 => self.change_body(body, |body| body.set_damping(angle.abs(), 0.1)),
            11 => self.change_body(body, |body| body.set_gravity_scale(angle)),
            13 => self.change_body(body, |body| {
                body.set_fast_rotation(flip);
                body.set_angular_velocity(100.0 * angle)
            }),
            12 => self.change_body(body, |body| {
                body.wake();
                Ok(())
            }),
            14..=18 => self.control_body(body),
            _ => self.break_body(body),
        }
    }

    /// What only some bodies have.
    fn control_body(&mut self, body: BodyId) {
        let random = &mut self.random;
        let (vector, number) = (random.vector(10.0), random.between(0.1, 8.0));
        let (flip, flop) = (random.chance(2), random.chance(3));
        let own = MassProperties {
            mass: if flip { number } else { 0.0 },
            inertia: if flop { 0.0 } else { number },
            center: 0.05 * vector,
        };
        match random.below(13) {
            0 => self.change_body(body, |body| {
                body.set_fixed_axes(flip, flop);
                Ok(())
            }),
            1 => self.change_body(body, |body| body.set_own_mass(own)),
            2 => self.change_body(body, |body| body.set_added_mass(own.mass)),
            3 => self.change_body(body, |body| body.set_dominance(number as i8 - 4)),
            4 => self.change_body(body, |body| body.set_speed_limits(2.0 * number, number)),
            5 => self.change_body(body, |body| {
                body.set_contact_recycling(flip);
                if is_at_the_edge(body) {
                    return Ok(());
                }
                body.apply_local_impulse_at(vector, own.center)
            }),
            6 => self.change_body(body, |body| body.set_lasting_force(vector)),
            7 => self.change_body(body, |body| {
                body.set_lasting_torque(vector.x)?;
                if is_at_the_edge(body) {
                    return Ok(());
                }
                body.apply_local_force_at(vector, own.center)
            }),
            8 => drop(each!(self, |world| world
                .body_mut(body)
                .map(|mut body| body.sleep()))),
            9 => self.change_body(body, |body| body.set_extra_substeps(number as u32)),
            10 => self.change_body(body, |body| {
                body.drop_through();
                Ok(())
            }),
            11 => drop(each!(self, |world| world.body_mut(body).and_then(|mut body| {
                let pose = body.view().pose();
                let position = pose.position + vector;
                body.set_pose(Pose { position, ..pose })
            }))),
            _ => self.change_body(body, |body| {
                body.wake_touching();
                Ok(())
            }),
        }
    }

    /// A joint made, destroyed, or changed in one of its options; some of the numbers are out of range.
    pub(crate) fn call_about_a_joint(&mut self) {
        let random = &mut self.random;
        let (size, flip) = (random.between(0.0, 3.0), random.chance(2));
        let (points, turns) = (
            [random.vector(1.0), random.vector(1.0)],
            random.below(9) as i32 - 4,
        );
        let bad = if random.chance(9) { f32::NAN } else { size };
        match (random.below(14), random.pick(&self.joints)) {
            (0 | 1, _) => self.create_joint(),
            (2, Some(joint)) => drop(each!(self, |world| world.destroy_joint(joint))),
            (3, Some(joint)) => self.change_joint(joint, |joint| {
                joint.set_motor(flip.then_some(JointMotor {
                    speed: size,
                    max: 20.0,
                }))
            }),
            (4, Some(joint)) => self.change_joint(joint, |joint| {
                joint.set_limit(flip.then_some(JointLimit {
                    lower: -size,
                    upper: 0.3,
                }))
            }),
            (5, Some(joint)) => {
                self.change_joint(joint, |joint| {
                    joint.set_spring(flip.then_some(JointSpring {
                        target: -0.2,
                        hertz: bad,
                        damping_ratio: 0.7,
                    }))
                });
            }
            (6, Some(joint)) => self.redefine_joint(joint),
            (7, Some(joint)) => self.change_joint(joint, |joint| {
                joint.set_stiffness(JointStiffness {
                    hertz: 30.0 * size,
                    damping_ratio: bad,
                })
            }),
            (8, Some(joint)) => self.change_joint(joint, |joint| joint.set_anchors(points[0], points[1])),
            (9, Some(joint)) => self.change_joint(joint, |joint| joint.set_angles(2.0 * size, bad)),
            (10, Some(joint)) => {
                self.change_joint(joint, |joint| {
                    joint.set_thresholds(JointThresholds {
                        force: 100.0 * size,
                        torque: 50.0 * bad,
                        breaks: flip,
                    })
                });
            }
            (11, Some(joint)) => self.change_joint(joint, |joint| joint.set_collide_connected(flip)),
            (12, Some(joint)) => self.change_joint(joint, |joint| joint.set_turns(turns)),
            (13, Some(joint)) => self.ask_a_joint(joint),
            _ => {}
        }
    }

    /// Everything that a joint tells; what a definition tells creates it anew.
    fn ask_a_joint(&self, joint: JointId) {
        let Some(joint) = self.worlds[0].joint(joint) else {
            return;
        };
        joint.def().validate().expect("what a joint is could be created");
        // Bodies that were thrown out of all range tell numbers that are none until they are next moved.
        let told = [
            joint.angle(),
            joint.length(),
            joint.linear_error(),
            joint.angular_error(),
        ];
        let places = joint.bodies().map(|body| body.position().is_finite());
        assert!(
            places.contains(&false) || told.iter().all(|number| number.is_finite()),
            "{told:?} of {:?}",
            joint.def()
        );
    }

    /// Gives a joint the options of a random one of its kind.
    fn redefine_joint(&mut self, joint: JointId) {
        let Some(view) = self.worlds[0].joint(joint) else {
            return;
        };
        let [a, b] = view.bodies().map(|body| body.id());
        let def = joint_of(&mut self.random, view.kind(), a, b);
        drop(each!(self, |world| world.joint_mut(joint).map(|mut joint| joint
            .set_def(def.clone())
            .expect("the numbers are good"))));
    }

    fn change_body(&mut self, body: BodyId, change: impl Fn(&mut BodyMut<'_>) -> Result<(), PhysicsError>) {
        drop(each!(self, |world| world
            .body_mut(body)
            .map(|mut body| change(&mut body).expect("the numbers are good"))));
    }

    fn change_joint(
        &mut self,
        joint: JointId,
        change: impl Fn(&mut JointMut<'_>) -> Result<(), PhysicsError>,
    ) {
        drop(each!(self, |world| world
            .joint_mut(joint)
            // A length is not negative, and some kinds have no such part.
            .map(|mut joint| change(&mut joint).is_ok())));
    }

    /// Destroys a shape or a body that touches something right now.
    fn destroy_in_mid_contact(&mut self) {
        let touching: Vec<(ShapeId, BodyId)> = self.worlds[0]
            .contacts()
            .filter(|contact| contact.is_touching())
            .flat_map(|contact| contact.shapes().map(|shape| (shape.id(), shape.body().id())))
            .filter(|(_, body)| !self.bodies[..WALLS].contains(body))
            .collect();
        let Some((shape, body)) = self.random.pick(&touching) else {
            return;
        };
        if self.random.chance(2) {
            each!(self, |world| world.destroy_shape(shape).unwrap());
        } else {
            each!(self, |world| world.destroy_body(body).unwrap());
        }
    }

    /// Now and then a body leaves the world in the next step.
    fn break_body(&mut self, body: BodyId) {
        if self.random.chance(6) {
            let edge = Position::new(99_999.5, 0.0);
            drop(each!(self, |world| {
                world
                    .body_mut(body)
                    .and_then(|mut body| body.teleport(Pose::new(edge.to_vec2(), 0.0)))
            }));
            self.change_body(body, |body| body.apply_impulse(Vec2::splat(1.0e30)));
        }
    }

    /// Calls with bad numbers are refused, and the world is as it was.
    fn call_badly(&mut self) {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let (number, body) = (
            self.random.pick(&bad).expect("there are three"),
            self.random.pick(&self.bodies),
        );
        let before = self.worlds[0].state_hash();
        each!(self, |world| world.set_substeps(0).unwrap_err());
        // NaN differs from itself, so what these errors hold is not compared between the worlds.
        each!(self, |world| assert!(
            world.set_gravity(Vec2::new(0.0, number)).is_err() && world.step(number).is_err()
        ));
        if let Some(body) = body {
            each!(self, |world| assert!(
                world
                    .body_mut(body)
                    .and_then(|mut body| body.teleport(Pose::new(Vec2::new(number, 0.0), 0.0)))
                    .is_err()
            ));
            drop(each!(self, |world| world.body_mut(body).map(|mut body| assert!(
                body.set_linear_velocity(Vec2::new(number, 0.0)).is_err()
                    && body.apply_impulse(Vec2::splat(number)).is_err()
                    && body.set_damping(-1.0, 0.0).is_err()
            ))));
        }
        assert_eq!(
            self.worlds[0].state_hash(),
            before,
            "a refused call changes nothing"
        );
    }

    /// Queries answer alike in all worlds.
    fn ask(&mut self) {
        let shape = self.geometry();
        let random = &mut self.random;
        let (from, along) = (Position::from(random.vector(12.0)), random.vector(20.0));
        let pose = Pose::new(from.to_vec2(), random.between(-3.0, 3.0));
        let filter = QueryFilter {
            mask: if random.chance(3) { 0b11 } else { u64::MAX },
            ..QueryFilter::default()
        };
        let area = Aabb::new(from.to_vec2(), from.to_vec2()).grown(2.0);
        each!(self, |world| world.cast_ray(from, along, filter).unwrap());
        each!(self, |world| world.cast_ray_all(from, along, filter).unwrap());
        each!(self, |world| world.overlap_point(from, filter).unwrap());
        each!(self, |world| world.overlap_box(area, filter).unwrap());
        if let Some(shape) = shape {
            each!(self, |world| world.overlap_shape(&shape, pose, filter).unwrap());
            each!(self, |world| world
                .cast_shape(&shape, Motion::line(pose, along), filter)
                .unwrap());
        }
    }
}
