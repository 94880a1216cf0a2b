//! Paths: `component.property` and `component.property.part`, taken apart, resolved for a prototype, and remembered.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::error::PropertyError;
use super::plain::Plain;
use super::schema::Property;
use super::value::{Kind, Value};
use crate::entities::Entity;
use crate::index::PrototypeStamp;
use crate::manager::{ManagerId, Refusal};
use crate::name::InstanceId;
use crate::system::PropertyPlace;

/// A path, taken apart. Borrowed: taking one apart allocates nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    pub(crate) whole: &'a str,
    pub(crate) component: &'a str,
    pub(crate) property: &'a str,
    pub(crate) part: Option<&'a str>,
}

impl<'a> Path<'a> {
    pub(crate) fn parse(whole: &'a str) -> Result<Self, PropertyError> {
        let mut words = whole.split('.');
        let (component, property, part) = (words.next(), words.next(), words.next());
        match (component, property, words.next()) {
            (Some(component), Some(property), None)
                if !component.is_empty() && !property.is_empty() && part != Some("") =>
            {
                Ok(Self {
                    whole,
                    component,
                    property,
                    part,
                })
            }
            _ => Err(PropertyError::Path { path: whole.into() }),
        }
    }
}

/// What a path means for the entities of one prototype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub(crate) stamp: PrototypeStamp,
    pub(crate) manager: ManagerId,
    pub(crate) instance: InstanceId,
    /// The place in the manager's list.
    pub(crate) property: usize,
    pub(crate) kind: Kind,
    pub(crate) part: Option<u32>,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) zero_or_from: Option<f64>,
    pub(crate) read_only: bool,
    /// Whether it can be written, is no part, and takes all numbers from `least` to `most`.
    pub(crate) is_plain: bool,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Resolved {
    const NOWHERE: Self = Self {
        stamp: PrototypeStamp::NOWHERE,
        manager: ManagerId(0),
        instance: InstanceId(0),
        property: 0,
        kind: Kind::Bool,
        part: None,
        range: None,
        zero_or_from: None,
        read_only: true,
        is_plain: false,
        least: f64::MIN,
        most: f64::MAX,
    };

    /// What a path means: a property's place, and what the property takes.
    pub(crate) fn new(place: PropertyPlace, stamp: PrototypeStamp, property: &Property) -> Self {
        let (least, most) = property.range.unwrap_or((f64::MIN, f64::MAX));
        Self {
            stamp,
            manager: place.manager,
            instance: place.instance,
            property: place.property,
            kind: property.kind,
            part: place.part,
            range: property.range,
            zero_or_from: property.zero_or_from,
            read_only: property.read_only,
            is_plain: !property.read_only && place.part.is_none() && property.zero_or_from.is_none(),
            least,
            most,
        }
    }

    /// What a property is, wherever it is.
    pub(crate) fn of_property(property: &Property) -> Self {
        Self {
            kind: property.kind,
            range: property.range,
            zero_or_from: property.zero_or_from,
            read_only: property.read_only,
            ..Self::NOWHERE
        }
    }

    /// Whether a whole value is of the right kind, finite and in range. A `false` may also mean that it takes longer to tell.
    #[inline]
    pub(crate) fn admits(&self, value: Plain) -> bool {
        // Not-a-number is outside of everything.
        let is_in = |number: f64| self.least <= number && number <= self.most;
        self.is_plain
            && match (self.kind, value) {
                (Kind::F32, Plain::F32(number)) => is_in(f64::from(number)),
                (Kind::F64, Plain::F64(number)) => is_in(number),
                (Kind::I32, Plain::I32(number)) => is_in(f64::from(number)),
                (Kind::U32, Plain::U32(number)) => is_in(f64::from(number)),
                (Kind::Vec2, Plain::Vec2(v)) => is_in(f64::from(v.x)) && is_in(f64::from(v.y)),
                (Kind::Choice(words), Plain::Choice(place)) => (place as usize) < words.len(),
                (Kind::Bool, Plain::Bool(_)) | (Kind::Entity, Plain::Entity(_)) => true,
                _ => false,
            }
    }

    /// The value in the property's own form, if it is of the right kind, finite and in range. An error lacks the unit, which
    /// whoever has the property adds.
    #[inline]
    pub(crate) fn check(&self, path: &str, value: Value) -> Result<Value, PropertyError> {
        if self.read_only {
            return Err(PropertyError::ReadOnly { path: path.into() });
        }
        let wanted = match self.part {
            Some(_) => self.kind.part_kind(),
            None => self.kind,
        };
        let value = match wanted.holds(&value) {
            true => value,
            false => wanted.accept(&value).ok_or_else(|| PropertyError::WrongKind {
                path: path.into(),
                wanted,
                got: value.kind(),
            })?,
        };
        self.check_numbers(path, &value)?;
        Ok(value)
    }

    #[inline]
    fn check_numbers(&self, path: &str, value: &Value) -> Result<(), PropertyError> {
        let (min, max) = self.range.unwrap_or((f64::MIN, f64::MAX));
        let is_in = |number: f64| {
            let in_gap = |from: f64| 0.0 < number && number < from;
            (min..=max).contains(&number) && !self.zero_or_from.is_some_and(in_gap)
        };
        if let Value::F32(number) = value
            && is_in(f64::from(*number))
        {
            // What scripts set most.
            return Ok(());
        }
        let mut outside = None;
        value.numbers(&mut |number| {
            // Not-a-number is outside of everything.
            if !is_in(number) {
                outside.get_or_insert(number);
            }
        });
        match outside {
            None => Ok(()),
            Some(value) if !value.is_finite() => Err(PropertyError::NotFinite {
                path: path.into(),
                value,
            }),
            Some(value) => Err(PropertyError::OutOfRange {
                path: path.into(),
                unit: "",
                value,
                or_zero: self.zero_or_from.is_some(),
                min: self.zero_or_from.unwrap_or(min),
                max,
            }),
        }
    }
}

/// A path that remembers what it meant for the last entity's prototype.
///
/// As long as entities of one prototype are asked, a use reads the entity's record, compares two numbers, and calls the
/// manager. For an entity of another prototype, after the prototype was collected, after a restore and in another system
/// it is resolved anew; so it is always right, and quick where entities are alike.
///
/// ```
/// # use tombolo_entity::{Accessor, Component, Dense, EntitySystem, Schema, Value};
/// # #[derive(Clone, Default)]
/// # struct Fog { density: f32 }
/// # impl Component for Fog {
/// #     fn schema() -> Schema<Self> {
/// #         Schema::new().property("density", |fog: &Fog| fog.density, |fog, density| fog.density = density)
/// #     }
/// # }
/// # let mut system = EntitySystem::new();
/// # let fogs = system.register("Fog", Dense::<Fog>::new())?;
/// # let valleys = [system.create(), system.create()];
/// # for valley in valleys { system.add(valley, fogs, "Mist")?; }
/// let mut density = Accessor::new("Mist.density")?;
/// for valley in valleys {
///     system.set_with(&mut density, valley, 0.5_f32)?; // or Value::F32(0.5)
///     assert_eq!(system.get_with(&mut density, valley)?, Value::F32(0.5));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Accessor {
    pub(crate) path: Box<str>,
    pub(crate) last: Resolved,
    // Whose prototypes it remembers.
    pub(crate) system: Option<Mark>,
}

impl Accessor {
    /// An accessor for `component.property` or `component.property.part`.
    ///
    /// # Errors
    ///
    /// [`PropertyError::Path`] if it is neither. Whether anything has such a property shows when it is used.
    pub fn new(path: &str) -> Result<Self, PropertyError> {
        Path::parse(path)?;
        Ok(Self {
            path: path.into(),
            last: Resolved::NOWHERE,
            system: None,
        })
    }

    /// The path.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Which system this is. A clone and a restored system are others: their numbers of prototypes go their own way.
///
/// Compared by address, which nothing else depends on.
#[derive(Debug, Default)]
pub(crate) struct Identity(Arc<()>);

/// A system's identity, remembered. As long as it is, no other system gets the same.
#[derive(Clone, Debug)]
pub(crate) struct Mark(Arc<()>);

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Identity {
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.0.clone())
    }

    #[inline]
    pub(crate) fn is(&self, mark: Option<&Mark>) -> bool {
        mark.is_some_and(|mark| Arc::ptr_eq(&self.0, &mark.0))
    }
}

/// Who asked for what: turns a manager's refusal into an error with the names in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace<'a> {
    pub(crate) entity: Entity,
    pub(crate) path: &'a str,
}

impl Trace<'_> {
    #[cold]
    pub(crate) fn refused(&self, refusal: Refusal, manager: Box<str>) -> PropertyError {
        let path: Box<str> = self.path.into();
        match refusal {
            Refusal::NoInstance => PropertyError::NoInstance {
                entity: self.entity,
                component: self.path.split('.').next().unwrap_or_default().into(),
                manager,
            },
            Refusal::ReadOnly => PropertyError::ReadOnly { path },
            Refusal::WrongKind { wanted, got } => PropertyError::WrongKind { path, wanted, got },
            refusal => PropertyError::Refused { path, refusal },
        }
    }

    #[cold]
    pub(crate) fn no_part(&self, kind: Kind) -> PropertyError {
        PropertyError::NoPart {
            path: self.path.into(),
            kind,
            part: self.path.rsplit('.').next().unwrap_or_default().into(),
        }
    }
}
