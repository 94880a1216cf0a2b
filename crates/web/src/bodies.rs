//! Exports for bodies: creation, state, velocities, forces and impulses.
#![allow(unsafe_code)]

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyMut, BodyName, PhysicsError, PhysicsWorld, Pose, Position, Vec2,
};

use crate::exchange::{Failure, Row};
use crate::worlds::{look_at_physics, with_physics};

/// The body of an id.
///
/// # Errors
/// If it is not the id of a body.
pub(crate) fn body_id(bits: u64) -> Result<BodyId, Failure> {
    Ok(BodyId::from_bits(bits).ok_or("this is no id of a body")?)
}

fn kind_of(number: f32) -> Result<BodyKind, Failure> {
    match number as i32 {
        0 => Ok(BodyKind::Static),
        1 => Ok(BodyKind::Kinematic),
        2 => Ok(BodyKind::Dynamic),
        _ => Err("a body is static, kinematic or dynamic".into()),
    }
}

fn position(row: &mut Row<'_>) -> Position {
    Position::new(row.next(), row.next())
}

fn vector(row: &mut Row<'_>) -> Vec2 {
    Vec2::new(row.next(), row.next())
}

/// Creates a body. Words: the user key. Row: kind, position, angle, velocity, angular velocity, damping of both,
/// gravity scale, sleep threshold, allow sleep, awake, fixed rotation, bullet, enabled, fast rotation. Text: the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_create(world: u32, name_bytes: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let [user_key] = input.words()?;
        let mut row = input.row(1, 17)?;
        let mut def = BodyDef {
            kind: kind_of(row.next())?,
            user_key,
            ..BodyDef::default()
        };
        let mut place = def.position.to_vec2();
        row.vector(&mut place);
        def.position = place.into();
        row.number(&mut def.angle);
        row.vector(&mut def.linear_velocity);
        row.number(&mut def.angular_velocity);
        row.number(&mut def.linear_damping);
        row.number(&mut def.angular_damping);
        row.number(&mut def.gravity_scale);
        row.number(&mut def.sleep_threshold);
        row.flag(&mut def.allow_sleep);
        row.flag(&mut def.awake);
        row.flag(&mut def.fixed_rotation);
        row.flag(&mut def.bullet);
        row.flag(&mut def.enabled);
        row.flag(&mut def.fast_rotation);
        // After one word and seventeen numbers, which fill nine words.
        def.name = BodyName::new(input.text(80, name_bytes)?)?;
        output.ids.push(world.create_body(&def)?.to_bits());
        Ok(1)
    })
}

/// Destroys a body with its shapes and joints.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_destroy(world: u32, body: u64) -> i32 {
    with_physics(world, |world, _, _| {
        world.destroy_body(body_id(body)?)?;
        Ok(0)
    })
}

/// The state of a body. Ids: the user key. Numbers: position, cosine, sine, velocity, angular velocity, mass, inertia,
/// kind, awake, enabled. Bytes: the name. 0 if there is no such body.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_state(world: u32, body: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(body) = BodyId::from_bits(body).and_then(|id| world.body(id)) else {
            return Ok(0);
        };
        let (position, rotation, velocity) = (body.position(), body.rotation(), body.linear_velocity());
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        output.ids.push(body.user_key());
        output.bytes.extend_from_slice(body.name().as_bytes());
        output.numbers.extend([
            position.x,
            position.y,
            rotation.cos,
            rotation.sin,
            velocity.x,
            velocity.y,
            body.angular_velocity(),
            body.mass(),
            body.inertia(),
            f32::from(body.kind() as u8),
            flag(body.is_awake()),
            flag(body.is_enabled()),
        ]);
        Ok(1)
    })
}

/// Runs a change of a body, with the row of the call.
fn change(
    world: u32,
    body: u64,
    count: usize,
    change: impl FnOnce(&mut BodyMut<'_>, &mut Row<'_>) -> Result<(), PhysicsError>,
) -> i32 {
    with_physics(world, |world, input, _| {
        let mut row = input.row(0, count)?;
        let mut body = world.body_mut(body_id(body)?)?;
        change(&mut body, &mut row)?;
        Ok(0)
    })
}

/// Like [`change`], for calls of the world that take a body.
fn change_of_world(
    world: u32,
    body: u64,
    count: usize,
    change: impl FnOnce(&mut PhysicsWorld, BodyId, &mut Row<'_>) -> Result<(), Failure>,
) -> i32 {
    with_physics(world, |world, input, _| {
        change(world, body_id(body)?, &mut input.row(0, count)?)?;
        Ok(0)
    })
}

/// Teleports a body. Row: position, angle.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_teleport(world: u32, body: u64) -> i32 {
    change(world, body, 3, |body, row| {
        body.teleport(Pose::new(position(row).to_vec2(), row.next()))
    })
}

/// Takes a body out of the simulation or back in. Row: whether it is enabled.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_enabled(world: u32, body: u64) -> i32 {
    change(world, body, 1, |body, row| {
        body.set_enabled(row.next() != 0.0);
        Ok(())
    })
}

/// Sets the kind. Row: the kind.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_kind(world: u32, body: u64) -> i32 {
    change_of_world(world, body, 1, |world, body, row| {
        let kind = kind_of(row.next())?;
        Ok(world.body_mut(body)?.set_kind(kind)?)
    })
}

/// Sets the velocity of the center of mass. Row: velocity.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_velocity(world: u32, body: u64) -> i32 {
    change(world, body, 2, |body, row| body.set_linear_velocity(vector(row)))
}

/// Sets the angular velocity. Row: radians per second.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_spin(world: u32, body: u64) -> i32 {
    change(world, body, 1, |body, row| body.set_angular_velocity(row.next()))
}

/// Gives a kinematic body the velocity with which it reaches a pose. Row: position, angle, seconds.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_target(world: u32, body: u64) -> i32 {
    change(world, body, 4, |body, row| {
        body.set_target(position(row), row.next(), row.next())
    })
}

/// Sets the damping. Row: damping of velocity and of angular velocity.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_damping(world: u32, body: u64) -> i32 {
    change(world, body, 2, |body, row| {
        body.set_damping(row.next(), row.next())
    })
}

/// Sets the gravity scale. Row: the scale.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_gravity_scale(world: u32, body: u64) -> i32 {
    change(world, body, 1, |body, row| body.set_gravity_scale(row.next()))
}

/// Applies a force. Row: force, and its point in the world or NaN.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_apply_force(world: u32, body: u64) -> i32 {
    change(world, body, 4, |body, row| {
        let (force, point) = (vector(row), position(row));
        if point.x.is_nan() {
            return body.apply_force(force);
        }
        body.apply_force_at(force, point)
    })
}

/// Applies an impulse. Row: impulse, and its point in the world or NaN.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_apply_impulse(world: u32, body: u64) -> i32 {
    change(world, body, 4, |body, row| {
        let (impulse, point) = (vector(row), position(row));
        if point.x.is_nan() {
            return body.apply_impulse(impulse);
        }
        body.apply_impulse_at(impulse, point)
    })
}

/// Applies a torque. Row: torque.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_apply_torque(world: u32, body: u64) -> i32 {
    change(world, body, 1, |body, row| body.apply_torque(row.next()))
}

/// Applies an angular impulse. Row: angular impulse.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_apply_angular_impulse(world: u32, body: u64) -> i32 {
    change(world, body, 1, |body, row| body.apply_angular_impulse(row.next()))
}

/// Sets a body's name, or removes it with an empty one. Text: the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set_name(world: u32, body: u64, bytes: usize) -> i32 {
    with_physics(world, |world, input, _| {
        world.body_mut(body_id(body)?)?.set_name(input.text(0, bytes)?)?;
        Ok(0)
    })
}

/// Wakes a body and its island.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_wake(world: u32, body: u64) -> i32 {
    change(world, body, 0, |body, _| {
        body.wake();
        Ok(())
    })
}
