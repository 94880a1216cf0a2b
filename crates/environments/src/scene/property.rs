//! Properties by name, found again if another entity has the name: [`Observed`] is read, [`SetProperty`] is set.

use super::task::SceneAct;
use crate::EnvironmentError;
use std::sync::Arc;
use tombolo::World;
use tombolo::entity::{Accessor, Entity, Kind, Value};

/// A property of an entity.
#[derive(Clone, Debug)]
pub(super) struct NamedProperty {
    /// `entity.component.property`, as it was given.
    text: Arc<str>,
    /// The entity's name.
    name: Arc<str>,
    entity: Entity,
    accessor: Accessor,
}

impl NamedProperty {
    pub(super) fn new(world: &World, text: &str) -> Result<Self, EnvironmentError> {
        let refused = |error: &dyn std::fmt::Display| EnvironmentError::task(text, error);
        let target = world.target(text).map_err(|error| refused(&error))?;
        Ok(Self {
            text: text.into(),
            name: world.name_of(target.entity).unwrap_or_default().into(),
            entity: target.entity,
            accessor: Accessor::new(&target.path).map_err(|error| refused(&error))?,
        })
    }

    /// The kind of its values.
    fn kind(&self, world: &World) -> Result<Kind, EnvironmentError> {
        let kind = world.kind_at(self.entity, self.accessor.path());
        kind.map_err(|error| self.refused(error))
    }

    fn refused(&self, why: impl std::fmt::Display) -> EnvironmentError {
        EnvironmentError::task(&self.text, why)
    }

    /// Looks for the entity again, if another one has its name now.
    fn find(&mut self, world: &World) -> Result<(), EnvironmentError> {
        if world.find(&self.name) != Some(self.entity) {
            *self = Self::new(world, &self.text)?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self, world: &World) -> Result<Value, EnvironmentError> {
        self.find(world)?;
        let value = world.get_with(&mut self.accessor, self.entity);
        value.map_err(|error| self.refused(error))
    }

    /// The value as a single number; a flag is 0 or 1.
    pub(super) fn number(&mut self, world: &World) -> Result<f64, EnvironmentError> {
        let value = self.value(world)?;
        match number_of(&value) {
            Some(number) => Ok(number),
            None => Err(self.refused("it is not a single number or flag; of a vector name one part, as .x")),
        }
    }
}

/// The number that a value is.
fn number_of(value: &Value) -> Option<f64> {
    match *value {
        Value::Bool(flag) => Some(f64::from(u8::from(flag))),
        Value::I32(number) => Some(f64::from(number)),
        Value::U32(number) => Some(f64::from(number)),
        Value::I64(number) => Some(number as f64),
        Value::F32(number) => Some(f64::from(number)),
        Value::F64(number) => Some(number),
        _ => None,
    }
}

/// Gives the numbers of a value in their order; `None` if it has other parts than numbers.
fn each_number(value: &Value, give: &mut dyn FnMut(f64)) -> Option<()> {
    let mut give_all = |parts: &[f32]| parts.iter().for_each(|&part| give(f64::from(part)));
    match value {
        Value::Vec2(vector) => give_all(&[vector.x, vector.y]),
        Value::Vec3(vector) => give_all(&[vector.x, vector.y, vector.z]),
        Value::Quat(turn) => give_all(&[turn.x, turn.y, turn.z, turn.w]),
        Value::Color(color) => give_all(&[color.r, color.g, color.b, color.a]),
        Value::List(values) => {
            for value in values {
                give(number_of(value)?);
            }
        }
        single => give(number_of(single)?),
    }
    Some(())
}

/// A property of an observation.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    property: NamedProperty,
    width: usize,
}

impl Observed {
    /// Reads the property once, to count its numbers.
    pub(super) fn new(world: &World, text: &str) -> Result<Self, EnvironmentError> {
        let mut property = NamedProperty::new(world, text)?;
        let value = property.value(world)?;
        let mut width = 0;
        each_number(&value, &mut |_| width += 1)
            .ok_or_else(|| property.refused("it is no number, flag or vector"))?;
        Ok(Self { property, width })
    }

    /// The count of its numbers.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Writes its numbers.
    pub(super) fn read(&mut self, world: &World, out: &mut [f32]) -> Result<(), EnvironmentError> {
        let value = self.property.value(world)?;
        let mut count = 0;
        let read = each_number(&value, &mut |number| {
            if let Some(place) = out.get_mut(count) {
                *place = number as f32;
            }
            count += 1;
        });
        match read {
            Some(()) if count == self.width => Ok(()),
            _ => Err(self
                .property
                .refused(format!("it has {count} numbers now, and had {}", self.width))),
        }
    }
}

/// A property of an action.
#[derive(Clone, Debug)]
pub(super) struct SetProperty {
    property: NamedProperty,
    kind: Kind,
    low: f32,
    high: f32,
}

impl SetProperty {
    pub(super) fn new(world: &World, act: &SceneAct) -> Result<Self, EnvironmentError> {
        let property = NamedProperty::new(world, &act.path)?;
        let kind = property.kind(world)?;
        match kind {
            Kind::Bool | Kind::I32 | Kind::U32 | Kind::I64 | Kind::F32 | Kind::F64 => Ok(Self {
                property,
                kind,
                low: act.low,
                high: act.high,
            }),
            _ => Err(property.refused("it is not a single number or flag; of a vector name one part, as .x")),
        }
    }

    /// Sets it to a number of its range: a whole number to the nearest, of two the even one.
    pub(super) fn set(&mut self, world: &mut World, number: f32) -> Result<(), EnvironmentError> {
        let number = number.clamp(self.low, self.high);
        let whole = libm::rintf(number);
        let value = match self.kind {
            Kind::Bool => Value::Bool(number > (self.low + self.high) / 2.0),
            Kind::I32 => Value::I32(whole as i32),
            Kind::U32 => Value::U32(whole as u32),
            Kind::I64 => Value::I64(whole as i64),
            Kind::F64 => Value::F64(f64::from(number)),
            _ => Value::F32(number),
        };
        self.property.find(world)?;
        let NamedProperty { entity, accessor, .. } = &mut self.property;
        let set = world.set_with(accessor, *entity, value);
        set.map_err(|error| self.property.refused(error))
    }
}
