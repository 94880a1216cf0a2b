//! `Schema` and `Component`: a type declares its properties once, in one expression, next to its fields.
//!
//! A schema is data and closures; no derive macro, so that a property need not be a field, and a field need not be one.
//!
//! The reasons are in `docs/decisions.md#a-builder-with-closures-for-properties`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use super::access::{Access, Choice, Derived, Typed};
use super::error::{PropertyError, Refusal, ShortNumber};
use super::limits::Limits;
use super::types::PropertyValue;
use crate::bytes::{DataError, Reader, Writer};
use crate::name::{NameHash, check_form};
use crate::value::plain::Plain;
use crate::value::{Kind, Value};

/// A type that a [`Dense`](crate::Dense) manager can hold.
pub trait Component: Clone + Default + Send + Sync + 'static {
    /// The properties that can be read and written by name. Called once for each manager.
    fn schema() -> Schema<Self>;

    /// Writes the component's state: by default every property that can be written. A type with fields that no property
    /// shows overrides this and [`Component::restore`].
    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
    }

    /// Restores what [`Component::save`] wrote, into a default value.
    ///
    /// # Errors
    ///
    /// If the bytes are not those of such a component.
    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore(self, from)
    }
}

/// The description of a property, for tools and checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name within the component.
    pub name: Box<str>,
    /// The name's hash.
    pub hash: NameHash,
    /// The kind of its values.
    pub kind: Kind,
    /// The range of each of its numbers, both ends allowed; colors have 0 to 1 unless set otherwise.
    pub range: Option<(f64, f64)>,
    /// Numbers between 0 and this one are refused; 0 itself is accepted if it is in range.
    pub zero_or_from: Option<f64>,
    /// The unit of its numbers; empty for none.
    pub unit: &'static str,
    /// The value of a new instance.
    pub default: Value,
    /// Whether it is read-only.
    pub read_only: bool,
    /// One sentence for people.
    pub documentation: &'static str,
}

impl Property {
    /// The value in the property's own form, if the property can be written and the value is of its kind, finite and in
    /// range. `path` is its name in errors.
    ///
    /// # Errors
    ///
    /// [`PropertyError::ReadOnly`], [`PropertyError::WrongKind`], [`PropertyError::OutOfRange`] or
    /// [`PropertyError::NotFinite`].
    pub fn check(&self, path: &str, value: Value) -> Result<Value, PropertyError> {
        let checked = self.limits(None).check(path, value);
        checked.map_err(|error| error.in_unit(self.unit))
    }

    /// The values that the property, or a part of it, accepts.
    pub(crate) fn limits(&self, part: Option<u32>) -> Limits {
        let (least, most) = self.range.unwrap_or((f64::MIN, f64::MAX));
        Limits {
            kind: self.kind,
            part,
            range: self.range,
            zero_or_from: self.zero_or_from,
            read_only: self.read_only,
            is_plain: !self.read_only && part.is_none() && self.zero_or_from.is_none(),
            least,
            most,
        }
    }

    /// The range with its unit, in words: `0 to 100 m`, `0 or more kg`, `0, or 0.001 to 10 m`; empty if there is none.
    pub fn range_text(&self) -> String {
        let Some((least, most)) = self.range else {
            return String::new();
        };
        let unit = if self.unit.is_empty() { "" } else { " " };
        let unit = format!("{unit}{}", self.unit);
        let (zero, least) = match self.zero_or_from {
            Some(from) => ("0, or ", from),
            None => ("", least),
        };
        if most >= f64::from(f32::MAX) {
            return format!("{zero}{} or more{unit}", ShortNumber(least));
        }
        format!("{zero}{} to {}{unit}", ShortNumber(least), ShortNumber(most))
    }

    #[cold]
    fn not_taken(&self) -> DataError {
        DataError::broken(alloc::format!(
            "property `{}` does not take its own value",
            self.name
        ))
    }

    /// A property that can be written, without range, unit and documentation. For custom managers; [`Schema`] makes
    /// properties from closures.
    ///
    /// # Panics
    ///
    /// If the name is empty, longer than [`NAME_BYTES_MAX`](crate::NAME_BYTES_MAX) or has a dot.
    pub fn new(name: &str, kind: Kind, default: Value) -> Self {
        if let Err(error) = check_form(name) {
            panic!("property `{name}`: {error}");
        }
        Self {
            name: name.into(),
            hash: NameHash::of(name),
            kind,
            range: matches!(kind, Kind::Color).then_some((0.0, 1.0)),
            zero_or_from: None,
            unit: "",
            default,
            read_only: false,
            documentation: "",
        }
    }
}

/// The properties of a `T`.
///
/// ```
/// use tombolo_entity::{Kind, Schema, Value};
/// #[derive(Default)]
/// struct Lamp { watts: f32, mode: u32 }
///
/// let schema = Schema::<Lamp>::new()
///     .property("watts", |lamp: &Lamp| lamp.watts, |lamp, watts| lamp.watts = watts)
///     .range(0.0..=100.0)
///     .unit("W")
///     .doc("How bright it shines.")
///     .choice("mode", &["Off", "On"], |lamp: &Lamp| lamp.mode, |lamp, mode| lamp.mode = mode)
///     .derived("is_bright", |lamp: &Lamp| lamp.watts > 60.0);
/// assert_eq!(schema.properties()[1].kind, Kind::Choice(&["Off", "On"]));
/// assert_eq!(schema.get(&Lamp { watts: 75.0, mode: 1 }, 2), Some(Value::Bool(true)));
/// ```
pub struct Schema<T> {
    list: Arc<PropertyList<T>>,
}

/// Invariant: as many properties as accesses, in the same order, no name twice.
struct PropertyList<T> {
    properties: Vec<Property>,
    accesses: Vec<Box<dyn Access<T>>>,
}

impl<T> Clone for Schema<T> {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
        }
    }
}

impl<T> fmt::Debug for Schema<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list.properties).finish()
    }
}

impl<T: Default + 'static> Default for Schema<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Default + 'static> Schema<T> {
    /// A schema without properties.
    pub fn new() -> Self {
        let (properties, accesses) = (Vec::new(), Vec::new());
        Self {
            list: Arc::new(PropertyList { properties, accesses }),
        }
    }

    /// Adds a property that can be read and written. Its default is its value in `T::default()`.
    ///
    /// # Panics
    ///
    /// If the name is empty, too long, has a dot, or has the hash of another property: mistakes of the program.
    #[must_use]
    pub fn property<V: PropertyValue + 'static>(
        self,
        name: &str,
        get: impl Fn(&T) -> V + Send + Sync + 'static,
        set: impl Fn(&mut T, V) + Send + Sync + 'static,
    ) -> Self {
        let kind = PhantomData::<fn() -> V>;
        let access = Typed { get, set, kind };
        self.push(name, V::KIND, Box::new(access))
    }

    /// Adds a read-only property.
    ///
    /// # Panics
    ///
    /// In the same cases as [`Schema::property`].
    #[must_use]
    pub fn derived<V: PropertyValue + 'static>(
        self,
        name: &str,
        get: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Self {
        let kind = PhantomData::<fn() -> V>;
        let access = Derived { get, kind };
        self.push(name, V::KIND, Box::new(access))
    }

    /// Adds a property that is one of a few words, read and written as the word's place among them.
    ///
    /// # Panics
    ///
    /// In the same cases as [`Schema::property`].
    #[must_use]
    pub fn choice(
        self,
        name: &str,
        words: &'static [&'static str],
        get: impl Fn(&T) -> u32 + Send + Sync + 'static,
        set: impl Fn(&mut T, u32) + Send + Sync + 'static,
    ) -> Self {
        let access = Choice { get, set };
        self.push(name, Kind::Choice(words), Box::new(access))
    }

    /// Sets the range of each number of the property that was added last, both ends allowed.
    ///
    /// # Panics
    ///
    /// If there is no property, or an end is not a number.
    #[must_use]
    pub fn range(self, range: RangeInclusive<f64>) -> Self {
        assert!(range.start() <= range.end(), "the range {range:?} has no numbers");
        self.change_last(|property| {
            property.range = Some(range.into_inner());
            property.zero_or_from = None;
        })
    }

    /// Sets the range of each number of the property that was added last: 0, or a range that begins above 0.
    ///
    /// # Panics
    ///
    /// If there is no property, or the range does not begin above 0 or has no numbers.
    #[must_use]
    pub fn zero_or(self, range: RangeInclusive<f64>) -> Self {
        assert!(*range.start() > 0.0, "the range {range:?} does not begin above 0");
        let (from, most) = (*range.start(), *range.end());
        assert!(from <= most, "the range {range:?} has no numbers");
        self.change_last(|property| {
            property.range = Some((0.0, most));
            property.zero_or_from = Some(from);
        })
    }

    /// Sets the unit of the property that was added last.
    ///
    /// # Panics
    ///
    /// If there is no property.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        self.change_last(|property| property.unit = unit)
    }

    /// Sets the documentation of the property that was added last, one sentence.
    ///
    /// # Panics
    ///
    /// If there is no property.
    #[must_use]
    pub fn doc(self, documentation: &'static str) -> Self {
        self.change_last(|property| property.documentation = documentation)
    }

    fn push(mut self, name: &str, kind: Kind, access: Box<dyn Access<T>>) -> Self {
        let mut property = Property::new(name, kind, access.get(&T::default()));
        property.read_only = access.is_read_only();
        let list = self.list_mut();
        if let Some(other) = list.properties.iter().find(|other| other.hash == property.hash) {
            panic!("property `{name}` has the same name or hash as `{}`", other.name);
        }
        list.properties.push(property);
        list.accesses.push(access);
        self
    }

    fn change_last(mut self, change: impl FnOnce(&mut Property)) -> Self {
        let last = self.list_mut().properties.last_mut();
        change(last.expect("a property to describe comes first"));
        self
    }

    /// The list while the schema is being built.
    fn list_mut(&mut self) -> &mut PropertyList<T> {
        Arc::get_mut(&mut self.list).expect("a schema is complete before it is shared")
    }
}

impl<T> Schema<T> {
    /// The properties in the order in which they were added.
    pub fn properties(&self) -> &[Property] {
        &self.list.properties
    }

    /// The value of a property, by its place.
    #[inline]
    pub fn get(&self, component: &T, property: usize) -> Option<Value> {
        self.list
            .accesses
            .get(property)
            .map(|access| access.get(component))
    }

    /// Writes every property that can be written, in order.
    pub fn save(&self, component: &T, out: &mut Writer) {
        for access in &self.list.accesses {
            if !access.is_read_only() {
                out.value(&access.get(component));
            }
        }
    }

    /// Restores the properties that [`Schema::save`] wrote.
    ///
    /// # Errors
    ///
    /// If the bytes end too early or a value is not of its kind.
    pub fn restore(&self, component: &mut T, from: &mut Reader<'_>) -> Result<(), DataError> {
        for (property, access) in self.list.properties.iter().zip(&self.list.accesses) {
            if !access.is_read_only() && !access.set(component, &from.value(property.kind)?) {
                return Err(property.not_taken());
            }
        }
        Ok(())
    }

    /// Like [`Schema::restore`], for a component whose user relies on the limits of its properties: numbers that are
    /// not finite or out of range are refused.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Schema::restore`], and for the first such number.
    pub fn restore_in_range(&self, component: &mut T, from: &mut Reader<'_>) -> Result<(), DataError> {
        for (property, access) in self.list.properties.iter().zip(&self.list.accesses) {
            if access.is_read_only() {
                continue;
            }
            let value = property.check(&property.name, from.value(property.kind)?);
            let value = value.map_err(|error| DataError::broken(alloc::format!("{error}")))?;
            if !access.set(component, &value) {
                return Err(property.not_taken());
            }
        }
        Ok(())
    }

    /// Sets a property, by its place. Kind and read-only flag are checked here, ranges are not.
    ///
    /// # Errors
    ///
    /// [`Refusal::NoProperty`], [`Refusal::ReadOnly`] or [`Refusal::WrongKind`]; nothing is changed then.
    #[inline]
    pub fn set(&self, component: &mut T, property: usize, value: &Value) -> Result<(), Refusal> {
        let access = self.list.accesses.get(property).ok_or(Refusal::NoProperty)?;
        if access.set(component, value) {
            return Ok(());
        }
        Err(self.refusal(property, value))
    }

    /// Sets a property, by its place, to a plain value; `false` if nothing was changed, and then [`Schema::set`]
    /// returns the reason.
    #[inline]
    pub fn set_plain(&self, component: &mut T, property: usize, value: Plain) -> bool {
        let access = self.list.accesses.get(property);
        access.is_some_and(|access| access.set_plain(component, value))
    }

    #[cold]
    fn refusal(&self, property: usize, value: &Value) -> Refusal {
        let property = &self.list.properties[property];
        if property.read_only {
            return Refusal::ReadOnly;
        }
        Refusal::WrongKind {
            wanted: property.kind,
            got: value.kind(),
        }
    }
}
