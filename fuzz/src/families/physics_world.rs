//! Calls on a physics world, all that there are, with numbers and ids that nobody would give: what the families
//! `physics_calls` and `physics_saves` are made of.

use std::fmt::Write as _;

use tombolo_physics::{
    Aabb, BodyDef, BodyId, BodyKind, BodyMut, ChainDef, DVec2, Debris, DebrisFate, Filter, IslandAlgorithm,
    JointId, LaneWidth, Outline, OutlineId, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter,
    RevoluteDef, Shape, ShapeDef, ShapeError, ShapeId, Shatter, Stage, Vec2, WorldDef,
};

use crate::random::Random;

/// One call. An id is named by a number, which is taken modulo all that were ever given out: some of them are stale.
#[derive(Debug, Clone)]
pub(super) enum Call {
    Gravity(Vec2),
    Substeps(u32),
    Sleeping(bool),
    Continuous(bool),
    Thresholds(f32, f32),
    Softness(f32, f32, f32),
    SpeedMax(f32),
    Debris(f32, bool),
    Algorithm(usize),
    Lanes(usize),
    BatchBodies(u32),
    Watch,
    Body(Box<BodyDef>),
    DestroyBody(usize),
    Enable(usize, bool),
    Kind(usize, BodyKind),
    Teleport(usize, Vec2, f32),
    Change(usize, Change),
    Shape(usize, Box<ShapeDef>, Form),
    Chain(usize, Box<ShapeDef>, Vec<Vec2>, bool),
    Outline(usize, Box<ShapeDef>, Vec<DVec2>, f32),
    DestroyShape(usize),
    DestroyOutline(usize),
    Filter(usize, Filter),
    ShapeKey(usize, u64),
    Material(usize, f32, f32),
    Surface(usize, f32, f32),
    Joint(usize, usize, Box<Hinge>),
    DestroyJoint(usize),
    Motor(usize, bool, f32, f32),
    Limit(usize, bool, f32, f32),
    Spring(usize, bool, f32, f32, f32),
    Stiffness(usize, f32, f32),
    Slice(usize, Vec2, Vec2),
    CutThrough(Vec2, Vec2, u64),
    Shatter(usize, u64, usize),
    ShatterAt(usize, Vec<Vec2>),
    Ask(Vec2, Vec2, u64, Form),
    LookAround,
    Step(f32),
    /// Steps of a sixtieth of a second.
    Steps(usize),
}

/// A change of one body.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Wake,
    LinearVelocity(Vec2),
    AngularVelocity(f32),
    Target(Vec2, f32, f32),
    Force(Vec2),
    ForceAt(Vec2, Vec2),
    Torque(f32),
    Impulse(Vec2),
    ImpulseAt(Vec2, Vec2),
    AngularImpulse(f32),
    Damping(f32, f32),
    GravityScale(f32),
    Bullet(bool),
    Key(u64),
    SleepThreshold(f32),
    MaySleep(bool),
    FixedRotation(bool),
}

/// A shape to be made, or not.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Circle(Vec2, f32),
    Capsule(Vec2, Vec2, f32),
    Segment(Vec2, Vec2),
    Rectangle(f32, f32),
    RectangleAt(f32, f32, Vec2, f32),
    Rounded(f32, f32, f32),
    Polygon(Vec<Vec2>, f32),
}

/// The numbers of a hinge.
#[derive(Debug, Clone)]
pub(super) struct Hinge {
    anchors: [Vec2; 2],
    angles: [f32; 4],
    enable: [bool; 3],
    spring: [f32; 2],
    motor: [f32; 2],
    stiffness: [f32; 2],
    collide: bool,
}

/// What numbers may be far from.
const SCALES: [f32; 12] = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Numbers: mostly such as games use, sometimes such as nothing does.
pub(super) struct Numbers<'a> {
    pub random: &'a mut Random,
    /// One number in so many is odd; 0 for none.
    pub odd: usize,
}

impl Numbers<'_> {
    fn is_odd(&mut self) -> bool {
        self.odd > 0 && self.random.one_in(self.odd)
    }

    fn number(&mut self, low: f32, high: f32) -> f32 {
        if !self.is_odd() {
            return self.random.between(low, high);
        }
        match self.random.below(3) {
            0 => self.random.odd_float(),
            1 => {
                let sign = if self.random.one_in(2) { 1.0 } else { -1.0 };
                sign * self.random.pick(&SCALES)
            }
            _ => self.random.between(-2.0e5, 2.0e5),
        }
    }

    fn vector(&mut self, size: f32) -> Vec2 {
        Vec2::new(self.number(-size, size), self.number(-size, size))
    }

    fn flag(&mut self) -> bool {
        self.random.one_in(2)
    }

    fn any(&mut self) -> usize {
        self.random.below(1 << 20)
    }

    fn kind(&mut self) -> BodyKind {
        match self.random.below(6) {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        }
    }

    fn filter(&mut self) -> Filter {
        Filter {
            category: 1 << self.random.below(3),
            mask: self.random.pick(&[u64::MAX, 0b101, 0b011, 0, u64::MAX]),
            group: self.random.pick(&[0, 0, 0, 0, 1, -1, i32::MAX, i32::MIN]),
        }
    }

    fn shape_def(&mut self) -> Box<ShapeDef> {
        let plain = !self.is_odd();
        Box::new(ShapeDef {
            density: self.number(0.0, 4.0),
            friction: self.number(0.0, 1.0),
            restitution: if plain { 0.0 } else { self.number(0.0, 1.0) },
            rolling_resistance: if plain { 0.0 } else { self.number(0.0, 1.0) },
            tangent_speed: if plain { 0.0 } else { self.number(-2.0, 2.0) },
            filter: if plain { Filter::default() } else { self.filter() },
            contact_events: !self.random.one_in(4),
            hit_events: self.random.one_in(4),
            sensor: self.random.one_in(7),
            user_key: self.random.bits(),
        })
    }

    fn form(&mut self) -> Form {
        let size = self.number(0.1, 1.0);
        match self.random.below(8) {
            0 => Form::Circle(self.vector(0.3), size),
            1 => Form::Capsule(Vec2::new(-size, 0.0), self.vector(1.0), 0.3),
            2 => Form::Segment(Vec2::new(-size, 0.0), self.vector(2.0)),
            3 => Form::Rounded(size, 0.4, self.number(0.0, 0.2)),
            4 => {
                let count = self.random.within(3..9);
                let points = (0..count).map(|_| self.vector(0.7)).collect();
                Form::Polygon(points, if self.flag() { 0.0 } else { self.number(0.0, 0.2) })
            }
            5 => Form::RectangleAt(size, 0.3, self.vector(1.0), self.number(-3.0, 3.0)),
            _ => Form::Rectangle(size, self.number(0.1, 1.0)),
        }
    }

    fn body(&mut self) -> Box<BodyDef> {
        let plain = !self.is_odd();
        Box::new(BodyDef {
            kind: self.kind(),
            position: Position::from(self.vector(5.0)),
            angle: self.number(-3.0, 3.0),
            linear_velocity: self.vector(6.0),
            angular_velocity: self.number(-3.0, 3.0),
            linear_damping: if plain { 0.0 } else { self.number(0.0, 1.0) },
            angular_damping: if plain { 0.0 } else { self.number(0.0, 1.0) },
            gravity_scale: if plain { 1.0 } else { self.number(-1.0, 2.0) },
            sleep_threshold: self.number(0.02, 0.5),
            allow_sleep: !self.random.one_in(6),
            awake: !self.random.one_in(6),
            fixed_rotation: self.random.one_in(8),
            bullet: self.random.one_in(5),
            enabled: !self.random.one_in(9),
            user_key: self.random.bits(),
        })
    }

    fn hinge(&mut self) -> Box<Hinge> {
        Box::new(Hinge {
            anchors: [self.vector(0.6), self.vector(0.6)],
            angles: [
                self.number(-1.0, 0.0),
                self.number(0.0, 1.0),
                self.number(-4.0, 4.0),
                self.number(-4.0, 4.0),
            ],
            enable: [self.flag(), self.flag(), self.flag()],
            spring: [self.number(0.0, 5.0), self.number(0.0, 2.0)],
            motor: [self.number(-5.0, 5.0), self.number(0.0, 50.0)],
            stiffness: [self.number(1.0, 60.0), self.number(0.0, 2.0)],
            collide: self.random.one_in(3),
        })
    }

    /// The corners of a polygon, often a star around its middle, which crosses itself nowhere.
    fn corners(&mut self) -> Vec<DVec2> {
        let count = self.random.within(3..12);
        if self.random.one_in(6) {
            return (0..count).map(|_| self.vector(2.0).as_dvec2()).collect();
        }
        let step = core::f64::consts::TAU / count as f64;
        let corner = |place: usize, radius: f32| DVec2::from_angle(step * place as f64) * f64::from(radius);
        (0..count)
            .map(|place| corner(place, self.number(0.2, 1.2)))
            .collect()
    }

    fn change(&mut self) -> Change {
        match self.random.below(17) {
            0 => Change::Wake,
            1 => Change::LinearVelocity(self.vector(9.0)),
            2 => Change::AngularVelocity(self.number(-9.0, 9.0)),
            3 => Change::Target(self.vector(5.0), self.number(-3.0, 3.0), self.number(0.01, 0.1)),
            4 => Change::Force(self.vector(90.0)),
            5 => Change::ForceAt(self.vector(90.0), self.vector(5.0)),
            6 => Change::Torque(self.number(-90.0, 90.0)),
            7 => Change::Impulse(self.vector(9.0)),
            8 => Change::ImpulseAt(self.vector(9.0), self.vector(5.0)),
            9 => Change::AngularImpulse(self.number(-9.0, 9.0)),
            10 => Change::Damping(self.number(0.0, 2.0), self.number(0.0, 2.0)),
            11 => Change::GravityScale(self.number(-1.0, 2.0)),
            12 => Change::Bullet(self.flag()),
            13 => Change::Key(self.random.bits()),
            14 => Change::SleepThreshold(self.number(0.0, 1.0)),
            15 => Change::MaySleep(self.flag()),
            _ => Change::FixedRotation(self.flag()),
        }
    }

    /// Any call at all.
    pub(super) fn call(&mut self) -> Call {
        match self.random.below(16) {
            0 => self.call_about_the_world(),
            1..=3 => Call::Body(self.body()),
            4..=6 => Call::Shape(self.any(), self.shape_def(), self.form()),
            7 => self.call_about_a_body(),
            8 => self.call_about_a_shape(),
            9 => self.call_about_a_joint(),
            10 => self.call_that_cuts(),
            11 => Call::Change(self.any(), self.change()),
            12 => Call::Ask(
                self.vector(6.0),
                self.vector(9.0),
                self.random.bits(),
                self.form(),
            ),
            13 => Call::LookAround,
            14 => Call::Step(self.number(0.001, 0.05)),
            _ => Call::Steps(self.random.within(1..30)),
        }
    }

    fn call_about_the_world(&mut self) -> Call {
        match self.random.below(12) {
            0 => Call::Gravity(self.vector(12.0)),
            1 => Call::Substeps(if self.is_odd() {
                self.random.odd_number() as u32
            } else {
                self.random.within(1..7) as u32
            }),
            2 => Call::Sleeping(self.flag()),
            3 => Call::Continuous(self.flag()),
            4 => Call::Thresholds(self.number(0.0, 2.0), self.number(0.0, 2.0)),
            5 => Call::Softness(
                self.number(1.0, 60.0),
                self.number(0.0, 10.0),
                self.number(0.0, 5.0),
            ),
            6 => Call::SpeedMax(self.number(1.0, 400.0)),
            7 => Call::Debris(self.number(0.0, 0.5), self.flag()),
            8 => Call::Algorithm(self.any()),
            9 => Call::Lanes(self.any()),
            10 => Call::BatchBodies(self.random.pick(&[0, 1, 3, 256, u32::MAX])),
            _ => Call::Watch,
        }
    }

    fn call_about_a_body(&mut self) -> Call {
        match self.random.below(6) {
            0 => Call::DestroyBody(self.any()),
            1 | 2 => Call::Enable(self.any(), self.flag()),
            3 => Call::Kind(self.any(), self.kind()),
            _ => Call::Teleport(self.any(), self.vector(5.0), self.number(-3.0, 3.0)),
        }
    }

    fn call_about_a_shape(&mut self) -> Call {
        match self.random.below(8) {
            0 => Call::DestroyShape(self.any()),
            1 => Call::DestroyOutline(self.any()),
            2 => Call::Filter(self.any(), self.filter()),
            3 => Call::ShapeKey(self.any(), self.random.bits()),
            4 => Call::Material(self.any(), self.number(0.0, 1.0), self.number(0.0, 1.0)),
            5 => Call::Surface(self.any(), self.number(0.0, 1.0), self.number(-2.0, 2.0)),
            6 => {
                let count = self.random.within(1..8);
                let points = (0..count)
                    .map(|i| Vec2::new(2.0 * i as f32 - 5.0, self.number(-1.0, 1.0)))
                    .collect();
                Call::Chain(self.any(), self.shape_def(), points, self.random.one_in(4))
            }
            _ => {
                let radius = if self.random.one_in(4) {
                    self.number(0.0, 0.2)
                } else {
                    0.0
                };
                Call::Outline(self.any(), self.shape_def(), self.corners(), radius)
            }
        }
    }

    fn call_about_a_joint(&mut self) -> Call {
        match self.random.below(8) {
            0 => Call::DestroyJoint(self.any()),
            1 => Call::Motor(
                self.any(),
                self.flag(),
                self.number(-5.0, 5.0),
                self.number(0.0, 90.0),
            ),
            2 => Call::Limit(
                self.any(),
                self.flag(),
                self.number(-1.0, 0.0),
                self.number(0.0, 1.0),
            ),
            3 => Call::Spring(
                self.any(),
                self.flag(),
                self.number(-4.0, 4.0),
                self.number(0.0, 5.0),
                self.number(0.0, 2.0),
            ),
            4 => Call::Stiffness(self.any(), self.number(1.0, 60.0), self.number(0.0, 5.0)),
            _ => Call::Joint(self.any(), self.any(), self.hinge()),
        }
    }

    fn call_that_cuts(&mut self) -> Call {
        match self.random.below(6) {
            0 | 1 => Call::Slice(self.any(), self.vector(5.0), self.vector(5.0)),
            2 | 3 => Call::CutThrough(self.vector(6.0), self.vector(6.0), u64::MAX),
            4 => {
                let count = self.random.within(0..7);
                Call::ShatterAt(self.any(), (0..count).map(|_| self.vector(4.0)).collect())
            }
            _ => Call::Shatter(self.any(), self.random.bits(), self.random.within(0..9)),
        }
    }

    /// A definition of a world.
    pub(super) fn world(&mut self) -> WorldDef {
        WorldDef {
            substeps: self.random.within(1..5) as u32,
            sleeping: !self.random.one_in(4),
            islands: if self.random.one_in(3) {
                self.random.pick(&IslandAlgorithm::ALL)
            } else {
                IslandAlgorithm::default()
            },
            ..WorldDef::default()
        }
    }
}

/// Bodies that a case has at most: what a call makes beyond them is left out.
const BODIES_MAX: usize = 60;

/// Shapes that a case has at most.
const SHAPES_MAX: usize = 300;

/// A world, and the ids that calls are made with.
pub(super) struct Player {
    pub world: PhysicsWorld,
    bodies: Vec<BodyId>,
    shapes: Vec<ShapeId>,
    outlines: Vec<OutlineId>,
    joints: Vec<JointId>,
}

fn picked<T: Copy>(list: &[T], number: usize) -> Option<T> {
    (!list.is_empty()).then(|| list[number % list.len()])
}

/// What a call answered, to be compared: text, since not a number differs from itself.
fn text<T: std::fmt::Debug>(answer: &T) -> String {
    format!("{answer:?}")
}

impl Form {
    fn make(&self) -> Result<Shape, ShapeError> {
        match self {
            Self::Circle(center, radius) => Shape::circle(*center, *radius),
            Self::Capsule(a, b, radius) => Shape::capsule(*a, *b, *radius),
            Self::Segment(a, b) => Shape::segment(*a, *b),
            Self::Rectangle(x, y) => Shape::rectangle(*x, *y),
            Self::RectangleAt(x, y, center, angle) => Shape::rectangle_at(*x, *y, *center, *angle),
            Self::Rounded(x, y, radius) => Shape::rounded_rectangle(*x, *y, *radius),
            Self::Polygon(points, radius) => Shape::polygon(points, *radius),
        }
    }
}

impl Change {
    fn make(self, body: &mut BodyMut<'_>) -> Result<(), PhysicsError> {
        match self {
            Self::Wake => body.wake(),
            Self::LinearVelocity(velocity) => return body.set_linear_velocity(velocity),
            Self::AngularVelocity(velocity) => return body.set_angular_velocity(velocity),
            Self::Target(place, angle, dt) => return body.set_target(place.into(), angle, dt),
            Self::Force(force) => return body.apply_force(force),
            Self::ForceAt(force, place) => return body.apply_force_at(force, place.into()),
            Self::Torque(torque) => return body.apply_torque(torque),
            Self::Impulse(impulse) => return body.apply_impulse(impulse),
            Self::ImpulseAt(impulse, place) => return body.apply_impulse_at(impulse, place.into()),
            Self::AngularImpulse(impulse) => return body.apply_angular_impulse(impulse),
            Self::Damping(linear, angular) => return body.set_damping(linear, angular),
            Self::GravityScale(scale) => return body.set_gravity_scale(scale),
            Self::Bullet(bullet) => body.set_bullet(bullet),
            Self::Key(key) => body.set_user_key(key),
            Self::SleepThreshold(threshold) => return body.set_sleep_threshold(threshold),
            Self::MaySleep(may) => body.set_may_sleep(may),
            Self::FixedRotation(fixed) => body.set_fixed_rotation(fixed),
        }
        Ok(())
    }
}

impl Player {
    /// A world with ids of all that lives in it.
    pub(super) fn new(world: PhysicsWorld) -> Self {
        let bodies = world.bodies().map(|body| body.id()).collect();
        let shapes = world.shapes().map(|shape| shape.id()).collect();
        let outlines = world.outlines().map(|outline| outline.id()).collect();
        let joints = world.joints().map(|joint| joint.id()).collect();
        Self {
            world,
            bodies,
            shapes,
            outlines,
            joints,
        }
    }

    /// Makes a call and says what it answered.
    pub(super) fn play(&mut self, call: &Call) -> String {
        let world = &mut self.world;
        match call {
            Call::Gravity(gravity) => text(&world.set_gravity(*gravity)),
            Call::Substeps(substeps) => text(&world.set_substeps(*substeps)),
            Call::Sleeping(enabled) => text(&world.set_sleeping_enabled(*enabled)),
            Call::Continuous(enabled) => text(&world.set_continuous(*enabled)),
            Call::Thresholds(restitution, hit) => text(&world.set_thresholds(*restitution, *hit)),
            Call::Softness(hertz, ratio, push) => text(&world.set_contact_softness(*hertz, *ratio, *push)),
            Call::SpeedMax(speed) => text(&world.set_speed_max(*speed)),
            Call::Debris(area_max, stay) => {
                let fate = if *stay {
                    DebrisFate::Stay(Debris::FILTER)
                } else {
                    DebrisFate::Vanish
                };
                text(&world.set_debris(Debris {
                    area_max: *area_max,
                    fate,
                }))
            }
            Call::Algorithm(number) => {
                text(&world.set_island_algorithm(IslandAlgorithm::ALL[number % IslandAlgorithm::ALL.len()]))
            }
            Call::Lanes(number) => {
                // What a machine has differs, but no answer may.
                let _ = world.set_lanes(LaneWidth::ALL[number % LaneWidth::ALL.len()]);
                String::new()
            }
            Call::BatchBodies(bodies) => text(&world.set_batch_bodies_max(*bodies)),
            Call::Watch => {
                world.watch_bodies();
                world.take_changed_bodies();
                String::new()
            }
            Call::Step(dt) => self.step(*dt),
            Call::Steps(count) => (0..*count).map(|_| self.step(1.0 / 60.0)).collect(),
            Call::LookAround => self.look_around(),
            Call::Ask(from, along, mask, form) => self.ask(*from, *along, *mask, form),
            _ => self.play_on_something(call),
        }
    }

    fn step(&mut self, dt: f32) -> String {
        text(&self.world.step(dt))
    }

    fn play_on_something(&mut self, call: &Call) -> String {
        let world = &mut self.world;
        match call {
            Call::Body(def) => {
                if world.counters().bodies >= BODIES_MAX {
                    return String::new();
                }
                let answer = world.create_body(def);
                self.bodies.extend(answer.as_ref().ok());
                text(&answer)
            }
            Call::DestroyBody(body) => self.on_body(*body, |world, body| text(&world.destroy_body(body))),
            Call::Enable(body, enabled) => {
                self.on_body(*body, |world, body| text(&world.set_enabled(body, *enabled)))
            }
            Call::Kind(body, kind) => self.on_body(*body, |world, body| text(&world.set_kind(body, *kind))),
            Call::Teleport(body, place, angle) => self.on_body(*body, |world, body| {
                text(&world.teleport(body, (*place).into(), *angle))
            }),
            Call::Change(body, change) => self.on_body(*body, |world, body| {
                text(&world.body_mut(body).map(|mut body| change.make(&mut body)))
            }),
            Call::Joint(a, b, hinge) => self.join(*a, *b, hinge),
            Call::DestroyJoint(joint) => {
                self.on_joint(*joint, |world, joint| text(&world.destroy_joint(joint)))
            }
            Call::Motor(joint, on, speed, torque) => self.on_joint(*joint, |world, joint| {
                text(&world.joint_mut(joint).map(|mut joint| {
                    joint.set_user_key(7);
                    joint.set_motor(*on, *speed, *torque)
                }))
            }),
            Call::Limit(joint, on, lower, upper) => self.on_joint(*joint, |world, joint| {
                let set = world
                    .joint_mut(joint)
                    .map(|mut joint| joint.set_limit(*on, *lower, *upper));
                text(&set)
            }),
            Call::Spring(joint, on, target, hertz, ratio) => self.on_joint(*joint, |world, joint| {
                let joint = world.joint_mut(joint);
                text(&joint.map(|mut joint| joint.set_spring(*on, *target, *hertz, *ratio)))
            }),
            Call::Stiffness(joint, hertz, ratio) => self.on_joint(*joint, |world, joint| {
                let set = world
                    .joint_mut(joint)
                    .map(|mut joint| joint.set_stiffness(*hertz, *ratio));
                text(&set)
            }),
            _ => self.play_on_shapes(call),
        }
    }

    fn play_on_shapes(&mut self, call: &Call) -> String {
        match call {
            Call::Shape(body, def, form) => self.shape(*body, def, form),
            Call::Chain(body, def, points, closed) => self.chain(*body, def, points, *closed),
            Call::Outline(body, def, corners, radius) => self.outline(*body, def, corners, *radius),
            Call::DestroyShape(shape) => {
                self.on_shape(*shape, |world, shape| text(&world.destroy_shape(shape)))
            }
            Call::DestroyOutline(outline) => match picked(&self.outlines, *outline) {
                Some(outline) => text(&self.world.destroy_outline(outline)),
                None => String::new(),
            },
            Call::Filter(shape, filter) => {
                self.on_shape(*shape, |world, shape| text(&world.set_filter(shape, *filter)))
            }
            Call::ShapeKey(shape, key) => self.on_shape(*shape, |world, shape| {
                text(&world.set_shape_user_key(shape, *key))
            }),
            Call::Material(shape, friction, restitution) => self.on_shape(*shape, |world, shape| {
                text(&world.set_material(shape, *friction, *restitution))
            }),
            Call::Surface(shape, resistance, speed) => self.on_shape(*shape, |world, shape| {
                text(&world.set_surface(shape, *resistance, *speed))
            }),
            Call::Slice(body, from, to) => self.cut(|world, bodies| {
                let body = picked(bodies, *body)?;
                Some(text(&world.slice(body, (*from).into(), (*to).into())))
            }),
            Call::CutThrough(from, to, mask) => self.cut(|world, _| {
                let filter = QueryFilter {
                    mask: *mask,
                    ..QueryFilter::default()
                };
                Some(text(&world.cut_through((*from).into(), (*to).into(), filter)))
            }),
            Call::Shatter(body, seed, count) => self.cut(|world, bodies| {
                let pattern = Shatter::Seeded {
                    seed: *seed,
                    count: *count,
                };
                Some(text(&world.shatter(picked(bodies, *body)?, &pattern)))
            }),
            Call::ShatterAt(body, sites) => self.cut(|world, bodies| {
                let sites = sites.iter().map(|&site| site.into()).collect();
                Some(text(
                    &world.shatter(picked(bodies, *body)?, &Shatter::Sites(sites)),
                ))
            }),
            _ => unreachable!("all calls are played"),
        }
    }

    fn on_body(&mut self, body: usize, call: impl FnOnce(&mut PhysicsWorld, BodyId) -> String) -> String {
        match picked(&self.bodies, body) {
            Some(body) => call(&mut self.world, body),
            None => String::new(),
        }
    }

    fn on_shape(&mut self, shape: usize, call: impl FnOnce(&mut PhysicsWorld, ShapeId) -> String) -> String {
        match picked(&self.shapes, shape) {
            Some(shape) => call(&mut self.world, shape),
            None => String::new(),
        }
    }

    fn on_joint(&mut self, joint: usize, call: impl FnOnce(&mut PhysicsWorld, JointId) -> String) -> String {
        match picked(&self.joints, joint) {
            Some(joint) => call(&mut self.world, joint),
            None => String::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.world.counters().shapes >= SHAPES_MAX
    }

    fn shape(&mut self, body: usize, def: &ShapeDef, form: &Form) -> String {
        let (Some(body), Ok(shape)) = (picked(&self.bodies, body), form.make()) else {
            return String::new();
        };
        if self.is_full() {
            return String::new();
        }
        let answer = self.world.create_shape(body, def, &shape);
        self.shapes.extend(answer.as_ref().ok());
        text(&answer)
    }

    fn chain(&mut self, body: usize, def: &ShapeDef, points: &[Vec2], closed: bool) -> String {
        let Some(body) = picked(&self.bodies, body).filter(|_| !self.is_full()) else {
            return String::new();
        };
        let def = ChainDef {
            points: points.to_vec(),
            closed,
            shape: def.clone(),
        };
        let answer = self.world.create_chain(body, &def);
        self.shapes.extend(answer.iter().flatten());
        text(&answer)
    }

    fn outline(&mut self, body: usize, def: &ShapeDef, corners: &[DVec2], radius: f32) -> String {
        let (Some(body), Ok(outline)) = (picked(&self.bodies, body), Outline::new(corners)) else {
            return String::new();
        };
        if self.is_full() {
            return String::new();
        }
        let answer = self.world.create_rounded_outline(body, def, &outline, radius);
        if let Ok(id) = answer {
            self.outlines.push(id);
            let outline = self.world.outline(id).expect("it was just made");
            self.shapes.extend(outline.parts().map(|part| part.id()));
        }
        text(&answer)
    }

    fn join(&mut self, a: usize, b: usize, hinge: &Hinge) -> String {
        let (Some(a), Some(b)) = (picked(&self.bodies, a), picked(&self.bodies, b)) else {
            return String::new();
        };
        let Hinge {
            anchors,
            angles,
            enable,
            spring,
            motor,
            stiffness,
            collide,
        } = hinge.clone();
        let answer = self.world.create_joint(RevoluteDef {
            lower_angle: angles[0],
            upper_angle: angles[1],
            reference_angle: angles[2],
            target_angle: angles[3],
            enable_limit: enable[0],
            enable_spring: enable[1],
            enable_motor: enable[2],
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            motor_speed: motor[0],
            max_motor_torque: motor[1],
            constraint_hertz: stiffness[0],
            constraint_damping_ratio: stiffness[1],
            collide_connected: collide,
            ..RevoluteDef::new(a, anchors[0], b, anchors[1])
        });
        self.joints.extend(answer.as_ref().ok());
        text(&answer)
    }

    fn cut(&mut self, call: impl FnOnce(&mut PhysicsWorld, &[BodyId]) -> Option<String>) -> String {
        let counters = self.world.counters();
        if counters.bodies >= BODIES_MAX || counters.shapes >= SHAPES_MAX {
            return String::new();
        }
        let answer = call(&mut self.world, &self.bodies).unwrap_or_default();
        let Self {
            world,
            bodies,
            shapes,
            outlines,
            ..
        } = self;
        // Which of them are new is not told one by one.
        let last = bodies.len();
        bodies.extend(world.bodies().map(|body| body.id()));
        shapes.extend(world.shapes().skip(last).map(|shape| shape.id()));
        outlines.extend(world.outlines().map(|outline| outline.id()));
        [bodies.len(), shapes.len(), outlines.len()]
            .iter()
            .for_each(|&count| assert!(count < 1 << 20, "a case is small"));
        answer
    }

    /// Every query.
    fn ask(&self, from: Vec2, along: Vec2, mask: u64, form: &Form) -> String {
        let world = &self.world;
        let filter = QueryFilter {
            mask: if mask.is_multiple_of(3) { mask } else { u64::MAX },
            ..QueryFilter::default()
        };
        let place = Position::from(from);
        let mut answers = text(&world.cast_ray(place, along, filter));
        answers += &text(&world.cast_ray_all(place, along, filter));
        answers += &text(&world.overlap_point(place, filter));
        let area = Aabb {
            min: from,
            max: from + along,
        };
        answers += &text(&world.overlap_box(area, filter));
        if let Ok(shape) = form.make() {
            let pose = Pose::new(from, along.x);
            answers += &text(&world.overlap_shape(&shape, pose, filter));
            answers += &text(&world.cast_shape(&shape, pose, along, filter));
        }
        answers
    }

    /// Every getter of everything.
    fn look_around(&self) -> String {
        let world = &self.world;
        let mut seen = String::new();
        for body in world.bodies() {
            let parts = (
                body.shapes().count(),
                body.contacts().count(),
                body.joints().count(),
            );
            let motion = (body.linear_velocity(), body.angular_velocity());
            let mass = (body.mass(), body.inertia(), body.center_of_mass());
            let at = (
                body.position(),
                body.rotation(),
                body.velocity_at(body.position()),
            );
            let flags = [
                body.is_awake(),
                body.is_enabled(),
                body.is_frozen(),
                body.is_bullet(),
                body.is_debris(),
                body.may_sleep(),
                body.has_fixed_rotation(),
            ];
            let rest = (
                body.linear_damping(),
                body.angular_damping(),
                body.gravity_scale(),
                body.sleep_threshold(),
                body.user_key(),
                body.kind(),
                body.island().is_some(),
            );
            let _ = write!(
                seen,
                "{:?}",
                (
                    body.id(),
                    parts,
                    motion,
                    mass,
                    at,
                    flags,
                    rest,
                    body.aabb(),
                    body.pose()
                )
            );
        }
        for shape in world.shapes() {
            let surface = (
                shape.friction(),
                shape.restitution(),
                shape.tangent_speed(),
                shape.density(),
            );
            let flags = (
                shape.is_sensor(),
                shape.has_contact_events(),
                shape.has_hit_events(),
            );
            let visitors: Vec<ShapeId> = shape.visitors().map(|visitor| visitor.id()).collect();
            let _ = write!(
                seen,
                "{:?}",
                (
                    shape.id(),
                    surface,
                    flags,
                    visitors,
                    shape.fat_aabb(),
                    shape.filter()
                )
            );
            let _ = write!(
                seen,
                "{:?}",
                (
                    shape.part_of(),
                    shape.body().id(),
                    shape.user_key(),
                    shape.outline()
                )
            );
        }
        for contact in world.contacts() {
            let points: Vec<_> = contact.points().collect();
            let shapes = contact.shapes().map(|shape| shape.id());
            let _ = write!(
                seen,
                "{:?}",
                (
                    contact.id(),
                    shapes,
                    contact.is_touching(),
                    contact.normal(),
                    points
                )
            );
        }
        for joint in world.joints() {
            let bodies = joint.bodies().map(|body| body.id());
            let impulses = (joint.linear_impulse(), joint.motor_impulse());
            let _ = write!(
                seen,
                "{:?}",
                (
                    joint.id(),
                    bodies,
                    joint.anchors(),
                    joint.angle(),
                    impulses,
                    joint.motor(),
                    joint.user_key()
                )
            );
        }
        for outline in world.outlines() {
            let loops: Vec<Vec<Vec2>> = (0..outline.loop_count())
                .map(|place| outline.loop_points(place).collect())
                .collect();
            let parts = outline.parts().count();
            let _ = write!(
                seen,
                "{:?}",
                (
                    outline.id(),
                    outline.body().id(),
                    parts,
                    loops,
                    outline.area(),
                    outline.radius()
                )
            );
            drop(outline.to_outline());
        }
        let _ = write!(
            seen,
            "{:?}",
            (
                world.gravity(),
                world.substeps(),
                world.step_index(),
                world.debris(),
                world.memory().len()
            )
        );
        // Counts of this machine and times: asked for, not compared.
        let _ = (
            world.counters(),
            world.solver_tasks().len(),
            world.profile().seconds(Stage::Collide),
        );
        seen
    }

    /// The events of the last step.
    pub(super) fn events(&self) -> String {
        let events = self.world.events();
        text(&(
            events.begin_touch(),
            events.end_touch(),
            events.hit(),
            (events.sensor_begin(), events.sensor_end()),
            (events.moved(), events.woke(), events.fell_asleep()),
            (events.frozen(), events.held(), events.cut(), events.vanished()),
        ))
    }
}
