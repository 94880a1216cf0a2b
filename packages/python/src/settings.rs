//! Settings of bodies, shapes and joints after their creation, by name.

use crate::physics::{World, body_id, joint_id, shape_id};
use crate::{overlay, refuse, with_options};
use pyo3::prelude::*;
use serde_json::{Value, json};
use tombolo_physics::{
    BodyId, BodyMut, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, MotorDef, MoverDef, PhysicsError,
    PogoDef, Position, PrismaticDef, PulleyDef, RackDef, RevoluteDef, Vec2, WeldDef, WheelDef,
};

type Point = (f32, f32);

const GONE: &str = "the body was destroyed";

/// The definition of a joint of a kind, with the defaults of its options.
fn default_joint(kind: &str, [a, b]: [BodyId; 2], [at_a, at_b]: [Vec2; 2]) -> PyResult<JointDef> {
    Ok(match kind {
        "revolute" => RevoluteDef::new(a, at_a, b, at_b).into(),
        "distance" => DistanceDef::new(a, at_a, b, at_b).into(),
        "prismatic" => PrismaticDef::new(a, at_a, b, at_b).into(),
        "weld" => WeldDef::new(a, at_a, b, at_b).into(),
        "wheel" => WheelDef::new(a, at_a, b, at_b).into(),
        "motor" => MotorDef::new(a, at_a, b, at_b).into(),
        "filter" => FilterDef::new(a, b).into(),
        "generic" => GenericDef::new(a, at_a, b, at_b).into(),
        "gear" => GearDef::new(a, at_a, b, at_b).into(),
        "rack" => RackDef::new(a, at_a, b, at_b).into(),
        "pulley" => PulleyDef::new(a, at_a, b, at_b).into(),
        "mover" => MoverDef::new(a, at_a, b, at_b).into(),
        "pogo" => PogoDef::new(a, at_a, b, at_b).into(),
        _ => {
            let kinds = "revolute, distance, prismatic, weld, wheel, motor, filter, generic, gear, rack, pulley, \
                         mover, pogo";
            return Err(refuse(format!("no joint {kind:?}; there are {kinds}")));
        }
    })
}

/// A joint's definition with options in place of its own; its bodies stay.
fn joint_with(def: &JointDef, options: &str) -> PyResult<JointDef> {
    let mut whole = serde_json::to_value(def).map_err(refuse)?;
    let own = own_of(&mut whole).ok_or_else(|| refuse("a joint without options"))?;
    let bodies = take_bodies(own);
    let options = serde_json::from_str(options).map_err(refuse)?;
    overlay(own, options)?;
    for (name, body) in BODIES.into_iter().zip(bodies) {
        own[name] = body;
    }
    serde_json::from_value(whole).map_err(refuse)
}

/// The fields of a joint's definition as JSON, which is beneath the name of its kind.
fn own_of(whole: &mut Value) -> Option<&mut Value> {
    whole.as_object_mut()?.values_mut().next()
}

/// The bodies in a joint's definition, which are given when it is made: no options, so that one joint's options fit others.
const BODIES: [&str; 2] = ["body_a", "body_b"];

/// Takes the bodies out of a joint's definition.
fn take_bodies(own: &mut Value) -> [Value; 2] {
    BODIES.map(|name| {
        let body = own.as_object_mut().and_then(|own| own.remove(name));
        body.unwrap_or_default()
    })
}

/// The definition of a joint of a kind between bodies, with anchors and options.
pub(crate) fn joint_of(
    kind: &str,
    bodies: [BodyId; 2],
    anchors: [Vec2; 2],
    options: &str,
) -> PyResult<JointDef> {
    joint_with(&default_joint(kind, bodies, anchors)?, options)
}

/// The name of a joint's kind, and its options as JSON, without its bodies; infinite ones are null.
#[pyfunction]
pub(crate) fn joint_options(world: &World, joint: u64) -> PyResult<(String, String)> {
    let world = world.world();
    let joint = world
        .joint(joint_id(joint)?)
        .ok_or_else(|| refuse("the joint was destroyed"))?;
    let mut whole = serde_json::to_value(joint.def()).map_err(refuse)?;
    let own = own_of(&mut whole).ok_or_else(|| refuse("a joint without options"))?;
    take_bodies(own);
    Ok((joint.kind().name().to_lowercase(), own.to_string()))
}

/// Sets options of a joint.
#[pyfunction]
pub(crate) fn set_joint_options(world: &World, joint: u64, options: &str) -> PyResult<()> {
    let mut world = world.world();
    let mut joint = world.joint_mut(joint_id(joint)?).map_err(refuse)?;
    let def = joint_with(&joint.view().def(), options)?;
    joint.set_def(def).map_err(refuse)
}

/// The bodies of a joint, its anchors in the world, the second anchor in the frame of the first, and its whole turns.
#[pyfunction]
pub(crate) fn joint_places(world: &World, joint: u64) -> PyResult<([u64; 2], [Point; 2], Point, i32)> {
    let world = world.world();
    let joint = world
        .joint(joint_id(joint)?)
        .ok_or_else(|| refuse("the joint was destroyed"))?;
    Ok((
        joint.bodies().map(|body| body.id().to_bits()),
        joint.anchors().map(|anchor| anchor.to_vec2().into()),
        joint.translation().into(),
        joint.turns(),
    ))
}

/// The settings of a body as JSON; infinite ones are null.
#[pyfunction]
pub(crate) fn body_settings(world: &World, body: u64) -> PyResult<String> {
    let world = world.world();
    let body = world.body(body_id(body)?).ok_or_else(|| refuse(GONE))?;
    let settings = json!({
        "linear_damping": body.linear_damping(),
        "angular_damping": body.angular_damping(),
        "gravity_scale": body.gravity_scale(),
        "sleep_threshold": body.sleep_threshold(),
        "bullet": body.is_bullet(),
        "enabled": body.is_enabled(),
        "fast_rotation": body.has_fast_rotation(),
        "fixed_rotation": body.has_fixed_rotation(),
        "may_sleep": body.may_sleep(),
        "user_key": body.user_key(),
        "fixed_x": body.fixed_axes()[0],
        "fixed_y": body.fixed_axes()[1],
        "dominance": body.dominance(),
        "extra_substeps": body.extra_substeps(),
        "speed_max": body.speed_max(),
        "spin_max": body.spin_max(),
        "added_mass": body.added_mass(),
        "lasting_force": body.lasting_force(),
        "lasting_torque": body.lasting_torque(),
    });
    Ok(settings.to_string())
}

/// Sets a number of a body; `None` if it has none of the name.
fn set_number(body: &mut BodyMut<'_>, name: &str, number: f32) -> Option<Result<(), PhysicsError>> {
    let view = body.view();
    let (linear, angular) = (view.linear_damping(), view.angular_damping());
    let (speed_max, spin_max) = (view.speed_max(), view.spin_max());
    Some(match name {
        "linear_damping" => body.set_damping(number, angular),
        "angular_damping" => body.set_damping(linear, number),
        "speed_max" => body.set_speed_limits(number, spin_max),
        "spin_max" => body.set_speed_limits(speed_max, number),
        "gravity_scale" => body.set_gravity_scale(number),
        "sleep_threshold" => body.set_sleep_threshold(number),
        "added_mass" => body.set_added_mass(number),
        "lasting_torque" => body.set_lasting_torque(number),
        _ => return None,
    })
}

/// Sets a flag of a body; `None` if it has none of the name.
fn set_flag(body: &mut BodyMut<'_>, name: &str, flag: bool) -> Option<()> {
    let [x, y] = body.view().fixed_axes();
    match name {
        "bullet" => body.set_bullet(flag),
        "enabled" => body.set_enabled(flag),
        "fast_rotation" => body.set_fast_rotation(flag),
        "fixed_rotation" => body.set_fixed_rotation(flag),
        "fixed_x" => body.set_fixed_axes(flag, y),
        "fixed_y" => body.set_fixed_axes(x, flag),
        "may_sleep" => body.set_may_sleep(flag),
        _ => return None,
    }
    Some(())
}

/// Sets one setting of a body to a value as JSON; a number beyond 32 bits is infinite.
#[pyfunction]
pub(crate) fn set_body(world: &World, body: u64, name: &str, value: &str) -> PyResult<()> {
    let mut world = world.world();
    let mut body = world.body_mut(body_id(body)?).map_err(refuse)?;
    let value: Value = serde_json::from_str(value).map_err(refuse)?;
    let unfit = || refuse(format!("{name}: {value} is no value of this setting"));
    match name {
        "kind" => {
            let kind = serde_json::from_value(value).map_err(refuse)?;
            body.set_kind(kind).map_err(refuse)?;
        }
        "user_key" => body.set_user_key(value.as_u64().ok_or_else(unfit)?),
        "dominance" => {
            let dominance = value.as_i64().and_then(|number| i8::try_from(number).ok());
            body.set_dominance(dominance.ok_or_else(unfit)?).map_err(refuse)?;
        }
        "extra_substeps" => {
            let extra = value.as_u64().and_then(|number| u32::try_from(number).ok());
            body.set_extra_substeps(extra.ok_or_else(unfit)?)
                .map_err(refuse)?;
        }
        "lasting_force" => {
            let force: Vec2 = serde_json::from_value(value).map_err(refuse)?;
            body.set_lasting_force(force).map_err(refuse)?;
        }
        _ => {
            let set = match &value {
                Value::Bool(flag) => set_flag(&mut body, name, *flag).map(Ok),
                value => {
                    let number = value.as_f64().ok_or_else(unfit)?;
                    set_number(&mut body, name, number as f32)
                }
            };
            set.ok_or_else(unfit)?.map_err(refuse)?;
        }
    }
    Ok(())
}

/// Puts a body to sleep with its island; whether that was possible.
#[pyfunction]
pub(crate) fn put_to_sleep(world: &World, body: u64) -> PyResult<bool> {
    let mut world = world.world();
    Ok(world.body_mut(body_id(body)?).map_err(refuse)?.sleep())
}

/// Wakes a body and what touches it.
#[pyfunction]
pub(crate) fn wake_body(world: &World, body: u64) -> PyResult<()> {
    let mut world = world.world();
    world.body_mut(body_id(body)?).map_err(refuse)?.wake();
    Ok(())
}

/// Changes the angular velocity of a body at once.
#[pyfunction]
pub(crate) fn apply_angular_impulse(world: &World, body: u64, impulse: f32) -> PyResult<()> {
    let mut world = world.world();
    let mut body = world.body_mut(body_id(body)?).map_err(refuse)?;
    body.apply_angular_impulse(impulse).map_err(refuse)
}

/// Gives a kinematic body the velocity that takes it to a pose in a step.
#[pyfunction]
pub(crate) fn move_body_to(world: &World, body: u64, position: Point, angle: f32, dt: f32) -> PyResult<()> {
    let mut world = world.world();
    let mut body = world.body_mut(body_id(body)?).map_err(refuse)?;
    body.set_target(Position::new(position.0, position.1), angle, dt)
        .map_err(refuse)
}

/// The center of mass of a body, and its velocity at a point of the world.
#[pyfunction]
pub(crate) fn body_at(world: &World, body: u64, point: Point) -> PyResult<(Point, Point)> {
    let world = world.world();
    let body = world.body(body_id(body)?).ok_or_else(|| refuse(GONE))?;
    let velocity = body.velocity_at(Position::new(point.0, point.1));
    Ok((body.center_of_mass().to_vec2().into(), velocity.into()))
}

/// The shapes of a body, and its joints.
#[pyfunction]
pub(crate) fn body_parts(world: &World, body: u64) -> PyResult<(Vec<u64>, Vec<u64>)> {
    let world = world.world();
    let body = world.body(body_id(body)?).ok_or_else(|| refuse(GONE))?;
    let shapes = body.shapes().map(|shape| shape.id().to_bits()).collect();
    Ok((shapes, body.joints().map(|joint| joint.id().to_bits()).collect()))
}

/// The settings of a shape as JSON.
#[pyfunction]
pub(crate) fn shape_settings(world: &World, shape: u64) -> PyResult<String> {
    let world = world.world();
    let shape = world
        .shape(shape_id(shape)?)
        .ok_or_else(|| refuse("the shape was destroyed"))?;
    let settings = json!({
        "density": shape.density(),
        "friction": shape.friction(),
        "restitution": shape.restitution(),
        "rolling_resistance": shape.rolling_resistance(),
        "tangent_speed": shape.tangent_speed(),
        "material": shape.material_number(),
        "contact_skin": shape.contact_skin(),
        "force_threshold": shape.force_threshold(),
        "sensor": shape.is_sensor(),
        "contact_events": shape.has_contact_events(),
        "hit_events": shape.has_hit_events(),
        "filter": shape.filter(),
        "user_key": shape.user_key(),
    });
    Ok(settings.to_string())
}

/// Sets one setting of a shape to a value as JSON.
#[pyfunction]
pub(crate) fn set_shape(world: &World, shape: u64, name: &str, value: &str) -> PyResult<()> {
    let mut world = world.world();
    let mut shape = world.shape_mut(shape_id(shape)?).map_err(refuse)?;
    let view = shape.view();
    let (friction, restitution) = (view.friction(), view.restitution());
    let (rolling, tangent) = (view.rolling_resistance(), view.tangent_speed());
    let (filter, events) = (view.filter(), (view.has_contact_events(), view.has_hit_events()));
    let value: Value = serde_json::from_str(value).map_err(refuse)?;
    let number = || serde_json::from_value::<f32>(value.clone()).map_err(refuse);
    let flag = || serde_json::from_value::<bool>(value.clone()).map_err(refuse);
    let done: Result<(), PhysicsError> = match name {
        "density" => shape.set_density(number()?),
        "friction" => shape.set_material(number()?, restitution),
        "restitution" => shape.set_material(friction, number()?),
        "rolling_resistance" => shape.set_surface(number()?, tangent),
        "tangent_speed" => shape.set_surface(rolling, number()?),
        "material" => shape.set_material_number(serde_json::from_value(value).map_err(refuse)?),
        "contact_skin" => shape.set_contact_skin(number()?),
        "force_threshold" => shape.set_force_threshold(number()?),
        _ => {
            match name {
                "sensor" => shape.set_sensor(flag()?),
                "contact_events" => shape.set_events(flag()?, events.1),
                "hit_events" => shape.set_events(events.0, flag()?),
                "filter" => shape.set_filter(with_options(&filter, &value.to_string())?),
                "user_key" => shape.set_user_key(serde_json::from_value(value).map_err(refuse)?),
                _ => return Err(refuse(format!("a shape has no setting {name:?}"))),
            }
            Ok(())
        }
    };
    done.map_err(refuse)
}

/// The gravity of a world.
#[pyfunction]
pub(crate) fn gravity(world: &World) -> Point {
    world.world().gravity().into()
}

/// Sets the gravity of a world, and wakes its bodies.
#[pyfunction]
pub(crate) fn set_gravity(world: &World, gravity: Point) -> PyResult<()> {
    let gravity = Vec2::new(gravity.0, gravity.1);
    world.world().set_gravity(gravity).map_err(refuse)
}
