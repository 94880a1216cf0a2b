//! Exports for shapes: creation, state, changes and destruction.
#![allow(unsafe_code)]

use tombolo_physics::{
    ChainDef, CombineRule, Filter, HeightfieldDef, PhysicsError, Shape, ShapeDef, ShapeId, ShapeMut,
    ShapeRef, Vec2,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Fields, Input, Row};
#[cfg(feature = "scenes")]
use crate::worlds::Keyed;
use crate::worlds::{look_at_physics, with_physics, with_world};

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
/// material. Row: the fields of [`go_through`].
pub(crate) fn shape_def(input: &Input, at: usize, row: &mut Row<'_>) -> Result<ShapeDef, Failure> {
    let mut def = ShapeDef::default();
    read_def(&mut def, input, at, row)?;
    Ok(def)
}

/// Reads what is given of a definition into one.
fn read_def(def: &mut ShapeDef, input: &Input, at: usize, row: &mut Row<'_>) -> Result<(), Failure> {
    let [category, mask, user_key, group, number] = input.words_from::<SHAPE_WORDS>(at)?;
    def.filter = Filter {
        category,
        mask,
        group: i32::try_from(group as i64).map_err(|_| "a group is from -2147483648 to 2147483647")?,
    };
    def.user_key = user_key;
    def.material = material(number)?;
    go_through(def, row)
}

/// Goes through the numbers of a definition: density, friction, restitution, rolling resistance, surface speed, contact
/// events, hit events, sensor, contact skin, force threshold, whether it sees sensors and fixed shapes, and the rules
/// that combine friction and restitution.
fn go_through(def: &mut ShapeDef, fields: &mut dyn Fields) -> Result<(), Failure> {
    fields.number(&mut def.density);
    fields.number(&mut def.friction);
    fields.number(&mut def.restitution);
    fields.number(&mut def.rolling_resistance);
    fields.number(&mut def.tangent_speed);
    fields.flag(&mut def.contact_events);
    fields.flag(&mut def.hit_events);
    fields.flag(&mut def.sensor);
    fields.number(&mut def.contact_skin);
    fields.number(&mut def.force_threshold);
    fields.flag(&mut def.sees_sensors);
    fields.flag(&mut def.sees_fixed);
    for rule in [&mut def.friction_rule, &mut def.restitution_rule] {
        let mut number = f32::from(*rule as u8);
        fields.number(&mut number);
        let rules = CombineRule::ALL.get(number as usize);
        *rule = *rules.ok_or("there is no such rule to combine two numbers")?;
    }
    Ok(())
}

/// The definition of a shape as it is now.
fn present(shape: ShapeRef<'_>) -> ShapeDef {
    let [friction_rule, restitution_rule] = shape.combine_rules();
    ShapeDef {
        density: shape.density(),
        friction: shape.friction(),
        restitution: shape.restitution(),
        rolling_resistance: shape.rolling_resistance(),
        tangent_speed: shape.tangent_speed(),
        friction_rule,
        restitution_rule,
        material: shape.material_number(),
        contact_skin: shape.contact_skin(),
        filter: shape.filter(),
        contact_events: shape.has_contact_events(),
        hit_events: shape.has_hit_events(),
        force_threshold: shape.force_threshold(),
        sees_sensors: shape.sees_sensors(),
        sees_fixed: shape.sees_fixed(),
        sensor: shape.is_sensor(),
        user_key: shape.user_key(),
    }
}

/// Calls the setters of what differs between two definitions. Only that of the density, which is the first, may refuse
/// a number of a valid definition.
fn change(shape: &mut ShapeMut<'_>, old: &ShapeDef, new: &ShapeDef) -> Result<(), PhysicsError> {
    if old.density != new.density {
        shape.set_density(new.density)?;
    }
    if (old.friction, old.restitution) != (new.friction, new.restitution) {
        shape.set_material(new.friction, new.restitution)?;
    }
    if (old.rolling_resistance, old.tangent_speed) != (new.rolling_resistance, new.tangent_speed) {
        shape.set_surface(new.rolling_resistance, new.tangent_speed)?;
    }
    if (old.friction_rule, old.restitution_rule) != (new.friction_rule, new.restitution_rule) {
        shape.set_combine_rules(new.friction_rule, new.restitution_rule);
    }
    if old.material != new.material {
        shape.set_material_number(new.material)?;
    }
    if old.contact_skin != new.contact_skin {
        shape.set_contact_skin(new.contact_skin)?;
    }
    if old.filter != new.filter {
        shape.set_filter(new.filter);
    }
    if (old.contact_events, old.hit_events) != (new.contact_events, new.hit_events) {
        shape.set_events(new.contact_events, new.hit_events);
    }
    if old.force_threshold != new.force_threshold {
        shape.set_force_threshold(new.force_threshold)?;
    }
    if (old.sees_sensors, old.sees_fixed) != (new.sees_sensors, new.sees_fixed) {
        shape.set_sees(new.sees_sensors, new.sees_fixed);
    }
    if old.sensor != new.sensor {
        shape.set_sensor(new.sensor);
    }
    shape.set_user_key(new.user_key);
    Ok(())
}

pub(crate) fn points(row: Row<'_>) -> Vec<Vec2> {
    row.0
        .chunks_exact(2)
        .map(|point| Vec2::new(point[0], point[1]))
        .collect()
}

/// The geometry of a shape: 0 circle (radius, center), 1 capsule (radius, ends), 2 segment (0, ends), 3 polygon
/// (radius, points), 4 box (0, width and height, center, angle), 5 half-space (0, point, normal).
pub(crate) fn geometry(kind: u32, mut row: Row<'_>) -> Result<Shape, Failure> {
    let radius = row.next();
    Ok(match (kind, points(row).as_slice()) {
        (0, &[center]) => Shape::circle(center, radius)?,
        (1, &[a, b]) => Shape::capsule(a, b, radius)?,
        (2, &[a, b]) => Shape::segment(a, b)?,
        (3, points) => Shape::polygon(points, radius)?,
        (4, &[size, center, angle]) => Shape::box_at(size.x, size.y, center, angle.x)?,
        (5, &[point, normal]) => Shape::half_space(point, normal)?,
        _ => return Err("a shape needs its points".into()),
    })
}

/// Creates a shape on a body. Row: that of [`shape_def`], then the kind's [`geometry`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_create(world: u32, body: u64, kind: u32, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let mut row = input.row(SHAPE_WORDS, numbers)?;
        let def = shape_def(input, 0, &mut row)?;
        let shape = geometry(kind, row)?;
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

pub(crate) fn shape_id(bits: u64) -> Result<ShapeId, Failure> {
    Ok(ShapeId::from_bits(bits).ok_or("this is no id of a shape")?)
}

/// Destroys a shape.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_destroy(world: u32, shape: u64) -> i32 {
    with_physics(world, |world, _, _| {
        world.destroy_shape(shape_id(shape)?)?;
        Ok(0)
    })
}

/// The state of a shape. Ids: the body, category, mask, user key, group, material. Numbers: the fields of
/// [`go_through`]. 0 if there is no such shape.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_state(world: u32, shape: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(shape) = ShapeId::from_bits(shape).and_then(|id| world.shape(id)) else {
            return Ok(0);
        };
        let mut def = present(shape);
        output.ids.push(shape.body().id().to_bits());
        output.ids.extend([
            def.filter.category,
            def.filter.mask,
            def.user_key,
            i64::from(def.filter.group) as u64,
            u64::from(def.material),
        ]);
        go_through(&mut def, output)?;
        Ok(1)
    })
}

/// Changes a shape. Words: as in [`shape_def`]. Row: the fields of [`go_through`], of which those not given stay.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_set(world: u32, shape: u64, numbers: usize) -> i32 {
    with_world(world, |world, input, _| {
        let shape = shape_id(shape)?;
        let old = present(world.physics_mut().shape_mut(shape)?.view());
        let mut new = old.clone();
        read_def(&mut new, input, 0, &mut input.row(SHAPE_WORDS, numbers)?)?;
        new.validate()?;
        #[cfg(feature = "scenes")]
        Keyed::Shape(shape).keep_key(world, new.user_key)?;
        let mut shape = world.physics_mut().shape_mut(shape)?;
        change(&mut shape, &old, &new)?;
        Ok(0)
    })
}

/// Replaces the geometry of a shape. Row: that of [`geometry`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shape_set_geometry(world: u32, shape: u64, kind: u32, numbers: usize) -> i32 {
    with_physics(world, |world, input, _| {
        let geometry = geometry(kind, input.row(0, numbers)?)?;
        world.shape_mut(shape_id(shape)?)?.set_geometry(&geometry)?;
        Ok(0)
    })
}
