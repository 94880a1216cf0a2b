//! The world of the car: a hull and four wheels on revolute joints, and the forces of its tires on road and grass.
//! Lengths of the original are fiftieths of a meter.

use super::track::{Track, sign};
use crate::EnvironmentError;
use crate::parts::{dynamic, joint_between};
use tombolo_physics::{
    BodyId, BodyKind, BodyRef, Filter, JointId, JointMotor, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2,
    WorldDef,
};

/// The original's unit of length, in meters.
pub(super) const UNIT_M: f64 = 0.02;
/// The length of a step, in seconds.
const STEP_S: f64 = 1.0 / 50.0;
/// Half the width and half the length of a wheel.
pub(super) const WHEEL: [f64; 2] = [14.0, 27.0];
/// The positions of the wheels: front left, front right, rear left, rear right.
const WHEELS: [[f64; 2]; 4] = [[-55.0, 80.0], [55.0, 80.0], [-55.0, -82.0], [55.0, -82.0]];
/// The polygons of the hull.
const HULL: [&[[f64; 2]]; 4] = [
    &[[-60.0, 130.0], [60.0, 130.0], [60.0, 110.0], [-60.0, 110.0]],
    &[[-15.0, 120.0], [15.0, 120.0], [20.0, 20.0], [-20.0, 20.0]],
    &[
        [25.0, 20.0],
        [50.0, -10.0],
        [50.0, -40.0],
        [20.0, -90.0],
        [-20.0, -90.0],
        [-50.0, -40.0],
        [-50.0, -10.0],
        [-25.0, 20.0],
    ],
    &[[-50.0, -120.0], [50.0, -120.0], [50.0, -90.0], [-50.0, -90.0]],
];
/// The approximate power of the engine for each rear wheel, in watts.
const POWER: f64 = 100_000_000.0 * UNIT_M * UNIT_M;
/// The moment of inertia of a rolling wheel, in kilogram square meters.
const ROLL_INERTIA: f64 = 4000.0 * UNIT_M * UNIT_M;
/// The greatest force of a tire on the road, in newtons.
const GRIP_N: f64 = 1_000_000.0 * UNIT_M * UNIT_M;
/// The share of that force on grass.
const GRASS_GRIP: f64 = 0.6;
/// The force of a tire per speed of slip, in newtons per meter per second.
const STIFFNESS: f64 = 205_000.0 * UNIT_M * UNIT_M;
/// The change of a wheel's speed by full brakes in a step, in radians per second.
const BRAKE: f64 = 15.0;
/// The greatest increase of the gas in a step.
const GAS_STEP: f64 = 0.1;
/// The torque that steers a front wheel, in newton meters.
const STEER_NM: f64 = 180.0 * 900.0 * UNIT_M * UNIT_M;
/// The greatest steering angle to either side, in radians.
const STEER_MAX: f32 = 0.4;
/// The distance between a wheel and a tile up to which they touch, in meters: the skin of the original's polygons.
const SKIN_M: f64 = 0.02;
/// An upper bound of the distance from a wheel to the first corner of a tile that may touch it, in meters.
const NEAR_M: f64 = 20.0;

/// The state of a tire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tire {
    pub(super) gas: f64,
    pub(super) brake: f64,
    /// The target of its steering angle, in radians.
    pub(super) steer: f64,
    /// The angle by which it has rolled, in radians.
    pub(super) phase: f64,
    /// The angular velocity of its rolling, in radians per second.
    pub(super) omega: f64,
    /// Whether it touches a tile.
    pub(super) on_road: bool,
}

/// The world, with the parts that the rules use.
#[derive(Clone, Debug)]
pub(super) struct CarScene {
    pub(super) world: PhysicsWorld,
    pub(super) hull: BodyId,
    pub(super) wheels: [BodyId; 4],
    pub(super) joints: [JointId; 4],
    pub(super) tires: [Tire; 4],
    pub(super) track: Track,
    /// For each tile whether a wheel has touched it.
    pub(super) visited: Vec<bool>,
}

impl CarScene {
    /// The car on the first tile of a track.
    pub(super) fn new(track: Track) -> Result<Self, EnvironmentError> {
        let mut world = PhysicsWorld::new(&WorldDef {
            gravity: Vec2::ZERO,
            sleeping: false,
            ..WorldDef::default()
        })?;
        let [angle, x, y] = track.marks[0].map(|number| number as f32);
        let hull = world.create_body(&dynamic(Vec2::new(x, y).into(), angle))?;
        let untouched = ShapeDef {
            filter: Filter {
                mask: 0,
                ..Filter::default()
            },
            ..ShapeDef::default()
        };
        for corners in HULL {
            let corners: Vec<Vec2> = corners.iter().map(|&corner| to_meters(corner)).collect();
            world.create_shape(hull, &untouched, &Shape::polygon(&corners, 0.0)?)?;
        }
        let light = ShapeDef {
            density: 0.1,
            ..untouched
        };
        for place in WHEELS {
            let anchor = to_meters(place);
            let at = world
                .body(hull)
                .ok_or(EnvironmentError::Damaged)?
                .pose()
                .transform_point(anchor);
            let wheel = world.create_body(&dynamic(at.into(), angle))?;
            let [width, length] = WHEEL.map(|half| (2.0 * half * UNIT_M) as f32);
            world.create_shape(wheel, &light, &Shape::new_box(width, length)?)?;
            world.create_joint(RevoluteDef {
                enable_limit: true,
                lower_angle: -STEER_MAX,
                upper_angle: STEER_MAX,
                enable_motor: true,
                max_motor_torque: STEER_NM as f32,
                ..RevoluteDef::new(hull, anchor, wheel, Vec2::ZERO)
            })?;
        }
        let visited = vec![false; track.tiles.len()];
        Self::from_saved(track, visited, [Tire::default(); 4], world)
    }

    /// The scene of a saved world, in which all ids must be those of creation.
    pub(super) fn from_saved(
        track: Track,
        visited: Vec<bool>,
        tires: [Tire; 4],
        world: PhysicsWorld,
    ) -> Result<Self, EnvironmentError> {
        let (hull, wheels, joints) = find_parts(&world).ok_or(EnvironmentError::Damaged)?;
        Ok(Self {
            world,
            hull,
            wheels,
            joints,
            tires,
            track,
            visited,
        })
    }

    pub(super) fn hull(&self) -> BodyRef<'_> {
        self.world.body(self.hull).expect("nobody destroys the hull")
    }

    pub(super) fn wheel(&self, wheel: usize) -> BodyRef<'_> {
        self.world
            .body(self.wheels[wheel])
            .expect("nobody destroys a wheel")
    }

    /// The steering angle of a wheel, in radians.
    pub(super) fn steering(&self, wheel: usize) -> f64 {
        let joint = self.world.joint(self.joints[wheel]);
        f64::from(joint.expect("nobody destroys a joint").angle())
    }

    /// Sets steering, gas and brakes.
    pub(super) fn control(&mut self, steer: f64, gas: f64, brake: f64) {
        for (wheel, tire) in self.tires.iter_mut().enumerate() {
            tire.brake = brake;
            if wheel < 2 {
                tire.steer = steer;
            } else {
                tire.gas += (gas - tire.gas).min(GAS_STEP);
            }
        }
    }

    /// Turns the wheels, and applies the forces of the tires. A wheel has nearly no mass, so its force is applied to
    /// the hull at the wheel's position.
    pub(super) fn drive(&mut self) -> Result<(), EnvironmentError> {
        for wheel in 0..WHEELS.len() {
            let off = self.tires[wheel].steer - self.steering(wheel);
            let speed = sign(off) * (50.0 * off.abs()).min(3.0);
            let joint = &mut self.world.joint_mut(self.joints[wheel])?;
            joint.set_motor(Some(JointMotor {
                speed: speed as f32,
                max: STEER_NM as f32,
            }))?;
            let (place, rotation) = (self.wheel(wheel).position(), self.wheel(wheel).rotation());
            let velocity = self.hull().velocity_at(place);
            let (sin, cos) = (f64::from(rotation.sin), f64::from(rotation.cos));
            let (vx, vy) = (f64::from(velocity.x), f64::from(velocity.y));
            let slip = [cos * vy - sin * vx, cos * vx + sin * vy];
            let [forward, sideways] = self.tires[wheel].push(slip);
            let force = [sideways * cos - forward * sin, sideways * sin + forward * cos];
            let force = Vec2::from_array(force.map(|newtons| newtons as f32));
            self.world.body_mut(self.hull)?.apply_force_at(force, place)?;
        }
        Ok(())
    }

    /// Updates the tiles that the wheels touch; returns the number of new ones, and whether the first tile is among
    /// them.
    pub(super) fn visit_tiles(&mut self) -> (usize, bool) {
        let (mut found, mut first) = (0, false);
        for wheel in 0..WHEELS.len() {
            let pose = self.wheel(wheel).pose();
            let [x, y] = WHEEL.map(|half| (half * UNIT_M) as f32);
            let corners = [[-x, -y], [x, -y], [x, y], [-x, y]].map(|corner| {
                let corner = pose.transform_point(Vec2::from_array(corner));
                [f64::from(corner.x), f64::from(corner.y)]
            });
            let mut on_road = false;
            for (tile, outline) in self.track.tiles.iter().enumerate() {
                let apart = [outline[0][0] - corners[0][0], outline[0][1] - corners[0][1]];
                if apart[0].abs() > NEAR_M || apart[1].abs() > NEAR_M || !touch(outline, &corners) {
                    continue;
                }
                on_road = true;
                if !self.visited[tile] {
                    self.visited[tile] = true;
                    found += 1;
                    first |= tile == 0;
                }
            }
            self.tires[wheel].on_road = on_road;
        }
        (found, first)
    }
}

impl Tire {
    /// Rolls for a step; returns the force of the tire on the car forward and sideways, in newtons, for the speed
    /// forward and sideways.
    fn push(&mut self, [forward, sideways]: [f64; 2]) -> [f64; 2] {
        let grip = if self.on_road { GRIP_N } else { GRIP_N * GRASS_GRIP };
        let radius = WHEEL[1] * UNIT_M;
        self.omega += STEP_S * POWER * self.gas / ROLL_INERTIA / (self.omega.abs() + 5.0);
        if self.brake >= 0.9 {
            self.omega = 0.0;
        } else if self.brake > 0.0 {
            self.omega -= sign(self.omega) * (BRAKE * self.brake).min(self.omega.abs());
        }
        // Only drawn, so whole turns do not count.
        self.phase = libm::fmod(self.phase + self.omega * STEP_S, core::f64::consts::TAU);
        let mut force = [(self.omega * radius - forward) * STIFFNESS, -sideways * STIFFNESS];
        let size = libm::sqrt(force[0] * force[0] + force[1] * force[1]);
        if size > grip {
            force = force.map(|newtons| newtons / size * grip);
        }
        self.omega -= STEP_S * force[0] * radius / ROLL_INERTIA;
        force
    }
}

/// The hull, wheels and joints, if the world is that of a car.
fn find_parts(world: &PhysicsWorld) -> Option<(BodyId, [BodyId; 4], [JointId; 4])> {
    let moving = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic);
    let bodies: Vec<BodyRef<'_>> = moving.collect();
    let [hull, wheels @ ..] = &bodies[..] else {
        return None;
    };
    let wheels: [BodyRef<'_>; 4] = wheels.try_into().ok()?;
    let mut joints = [joint_between(*hull, wheels[0])?; 4];
    for (joint, wheel) in joints.iter_mut().zip(wheels) {
        *joint = joint_between(*hull, wheel)?;
        world.joint(*joint)?.motor()?;
    }
    Some((hull.id(), wheels.map(|wheel| wheel.id()), joints))
}

fn to_meters(place: [f64; 2]) -> Vec2 {
    Vec2::from_array(place.map(|units| (units * UNIT_M) as f32))
}

/// Whether two convex outlines are nearer than the skin: no edge of either separates the two.
fn touch(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    !parts(a, b) && !parts(b, a)
}

/// Whether the direction across an edge of the first outline separates the two by more than the skin.
fn parts(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    (0..4).any(|edge| {
        let (from, to) = (a[edge], a[(edge + 1) % 4]);
        let normal = [to[1] - from[1], from[0] - to[0]];
        let length = libm::sqrt(normal[0] * normal[0] + normal[1] * normal[1]);
        let range = |corners: &[[f64; 2]; 4]| {
            let projections = corners.map(|corner| normal[0] * corner[0] + normal[1] * corner[1]);
            projections
                .into_iter()
                .fold([f64::MAX, f64::MIN], |[low, high], projection| {
                    [low.min(projection), high.max(projection)]
                })
        };
        let ([a_low, a_high], [b_low, b_high]) = (range(a), range(b));
        (b_low - a_high).max(a_low - b_high) > SKIN_M * length
    })
}
