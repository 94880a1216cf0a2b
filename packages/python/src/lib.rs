//! The native module of the Python package: calls over numbers, ids and JSON, of which `python/tombolo` makes classes.
//!
//! Definitions come as JSON and go through the engine's own serde definitions, so that every option there is one here,
//! by the same name. Steps, resets, saves, copies, hashes, pictures, recordings, casts of many rays, and the building of scenes
//! and environments run without Python's lock, and a thread that waits for a world (`locks.rs`) does not keep it either.

mod batch;
mod character;
mod composites;
mod concave_polygons;
mod cuts;
mod events;
mod fields;
mod locks;
mod physics;
mod pictures;
mod queries;
mod recordings;
mod rewind;
mod scene;
mod settings;
mod signals;
mod threads;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;

create_exception!(
    tombolo,
    TomboloError,
    PyValueError,
    "What the engine refused, and why; nothing was changed."
);

/// Converts an error of the engine to a Python exception.
pub(crate) fn refuse(error: impl Display) -> PyErr {
    TomboloError::new_err(error.to_string())
}

/// A definition with the options of a JSON object in place of its own.
pub(crate) fn with_options<T: Serialize + DeserializeOwned>(def: &T, options: &str) -> PyResult<T> {
    let mut whole = serde_json::to_value(def).map_err(refuse)?;
    let options: Value = serde_json::from_str(options).map_err(refuse)?;
    overlay(&mut whole, options)?;
    serde_json::from_value(whole).map_err(refuse)
}

/// Replaces values of a definition by options; an option that it does not have is refused.
pub(crate) fn overlay(whole: &mut Value, options: Value) -> PyResult<()> {
    // Numbers of JSON are finite: a default of infinity becomes a number that is infinite once it has 32 bits.
    if let Value::Object(known) = &mut *whole {
        for value in known.values_mut().filter(|value| value.is_null()) {
            *value = Value::from(f64::MAX);
        }
    }
    let (Value::Object(known), Value::Object(options)) = (whole, options) else {
        return Err(refuse("options are an object"));
    };
    for (name, value) in options {
        let Some(place) = known.get_mut(&name) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            return Err(refuse(format!(
                "no option {name:?}; there are {}",
                names.join(", ")
            )));
        };
        *place = value;
    }
    Ok(())
}

/// The seed of the episode after that of a seed, as batches have it.
#[pyfunction]
fn next_seed(seed: u64) -> u64 {
    tombolo::Random::new(seed).bits()
}

/// The module's classes and functions.
#[pymodule]
fn _tombolo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TomboloError", module.py().get_type::<TomboloError>())?;
    module.add("PanicException", module.py().get_type::<PanicException>())?;
    module.add_class::<physics::World>()?;
    module.add_class::<character::Character>()?;
    module.add_class::<scene::SceneWorld>()?;
    module.add_class::<recordings::Recording>()?;
    module.add_class::<rewind::FrameId>()?;
    module.add_class::<rewind::Rewind>()?;
    module.add_class::<batch::EnvironmentBatch>()?;
    module.add_function(wrap_pyfunction!(next_seed, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::picture, module)?)?;
    add_composites(module)?;
    add_functions(module)
}

/// The other functions about worlds of bodies and queries.
fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for function in [
        wrap_pyfunction!(concave_polygons::concave_polygon, module)?,
        wrap_pyfunction!(concave_polygons::concave_polygons, module)?,
        wrap_pyfunction!(concave_polygons::create_concave_polygon, module)?,
        wrap_pyfunction!(concave_polygons::destroy_concave_polygon, module)?,
        wrap_pyfunction!(concave_polygons::part_of, module)?,
        wrap_pyfunction!(cuts::cut_events, module)?,
        wrap_pyfunction!(cuts::cut_through, module)?,
        wrap_pyfunction!(cuts::cut_tiles, module)?,
        wrap_pyfunction!(cuts::explode, module)?,
        wrap_pyfunction!(cuts::shatter, module)?,
        wrap_pyfunction!(cuts::slice, module)?,
        wrap_pyfunction!(events::blows, module)?,
        wrap_pyfunction!(events::body_events, module)?,
        wrap_pyfunction!(events::loads, module)?,
        wrap_pyfunction!(events::met, module)?,
        wrap_pyfunction!(fields::create_field, module)?,
        wrap_pyfunction!(fields::destroy_field, module)?,
        wrap_pyfunction!(fields::field_options, module)?,
        wrap_pyfunction!(fields::fields, module)?,
        wrap_pyfunction!(fields::set_field, module)?,
        wrap_pyfunction!(queries::cast_ray, module)?,
        wrap_pyfunction!(queries::cast_rays, module)?,
        wrap_pyfunction!(queries::cast_shape, module)?,
        wrap_pyfunction!(queries::closest, module)?,
        wrap_pyfunction!(queries::overlap_box, module)?,
        wrap_pyfunction!(queries::overlap_point, module)?,
        wrap_pyfunction!(queries::overlap_shape, module)?,
        wrap_pyfunction!(recordings::is_recording, module)?,
        wrap_pyfunction!(recordings::start_recording, module)?,
        wrap_pyfunction!(recordings::take_recording, module)?,
        wrap_pyfunction!(settings::apply_angular_impulse, module)?,
        wrap_pyfunction!(settings::body_at, module)?,
        wrap_pyfunction!(settings::body_parts, module)?,
        wrap_pyfunction!(settings::body_settings, module)?,
        wrap_pyfunction!(settings::gravity, module)?,
        wrap_pyfunction!(settings::joint_options, module)?,
        wrap_pyfunction!(settings::joint_places, module)?,
        wrap_pyfunction!(settings::move_body_to, module)?,
        wrap_pyfunction!(settings::put_to_sleep, module)?,
        wrap_pyfunction!(settings::set_body, module)?,
        wrap_pyfunction!(settings::set_gravity, module)?,
        wrap_pyfunction!(settings::set_joint_options, module)?,
        wrap_pyfunction!(settings::set_shape, module)?,
        wrap_pyfunction!(settings::shape_settings, module)?,
        wrap_pyfunction!(settings::wake_body, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}

/// The functions about composites.
fn add_composites(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for function in [
        wrap_pyfunction!(composites::create_member, module)?,
        wrap_pyfunction!(composites::create_rigid_weld, module)?,
        wrap_pyfunction!(composites::destroy_member, module)?,
        wrap_pyfunction!(composites::destroy_rigid_weld, module)?,
        wrap_pyfunction!(composites::member, module)?,
        wrap_pyfunction!(composites::member_of, module)?,
        wrap_pyfunction!(composites::members, module)?,
        wrap_pyfunction!(composites::rigid_weld, module)?,
        wrap_pyfunction!(composites::rigid_welds, module)?,
        wrap_pyfunction!(composites::set_member_key, module)?,
        wrap_pyfunction!(composites::set_member_of, module)?,
        wrap_pyfunction!(composites::set_rigid_weld, module)?,
        wrap_pyfunction!(composites::weld_loads, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
