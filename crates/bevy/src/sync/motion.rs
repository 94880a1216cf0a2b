//! Applies velocities written by the game, forces and impulses, and targets of bodies.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Query, Res, ResMut, With};
use bevy_ecs::query::Allow;
use bevy_time::Time;
use tombolo_physics::{BodyMut, PhysicsError, Position};

use crate::body::{Body, Forces, MoveTo, Velocity};
use crate::events::{FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::world::Physics;

/// A change of a body's motion by one component.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Velocity(Velocity),
    Forces(Forces),
    MoveTo(MoveTo),
}

impl Wish {
    /// The order in which several changes of one body are applied.
    fn order(&self) -> u8 {
        match self {
            Self::Velocity(_) => 0,
            Self::Forces(_) => 1,
            Self::MoveTo(_) => 2,
        }
    }

    fn grant(self, body: &mut BodyMut<'_>, dt: f32) -> Result<(), PhysicsError> {
        match self {
            Self::Velocity(velocity) => {
                body.set_linear_velocity(velocity.linear)?;
                body.set_angular_velocity(velocity.angular)
            }
            Self::Forces(forces) => {
                body.apply_impulse(forces.impulse)?;
                body.apply_angular_impulse(forces.angular_impulse)?;
                body.apply_force(forces.force)?;
                body.apply_torque(forces.torque)
            }
            Self::MoveTo(MoveTo { position, angle }) => body.set_target(Position::from(position), angle, dt),
        }
    }
}

/// Applies the components about the motion of bodies, by key.
pub(crate) fn apply_motion(
    mut physics: ResMut<Physics>,
    time: Res<Time>,
    velocities: Query<(Entity, &Velocity, &BodyLink), (With<Body>, Changed<Velocity>, Allow<Disabled>)>,
    mut forces: Query<(Entity, &mut Forces, &BodyLink), (With<Body>, Changed<Forces>, Allow<Disabled>)>,
    targets: Query<(Entity, &MoveTo, &BodyLink), (With<Body>, Allow<Disabled>)>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let mut list: Vec<(u64, Entity, Wish)> = Vec::new();
    for (entity, velocity, link) in &velocities {
        if (velocity.linear, velocity.angular) != link.written_velocity {
            list.push((link.key, entity, Wish::Velocity(*velocity)));
        }
    }
    for (entity, mut forces, link) in &mut forces {
        if *forces != Forces::default() && link.id.is_some() {
            list.push((link.key, entity, Wish::Forces(*forces)));
            *forces = Forces::default();
        }
    }
    for (entity, target, link) in &targets {
        list.push((link.key, entity, Wish::MoveTo(*target)));
    }
    list.sort_unstable_by_key(|(key, entity, wish)| (*key, *entity, wish.order()));
    for (_, entity, wish) in list {
        let Ok(mut body) = physics.body_mut(entity) else {
            continue;
        };
        if let Err(error) = wish.grant(&mut body, time.delta_secs()) {
            let reason = FaultReason::Refused(error);
            faults.write(PhysicsFault { entity, reason });
        }
    }
}
