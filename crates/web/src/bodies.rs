//! Exports for bodies: creation, state, options, velocities, forces and impulses.
#![allow(unsafe_code)]

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyMut, BodyName, BodyRef, PhysicsError, PhysicsWorld, Pose, Position, Vec2,
};

use crate::exchange::{Failure, Fields, Row};
#[cfg(feature = "scenes")]
use crate::worlds::Keyed;
use crate::worlds::{look_at_physics, with_physics, with_world};

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

/// Goes through the options of a body: damping of both velocities, gravity scale, sleep threshold, allow sleep, fixed
/// rotation, bullet, fast rotation, fixed x and y, added mass, dominance, extra substeps, limits of speed and spin,
/// lasting force and torque, and its own mass, inertia and center of mass.
fn go_through(def: &mut BodyDef, fields: &mut dyn Fields) -> Result<(), Failure> {
    fields.number(&mut def.linear_damping);
    fields.number(&mut def.angular_damping);
    fields.number(&mut def.gravity_scale);
    fields.number(&mut def.sleep_threshold);
    fields.flag(&mut def.allow_sleep);
    fields.flag(&mut def.fixed_rotation);
    fields.flag(&mut def.bullet);
    fields.flag(&mut def.fast_rotation);
    fields.flag(&mut def.fixed_x);
    fields.flag(&mut def.fixed_y);
    fields.number(&mut def.added_mass);
    let mut counts = [f32::from(def.dominance), def.extra_substeps as f32];
    fields.number(&mut counts[0]);
    fields.number(&mut counts[1]);
    if counts[0].abs() > 127.0 || counts.iter().any(|count| count.fract() != 0.0) || counts[1] < 0.0 {
        return Err("dominance is a whole number from -127 to 127, extraSubsteps one from 0 to 64".into());
    }
    (def.dominance, def.extra_substeps) = (counts[0] as i8, counts[1] as u32);
    fields.number(&mut def.speed_max);
    fields.number(&mut def.spin_max);
    fields.vector(&mut def.lasting_force);
    fields.number(&mut def.lasting_torque);
    fields.number(&mut def.own_mass.mass);
    fields.number(&mut def.own_mass.inertia);
    fields.vector(&mut def.own_mass.center);
    Ok(())
}

/// The options of a body as they are now, in a definition.
fn present(body: BodyRef<'_>) -> BodyDef {
    let [fixed_x, fixed_y] = body.fixed_axes();
    BodyDef {
        linear_damping: body.linear_damping(),
        angular_damping: body.angular_damping(),
        gravity_scale: body.gravity_scale(),
        sleep_threshold: body.sleep_threshold(),
        allow_sleep: body.may_sleep(),
        fixed_rotation: body.has_fixed_rotation(),
        bullet: body.is_bullet(),
        fast_rotation: body.has_fast_rotation(),
        fixed_x,
        fixed_y,
        added_mass: body.added_mass(),
        dominance: body.dominance(),
        extra_substeps: body.extra_substeps(),
        speed_max: body.speed_max(),
        spin_max: body.spin_max(),
        lasting_force: body.lasting_force(),
        lasting_torque: body.lasting_torque(),
        own_mass: body.own_mass(),
        ..BodyDef::default()
    }
}

/// Calls the setters of what differs between two definitions, which are valid: none is refused.
fn change_options(body: &mut BodyMut<'_>, old: &BodyDef, new: &BodyDef) -> Result<(), PhysicsError> {
    if (old.linear_damping, old.angular_damping) != (new.linear_damping, new.angular_damping) {
        body.set_damping(new.linear_damping, new.angular_damping)?;
    }
    if old.gravity_scale != new.gravity_scale {
        body.set_gravity_scale(new.gravity_scale)?;
    }
    if old.sleep_threshold != new.sleep_threshold {
        body.set_sleep_threshold(new.sleep_threshold)?;
    }
    if old.allow_sleep != new.allow_sleep {
        body.set_may_sleep(new.allow_sleep);
    }
    if old.fixed_rotation != new.fixed_rotation {
        body.set_fixed_rotation(new.fixed_rotation);
    }
    if old.bullet != new.bullet {
        body.set_bullet(new.bullet);
    }
    if old.fast_rotation != new.fast_rotation {
        body.set_fast_rotation(new.fast_rotation);
    }
    if (old.fixed_x, old.fixed_y) != (new.fixed_x, new.fixed_y) {
        body.set_fixed_axes(new.fixed_x, new.fixed_y);
    }
    if old.added_mass != new.added_mass {
        body.set_added_mass(new.added_mass)?;
    }
    if old.own_mass != new.own_mass {
        body.set_own_mass(new.own_mass)?;
    }
    if old.dominance != new.dominance {
        body.set_dominance(new.dominance)?;
    }
    if old.extra_substeps != new.extra_substeps {
        body.set_extra_substeps(new.extra_substeps)?;
    }
    if (old.speed_max, old.spin_max) != (new.speed_max, new.spin_max) {
        body.set_speed_limits(new.speed_max, new.spin_max)?;
    }
    if old.lasting_force != new.lasting_force {
        body.set_lasting_force(new.lasting_force)?;
    }
    if old.lasting_torque != new.lasting_torque {
        body.set_lasting_torque(new.lasting_torque)?;
    }
    Ok(())
}

/// Creates a body. Words: the user key. Row: kind, position, angle, velocity, angular velocity, awake, enabled, the
/// options of [`go_through`]. Text: the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_create(world: u32, numbers: usize, name_bytes: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let [user_key] = input.words()?;
        let mut row = input.row(1, numbers)?;
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
        row.flag(&mut def.awake);
        row.flag(&mut def.enabled);
        go_through(&mut def, &mut row)?;
        let name_at = (1 + numbers.div_ceil(2)) * size_of::<u64>();
        def.name = BodyName::new(input.text(name_at, name_bytes)?)?;
        output.ids.push(world.create_body(&def)?.to_bits());
        Ok(1)
    })
}

/// Changes a body. Words: the user key. Row: the options of [`go_through`], of which those not given stay.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_set(world: u32, body: u64, numbers: usize) -> i32 {
    with_world(world, |world, input, _| {
        let ([user_key], body) = (input.words()?, body_id(body)?);
        #[cfg(feature = "scenes")]
        Keyed::Body(body).keep_key(world, user_key)?;
        let mut body = world.physics_mut().body_mut(body)?;
        let old = present(body.view());
        let mut new = old.clone();
        go_through(&mut new, &mut input.row(1, numbers)?)?;
        new.validate()?;
        change_options(&mut body, &old, &new)?;
        body.set_user_key(user_key);
        Ok(0)
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
/// kind, awake, enabled, center of mass; with `options` those of [`go_through`] follow. Bytes: the name. 0 if there is no
/// such body.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_state(world: u32, body: u64, options: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(body) = BodyId::from_bits(body).and_then(|id| world.body(id)) else {
            return Ok(0);
        };
        let (position, rotation, velocity) = (body.position(), body.rotation(), body.linear_velocity());
        let center = body.center_of_mass();
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
            center.x,
            center.y,
        ]);
        if options != 0 {
            go_through(&mut present(body), output)?;
        }
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

/// Puts a body and its island to sleep at once; returns 0 if it cannot sleep.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn body_sleep(world: u32, body: u64) -> i32 {
    with_physics(world, |world, _, _| {
        Ok(usize::from(world.body_mut(body_id(body)?)?.sleep()))
    })
}
