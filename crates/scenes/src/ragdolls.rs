//! [`Rain`]: ragdolls that are created and destroyed between steps.

use crate::builder::{Builder, Jitter, constant};
use crate::target::SceneTarget;
use alloc::vec;
use alloc::vec::Vec;
use core::f32::consts::PI;
use tombolo_physics::{BodyDef, BodyId, Filter, PhysicsError, RevoluteDef, Shape, ShapeDef, Vec2};

/// The number of floors above each other.
pub(crate) const FLOORS: u32 = 5;
/// The distance from floor to floor, in meters.
pub(crate) const FLOOR_HEIGHT: f32 = 45.0;
/// The number of ragdolls of a group.
const GROUP: u32 = 5;
/// The distance from group to group, in meters.
pub(crate) const GROUP_SPACING: f32 = 6.25;

/// The state of the rain: the ragdolls of each column.
#[derive(Clone, Debug)]
pub struct Rain {
    /// The bodies of the ragdolls of each column.
    columns: Vec<Vec<BodyId>>,
    column_count: u32,
    /// The column that is replaced next.
    oldest: usize,
    /// The x coordinate at which the first column begins.
    left: f32,
    jitter: Jitter,
    parts: Vec<RagdollPart>,
}

impl Rain {
    /// Rain over `column_count` columns to the right of `left`, before its first step.
    pub(crate) fn new(left: f32, column_count: u32, jitter: Jitter) -> Self {
        Self {
            columns: Vec::new(),
            column_count,
            oldest: 0,
            left,
            jitter,
            parts: parts(),
        }
    }

    pub(crate) fn before_step(
        &mut self,
        step: u32,
        target: &mut dyn SceneTarget,
    ) -> Result<(), PhysicsError> {
        if !step.is_multiple_of(8) {
            return Ok(());
        }
        let mut builder = Builder {
            target,
            jitter: self.jitter.clone(),
        };
        let created = self.columns.len();
        if created < self.column_count as usize {
            let bodies = self.column(&mut builder, created)?;
            self.columns.push(bodies);
        } else {
            for body in core::mem::take(&mut self.columns[self.oldest]) {
                builder.target.destroy_body(body)?;
            }
            self.columns[self.oldest] = self.column(&mut builder, self.oldest)?;
            self.oldest = (self.oldest + 1) % created;
        }
        self.jitter = builder.jitter;
        Ok(())
    }

    /// Creates one group on each floor.
    fn column(&self, builder: &mut Builder<'_>, column: usize) -> Result<Vec<BodyId>, PhysicsError> {
        let mut bodies = Vec::with_capacity((FLOORS * GROUP) as usize * self.parts.len());
        for floor in 0..FLOORS {
            let mut x = self.left + GROUP_SPACING * (column as f32 + 0.5);
            let y = 40.0 + FLOOR_HEIGHT * floor as f32;
            for member in 1..=GROUP {
                ragdoll(
                    builder,
                    &self.parts,
                    Vec2::new(x, y),
                    -(member as i32),
                    &mut bodies,
                )?;
                x += 0.5;
            }
        }
        Ok(bodies)
    }
}

/// The joint of a part to its parent part.
#[derive(Clone, Debug)]
struct RagdollJoint {
    /// The index of the parent part in the list; always an earlier one.
    parent: usize,
    /// The height of the anchor in the ragdoll, in meters.
    pivot_y: f32,
    lower_angle: f32,
    upper_angle: f32,
    /// A factor of the joint's friction.
    friction: f32,
    reference_angle: f32,
}

/// One body of a ragdoll.
#[derive(Clone, Debug)]
pub(crate) struct RagdollPart {
    /// The height of the body in the ragdoll, in meters.
    y: f32,
    capsule: Shape,
    linear_damping: f32,
    has_foot: bool,
    revolute: Option<RagdollJoint>,
}

impl RagdollPart {
    fn new(y: f32, low: f32, high: f32, radius: f32, revolute: Option<RagdollJoint>) -> Self {
        let capsule = constant(Shape::capsule(Vec2::new(0.0, low), Vec2::new(0.0, high), radius));
        Self {
            y,
            capsule,
            linear_damping: 0.0,
            has_foot: false,
            revolute,
        }
    }
}

/// The eleven parts of a ragdoll 1.55 m tall; limits are in half turns.
pub(crate) fn parts() -> Vec<RagdollPart> {
    let revolute = |parent, pivot_y, [lower, upper]: [f32; 2], friction| {
        let (lower_angle, upper_angle) = (lower * PI, upper * PI);
        Some(RagdollJoint {
            parent,
            pivot_y,
            lower_angle,
            upper_angle,
            friction,
            reference_angle: 0.0,
        })
    };
    let mut parts = vec![
        RagdollPart::new(0.95, -0.02, 0.02, 0.095, None),
        RagdollPart::new(1.2, -0.135, 0.135, 0.09, revolute(0, 1.0, [-0.25, 0.0], 0.5)),
        RagdollPart {
            linear_damping: 0.1,
            ..RagdollPart::new(1.475, -0.038, 0.039, 0.075, revolute(1, 1.4, [-0.3, 0.1], 0.25))
        },
    ];
    for _ in 0..2 {
        let upper = parts.len();
        parts.push(RagdollPart::new(
            0.775,
            -0.125,
            0.125,
            0.06,
            revolute(0, 0.9, [-0.05, 0.4], 1.0),
        ));
        let lower = RagdollPart::new(
            0.475,
            -0.155,
            0.125,
            0.045,
            revolute(upper, 0.625, [-0.5, -0.02], 0.5),
        );
        parts.push(RagdollPart {
            has_foot: true,
            ..lower
        });
    }
    for _ in 0..2 {
        let upper = parts.len();
        parts.push(RagdollPart::new(
            1.225,
            -0.125,
            0.125,
            0.035,
            revolute(1, 1.35, [-0.1, 0.8], 0.5),
        ));
        let mut lower = RagdollPart::new(0.975, -0.125, 0.125, 0.03, revolute(upper, 1.1, [-0.2, 0.3], 0.1));
        lower.linear_damping = 0.1;
        if let Some(elbow) = &mut lower.revolute {
            elbow.reference_angle = 0.25 * PI;
        }
        parts.push(lower);
    }
    parts
}

/// Creates one ragdoll with its feet at `origin`; its parts share `group`, so that they do not touch each other.
fn ragdoll(
    builder: &mut Builder<'_>,
    parts: &[RagdollPart],
    origin: Vec2,
    group: i32,
    bodies: &mut Vec<BodyId>,
) -> Result<(), PhysicsError> {
    let filter = Filter {
        category: 2,
        mask: 1 | 2,
        group,
    };
    ragdoll_in(builder, parts, origin, filter, bodies)
}

/// Creates a ragdoll like [`ragdoll`], with a filter for its parts.
pub(crate) fn ragdoll_in(
    builder: &mut Builder<'_>,
    parts: &[RagdollPart],
    origin: Vec2,
    filter: Filter,
    bodies: &mut Vec<BodyId>,
) -> Result<(), PhysicsError> {
    /// The friction of the freest joint, in newton meters.
    const FRICTION_TORQUE: f32 = 0.05;
    let origin = origin + builder.jitter.offset(0.2);
    let first = bodies.len();
    let skin = ShapeDef {
        friction: 0.2,
        filter,
        ..ShapeDef::default()
    };
    let sole = ShapeDef {
        friction: 0.05,
        filter: Filter { mask: 1, ..filter },
        ..ShapeDef::default()
    };
    for part in parts {
        let def = BodyDef {
            linear_damping: part.linear_damping,
            sleep_threshold: 0.1,
            ..BodyDef::dynamic(origin.x, origin.y + part.y)
        };
        let body = builder.target.create_body(&def)?;
        builder.shape(body, &skin, &part.capsule)?;
        if part.has_foot {
            builder.shape(body, &sole, &foot())?;
        }
        bodies.push(body);
        if let Some(revolute) = &part.revolute {
            let anchor_a = Vec2::new(0.0, revolute.pivot_y - parts[revolute.parent].y);
            let anchor_b = Vec2::new(0.0, revolute.pivot_y - part.y);
            let def = RevoluteDef {
                local_angle_a: revolute.reference_angle,
                enable_limit: true,
                lower_angle: revolute.lower_angle,
                upper_angle: revolute.upper_angle,
                enable_motor: true,
                max_motor_torque: FRICTION_TORQUE * revolute.friction,
                enable_spring: true,
                spring_hertz: 5.0,
                spring_damping_ratio: 0.5,
                ..RevoluteDef::new(bodies[first + revolute.parent], anchor_a, body, anchor_b)
            };
            builder.target.create_joint(&def.into())?;
        }
    }
    Ok(())
}

fn foot() -> Shape {
    let corners =
        [(-0.03, -0.185), (0.11, -0.185), (0.11, -0.16), (-0.03, -0.14)].map(|(x, y)| Vec2::new(x, y));
    constant(Shape::polygon(&corners, 0.015))
}
