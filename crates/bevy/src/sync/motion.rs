//! Applies velocities written by the game, forces and impulses, and targets of bodies.

use std::collections::BTreeSet;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Query, Ref, Res, ResMut, With};
use bevy_ecs::query::{Allow, Has};
use bevy_ecs::system::SystemChangeTick;
use bevy_math::Vec2;
use bevy_time::Time;
use tombolo_physics::{BodyKind, BodyMut, PhysicsError, Position};

use crate::body::{Body, Forces, MoveTo, Velocity};
use crate::events::{FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::own_writes::{IN_TABLES, Known};
use crate::world::Physics;

/// A change of a body's motion by one component.
#[derive(Clone, Copy, Debug)]
enum MotionChange {
    Velocity(Velocity),
    Forces(Forces),
    MoveTo(MoveTo),
}

impl MotionChange {
    /// The order in which several changes of one body are applied.
    fn order(&self) -> u8 {
        match self {
            Self::Velocity(_) => 0,
            Self::Forces(_) => 1,
            Self::MoveTo(_) => 2,
        }
    }

    fn apply(self, body: &mut BodyMut<'_>, dt: f32) -> Result<(), PhysicsError> {
        match self {
            Self::Velocity(velocity) => {
                let linear = body.set_linear_velocity(velocity.linear);
                linear.and(body.set_angular_velocity(velocity.angular))
            }
            Self::Forces(forces) => {
                let impulses = body
                    .apply_impulse(forces.impulse)
                    .and(body.apply_angular_impulse(forces.angular_impulse));
                let forces = body
                    .apply_force(forces.force)
                    .and(body.apply_torque(forces.torque));
                impulses.and(forces)
            }
            Self::MoveTo(MoveTo { position, angle }) => body.set_target(Position::from(position), angle, dt),
        }
    }
}

/// Applies the components about the motion of bodies, by key.
pub(crate) fn apply_motion(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    time: Res<Time>,
    velocities: Query<(Entity, Ref<Velocity>, &BodyLink, Has<Disabled>), With<Body>>,
    mut forces: Query<(Entity, &mut Forces, &BodyLink), (With<Body>, Changed<Forces>, Allow<Disabled>)>,
    targets: Query<(Entity, &MoveTo, &BodyLink), (With<Body>, Allow<Disabled>)>,
    links: Query<&BodyLink, Allow<Disabled>>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let mut list: Vec<(u64, Entity, MotionChange)> = Vec::new();
    let own = [physics.own.shown, None, None, None];
    let known = Known::since(Some(run.last_run()), run.this_run(), own);
    for (entities, velocities, links, _) in velocities.contiguous_iter().expect(IN_TABLES) {
        known.each_other(velocities.changed_ticks_slice(), |row| {
            let (velocity, link) = (velocities[row], &links[row]);
            if (velocity.linear, velocity.angular) != link.written_velocity {
                list.push((link.key, entities[row], MotionChange::Velocity(velocity)));
            }
        });
    }
    for (entity, mut forces, link) in &mut forces {
        if *forces != Forces::default() && link.id.is_some() {
            list.push((link.key, entity, MotionChange::Forces(*forces)));
            *forces = Forces::default();
        }
    }
    let mut targeted = BTreeSet::new();
    for (entity, target, link) in &targets {
        if link.id.is_some() {
            targeted.insert(link.key);
            list.push((link.key, entity, MotionChange::MoveTo(*target)));
        }
    }
    stop_untargeted(&mut physics, targeted, &links);
    list.sort_unstable_by_key(|(key, entity, change)| (*key, *entity, change.order()));
    for (_, entity, change) in list {
        let Ok(mut body) = physics.body_mut(entity) else {
            continue;
        };
        if let Err(error) = change.apply(&mut body, time.delta_secs()) {
            let reason = FaultReason::Refused(error);
            faults.write(PhysicsFault { entity, reason });
        }
    }
}

/// Stops the kinematic bodies that the last step moved to a target and that have none now, unless a call has changed
/// their velocities since.
fn stop_untargeted(
    physics: &mut Physics,
    targeted: BTreeSet<u64>,
    links: &Query<&BodyLink, Allow<Disabled>>,
) {
    let before = core::mem::replace(&mut physics.entities.saved.targeted, targeted);
    for key in before {
        if physics.entities.saved.targeted.contains(&key) {
            continue;
        }
        let Some(entity) = physics.entity_of_key(key) else {
            continue;
        };
        let (Ok(link), Ok(mut body)) = (links.get(entity), physics.body_mut(entity)) else {
            continue;
        };
        let is = (body.view().linear_velocity(), body.view().angular_velocity());
        if body.view().kind() == BodyKind::Kinematic && is == link.written_velocity {
            let stopped = body
                .set_linear_velocity(Vec2::ZERO)
                .and(body.set_angular_velocity(0.0));
            stopped.expect("zero is in range");
            physics.stale.push(entity);
        }
    }
}
