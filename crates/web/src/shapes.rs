//! Exports for shapes and joints: creation, state and destruction.
#![allow(unsafe_code)]

use tombolo_physics::{
    ChainDef, Filter, HeightfieldDef, JointId, JointLimit, JointMotor, RevoluteDef, Shape, ShapeDef, ShapeId,
    Vec2,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Input, Row};
use crate::worlds::{look_at_physics, with_physics};

/// The number of words before the row of a shape.
pub(crate) const SHAPE_WORDS: usize = 5;

/// The number of a material, for rules.
///
/// # Errors
/// If it has more than 32 bits.
pub(crate) fn material(word: u64) -> Result<u32, Failure> {
    Ok(u32::try_from(word).map_err(|_| "a material is a number below 4294967296")?)
}

/// The definition of a shape's material and filter. Words, from word `at` on: category, mask, user key, group,
/// material. Row: density, friction, restitution, rolling resistance, surface speed, contact events, hit events,
/// sensor, contact skin.
pub(crate) fn shape_def(input: &Input, at: usize, row: &mut Row<'_>) -> Result<ShapeDef, Failure> {
    let [category, mask, user_key, group, number] = input.words_from::<SHAPE_WORDS>(at)?;
    let mut def = ShapeDef {
        filter: Filter {
            category,
            mask,
            group: group as i32,
        },
        user_key,
        material: material(number)?,
        ..ShapeDef::default()
    };
    row.number(&mut def.density);
    row.number(&mut def.friction);
    row.number(&mut def.restitution);
    row.number(&mut def.rolling_resistance);
    row.number(&mut def.tangent_speed);
    row.flag(&mut def.contact_events);
    row.flag(&mut def.hit_events);
    row.flag(&mut def.sensor);
    row.number(&mut def.contact_skin);
    Ok(def)
}

pub(crate) fn points(row: Row<'_>) -> Vec<Vec2> {
    row.0
        .chunks_exact(2)
        .map(|point| Vec2::new(point[0], point[1]))
        .collect()
}

/// Creates a shape on a body: 0 circle (radius, center), 1 capsule (radius, ends), 2 segment (0, ends), 3 polygon
/// (radius, points), 4 box (0, width and height, center, angle), 5 half-space (0, point, normal), after the row of
/// [`shape_def`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_create(world: u32, body: u64, kind: u32, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let mut row = input.row(SHAPE_WORDS, numbers)?;
        let def = shape_def(input, 0, &mut row)?;
        let radius = row.next();
        let shape = match (kind, points(Row(row.0)).as_slice()) {
            (0, &[center]) => Shape::circle(center, radius)?,
            (1, &[a, b]) => Shape::capsule(a, b, radius)?,
            (2, &[a, b]) => Shape::segment(a, b)?,
            (3, points) => Shape::polygon(points, radius)?,
            (4, &[size, center, angle]) => Shape::box_at(size.x, size.y, center, angle.x)?,
            (5, &[point, normal]) => Shape::half_space(point, normal)?,
            _ => return Err("a shape needs its points".into()),
        };
        output
            .ids
            .push(world.create_shape(body_id(body)?, &def, &shape)?.to_bits());
        Ok(1)
    })
}

/// Creates a chain on a body; returns the ids of its segments. Row: that of [`shape_def`], whether it is closed,
/// points.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn chain_create(world: u32, body: u64, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let mut row = input.row(SHAPE_WORDS, numbers)?;
        let shape = shape_def(input, 0, &mut row)?;
        let closed = row.next() != 0.0;
        let def = ChainDef {
            points: points(row),
            closed,
            shape,
        };
        let shapes = world.create_chain(body_id(body)?, &def)?;
        output.ids.extend(shapes.into_iter().map(ShapeId::to_bits));
        Ok(output.ids.len())
    })
}

/// Creates a heightfield on a body; returns the ids of its segments. Row: that of [`shape_def`], spacing, origin, the
/// heights before the first and after the last, if any, heights, and for each segment whether it exists.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn heightfield_create(world: u32, body: u64, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let mut row = input.row(SHAPE_WORDS, numbers)?;
        let ground = shape_def(input, 0, &mut row)?;
        let mut def = HeightfieldDef {
            grounds: vec![ground],
            ..HeightfieldDef::default()
        };
        row.number(&mut def.spacing);
        row.vector(&mut def.origin);
        [def.before, def.after] = [row.next(), row.next()].map(|height| (!height.is_nan()).then_some(height));
        let (heights, segments) = row.0.split_at(row.0.len().div_ceil(2));
        def.heights = heights.to_vec();
        def.segments = segments
            .iter()
            .map(|&is_there| u8::from(is_there != 0.0))
            .collect();
        let shapes = world.create_heightfield(body_id(body)?, &def)?;
        output.ids.extend(shapes.into_iter().map(ShapeId::to_bits));
        Ok(output.ids.len())
    })
}

/// Destroys a shape.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_destroy(world: u32, shape: u64) -> i32 {
    with_physics(world, |world, _, _| {
        let id = ShapeId::from_bits(shape).ok_or("this is no id of a shape")?;
        world.destroy_shape(id)?;
        Ok(0)
    })
}

/// The owner of a shape. Ids: the body, the user key of the shape. 0 if there is no such shape.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_state(world: u32, shape: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(shape) = ShapeId::from_bits(shape).and_then(|id| world.shape(id)) else {
            return Ok(0);
        };
        output.ids.extend([shape.body().id().to_bits(), shape.user_key()]);
        Ok(1)
    })
}

/// Creates a revolute joint. Words: the two bodies, the user key. Row: the anchors, the frames' angles; limit, lower
/// and upper angle; spring, target, stiffness, damping; motor, speed, greatest torque; stiffness and damping of the
/// shared point; whether the bodies touch each other; the thresholds of force and torque, and whether it breaks above
/// them.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn revolute_create(world: u32) -> i32 {
    with_physics(world, |world, input, output| {
        let [body_a, body_b, user_key] = input.words()?;
        let mut row = input.row(3, 22)?;
        let mut def = RevoluteDef::new(body_id(body_a)?, Vec2::ZERO, body_id(body_b)?, Vec2::ZERO);
        def.user_key = user_key;
        row.vector(&mut def.local_anchor_a);
        row.vector(&mut def.local_anchor_b);
        row.number(&mut def.local_angle_a);
        row.number(&mut def.local_angle_b);
        row.flag(&mut def.enable_limit);
        row.number(&mut def.lower_angle);
        row.number(&mut def.upper_angle);
        row.flag(&mut def.enable_spring);
        row.number(&mut def.target_angle);
        row.number(&mut def.spring_hertz);
        row.number(&mut def.spring_damping_ratio);
        row.flag(&mut def.enable_motor);
        row.number(&mut def.motor_speed);
        row.number(&mut def.max_motor_torque);
        row.number(&mut def.constraint_hertz);
        row.number(&mut def.constraint_damping_ratio);
        row.flag(&mut def.collide_connected);
        row.number(&mut def.force_threshold);
        row.number(&mut def.torque_threshold);
        row.flag(&mut def.breaks);
        output.ids.push(world.create_joint(def)?.to_bits());
        Ok(1)
    })
}

fn joint_id(bits: u64) -> Result<JointId, Failure> {
    Ok(JointId::from_bits(bits).ok_or("this is no id of a joint")?)
}

/// Destroys a joint.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_destroy(world: u32, joint: u64) -> i32 {
    with_physics(world, |world, _, _| {
        world.destroy_joint(joint_id(joint)?)?;
        Ok(0)
    })
}

/// The state of a joint. Ids: the bodies, the user key. Numbers: angle, impulse, impulse of the motor, both anchors. 0
/// if there is no such joint.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_state(world: u32, joint: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(joint) = JointId::from_bits(joint).and_then(|id| world.joint(id)) else {
            return Ok(0);
        };
        let ([a, b], [anchor_a, anchor_b]) = (joint.bodies(), joint.anchors());
        let impulse = joint.linear_impulse();
        output
            .ids
            .extend([a.id().to_bits(), b.id().to_bits(), joint.user_key()]);
        output.numbers.extend([
            joint.angle(),
            impulse.x,
            impulse.y,
            joint.motor_impulse(),
            anchor_a.x,
            anchor_a.y,
            anchor_b.x,
            anchor_b.y,
        ]);
        Ok(1)
    })
}

/// Sets the motor. Row: whether it is enabled; its speed and its greatest torque, which are ignored if it is not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_set_motor(world: u32, joint: u64) -> i32 {
    with_physics(world, |world, input, _| {
        let mut row = input.row(0, 3)?;
        let mut joint = world.joint_mut(joint_id(joint)?)?;
        let is_on = row.next() != 0.0;
        let (speed, max) = (row.next(), row.next());
        joint.set_motor(is_on.then_some(JointMotor { speed, max }))?;
        Ok(0)
    })
}

/// Sets the limit. Row: whether it is enabled; smallest and largest angle, which are ignored if it is not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_set_limit(world: u32, joint: u64) -> i32 {
    with_physics(world, |world, input, _| {
        let mut row = input.row(0, 3)?;
        let mut joint = world.joint_mut(joint_id(joint)?)?;
        let is_on = row.next() != 0.0;
        let (lower, upper) = (row.next(), row.next());
        joint.set_limit(is_on.then_some(JointLimit { lower, upper }))?;
        Ok(0)
    })
}
