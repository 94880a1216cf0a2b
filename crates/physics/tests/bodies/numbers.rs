//! Every number that can be set, at and beyond the ends of its range: it is refused with the limit in the message and the
//! world as it was, or a hundred steps later everything is finite.

use tombolo_physics::constants::{
    CONTACT_SKIN_MAX_M, DAMPING_RATIO_MAX, FORCE_MAX_N, FRICTION_MAX, GRAVITY_MAX_M_S2, HERTZ_MAX,
    LIMIT_ANGLE_MAX_RAD, POSITION_MAX_M, RESTITUTION_MAX, SPIN_MAX_RAD_S, STEP_MAX_S, VELOCITY_MAX_M_S,
};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ChainDef, Character, CharacterDef, CharacterInput, CharacterScratch, Debris,
    HeightfieldDef, JointId, JointLimit, JointMotor, JointSpring, JointStiffness, PhysicsError, PhysicsWorld,
    Pose, Position, RevoluteDef, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

/// A small world with some of everything, and the things whose numbers are set.
#[derive(Clone)]
struct Case {
    world: PhysicsWorld,
    /// A box that lies on the ground and carries another one.
    lower: BodyId,
    shape: ShapeId,
    /// A kinematic platform that carries a box.
    platform: BodyId,
    /// Between two boxes in the air, with spring, motor and limits.
    joint: JointId,
    jointed: [BodyId; 2],
    dt: f32,
}

fn boxed(world: &mut PhysicsWorld, def: &BodyDef) -> (BodyId, ShapeId) {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    let shape = world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    (body, shape)
}

fn revolute_def(jointed: [BodyId; 2]) -> RevoluteDef {
    let anchor = Vec2::new(0.6, 0.0);
    RevoluteDef {
        enable_limit: true,
        lower_angle: -2.0,
        upper_angle: 2.0,
        enable_spring: true,
        spring_hertz: 2.0,
        spring_damping_ratio: 0.5,
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_torque: 1.0,
        ..RevoluteDef::new(jointed[0], anchor, jointed[1], -anchor)
    }
}

fn case_in(def: &WorldDef) -> Result<Case, PhysicsError> {
    let mut world = PhysicsWorld::new(def)?;
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let floor = Shape::new_box(60.0, 2.0).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &floor).unwrap();
    let (lower, shape) = boxed(&mut world, &BodyDef::dynamic(0.0, 0.5));
    boxed(&mut world, &BodyDef::dynamic(0.1, 1.5));
    let (platform, _) = boxed(&mut world, &BodyDef::kinematic(5.0, 1.0));
    boxed(&mut world, &BodyDef::dynamic(5.0, 2.0));
    let ball = world.create_body(&BodyDef::dynamic(-3.0, 0.5)).unwrap();
    let round = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    world.create_shape(ball, &ShapeDef::default(), &round).unwrap();
    let jointed = [-8.0, -6.8].map(|x| boxed(&mut world, &BodyDef::dynamic(x, 1.0)).0);
    let joint = world.create_joint(revolute_def(jointed)).unwrap();
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    Ok(Case {
        world,
        lower,
        shape,
        platform,
        joint,
        jointed,
        dt: DT,
    })
}

fn case() -> Case {
    case_in(&WorldDef::default()).unwrap()
}

impl Case {
    fn revolute(&mut self, change: impl FnOnce(&mut RevoluteDef)) -> Result<(), PhysicsError> {
        let mut def = revolute_def(self.jointed);
        change(&mut def);
        self.world.create_joint(def).map(|_| ())
    }

    fn body(&mut self, kind: BodyKind, change: impl FnOnce(&mut BodyDef)) -> Result<(), PhysicsError> {
        let mut def = BodyDef {
            kind,
            ..BodyDef::dynamic(2.0, 3.0)
        };
        change(&mut def);
        let body = self.world.create_body(&def)?;
        let shape = Shape::new_box(1.0, 1.0).unwrap();
        self.world
            .create_shape(body, &ShapeDef::default(), &shape)
            .unwrap();
        Ok(())
    }

    fn shape(&mut self, change: impl FnOnce(&mut ShapeDef)) -> Result<(), PhysicsError> {
        let mut def = ShapeDef::default();
        change(&mut def);
        let body = self.world.create_body(&BodyDef::dynamic(2.0, 1.0)).unwrap();
        let circle = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let made = self.world.create_shape(body, &def, &circle);
        if made.is_err() {
            self.world.destroy_body(body).unwrap();
        }
        made.map(|_| ())
    }

    fn world(&mut self, change: impl FnOnce(&mut WorldDef)) -> Result<(), PhysicsError> {
        let mut def = WorldDef::default();
        change(&mut def);
        *self = case_in(&def)?;
        Ok(())
    }

    /// A shape on a body of its own; one that is refused changes nothing, the body neither.
    fn geometry(&mut self, shape: Result<Shape, tombolo_physics::ShapeError>) -> Result<(), PhysicsError> {
        let shape = shape?;
        let body = self.world.create_body(&BodyDef::dynamic(2.0, 1.0)).unwrap();
        let made = self.world.create_shape(body, &ShapeDef::default(), &shape);
        if made.is_err() {
            self.world.destroy_body(body).unwrap();
        }
        made.map(|_| ())
    }

    /// A hundred steps, after each of which everything that can be asked is finite.
    fn run(&mut self, what: &str) {
        for step in 0..100 {
            self.world.step(self.dt).unwrap();
            for body in self.world.bodies() {
                let numbers = [
                    body.position().x,
                    body.position().y,
                    body.rotation().cos,
                    body.rotation().sin,
                    body.linear_velocity().x,
                    body.linear_velocity().y,
                    body.angular_velocity(),
                    body.mass(),
                    body.inertia(),
                    body.center_of_mass().x,
                    body.center_of_mass().y,
                ];
                let finite = numbers.iter().all(|number| number.is_finite());
                assert!(finite, "{what}, step {step}: {numbers:?}");
            }
            for joint in self.world.joints() {
                let impulse = joint.linear_impulse();
                let numbers = [impulse.x, impulse.y, joint.motor_impulse(), joint.angle()];
                let finite = numbers.iter().all(|number| number.is_finite());
                assert!(finite, "{what}, step {step}, a joint: {numbers:?}");
            }
        }
        self.world.validate();
        let restored = PhysicsWorld::from_save(&self.world.save()).unwrap();
        assert_eq!(restored.state_hash(), self.world.state_hash(), "{what}");
    }
}

/// A number that can be set: its name, the largest that is allowed (`None`: every finite one), and how it is set.
type SimdRow = (
    &'static str,
    Option<f32>,
    fn(&mut Case, f32) -> Result<(), PhysicsError>,
);

const DYNAMIC: BodyKind = BodyKind::Dynamic;
const KINEMATIC: BodyKind = BodyKind::Kinematic;

#[rustfmt::skip]
const ROWS: &[SimdRow] = &[
    ("world gravity", Some(GRAVITY_MAX_M_S2), |c, x| c.world(|d| d.gravity = Vec2::new(0.0, x))),
    ("world restitution_threshold", None, |c, x| c.world(|d| d.restitution_threshold = x)),
    ("world hit_threshold", None, |c, x| c.world(|d| d.hit_threshold = x)),
    ("world contact_hertz", Some(HERTZ_MAX), |c, x| c.world(|d| d.contact_hertz = x)),
    ("world contact_damping_ratio", Some(DAMPING_RATIO_MAX), |c, x| c.world(|d| d.contact_damping_ratio = x)),
    ("world push_speed_max", Some(VELOCITY_MAX_M_S), |c, x| c.world(|d| d.push_speed_max = x)),
    ("world speed_max", Some(VELOCITY_MAX_M_S), |c, x| c.world(|d| d.speed_max = x)),
    ("world debris", None, |c, x| c.world(|d| d.debris.area_max = x)),
    ("set_gravity", Some(GRAVITY_MAX_M_S2), |c, x| c.world.set_gravity(Vec2::new(x, -10.0))),
    ("set_thresholds", None, |c, x| c.world.set_thresholds(x, 1.0)),
    ("set_thresholds, hits", None, |c, x| c.world.set_thresholds(1.0, x)),
    ("set_contact_softness, hertz", Some(HERTZ_MAX), |c, x| c.world.set_contact_softness(x, 10.0, 3.0)),
    ("set_contact_softness, damping", Some(DAMPING_RATIO_MAX), |c, x| c.world.set_contact_softness(30.0, x, 3.0)),
    ("set_contact_softness, speed", Some(VELOCITY_MAX_M_S), |c, x| c.world.set_contact_softness(30.0, 10.0, x)),
    ("set_speed_max", Some(VELOCITY_MAX_M_S), |c, x| c.world.set_speed_max(x)),
    ("set_debris", None, |c, x| c.world.set_debris(Debris { area_max: x, ..Debris::default() })),
    ("dt", Some(STEP_MAX_S), |c, x| {
        c.world.step(x)?;
        c.dt = x;
        Ok(())
    }),

    ("body position", Some(POSITION_MAX_M), |c, x| c.body(DYNAMIC, |d| d.position = Position::new(x, 3.0))),
    ("body angle", None, |c, x| c.body(DYNAMIC, |d| d.angle = x)),
    ("body linear_velocity", Some(VELOCITY_MAX_M_S), |c, x| c.body(DYNAMIC, |d| d.linear_velocity = Vec2::new(3.0, x))),
    ("platform linear_velocity", Some(VELOCITY_MAX_M_S), |c, x| c.body(KINEMATIC, |d| d.linear_velocity = Vec2::new(x, 0.0))),
    ("body angular_velocity", Some(SPIN_MAX_RAD_S), |c, x| c.body(DYNAMIC, |d| d.angular_velocity = x)),
    ("platform angular_velocity", Some(SPIN_MAX_RAD_S), |c, x| c.body(KINEMATIC, |d| d.angular_velocity = x)),
    ("body linear_damping", None, |c, x| c.body(DYNAMIC, |d| d.linear_damping = x)),
    ("body angular_damping", None, |c, x| c.body(DYNAMIC, |d| (d.angular_damping, d.angular_velocity) = (x, 3.0))),
    ("body gravity_scale", Some(GRAVITY_MAX_M_S2), |c, x| c.body(DYNAMIC, |d| d.gravity_scale = x)),
    ("body sleep_threshold", None, |c, x| c.body(DYNAMIC, |d| d.sleep_threshold = x)),
    ("teleport", Some(POSITION_MAX_M), |c, x| c.world.body_mut(c.jointed[0])?.teleport(Pose::new(Vec2::new(0.0, x), 0.0))),
    ("teleport, angle", None, |c, x| c.world.body_mut(c.jointed[0])?.teleport(Pose::new(Vec2::new(-8.0, 1.0), x))),
    ("set_pose", Some(POSITION_MAX_M), |c, x| c.world.body_mut(c.jointed[0])?.set_pose(Pose::new(Vec2::new(0.0, x), 0.0))),
    ("set_pose, angle", None, |c, x| c.world.body_mut(c.jointed[0])?.set_pose(Pose::new(Vec2::new(-8.0, 1.0), x))),
    ("set_linear_velocity", Some(VELOCITY_MAX_M_S), |c, x| c.world.body_mut(c.jointed[0]).unwrap().set_linear_velocity(Vec2::new(x, 0.0))),
    ("set_linear_velocity of a platform", Some(VELOCITY_MAX_M_S), |c, x| c.world.body_mut(c.platform).unwrap().set_linear_velocity(Vec2::new(0.0, x))),
    ("set_angular_velocity", Some(SPIN_MAX_RAD_S), |c, x| c.world.body_mut(c.jointed[0]).unwrap().set_angular_velocity(x)),
    ("set_target", Some(POSITION_MAX_M), |c, x| c.world.body_mut(c.platform).unwrap().set_target(Position::new(x, 1.0), 0.0, 1.0)),
    ("set_target, angle", None, |c, x| c.world.body_mut(c.platform).unwrap().set_target(Position::new(5.0, 1.0), x, DT)),
    ("set_target, dt", None, |c, x| c.world.body_mut(c.platform).unwrap().set_target(Position::new(5.0, 1.1), 0.1, x)),
    ("apply_force", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.lower).unwrap().apply_force(Vec2::new(x, x))),
    ("apply_force_at", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.jointed[0]).unwrap().apply_force_at(Vec2::new(x, -x), Position::new(1.0e5, 1.0e5))),
    ("apply_force_at, point", Some(POSITION_MAX_M), |c, x| c.world.body_mut(c.lower).unwrap().apply_force_at(Vec2::new(1.0, 3.0), Position::new(x, x))),
    ("apply_torque", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.jointed[1]).unwrap().apply_torque(x)),
    ("apply_impulse", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.lower).unwrap().apply_impulse(Vec2::new(x, x))),
    ("apply_impulse, a jointed body", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.jointed[1]).unwrap().apply_impulse(Vec2::new(x, x))),
    ("apply_impulse_at", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.jointed[0]).unwrap().apply_impulse_at(Vec2::new(x, -x), Position::new(1.0e5, 1.0e5))),
    ("apply_impulse_at, point", Some(POSITION_MAX_M), |c, x| c.world.body_mut(c.lower).unwrap().apply_impulse_at(Vec2::new(1.0, 3.0), Position::new(x, x))),
    ("apply_angular_impulse", Some(FORCE_MAX_N), |c, x| c.world.body_mut(c.jointed[1]).unwrap().apply_angular_impulse(x)),
    ("set_damping", None, |c, x| c.world.body_mut(c.lower).unwrap().set_damping(x, 0.0)),
    ("set_damping, angular", None, |c, x| c.world.body_mut(c.lower).unwrap().set_damping(0.0, x)),
    ("set_gravity_scale", Some(GRAVITY_MAX_M_S2), |c, x| c.world.body_mut(c.lower).unwrap().set_gravity_scale(x)),
    ("set_sleep_threshold", None, |c, x| c.world.body_mut(c.lower).unwrap().set_sleep_threshold(x)),

    ("shape density", Some(1.2e24), |c, x| c.shape(|d| d.density = x)),
    ("shape friction", Some(FRICTION_MAX), |c, x| c.shape(|d| d.friction = x)),
    ("shape restitution", Some(RESTITUTION_MAX), |c, x| c.shape(|d| d.restitution = x)),
    ("shape rolling_resistance", Some(FRICTION_MAX), |c, x| c.shape(|d| d.rolling_resistance = x)),
    ("shape tangent_speed", Some(VELOCITY_MAX_M_S), |c, x| c.shape(|d| d.tangent_speed = x)),
    ("shape contact_skin", Some(CONTACT_SKIN_MAX_M), |c, x| c.shape(|d| d.contact_skin = x)),
    ("set_contact_skin", Some(CONTACT_SKIN_MAX_M), |c, x| c.world.shape_mut(c.shape)?.set_contact_skin(x)),
    ("set_material, friction", Some(FRICTION_MAX), |c, x| c.world.shape_mut(c.shape)?.set_material(x, 0.0)),
    ("set_material, restitution", Some(RESTITUTION_MAX), |c, x| c.world.shape_mut(c.shape)?.set_material(0.5, x)),
    ("set_surface, resistance", Some(FRICTION_MAX), |c, x| c.world.shape_mut(c.shape)?.set_surface(x, 0.0)),
    ("set_surface, speed", Some(VELOCITY_MAX_M_S), |c, x| c.world.shape_mut(c.shape)?.set_surface(0.0, x)),
    ("circle, radius", Some(POSITION_MAX_M), |c, x| c.geometry(Shape::circle(Vec2::ZERO, x))),
    ("circle, center", Some(POSITION_MAX_M), |c, x| c.geometry(Shape::circle(Vec2::new(x, 0.0), 0.5))),
    ("capsule", Some(POSITION_MAX_M), |c, x| c.geometry(Shape::capsule(Vec2::ZERO, Vec2::new(0.0, x), 0.5))),
    ("box", Some(2.0 * POSITION_MAX_M), |c, x| c.geometry(Shape::new_box(x, 1.0))),
    ("box, angle", None, |c, x| c.geometry(Shape::box_at(1.0, 1.0, Vec2::ZERO, x))),
    ("rounded box", Some(POSITION_MAX_M), |c, x| c.geometry(Shape::rounded_box(1.0, 1.0, x))),
    ("chain", Some(POSITION_MAX_M), |c, x| {
        let points = [(3.0, 0.0), (2.0, x)].map(Vec2::from).to_vec();
        let ground = c.world.bodies().next().unwrap().id();
        c.world.create_chain(ground, &ChainDef { points, ..ChainDef::default() }).map(|_| ())
    }),

    ("revolute local_anchor_a", Some(POSITION_MAX_M), |c, x| c.revolute(|d| d.local_anchor_a.x = x)),
    ("revolute local_anchor_b", Some(POSITION_MAX_M), |c, x| c.revolute(|d| d.local_anchor_b.y = x)),
    ("revolute local_angle_a", None, |c, x| c.revolute(|d| d.local_angle_a = x)),
    ("revolute limits", Some(LIMIT_ANGLE_MAX_RAD), |c, x| c.revolute(|d| (d.lower_angle, d.upper_angle) = (x, x))),
    ("revolute limits, turns counted", Some(LIMIT_ANGLE_MAX_RAD), |c, x| c.revolute(|d| (d.lower_angle, d.upper_angle, d.count_turns) = (x, x, true))),
    ("revolute target_angle", None, |c, x| c.revolute(|d| d.target_angle = x)),
    ("revolute target_angle, turns counted", None, |c, x| c.revolute(|d| (d.target_angle, d.count_turns) = (x, true))),
    ("revolute target_angle, turns counted, without limits", None, |c, x| c.revolute(|d| (d.target_angle, d.count_turns, d.enable_limit) = (x, true, false))),
    ("revolute target_angle without limits", None, |c, x| c.revolute(|d| (d.target_angle, d.enable_limit) = (x, false))),
    ("revolute spring_hertz", Some(HERTZ_MAX), |c, x| c.revolute(|d| d.spring_hertz = x)),
    ("revolute spring_damping_ratio", Some(DAMPING_RATIO_MAX), |c, x| c.revolute(|d| d.spring_damping_ratio = x)),
    ("revolute motor_speed", Some(SPIN_MAX_RAD_S), |c, x| c.revolute(|d| (d.motor_speed, d.enable_limit) = (x, false))),
    ("revolute motor_speed against a limit", Some(SPIN_MAX_RAD_S), |c, x| c.revolute(|d| (d.motor_speed, d.max_motor_torque) = (x, f32::MAX))),
    ("revolute max_motor_torque", None, |c, x| c.revolute(|d| d.max_motor_torque = x)),
    ("revolute constraint_hertz", Some(HERTZ_MAX), |c, x| c.revolute(|d| d.constraint_hertz = x)),
    ("revolute constraint_damping_ratio", Some(DAMPING_RATIO_MAX), |c, x| c.revolute(|d| d.constraint_damping_ratio = x)),
    ("set_motor", Some(SPIN_MAX_RAD_S), |c, x| c.world.joint_mut(c.joint).unwrap().set_motor(Some(JointMotor { speed: x, max: 1.0 }))),
    ("set_motor, torque", None, |c, x| c.world.joint_mut(c.joint).unwrap().set_motor(Some(JointMotor { speed: 1.0, max: x }))),
    ("set_limit", Some(LIMIT_ANGLE_MAX_RAD), |c, x| c.world.joint_mut(c.joint).unwrap().set_limit(Some(JointLimit { lower: x, upper: x }))),
    ("set_spring, target", None, |c, x| c.world.joint_mut(c.joint).unwrap().set_spring(Some(JointSpring { target: x, hertz: 2.0, damping_ratio: 0.5 }))),
    ("set_spring, hertz", Some(HERTZ_MAX), |c, x| c.world.joint_mut(c.joint).unwrap().set_spring(Some(JointSpring { target: 1.0, hertz: x, damping_ratio: 0.5 }))),
    ("set_spring, damping", Some(DAMPING_RATIO_MAX), |c, x| c.world.joint_mut(c.joint).unwrap().set_spring(Some(JointSpring { target: 1.0, hertz: 2.0, damping_ratio: x }))),
    ("set_stiffness", Some(HERTZ_MAX), |c, x| c.world.joint_mut(c.joint).unwrap().set_stiffness(JointStiffness { hertz: x, damping_ratio: 2.0 })),
    ("set_stiffness, damping", Some(DAMPING_RATIO_MAX), |c, x| c.world.joint_mut(c.joint).unwrap().set_stiffness(JointStiffness { hertz: 60.0, damping_ratio: x })),
];

/// Whether a message says what numbers are taken.
fn names_a_limit(error: &PhysicsError) -> bool {
    let text = error.to_string();
    match error {
        PhysicsError::InvalidNumber { expected, .. } => {
            expected.contains(|c: char| c.is_ascii_digit())
                || expected.contains("finite")
                || expected.contains("lower_angle")
        }
        PhysicsError::Shape(_) => text.contains(|c: char| c.is_ascii_digit()) || text.contains("finite"),
        _ => false,
    }
}

#[test]
fn every_number_is_refused_with_its_limit_or_works() {
    let mut faults = Vec::new();
    for &(name, max, set) in ROWS {
        let denormal = f32::from_bits(1);
        let mut values = vec![
            0.0,
            -0.0,
            denormal,
            -denormal,
            f32::MIN_POSITIVE,
            1.0e-20,
            -1.0,
            f32::MAX,
            -f32::MAX,
            1.0e20,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        if let Some(max) = max {
            values.extend([max, max.next_up(), -max, (-max).next_down()]);
        }
        for value in values {
            let mut case = case();
            let before = case.world.save();
            let outcome = set(&mut case, value);
            let must_be_refused = !value.is_finite() || max.is_some_and(|max| value > max);
            let must_work = value == max.unwrap_or(f32::MAX);
            match &outcome {
                // The largest density is that of the largest mass: it depends on the shape.
                Ok(()) if must_be_refused && name != "shape density" => {
                    faults.push(format!("{name}: {value} is taken"));
                }
                Ok(()) => case.run(&format!("{name} of {value}")),
                Err(error) => {
                    if must_work && !must_be_refused {
                        faults.push(format!("{name}: {value} is refused: {error}"));
                    }
                    if !names_a_limit(error) {
                        faults.push(format!("{name}: {value}: no limit in “{error}”"));
                    }
                    if case.world.save() != before
                        && !matches!(error, PhysicsError::Shape(_))
                        && !name.starts_with("shape")
                    {
                        faults.push(format!("{name}: {value} was refused and changed the world"));
                    }
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number of any size that single precision has, often one at the end of a range.
    fn number(&mut self) -> f32 {
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        let size = match self.next() % 12 {
            0 => 0.0,
            1 => f32::MAX,
            2 => 1.0e6,
            3 => 1.0e30,
            4 => 1.0e4,
            5 => 1.0e3,
            6 => 1.0e5,
            7 => 100.0,
            // From 1e-38 to 3e38, evenly by exponent.
            _ => f32::from_bits(((self.next() % 253 + 1) << 23) as u32),
        };
        sign * size
    }
}

#[test]
fn many_numbers_at_their_limits_at_once_leave_everything_finite() {
    for seed in 1..=150_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut case = case();
        let mut taken = Vec::new();
        for _ in 0..12 {
            let (name, _, set) = ROWS[(random.next() % ROWS.len() as u64) as usize];
            // Those make worlds anew.
            if name.starts_with("world") {
                continue;
            }
            let value = random.number();
            if set(&mut case, value).is_ok() {
                taken.push((name, value));
            }
        }
        case.run(&format!("seed {seed}: {taken:?}"));
    }
}

#[test]
fn a_body_that_left_the_world_is_whole_when_it_is_thawed() {
    for seed in 0..4 {
        let mut case = case();
        let [a, b] = case.jointed;
        let gone = if seed % 2 == 0 { a } else { b };
        // A motor and a spring at work, and then out of the world within a step.
        for _ in 0..20 {
            case.world.step(DT).unwrap();
        }
        case.world.set_speed_max(VELOCITY_MAX_M_S).unwrap();
        let fast = Vec2::new(if seed < 2 { 1.0e6 } else { -1.0e6 }, 0.0);
        case.world
            .body_mut(gone)
            .unwrap()
            .set_linear_velocity(fast)
            .unwrap();
        case.world
            .body_mut(if gone == a { b } else { a })
            .unwrap()
            .set_linear_velocity(fast)
            .unwrap();
        case.world.step(1.0).unwrap();
        assert!(case.world.body(gone).unwrap().is_frozen());
        case.world.set_speed_max(400.0).unwrap();
        for body in [a, b] {
            case.world.body_mut(body).unwrap().set_enabled(true);
        }
        for _ in 0..300 {
            case.world.step(DT).unwrap();
            assert!(case.world.events().frozen().is_empty(), "frozen again");
        }
        let joint = case.world.joint(case.joint).unwrap();
        let [on_a, on_b] = joint.anchors().map(Position::to_vec2);
        assert!((on_a - on_b).length() < 0.01, "held together again");
        case.run("thawed");
    }
}

#[test]
fn a_character_survives_every_lift_that_is_accepted() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let def = CharacterDef::new(Shape::circle(Vec2::ZERO, 0.5).unwrap());
    let mut accepted = |lift: f32| {
        let mut character = Character::new(Position::ORIGIN);
        let input = CharacterInput {
            lift,
            ..CharacterInput::default()
        };
        let moved = world.move_character(
            &def,
            &mut character,
            &input,
            1.0,
            &mut CharacterScratch::default(),
        );
        assert!(character.velocity.is_finite(), "lift {lift}");
        if moved.is_ok() {
            character.validate().unwrap();
            let speed = character.velocity.length();
            assert!((speed - def.speed_max).abs() < 0.01, "lift {lift}: {speed} m/s");
        }
        moved.is_ok()
    };
    for sign in [-1.0, 1.0] {
        assert!(accepted(sign * 1e6));
        for lift in [1.1e6, 1e20, f32::MAX, f32::INFINITY, f32::NAN] {
            assert!(!accepted(sign * lift), "lift {lift}");
        }
    }
}

#[test]
fn ground_from_end_to_end_of_the_world_is_a_chain() {
    for half in [60_000.0, POSITION_MAX_M] {
        let points = vec![Vec2::new(half, 0.0), Vec2::new(-half, 0.0)];
        let def = ChainDef {
            points,
            ..ChainDef::default()
        };
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        world.create_chain(ground, &def).unwrap();
        let heights = HeightfieldDef {
            spacing: 10_000.0,
            origin: Vec2::new(0.0, -10.0),
            heights: vec![0.0; (half / 10_000.0) as usize + 1],
            ..HeightfieldDef::default()
        };
        heights.shapes().unwrap();
        let (body, _) = boxed(&mut world, &BodyDef::dynamic(half - 10.0, 1.0));
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        let height = world.body(body).unwrap().position().y;
        assert!((height - 0.5).abs() < 0.02, "{height}");
        let again = PhysicsWorld::from_save(&world.save()).unwrap();
        assert_eq!(again.state_hash(), world.state_hash());
    }
}
