//! The walker's bodies and the ground under them. Lengths of the original are pixels, 30 to the meter.

use super::terrain::{LEVEL_M, SCALE, START_POINTS, STEP_M, Terrain};
use crate::parts::{GROUND, dynamic, grounded, joint_between};
use crate::{EnvironmentError, Generator};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyRef, Filter, JointId, JointMotor, PhysicsWorld, Pose, QueryFilter,
    RevoluteDef, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

/// The corners of the hull in pixels.
const HULL: [[f32; 2]; 5] = [[-30.0, 9.0], [6.0, 9.0], [34.0, 1.0], [34.0, -8.0], [-30.0, -8.0]];
/// The height of the hips above the hull's origin, in meters.
const HIP_UP_M: f32 = -8.0 / SCALE as f32;
/// The width of a thigh, and the length of thigh and shin, in meters.
const LIMB_M: [f32; 2] = [8.0 / SCALE as f32, 34.0 / SCALE as f32];
/// The ratio of a shin's width to that of a thigh.
const SHIN_WIDTH: f32 = 0.8;
/// The limits of a hip and of a knee, in radians.
const LIMITS: [[f32; 2]; 2] = [[-0.8, 1.1], [-1.6, -0.1]];
/// The angles between hull and thigh, left and right, at which a hip's angle is 0, in radians.
const STRAIGHT: [f32; 2] = [-0.05, 0.05];
/// The length of a ray, in meters.
const RAY_M: f64 = 160.0 / SCALE;
/// The number of rays.
pub(super) const RAYS: usize = 10;
/// The distance that ground and limbs keep, each. In the original's engine both are rounded by 0.01 m and sink in by up to
/// 0.005 m together, so that a foot lands and rests 0.015 m above the ground
/// (docs/performance/environments.md#the-walkers-contact).
const SKIN_M: f32 = 0.0075;
/// The greatest force that pushes the hull in the first step, to either side, in newtons.
const PUSH_N: f64 = 5.0;

/// Substeps of a step. A shin weighs a 22nd of the hull that it carries; with 6 substeps and fewer the walker sinks on its
/// joints and falls early, and with 18 the heuristic comes nearest to the original (docs/performance/environments.md).
const SUBSTEPS: u32 = 18;

/// The pose and velocity of a body after the null step of a reset. The original sets the limbs 0.5 m too high, and
/// its joints pull them down and the hull up within that step, until a foot touches the ground. The ground is level
/// there, so the result is the same in all episodes except for the push; read from the original, relative to the
/// middle of the first stretch.
struct Start {
    place: [f32; 2],
    angle: f32,
    /// The velocity without a push, in meters per second and radians per second.
    velocity: [f32; 3],
    /// The change of the velocity for each meter per second that the push gives the hull.
    pushed: [f32; 3],
}

/// Hull, left thigh, left shin, right thigh, right shin.
const STARTS: [Start; 5] = [
    Start {
        place: [-0.0030, 2.351_008],
        angle: 0.002_748,
        velocity: [0.0, -0.2, 0.0],
        pushed: [1.0, 0.0, -0.0385],
    },
    Start {
        place: [0.0230, 1.519_072],
        angle: 0.0449,
        velocity: [0.0, -0.2, 0.0],
        pushed: [0.61, 0.018, -0.672],
    },
    Start {
        place: [-0.0164, 0.589_074],
        angle: -0.095,
        velocity: [-0.0049, -0.0001, 0.0084],
        pushed: [0.0, 0.0, 0.0],
    },
    Start {
        place: [0.0460, 1.519_629],
        angle: 0.0853,
        velocity: [0.0, -0.2, 0.0],
        pushed: [0.61, -0.02, -0.672],
    },
    Start {
        place: [0.0056, 0.586_957],
        angle: -0.061,
        velocity: [0.0, 0.0, 0.0],
        pushed: [0.0, 0.0, 0.0],
    },
];
/// The state before the first step: the original's joints, which still overlap after the null step, lift the hull
/// within the first step, fold the legs whose knees do not stretch, and straighten the others. Read from the
/// original: height of the hull above the ground when both legs are folded, and when one is not; angles of thigh and
/// shin, folded and straight.
const SETTLED_M: [f32; 2] = [2.3992, 2.46];
const SETTLED_ANGLES: [[f32; 2]; 2] = [[0.38, -0.5], [0.0, -0.1]];
/// The speed in meters per second that a newton of push in the first step gives the hull with its limbs.
const SPEED_OF_PUSH: f64 = 0.003_36;

/// The world, with the parts that the rules use.
#[derive(Clone, Debug)]
pub(super) struct WalkerScene {
    pub(super) world: PhysicsWorld,
    pub(super) hull: BodyId,
    /// The shapes of the two shins.
    pub(super) feet: [ShapeId; 2],
    /// Left hip, left knee, right hip, right knee.
    pub(super) joints: [JointId; 4],
    pub(super) terrain: Terrain,
}

impl WalkerScene {
    /// The walker at the start of its ground, in its state after the null step.
    pub(super) fn new(random: &mut Generator, hardcore: bool) -> Result<Self, EnvironmentError> {
        let terrain = Terrain::draw(random, hardcore);
        let push = random.uniform(-PUSH_N, PUSH_N) * SPEED_OF_PUSH;
        let mut world = PhysicsWorld::new(&WorldDef {
            substeps: SUBSTEPS,
            // The motors of the original keep the walker awake.
            sleeping: false,
            ..WorldDef::default()
        })?;
        build_ground(&mut world, &terrain)?;
        let corners = HULL.map(|[x, y]| Vec2::new(x, y) / SCALE as f32);
        let [width, length] = LIMB_M;
        let thigh = Shape::new_box(width, length)?;
        let shin = Shape::new_box(SHIN_WIDTH * width, length)?;
        let hull_def = ShapeDef {
            density: 5.0,
            friction: 0.1,
            contact_skin: SKIN_M,
            ..grounded(0x20)
        };
        let limb_def = ShapeDef {
            contact_skin: SKIN_M,
            ..grounded(0x20)
        };
        let hull = create_body(&mut world, &STARTS[0], push)?;
        world.create_shape(hull, &hull_def, &Shape::polygon(&corners, 0.0)?)?;
        for (leg, straight) in STARTS[1..].chunks(2).zip(STRAIGHT) {
            let mut above = (hull, Vec2::new(0.0, HIP_UP_M));
            for (part, start) in leg.iter().enumerate() {
                let limb = create_body(&mut world, start, push)?;
                world.create_shape(limb, &limb_def, [&thigh, &shin][part])?;
                let turned = if part == 0 { straight } else { 0.0 };
                create_joint(&mut world, above, limb, LIMITS[part], turned)?;
                above = (limb, Vec2::new(0.0, -length / 2.0));
            }
        }
        Self::from_saved(terrain, world)
    }

    /// The scene of a saved world, in which all ids must be those of creation.
    pub(super) fn from_saved(terrain: Terrain, world: PhysicsWorld) -> Result<Self, EnvironmentError> {
        let (hull, feet, joints) = find_parts(&world).ok_or(EnvironmentError::Damaged)?;
        Ok(Self {
            world,
            hull,
            feet,
            joints,
            terrain,
        })
    }

    /// Folds or straightens the legs for the first step.
    fn settle(&mut self, stretch: [bool; 2]) -> Result<(), EnvironmentError> {
        let moving = self
            .world
            .bodies()
            .filter(|body| body.kind() == BodyKind::Dynamic);
        let bodies: Vec<BodyId> = moving.map(|body| body.id()).collect();
        let height = SETTLED_M[usize::from(stretch != [false; 2])];
        let hull = Pose::new(at_start([STARTS[0].place[0], height]), STARTS[0].angle);
        let hip = hull.transform_point(Vec2::new(0.0, HIP_UP_M));
        self.world.body_mut(bodies[0])?.teleport(hull)?;
        for (leg, stretch) in bodies[1..].chunks(2).zip(stretch) {
            let mut above = hip;
            for (&limb, angle) in leg.iter().zip(SETTLED_ANGLES[usize::from(stretch)]) {
                let mut pose = Pose::new(Vec2::ZERO, angle);
                let half = pose.rotation.rotate(Vec2::new(0.0, LIMB_M[1] / 2.0));
                pose.position = above - half;
                above = pose.position - half;
                self.world.body_mut(limb)?.teleport(pose)?;
            }
        }
        Ok(())
    }

    pub(super) fn hull(&self) -> BodyRef<'_> {
        self.world.body(self.hull).expect("nobody destroys the hull")
    }

    /// Sets the target speed and the greatest torque of each joint's motor.
    pub(super) fn drive(&mut self, motors: [[f32; 2]; 4]) -> Result<(), EnvironmentError> {
        if self.world.step_index() == 0 {
            self.settle([1, 3].map(|knee| motors[knee][0] > 0.0))?;
        }
        for (joint, [speed, max]) in self.joints.into_iter().zip(motors) {
            let motor = JointMotor { speed, max };
            self.world.joint_mut(joint)?.set_motor(Some(motor))?;
        }
        Ok(())
    }

    /// The angle and angular velocity of each joint.
    pub(super) fn bends(&self) -> [[f64; 2]; 4] {
        self.joints.map(|joint| {
            let joint = self.world.joint(joint).expect("nobody destroys a joint");
            let [above, below] = joint.bodies().map(|body| f64::from(body.angular_velocity()));
            [f64::from(joint.angle()), below - above]
        })
    }

    /// The free length of each ray, from straight down to forward, as a share of the ray's length.
    pub(super) fn look(&self) -> Result<[f64; RAYS], EnvironmentError> {
        let filter = QueryFilter {
            mask: GROUND,
            ..QueryFilter::default()
        };
        let from = self.hull().position();
        let mut seen = [1.0; RAYS];
        for (ray, seen) in seen.iter_mut().enumerate() {
            let angle = 1.5 * ray as f64 / RAYS as f64;
            let ray = [libm::sin(angle) * RAY_M, -libm::cos(angle) * RAY_M];
            let ray = Vec2::from_array(ray.map(|meters| meters as f32));
            if let Some(hit) = self.world.cast_ray(from, ray, filter)? {
                *seen = f64::from(hit.fraction);
            }
        }
        Ok(seen)
    }
}

/// The hull, feet and joints, if the world is that of a walker.
fn find_parts(world: &PhysicsWorld) -> Option<(BodyId, [ShapeId; 2], [JointId; 4])> {
    let moving = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic);
    let bodies: Vec<BodyRef<'_>> = moving.collect();
    let [hull, left, left_shin, right, right_shin] = bodies[..] else {
        return None;
    };
    let foot = |shin: BodyRef<'_>| shin.shapes().next().map(|shape| shape.id());
    let joints = [
        joint_between(hull, left)?,
        joint_between(left, left_shin)?,
        joint_between(hull, right)?,
        joint_between(right, right_shin)?,
    ];
    let driven = |&joint: &JointId| world.joint(joint).is_some_and(|joint| joint.motor().is_some());
    let feet = [foot(left_shin)?, foot(right_shin)?];
    joints.iter().all(driven).then(|| (hull.id(), feet, joints))
}

fn build_ground(world: &mut PhysicsWorld, terrain: &Terrain) -> Result<(), EnvironmentError> {
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let def = ShapeDef {
        filter: Filter {
            category: GROUND,
            ..Filter::default()
        },
        friction: 2.5,
        contact_skin: SKIN_M,
        ..ShapeDef::default()
    };
    for &[left, bottom, right, top] in &terrain.blocks {
        let corners = [[left, bottom], [right, bottom], [right, top], [left, top]];
        let corners = corners.map(|corner| Vec2::from_array(corner.map(|meters| meters as f32)));
        world.create_shape(ground, &def, &Shape::polygon(&corners, 0.0)?)?;
    }
    for (point, pair) in terrain.heights.windows(2).enumerate() {
        let corner = |place: usize, y: f64| Vec2::new((place as f64 * STEP_M) as f32, y as f32);
        let edge = Shape::segment(corner(point, pair[0]), corner(point + 1, pair[1]))?;
        world.create_shape(ground, &def, &edge)?;
    }
    Ok(())
}

/// A point given relative to the middle of the first stretch.
fn at_start([x, y]: [f32; 2]) -> Vec2 {
    let middle = START_POINTS as f64 / 2.0 * STEP_M;
    Vec2::new(x + middle as f32, y + LEVEL_M as f32)
}

/// Creates a body in its state after the null step.
fn create_body(world: &mut PhysicsWorld, start: &Start, push: f64) -> Result<BodyId, EnvironmentError> {
    let body = world.create_body(&BodyDef {
        // The original's engine computes every manifold in every step, and tells from it what a foot touches.
        contact_recycling: false,
        ..dynamic(at_start(start.place).into(), start.angle)
    })?;
    let velocity = |axis: usize| start.velocity[axis] + push as f32 * start.pushed[axis];
    let mut moved = world.body_mut(body)?;
    moved.set_linear_velocity(Vec2::new(velocity(0), velocity(1)))?;
    moved.set_angular_velocity(velocity(2))?;
    Ok(body)
}

/// Creates a hip or a knee: it joins the limb's upper end to a point of the body above, with an angle of 0 at the
/// given rotation of the limb.
fn create_joint(
    world: &mut PhysicsWorld,
    (above, anchor): (BodyId, Vec2),
    limb: BodyId,
    [lower_angle, upper_angle]: [f32; 2],
    turned: f32,
) -> Result<(), EnvironmentError> {
    world.create_joint(RevoluteDef {
        enable_limit: true,
        lower_angle,
        upper_angle,
        enable_motor: true,
        local_angle_a: turned,
        ..RevoluteDef::new(above, anchor, limb, Vec2::new(0.0, LIMB_M[1] / 2.0))
    })?;
    Ok(())
}
