//! The calls of the table of `docs/controls.md`, each made of one body of a stack at rest, or of its shape, or of a joint of it.

use tombolo_physics::{
    ANY_CATEGORY, BodyDef, BodyId, BodyKind, BodyMut, CombineRule, ContactId, ContactRule, Debris,
    ExplosionDef, FieldDef, FieldId, FieldKind, Filter, IslandAlgorithm, JointId, JointLimit, JointMotor,
    JointMut, JointSpring, JointStiffness, JointThresholds, LaneWidth, MassProperties, PhysicsWorld,
    Position, RevoluteDef, Shape, ShapeDef, ShapeId, ShapeMut, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

/// A floor, a box on it and one on top, all asleep, and a sensor within the lower one.
pub(crate) struct Stack {
    pub(crate) world: PhysicsWorld,
    pub(crate) floor: BodyId,
    pub(crate) lower: BodyId,
    pub(crate) upper: BodyId,
}

impl Stack {
    pub(crate) fn new() -> Self {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let mut add = |def: BodyDef, size: Vec2, sensor: bool| {
            let body = world.create_body(&def).unwrap();
            let shape = Shape::new_box(size.x, size.y).unwrap();
            let def = ShapeDef {
                sensor,
                ..ShapeDef::default()
            };
            world.create_shape(body, &def, &shape).unwrap();
            body
        };
        let floor = add(BodyDef::fixed(0.0, -1.0), Vec2::new(20.0, 2.0), false);
        let lower = add(BodyDef::dynamic(0.0, 0.5), Vec2::ONE, false);
        let upper = add(BodyDef::dynamic(0.0, 1.5), Vec2::ONE, false);
        add(BodyDef::fixed(0.0, 0.5), Vec2::splat(0.3), true);
        let mut stack = Self {
            world,
            floor,
            lower,
            upper,
        };
        stack.settle();
        stack
    }

    /// Lets it come to rest.
    fn settle(&mut self) {
        for _ in 0..200 {
            self.world.step(DT).unwrap();
        }
        assert_eq!(self.is_awake(self.lower), Some(false), "it came to rest");
    }

    /// Whether a body is awake, if it is still there.
    pub(crate) fn is_awake(&self, body: BodyId) -> Option<bool> {
        self.world.body(body).map(|body| body.is_awake())
    }

    fn shape(&self, body: BodyId) -> ShapeId {
        self.world.body(body).unwrap().shapes().next().unwrap().id()
    }

    /// Whoever a call needs beside a body: what it touches.
    fn other(&self, body: BodyId) -> BodyId {
        if body == self.floor {
            self.lower
        } else {
            self.floor
        }
    }

    /// The contact of the lower box with the floor.
    pub(crate) fn contact(&self) -> ContactId {
        let floor = self.shape(self.floor);
        let mut contacts = self.world.body(self.lower).unwrap().contacts();
        contacts
            .find(|contact| contact.shapes().iter().any(|shape| shape.id() == floor))
            .unwrap()
            .id()
    }

    /// Joins a body to the upper box, in the middle of that.
    fn pin(&mut self, of: BodyId) -> JointId {
        let [from, to] = [of, self.upper].map(|body| self.world.body(body).unwrap().position());
        let pin = RevoluteDef {
            collide_connected: true,
            count_turns: true,
            ..RevoluteDef::new(of, to.to_vec2() - from.to_vec2(), self.upper, Vec2::ZERO)
        };
        self.world.create_joint(pin).unwrap()
    }

    /// A breeze around the middle of a body.
    fn breeze(&self, of: BodyId) -> FieldDef {
        let breeze = FieldKind::Wind {
            velocity: Vec2::X,
            density: 1.0e-3,
            drag: 1.0,
            lift: 0.0,
        };
        FieldDef {
            area: Some(Shape::new_box(0.2, 0.2).unwrap()),
            position: self.world.body(of).unwrap().position(),
            ..FieldDef::new(breeze)
        }
    }

    /// The same, made and slept upon.
    fn field(&mut self, of: BodyId) -> FieldId {
        let breeze = self.breeze(of);
        let field = self.world.create_field(&breeze).unwrap();
        self.settle();
        field
    }
}

/// Makes the call of a line, of one of the bodies.
pub(crate) fn make(stack: &mut Stack, name: &str, of: fn(&Stack) -> BodyId) {
    let of = of(stack);
    let (view, call) = name.split_once("::").expect("a view and a call");
    match view {
        "BodyMut" => body_call(call)(&mut stack.world.body_mut(of).unwrap()),
        "ShapeMut" => {
            let shape = stack.shape(of);
            shape_call(call)(&mut stack.world.shape_mut(shape).unwrap());
        }
        "JointMut" => {
            let pin = stack.pin(of);
            stack.settle();
            joint_call(call)(&mut stack.world.joint_mut(pin).unwrap());
        }
        "PhysicsWorld" => world_call(call)(stack, of),
        _ => unknown(name),
    }
}

fn unknown(name: &str) -> ! {
    panic!("the document names a call that this test does not know: {name}")
}

/// Calls that move a body, put it somewhere else, or say what it is.
fn body_call(name: &str) -> fn(&mut BodyMut<'_>) {
    match name {
        "wake" => |body| body.wake(),
        "wake_touching" => |body| body.wake_touching(),
        "sleep" => |body| assert!(body.sleep()),
        "set_linear_velocity" => |body| body.set_linear_velocity(Vec2::new(0.01, 0.0)).unwrap(),
        "set_angular_velocity" => |body| body.set_angular_velocity(0.01).unwrap(),
        "set_target" => |body| {
            let pose = body.view().pose();
            let aside = pose.position + Vec2::new(1.0e-4, 0.0);
            body.set_target(aside.into(), pose.rotation.angle(), DT).unwrap();
        },
        "set_kind" => |body| {
            let kind = body.view().kind();
            body.set_kind(BodyKind::Kinematic).unwrap();
            body.set_kind(kind).unwrap();
        },
        "set_enabled" => |body| {
            body.set_enabled(false);
            body.set_enabled(true);
        },
        "teleport" => |body| {
            let pose = body.view().pose();
            body.teleport(pose).unwrap();
        },
        "set_pose" => |body| {
            let pose = body.view().pose();
            body.set_pose(pose).unwrap();
        },
        "drop_through" => |body| body.drop_through(),
        _ => push_call(name),
    }
}

/// Calls that push a body.
fn push_call(name: &str) -> fn(&mut BodyMut<'_>) {
    match name {
        "apply_force" => |body| body.apply_force(Vec2::ZERO).unwrap(),
        "apply_force_at" => |body| body.apply_force_at(Vec2::ZERO, Position::ORIGIN).unwrap(),
        "apply_local_force" => |body| body.apply_local_force(Vec2::ZERO).unwrap(),
        "apply_local_force_at" => |body| body.apply_local_force_at(Vec2::ZERO, Vec2::X).unwrap(),
        "apply_torque" => |body| body.apply_torque(0.0).unwrap(),
        "apply_impulse" => |body| body.apply_impulse(Vec2::ZERO).unwrap(),
        "apply_impulse_at" => |body| body.apply_impulse_at(Vec2::ZERO, Position::ORIGIN).unwrap(),
        "apply_local_impulse" => |body| body.apply_local_impulse(Vec2::ZERO).unwrap(),
        "apply_local_impulse_at" => |body| body.apply_local_impulse_at(Vec2::ZERO, Vec2::X).unwrap(),
        "apply_angular_impulse" => |body| body.apply_angular_impulse(0.0).unwrap(),
        "set_lasting_force" => |body| body.set_lasting_force(Vec2::ZERO).unwrap(),
        "set_lasting_torque" => |body| body.set_lasting_torque(0.0).unwrap(),
        _ => option_call(name),
    }
}

/// Options of a body.
fn option_call(name: &str) -> fn(&mut BodyMut<'_>) {
    match name {
        "set_fixed_axes" => |body| body.set_fixed_axes(true, false),
        "set_fixed_rotation" => |body| body.set_fixed_rotation(true),
        "set_fast_rotation" => |body| body.set_fast_rotation(true),
        "set_own_mass" => |body| {
            let own = MassProperties {
                mass: 2.0,
                inertia: 0.5,
                center: Vec2::ZERO,
            };
            body.set_own_mass(own).unwrap();
        },
        "set_added_mass" => |body| body.set_added_mass(2.0).unwrap(),
        "set_dominance" => |body| body.set_dominance(3).unwrap(),
        "set_extra_substeps" => |body| body.set_extra_substeps(3).unwrap(),
        "set_speed_limits" => |body| body.set_speed_limits(10.0, 10.0).unwrap(),
        "set_contact_recycling" => |body| body.set_contact_recycling(false),
        "set_damping" => |body| body.set_damping(0.1, 0.1).unwrap(),
        "set_name" => |body| body.set_name("box").unwrap(),
        "set_user_key" => |body| body.set_user_key(7),
        "set_bullet" => |body| body.set_bullet(true),
        "set_sleep_threshold" => |body| body.set_sleep_threshold(0.1).unwrap(),
        "set_gravity_scale" => |body| body.set_gravity_scale(1.0).unwrap(),
        "set_may_sleep" => |body| body.set_may_sleep(false),
        _ => unknown(name),
    }
}

fn shape_call(name: &str) -> fn(&mut ShapeMut<'_>) {
    match name {
        "set_user_key" => |shape| shape.set_user_key(7),
        "set_material" => |shape| shape.set_material(0.5, 0.0).unwrap(),
        "set_surface" => |shape| shape.set_surface(0.0, 0.0).unwrap(),
        "set_filter" => |shape| {
            let filter = Filter {
                mask: 0b11,
                ..Filter::default()
            };
            shape.set_filter(filter);
        },
        "set_events" => |shape| {
            shape.set_events(false, false);
            shape.set_events(true, true);
        },
        "set_force_threshold" => |shape| shape.set_force_threshold(5.0).unwrap(),
        "set_sees" => |shape| shape.set_sees(true, true),
        "set_sensor" => |shape| {
            shape.set_sensor(true);
            shape.set_sensor(false);
        },
        "set_density" => |shape| shape.set_density(2.0).unwrap(),
        "set_geometry" => |shape| {
            let geometry = *shape.view().geometry();
            shape.set_geometry(&geometry).unwrap();
        },
        "set_combine_rules" => |shape| shape.set_combine_rules(CombineRule::Min, CombineRule::Max),
        "set_material_number" => |shape| shape.set_material_number(4).unwrap(),
        "set_contact_skin" => |shape| shape.set_contact_skin(0.01).unwrap(),
        _ => unknown(name),
    }
}

fn joint_call(name: &str) -> fn(&mut JointMut<'_>) {
    match name {
        "set_user_key" => |joint| joint.set_user_key(7),
        "set_def" => |joint| {
            let def = joint.view().def();
            joint.set_def(def).unwrap();
        },
        "set_motor" => |joint| {
            joint
                .set_motor(Some(JointMotor { speed: 0.0, max: 1.0 }))
                .unwrap()
        },
        "set_limit" => |joint| {
            joint
                .set_limit(Some(JointLimit {
                    lower: -1.0,
                    upper: 1.0,
                }))
                .unwrap()
        },
        "set_turns" => |joint| joint.set_turns(0).unwrap(),
        "set_spring" => |joint| {
            joint
                .set_spring(Some(JointSpring {
                    target: 0.0,
                    hertz: 1.0,
                    damping_ratio: 1.0,
                }))
                .unwrap()
        },
        "set_stiffness" => |joint| {
            joint
                .set_stiffness(JointStiffness {
                    hertz: 30.0,
                    damping_ratio: 1.0,
                })
                .unwrap()
        },
        "set_anchors" => |joint| {
            let RevoluteDef {
                local_anchor_a,
                local_anchor_b,
                ..
            } = revolute_of(joint);
            joint.set_anchors(local_anchor_a, local_anchor_b).unwrap();
        },
        "set_angles" => |joint| joint.set_angles(0.0, 0.0).unwrap(),
        "set_thresholds" => |joint| {
            joint
                .set_thresholds(JointThresholds {
                    force: 1.0e6,
                    torque: 1.0e6,
                    breaks: true,
                })
                .unwrap()
        },
        "set_collide_connected" => |joint| joint.set_collide_connected(true).unwrap(),
        _ => unknown(name),
    }
}

fn revolute_of(joint: &JointMut<'_>) -> RevoluteDef {
    match joint.view().def() {
        tombolo_physics::JointDef::Revolute(def) => def,
        other => panic!("it was made as one: {other:?}"),
    }
}

/// Calls about single things of a world.
fn world_call(name: &str) -> fn(&mut Stack, BodyId) {
    match name {
        "create_body" => |stack, _| {
            let far = BodyDef::dynamic(50.0, 50.0);
            stack.world.create_body(&far).unwrap();
        },
        "destroy_body" => |stack, of| stack.world.destroy_body(of).unwrap(),
        "create_shape" => |stack, of| {
            let core = Shape::circle(Vec2::ZERO, 0.1).unwrap();
            stack.world.create_shape(of, &ShapeDef::default(), &core).unwrap();
        },
        "destroy_shape" => |stack, of| {
            let shape = stack.shape(of);
            stack.world.destroy_shape(shape).unwrap();
        },
        "create_joint" => |stack, of| {
            stack.pin(of);
        },
        "destroy_joint" => |stack, of| {
            let pin = stack.pin(of);
            stack.settle();
            stack.world.destroy_joint(pin).unwrap();
        },
        "create_field" => |stack, of| {
            let breeze = stack.breeze(of);
            stack.world.create_field(&breeze).unwrap();
        },
        "set_field" => |stack, of| {
            let field = stack.field(of);
            let wider = FieldDef {
                area: Some(Shape::new_box(0.3, 0.3).unwrap()),
                ..stack.breeze(of)
            };
            stack.world.set_field(field, &wider).unwrap();
        },
        "set_field_pose" => |stack, of| {
            let field = stack.field(of);
            let place = stack.world.body(of).unwrap().position();
            stack.world.set_field_pose(field, place, 0.1).unwrap();
        },
        "set_field_enabled" => |stack, of| {
            let field = stack.field(of);
            stack.world.set_field_enabled(field, false).unwrap();
        },
        "destroy_field" => |stack, of| {
            let field = stack.field(of);
            stack.world.destroy_field(field).unwrap();
        },
        "explode" => |stack, of| {
            let place = stack.world.body(of).unwrap().position();
            let puff = ExplosionDef {
                radius: 0.1,
                impulse_per_length: 1.0e-3,
                ..ExplosionDef::at(place + Vec2::splat(0.05))
            };
            stack.world.explode(&puff).unwrap();
        },
        _ => rule_call(name),
    }
}

/// Rules for contacts and callbacks.
fn rule_call(name: &str) -> fn(&mut Stack, BodyId) {
    fn rule() -> ContactRule {
        ContactRule {
            friction: Some(0.5),
            ..ContactRule::default()
        }
    }
    match name {
        // All shapes are of material 0 and of category 1, and so all of them are meant.
        "set_contact_rule" => |stack, _| stack.world.set_contact_rule(0, 0, rule()).unwrap(),
        "remove_contact_rule" => |stack, _| {
            stack.world.set_contact_rule(0, 0, rule()).unwrap();
            stack.settle();
            assert!(stack.world.remove_contact_rule(0, 0).is_some());
        },
        "set_category_rule" => |stack, _| stack.world.set_category_rule(1, ANY_CATEGORY, rule()).unwrap(),
        "remove_category_rule" => |stack, _| {
            stack.world.set_category_rule(1, ANY_CATEGORY, rule()).unwrap();
            stack.settle();
            assert!(stack.world.remove_category_rule(1, ANY_CATEGORY).is_some());
        },
        "set_pair_ignored" => |stack, of| {
            let pair = [of, stack.other(of)].map(|body| stack.shape(body));
            stack.world.set_pair_ignored(pair[0], pair[1], true).unwrap();
        },
        "set_custom_filter" => |stack, _| stack.world.set_custom_filter(|_| true),
        "remove_custom_filter" => |stack, _| {
            stack.world.set_custom_filter(|_| true);
            stack.settle();
            stack.world.remove_custom_filter();
        },
        "set_pre_solve" => |stack, _| {
            stack
                .world
                .set_pre_solve(u64::MAX, |pair| pair.touch.unwrap().usual);
        },
        "remove_pre_solve" => |stack, _| {
            stack
                .world
                .set_pre_solve(u64::MAX, |pair| pair.touch.unwrap().usual);
            stack.settle();
            stack.world.remove_pre_solve();
        },
        _ => setting_call(name),
    }
}

/// Settings of a world.
fn setting_call(name: &str) -> fn(&mut Stack, BodyId) {
    match name {
        "set_gravity" => |stack, _| stack.world.set_gravity(1.01 * stack.world.gravity()).unwrap(),
        "set_substeps" => |stack, _| stack.world.set_substeps(5).unwrap(),
        "set_sleeping_enabled" => |stack, _| stack.world.set_sleeping_enabled(false),
        "set_continuous" => |stack, _| stack.world.set_continuous(false),
        "set_thresholds" => |stack, _| stack.world.set_thresholds(2.0, 2.0).unwrap(),
        "set_contact_softness" => |stack, _| stack.world.set_contact_softness(20.0, 5.0, 2.0).unwrap(),
        "set_speed_max" => |stack, _| stack.world.set_speed_max(50.0).unwrap(),
        "set_debris" => |stack, _| {
            let debris = Debris {
                area_max: 0.1,
                ..Debris::default()
            };
            stack.world.set_debris(debris).unwrap();
        },
        "set_island_algorithm" => |stack, _| {
            let [.., other] = IslandAlgorithm::ALL;
            stack.world.set_island_algorithm(other);
        },
        "set_lanes" => |stack, _| stack.world.set_lanes(LaneWidth::One).unwrap(),
        "set_batch_bodies_max" => |stack, _| stack.world.set_batch_bodies_max(8),
        "set_profiling" => |stack, _| stack.world.set_profiling(true),
        "set_reports_boxes" => |stack, _| stack.world.set_reports_boxes(true),
        _ => unknown(name),
    }
}
