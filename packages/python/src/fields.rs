//! Fields: areas in which bodies are pushed.

use crate::physics::{World, geometry};
use crate::{overlay, refuse};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tombolo_physics::{FieldDef, FieldId, FieldKind, Position, Shape, Vec2};

const GONE: &str = "the field was destroyed";

fn field_id(bits: u64) -> PyResult<FieldId> {
    FieldId::from_bits(bits).ok_or_else(|| refuse("no field has this id"))
}

/// A kind with the defaults of its options, which are those of fields in scenes.
fn default_kind(kind: &str) -> PyResult<FieldKind> {
    Ok(match kind {
        "wind" => FieldKind::Wind {
            velocity: Vec2::ZERO,
            density: 1.0,
            drag: 1.0,
            lift: 0.0,
        },
        "fluid" => FieldKind::Fluid {
            density: 1.0,
            velocity: Vec2::ZERO,
            drag: 1.0,
            viscosity: 0.0,
        },
        "gravity" => FieldKind::Gravity {
            acceleration: Vec2::ZERO,
        },
        "radial_gravity" => FieldKind::RadialGravity {
            acceleration: 10.0,
            radius: 1.0,
            power: 2,
        },
        "chain_gravity" => FieldKind::ChainGravity {
            points: Vec::new(),
            closed: false,
            pull: 10.0,
            along: 0.0,
            reach: 1.0,
        },
        _ => {
            let kinds = "wind, fluid, gravity, radial_gravity, chain_gravity";
            return Err(refuse(format!("no field {kind:?}; there are {kinds}")));
        }
    })
}

/// The options that fields of all kinds have, but for the area.
#[derive(Serialize, Deserialize)]
struct Common {
    position: Position,
    angle: f32,
    mask: u64,
    replaces_gravity: bool,
    enabled: bool,
    user_key: u64,
}

/// The engine's name of a field's kind, and all options but the area in one object.
fn options_of(def: &FieldDef) -> PyResult<(String, Map<String, Value>)> {
    let common = Common {
        position: def.position,
        angle: def.angle,
        mask: def.mask,
        replaces_gravity: def.replaces_gravity,
        enabled: def.enabled,
        user_key: def.user_key,
    };
    let kinds = serde_json::to_value(&def.kind).map_err(refuse)?;
    let common = serde_json::to_value(common).map_err(refuse)?;
    let (Value::Object(kinds), Value::Object(mut options)) = (kinds, common) else {
        return Err(refuse("a field without options"));
    };
    let kind = kinds.into_iter().next();
    let (name, own) = kind.ok_or_else(|| refuse("a field without a kind"))?;
    let Value::Object(own) = own else {
        return Err(refuse("a field without options of its kind"));
    };
    options.extend(own);
    Ok((name, options))
}

/// A definition with options in place of its own; `area` among them is null, or the kind and the numbers of a shape.
fn field_with(def: &FieldDef, options: &str) -> PyResult<FieldDef> {
    let mut options: Map<String, Value> = serde_json::from_str(options).map_err(refuse)?;
    let area = match options.remove("area") {
        None => def.area,
        Some(area) => area_of(area)?,
    };
    let (name, whole) = options_of(def)?;
    let mut whole = Value::Object(whole);
    overlay(&mut whole, Value::Object(options))?;
    let kind = serde_json::from_value(json!({ name: whole.clone() })).map_err(refuse)?;
    let common: Common = serde_json::from_value(whole).map_err(refuse)?;
    Ok(FieldDef {
        kind,
        area,
        position: common.position,
        angle: common.angle,
        mask: common.mask,
        replaces_gravity: common.replaces_gravity,
        enabled: common.enabled,
        user_key: common.user_key,
    })
}

fn area_of(area: Value) -> PyResult<Option<Shape>> {
    let area: Option<(String, Vec<f32>)> = serde_json::from_value(area).map_err(refuse)?;
    area.map(|(kind, numbers)| geometry(&kind, &numbers)).transpose()
}

#[pyfunction]
pub(crate) fn create_field(world: &World, kind: &str, options: &str) -> PyResult<u64> {
    let def = field_with(&FieldDef::new(default_kind(kind)?), options)?;
    Ok(world.world().create_field(&def).map_err(refuse)?.to_bits())
}

/// Sets options of a field: all of them or, refused, none.
#[pyfunction]
pub(crate) fn set_field(world: &World, field: u64, options: &str) -> PyResult<()> {
    let (mut world, field) = (world.world(), field_id(field)?);
    let def = world.field(field).ok_or_else(|| refuse(GONE))?;
    world
        .set_field(field, &field_with(&def, options)?)
        .map_err(refuse)
}

/// The engine's name of a field's kind, and its options but the area as JSON.
#[pyfunction]
pub(crate) fn field_options(world: &World, field: u64) -> PyResult<(String, String)> {
    let def = world.world().field(field_id(field)?);
    let (name, options) = options_of(&def.ok_or_else(|| refuse(GONE))?)?;
    Ok((name, Value::Object(options).to_string()))
}

#[pyfunction]
pub(crate) fn destroy_field(world: &World, field: u64) -> PyResult<()> {
    let field = field_id(field)?;
    world.world().destroy_field(field).map_err(refuse)
}

/// The ids of all fields.
#[pyfunction]
pub(crate) fn fields(world: &World) -> Vec<u64> {
    world.world().fields().map(FieldId::to_bits).collect()
}
