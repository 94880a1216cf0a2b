//! Paths to properties, `component.property` and `component.property.part`: parsing, resolving for a prototype, and
//! caching.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::entities::Entity;
use crate::index::PrototypeId;
use crate::name::{InstanceId, ManagerId};
use crate::property::{Limits, Property, PropertyError, Refusal};
use crate::value::Kind;

/// A parsed path. Borrowed: parsing allocates nothing.
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

/// The location of a property: a path resolved for an entity. For programs that serve some managers' properties
/// themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyPlace {
    /// The manager that holds the component.
    pub manager: ManagerId,
    /// The number of the instance in the manager.
    pub instance: InstanceId,
    /// The place of the property in the manager's list.
    pub property: usize,
    /// The number of the part, if the path names one.
    pub part: Option<u32>,
}

impl From<&Resolved> for PropertyPlace {
    fn from(resolved: &Resolved) -> Self {
        Self {
            manager: resolved.manager,
            instance: resolved.instance,
            property: resolved.property,
            part: resolved.limits.part,
        }
    }
}

/// A path resolved for the entities of one prototype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    /// The system that `prototype` belongs to. As long as it has this mark, the number is that of the same list.
    pub(crate) system: Mark,
    pub(crate) prototype: PrototypeId,
    pub(crate) manager: ManagerId,
    pub(crate) instance: InstanceId,
    /// The place of the property in the manager's list.
    pub(crate) property: usize,
    /// The values that the property accepts.
    pub(crate) limits: Limits,
}

impl Resolved {
    const NOWHERE: Self = Self {
        system: Mark::NOWHERE,
        prototype: PrototypeId::EMPTY,
        manager: ManagerId(0),
        instance: InstanceId(0),
        property: 0,
        limits: Limits::NOTHING,
    };

    /// Combines a property's place with the values that the property accepts.
    pub(crate) fn new(
        place: PropertyPlace,
        (system, prototype): (Mark, PrototypeId),
        property: &Property,
    ) -> Self {
        Self {
            system,
            prototype,
            manager: place.manager,
            instance: place.instance,
            property: place.property,
            limits: property.limits(place.part),
        }
    }
}

/// A path that caches its resolution for the last entity's prototype.
///
/// As long as the entities have one prototype, a use reads the entity's record, compares two numbers, and calls the
/// manager. For an entity of another prototype, after any prototype was collected, after a restore and in another
/// system it is resolved anew; so it is always right, and fast where entities are alike.
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
}

impl Accessor {
    /// An accessor for `component.property` or `component.property.part`.
    ///
    /// # Errors
    ///
    /// [`PropertyError::Path`] if it is neither. A component or property that does not exist gives an error at the
    /// first use.
    pub fn new(path: &str) -> Result<Self, PropertyError> {
        Path::parse(path)?;
        Ok(Self {
            path: path.into(),
            last: Resolved::NOWHERE,
        })
    }

    /// The path as text.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Accessors for paths that are given as text: those that were used lately are remembered.
///
/// A path takes one of 64 places by its length, its beginning and its end, and the place has the accessor of the last one that
/// took it. Of those of more than 256 bytes only the last one is kept, and it is parsed anew each time. Results do not depend on
/// what is remembered. A clone remembers nothing.
///
/// ```
/// # use tombolo_entity::{Component, Dense, EntitySystem, RecentPaths, Schema, Value};
/// # #[derive(Clone, Default)]
/// # struct Fog { density: f32 }
/// # impl Component for Fog {
/// #     fn schema() -> Schema<Self> {
/// #         Schema::new().property("density", |fog: &Fog| fog.density, |fog, density| fog.density = density)
/// #     }
/// # }
/// # let mut system = EntitySystem::new();
/// # let fogs = system.register("Fog", Dense::<Fog>::new())?;
/// # let valley = system.create();
/// # system.add(valley, fogs, "Mist")?;
/// let mut paths = RecentPaths::default();
/// system.set_with(paths.accessor("Mist.density")?, valley, 0.5_f32)?;
/// assert_eq!(system.get_with(paths.accessor("Mist.density")?, valley)?, Value::F32(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct RecentPaths(Option<Box<Remembered>>);

/// What [`RecentPaths`] remember. Behind a pointer, so that a system takes it out and puts it back at no cost.
#[derive(Debug)]
struct Remembered {
    places: [Option<Accessor>; 1 << PLACES_LOG2],
    /// The last path that was too long for a place.
    long: Option<Accessor>,
}

/// The base 2 logarithm of the number of places.
const PLACES_LOG2: u32 = 6;
/// The length of the longest path that takes a place, in bytes. Paths come from scripts, also ones that lead nowhere: this bounds
/// the memory that they take.
const PATH_BYTES_MAX: usize = 256;

impl Clone for RecentPaths {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl RecentPaths {
    /// The accessor for a path: the one that was given for it before, or a new one. Costs a comparison with the path that has
    /// its place.
    ///
    /// # Errors
    ///
    /// Those of [`Accessor::new`].
    #[inline]
    pub fn accessor(&mut self, path: &str) -> Result<&mut Accessor, PropertyError> {
        let remembered = self.0.get_or_insert_with(Remembered::nothing);
        if path.len() > PATH_BYTES_MAX {
            return Ok(remembered.long.insert(Accessor::new(path)?));
        }
        let place = &mut remembered.places[place_of(path.as_bytes())];
        if place.as_ref().is_none_or(|known| *known.path != *path) {
            *place = Some(Accessor::new(path)?);
        }
        place
            .as_mut()
            .ok_or_else(|| PropertyError::Path { path: path.into() })
    }
}

impl Remembered {
    #[cold]
    fn nothing() -> Box<Self> {
        Box::new(Self {
            places: [const { None }; 1 << PLACES_LOG2],
            long: None,
        })
    }
}

/// The place of a path among those that are remembered.
fn place_of(path: &[u8]) -> usize {
    let (first, last) = match (path.first_chunk(), path.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (path.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
    };
    // The golden ratio's multiple: Fibonacci hashing.
    let mixed = (first ^ last.rotate_left(29) ^ path.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - PLACES_LOG2)) as usize
}

/// The identity of a system for accessors: while it is the same, so is what they have resolved. A clone and a restored system
/// have other ones, since their numbers of prototypes diverge; and a system gets a new one when a prototype is freed, whose
/// number another list may get, and when the record of changes begins or ends.
#[derive(Debug)]
pub(crate) struct Identity(Mark);

/// The number of an identity, which no other one of the process has or had. It is only compared; nothing else depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u64);

/// The last mark that an identity was given.
static LAST_MARK: AtomicU64 = AtomicU64::new(Mark::NOWHERE.0);

impl Mark {
    /// The mark of no system.
    const NOWHERE: Self = Self(0);
}

impl Identity {
    #[inline]
    pub(crate) const fn mark(&self) -> Mark {
        self.0
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self(Mark(LAST_MARK.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The entity and the path of an access: turns a manager's refusal into an error with the names in it.
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
