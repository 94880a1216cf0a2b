//! The terrain, hull and legs of the lander, with the numbers of the original scene, whose unit is a pixel, 30 to the
//! meter.

use super::options::STEP_S;
use crate::parts::{dynamic, grounded, joint_between};
use crate::{EnvironmentError, Generator};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyRef, JointId, JointLimit, PhysicsWorld, Pose, Position, RevoluteDef,
    Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

/// The number of pixels in a meter.
pub(super) const SCALE: f64 = 30.0;
/// The distance from the center to either side, in meters.
pub(super) const HALF_WIDTH_M: f64 = 600.0 / SCALE / 2.0;
/// Half of the height, in meters.
pub(super) const HALF_HEIGHT_M: f64 = 400.0 / SCALE / 2.0;
/// The height of the pad above the bottom, in meters.
pub(super) const PAD_Y_M: f64 = 400.0 / SCALE / 4.0;
/// The vertical distance from a leg's center up to its anchor on the hull, in meters.
pub(super) const LEG_DOWN_M: f64 = 18.0 / SCALE;
/// The horizontal distance from a leg's center to its anchor, in meters.
const LEG_AWAY_M: f64 = 20.0 / SCALE;
/// The number of corners of the terrain.
pub(super) const POINTS: usize = 11;
/// The corners of the hull in pixels.
const HULL: [[f32; 2]; 6] = [
    [-14.0, 17.0],
    [-17.0, 0.0],
    [-17.0, -10.0],
    [17.0, -10.0],
    [17.0, 0.0],
    [14.0, 17.0],
];
/// The angles between hull and left leg in radians, in the first step and ever after; the right leg has the same,
/// negative. The original's limit of 0.4 is relative to the angle that the leg is created with.
const ANGLES: [f32; 2] = [-0.05, 0.35];
/// The range in radians by which a leg yields.
const LEG_RANGE: f32 = 0.5;
/// The height in meters by which the first step of the original lifts the hull: there the legs begin 0.6 m too high,
/// and the force that pulls them down pulls the hull up. Read from recorded first observations, in all of which it is
/// the same.
const FIRST_LIFT_M: f32 = 0.00613;

/// Substeps of the first step, in which a push must reach the legs through their joints at once, as it does in the
/// original's 180 iterations.
const SUBSTEPS_FIRST: u32 = 64;
/// Substeps while there are no touches: only two joints are solved.
const SUBSTEPS_FLYING: u32 = 4;
/// Substeps while a leg touches. A leg weighs a 68th of the hull that it carries: with 16 substeps and fewer the craft
/// rocks on its legs, falls over more often, and rests later; with 32 a hard landing on one leg may fling it.
const SUBSTEPS_STANDING: u32 = 64;
/// The damping ratio with which the joints hold the legs. The legs of the original give way to a hard landing, after
/// which the hull hits the ground. With the default of 2 a leg that comes down first stops the hull like a rod, and one
/// craft in twenty is flung up again, spins for a second or two, and loses up to 2,000 points thereby.
const LEG_DAMPING_RATIO: f32 = 10.0;

/// The world, with the parts that the rules use.
#[derive(Clone, Debug)]
pub(super) struct LanderScene {
    pub(super) world: PhysicsWorld,
    /// The hull, left leg and right leg.
    pub(super) bodies: [BodyId; 3],
    /// The shapes of the legs.
    pub(super) legs: [ShapeId; 2],
    joints: [JointId; 2],
    pub(super) heights: [f64; POINTS],
}

/// Draws twelve heights and smooths them; five of them are the pad.
pub(super) fn draw_heights(random: &mut Generator) -> [f64; POINTS] {
    let mut rough = [0.0; POINTS + 1];
    rough.fill_with(|| random.uniform(0.0, HALF_HEIGHT_M));
    rough[POINTS / 2 - 2..=POINTS / 2 + 2].fill(PAD_Y_M);
    core::array::from_fn(|i| {
        // The first corner takes the last height for the one before it.
        let before = rough[(i + POINTS) % (POINTS + 1)];
        0.33 * (before + rough[i] + rough[i + 1])
    })
}

/// The distance from the left border to a corner of the terrain, in meters.
fn corner_x(place: usize) -> f32 {
    (2.0 * HALF_WIDTH_M / (POINTS as f64 - 1.0) * place as f64) as f32
}

impl LanderScene {
    /// The craft at the top center, pushed once, with the legs in their positions of the first step.
    pub(super) fn new(heights: [f64; POINTS], push: Vec2) -> Result<Self, EnvironmentError> {
        let mut world = PhysicsWorld::new(&WorldDef {
            // `rest.rs` decides which bodies sleep.
            sleeping: false,
            gravity: Vec2::ZERO,
            ..WorldDef::default()
        })?;
        build_ground(&mut world, &heights)?;
        let top = Position::new(HALF_WIDTH_M as f32, 2.0 * HALF_HEIGHT_M as f32);
        let hull = world.create_body(&dynamic(top, 0.0))?;
        let corners = HULL.map(|[x, y]| Vec2::new(x, y) / SCALE as f32);
        let hull_def = ShapeDef {
            density: 5.0,
            friction: 0.1,
            ..grounded(0x10)
        };
        world.create_shape(hull, &hull_def, &Shape::polygon(&corners, 0.0)?)?;
        let left = create_leg(&mut world, hull, top, -1.0)?;
        let right = create_leg(&mut world, hull, top, 1.0)?;
        world.body_mut(hull)?.apply_impulse(push)?;
        Ok(Self {
            world,
            bodies: [hull, left.0, right.0],
            legs: [left.1, right.1],
            joints: [left.2, right.2],
            heights,
        })
    }

    /// The scene of a saved world, in which all ids must be those of creation.
    pub(super) fn from_saved(heights: [f64; POINTS], world: PhysicsWorld) -> Result<Self, EnvironmentError> {
        let damaged = EnvironmentError::Damaged;
        let moving = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic);
        let bodies: Vec<BodyRef<'_>> = moving.collect();
        let [hull, left, right] = bodies[..] else {
            return Err(damaged);
        };
        let shape = |leg: BodyRef<'_>| leg.shapes().next().map(|shape| shape.id());
        let legs = [shape(left), shape(right)];
        let joints = [joint_between(hull, left), joint_between(hull, right)];
        let ([Some(left_leg), Some(right_leg)], [Some(left_joint), Some(right_joint)]) = (legs, joints)
        else {
            return Err(damaged);
        };
        Ok(Self {
            bodies: [hull.id(), left.id(), right.id()],
            legs: [left_leg, right_leg],
            joints: [left_joint, right_joint],
            heights,
            world,
        })
    }

    pub(super) fn hull(&self) -> BodyRef<'_> {
        self.world.body(self.bodies[0]).expect("nobody destroys the hull")
    }

    /// Applies gravity for the next step. A craft that flies gets all of it at once, as the original with its single
    /// substep does: its path is then the same. One that stands gets its share in each substep, so that contacts
    /// rest.
    pub(super) fn apply_gravity(&mut self, gravity: f32, flies: bool) -> Result<(), EnvironmentError> {
        let gravity = Vec2::new(0.0, gravity);
        let (in_substeps, at_once) = if flies {
            (Vec2::ZERO, gravity)
        } else {
            (gravity, Vec2::ZERO)
        };
        let substeps = match (self.world.step_index(), flies) {
            (0, _) => SUBSTEPS_FIRST,
            (_, true) => SUBSTEPS_FLYING,
            (_, false) => SUBSTEPS_STANDING,
        };
        if self.world.substeps() != substeps {
            self.world.set_substeps(substeps)?;
        }
        if self.world.gravity() != in_substeps {
            self.world.set_gravity(in_substeps)?;
        }
        if at_once != Vec2::ZERO {
            for body in self.bodies {
                let mut body = self.world.body_mut(body)?;
                let velocity = body.view().linear_velocity();
                body.set_linear_velocity(velocity + at_once * STEP_S)?;
            }
        }
        Ok(())
    }

    /// Moves the legs from their positions of the first step to the permanent ones: in the original the limits of
    /// their joints pull them there within that step.
    pub(super) fn fold_legs(&mut self) -> Result<(), EnvironmentError> {
        let hull = self.hull().pose();
        let lifted = Pose {
            position: hull.position + Vec2::new(0.0, FIRST_LIFT_M),
            ..hull
        };
        self.world.body_mut(self.bodies[0])?.teleport(lifted)?;
        for (place, side) in [-1.0, 1.0].into_iter().enumerate() {
            let angle = hull.rotation.angle() - side * ANGLES[1];
            let pose = leg_pose(lifted.position, angle, side);
            self.world.body_mut(self.bodies[1 + place])?.teleport(pose)?;
            let [lower, upper] = limits(side, ANGLES[1]);
            self.world
                .joint_mut(self.joints[place])?
                .set_limit(Some(JointLimit { lower, upper }))?;
        }
        Ok(())
    }
}

fn build_ground(world: &mut PhysicsWorld, heights: &[f64; POINTS]) -> Result<(), EnvironmentError> {
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let right = 2.0 * HALF_WIDTH_M as f32;
    let floor = ShapeDef {
        friction: 0.2,
        ..ShapeDef::default()
    };
    world.create_shape(
        ground,
        &floor,
        &Shape::segment(Vec2::ZERO, Vec2::new(right, 0.0))?,
    )?;
    let hill = ShapeDef {
        friction: 0.1,
        ..ShapeDef::default()
    };
    for (place, pair) in heights.windows(2).enumerate() {
        let from = Vec2::new(corner_x(place), pair[0] as f32);
        let to = Vec2::new(corner_x(place + 1), pair[1] as f32);
        world.create_shape(ground, &hill, &Shape::segment(from, to)?)?;
    }
    Ok(())
}

/// The pose of a leg: its anchor is at the hull's origin.
fn leg_pose(hull: Vec2, angle: f32, side: f32) -> Pose {
    let mut pose = Pose::new(Vec2::ZERO, angle);
    let anchor = pose.rotation.rotate(leg_anchor(side));
    pose.position = hull - anchor;
    pose
}

fn leg_anchor(side: f32) -> Vec2 {
    Vec2::new(side * LEG_AWAY_M as f32, LEG_DOWN_M as f32)
}

/// The limits of a leg's joint: from its resting angle, over the range by which it yields.
fn limits(side: f32, stays: f32) -> [f32; 2] {
    if side < 0.0 {
        [stays, stays + LEG_RANGE]
    } else {
        [-stays - LEG_RANGE, -stays]
    }
}

/// A leg, its shape and its joint; `side` is -1 for the left.
fn create_leg(
    world: &mut PhysicsWorld,
    hull: BodyId,
    top: Position,
    side: f32,
) -> Result<(BodyId, ShapeId, JointId), EnvironmentError> {
    let pose = leg_pose(top.to_vec2(), -side * ANGLES[0], side);
    let leg = world.create_body(&dynamic(pose.position.into(), pose.rotation.angle()))?;
    let size = [4.0, 16.0].map(|pixels| pixels / SCALE as f32);
    let shape = world.create_shape(leg, &grounded(0x20), &Shape::new_box(size[0], size[1])?)?;
    let [lower_angle, upper_angle] = limits(side, ANGLES[0]);
    let joint = world.create_joint(RevoluteDef {
        enable_limit: true,
        lower_angle,
        upper_angle,
        enable_motor: true,
        motor_speed: 0.3 * side,
        max_motor_torque: 40.0,
        constraint_damping_ratio: LEG_DAMPING_RATIO,
        ..RevoluteDef::new(hull, Vec2::ZERO, leg, leg_anchor(side))
    })?;
    Ok((leg, shape, joint))
}
