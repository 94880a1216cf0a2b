//! `Schema` and `Component`: a type declares its properties once, in one expression, next to its fields.
//!
//! A schema is data and closures; no derive macro, so that a property need not be a field, and a field need not be one.
//! It also says how older saves are migrated: the former names of properties (`was`) and of the component (`former`).
//!
//! The reasons are in `docs/decisions.md#a-builder-with-closures-for-properties`.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use super::access::{Access, Choice, Derived, Typed};
use super::description::Property;
use super::error::{PropertyError, Refusal};
use super::types::PropertyValue;
use crate::bytes::{DataError, Reader, Writer};
use crate::saved::SavedManager;
use crate::value::plain::Plain;
use crate::value::saved::{SavedForm, Target};
use crate::value::{Kind, Value};

/// A type that a [`Dense`](crate::Dense) manager can hold.
pub trait Component: Clone + Default + Send + Sync + 'static {
    /// The properties that can be read and written by name. Called once for each manager.
    fn schema() -> Schema<Self>;

    /// The version of what [`Component::save`] writes beside the properties. It goes up when that changes;
    /// [`Component::restore`] then asks [`Reader::is_before`] and reads the older data too. Properties need no version:
    /// they are found by their names.
    const VERSION: u32 = 1;

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
///
/// Saves hold properties with their names and kinds, so that a later build reads them. What that build changed, it says
/// in the schema: a new name by [`Schema::was`], and what has gone or has another kind by [`Schema::former`]; with
/// another meaning a property has another name. A new property has its default in older saves; a number that became 64
/// bits wide and a choice with more words, or the same in another order, need no mention.
///
/// ```
/// use tombolo_entity::{Kind, Schema, Value};
/// #[derive(Default)]
/// struct Lamp { watts: f32, is_on: bool }
///
/// let schema = Schema::<Lamp>::new()
///     .property("watts", |lamp: &Lamp| lamp.watts, |lamp, watts| lamp.watts = watts)
///     .was("power")
///     .property("is_on", |lamp: &Lamp| lamp.is_on, |lamp, is_on| lamp.is_on = is_on)
///     .former("mode", Kind::Choice(&["Off", "On"]), |lamp, mode| lamp.is_on = mode == Value::Choice(1));
/// assert_eq!(schema.properties()[0].former_names, ["power"]);
/// ```
pub struct Schema<T> {
    list: Arc<PropertyList<T>>,
}

/// Invariant: as many properties as accesses, in the same order, no name twice.
struct PropertyList<T> {
    properties: Vec<Property>,
    accesses: Vec<Box<dyn Access<T>>>,
    former: Vec<Former<T>>,
}

/// A property of older saves that the component does not have.
struct Former<T> {
    name: Box<str>,
    kind: Kind,
    set: SetFormer<T>,
}

type SetFormer<T> = Box<dyn Fn(&mut T, Value) + Send + Sync>;

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
        Self {
            list: Arc::new(PropertyList {
                properties: Vec::new(),
                accesses: Vec::new(),
                former: Vec::new(),
            }),
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
    /// If there is no property, or the range has no numbers: it begins above its end, or an end is not a number.
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

    /// Adds a name under which saves of earlier builds hold the property that was added last. A name that was given up
    /// must not become that of another property.
    ///
    /// # Panics
    ///
    /// If there is no property, or one has this name.
    #[must_use]
    pub fn was(mut self, name: &'static str) -> Self {
        if self
            .list_mut()
            .properties
            .iter()
            .any(|other| *other.name == *name)
        {
            panic!("`{name}` is the name of a property, and cannot be a former one of another");
        }
        self.change_last(|property| property.former_names.push(name))
    }

    /// Adds a property of older saves that is not one of the present ones, or was one of another kind: `set` gets the
    /// value that a save holds, of `kind`, and does with it what is right now, or nothing. Values are set in the order of
    /// the save.
    #[must_use]
    pub fn former(
        mut self,
        name: &str,
        kind: Kind,
        set: impl Fn(&mut T, Value) + Send + Sync + 'static,
    ) -> Self {
        let (name, set) = (name.into(), Box::new(set));
        self.list_mut().former.push(Former { name, kind, set });
        self
    }

    fn push(mut self, name: &str, kind: Kind, access: Box<dyn Access<T>>) -> Self {
        let mut property = Property::new(name, kind, access.get(&T::default()));
        property.read_only = access.is_read_only();
        let list = self.list_mut();
        if let Some(other) = list.properties.iter().find(|other| other.hash == property.hash) {
            panic!("property `{name}` has the same name or hash as `{}`", other.name);
        }
        if let Some(other) = list
            .properties
            .iter()
            .find(|other| other.former_names.contains(&name))
        {
            panic!("property `{name}` has a former name of `{}`", other.name);
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
                access.save(component, out);
            }
        }
    }

    /// The form in which a save holds components of this schema and this [`Component::VERSION`], by the names of their
    /// properties.
    ///
    /// # Errors
    ///
    /// [`DataError::Unfit`] if the save has a property that is unknown here or of another kind, or a later version.
    pub fn form(&self, saved: &SavedManager<'_>, version: u32) -> Result<SavedForm, DataError> {
        let former = self.list.former.iter();
        let former = former.map(|former| (&*former.name, former.kind));
        saved.form(&self.list.properties, former, version)
    }

    /// Restores the properties that [`Schema::save`] wrote. In another [form](Schema::form), properties that the save
    /// lacks keep their values.
    ///
    /// # Errors
    ///
    /// If the bytes end too early or a value is not of its kind.
    pub fn restore(&self, component: &mut T, from: &mut Reader<'_>) -> Result<(), DataError> {
        self.restore_each(component, from, |_, value| Ok(value)).map(drop)
    }

    /// Like [`Schema::restore`], for a component whose user relies on the limits of its properties: numbers that are
    /// not finite or out of range are refused.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Schema::restore`], and for the first such number.
    pub fn restore_in_range(&self, component: &mut T, from: &mut Reader<'_>) -> Result<(), DataError> {
        let in_range = |property: &Property, value| {
            let value = property.check(&property.name, value);
            value.map_err(|error| DataError::broken(format!("{error}")))
        };
        let set_former = self.restore_each(component, from, in_range)?;
        if set_former {
            // The functions of former properties may have set any of the present ones.
            let checked = self.check(component);
            checked.map_err(|error| DataError::broken(format!("{error}")))?;
        }
        Ok(())
    }

    /// Checks each property that can be written, as [`Schema::restore_in_range`] does when the component is restored.
    ///
    /// # Errors
    ///
    /// [`PropertyError::OutOfRange`] or [`PropertyError::NotFinite`] for the first that is out of its range.
    pub fn check(&self, component: &T) -> Result<(), PropertyError> {
        let mut written = self.written();
        written.try_for_each(|(property, access)| {
            let value = access.get(component);
            property.check(&property.name, value).map(drop)
        })
    }

    /// Restores each property with its checked value; returns whether the save has former ones.
    fn restore_each(
        &self,
        component: &mut T,
        from: &mut Reader<'_>,
        check: impl Fn(&Property, Value) -> Result<Value, DataError>,
    ) -> Result<bool, DataError> {
        let set = |component: &mut T, property: &Property, access: &dyn Access<T>, value| {
            let is_set = access.set(component, &check(property, value)?);
            is_set.then_some(()).ok_or_else(|| property.not_taken())
        };
        let Some(fields) = from.form().fields.clone() else {
            for (property, access) in self.written() {
                set(component, property, access, from.value(property.kind)?)?;
            }
            return Ok(false);
        };
        let list = &*self.list;
        let other = || DataError::broken("the form of another schema");
        let mut set_former = false;
        for field in &*fields {
            let value = from.saved_value(&field.encoding)?;
            match field.target {
                Target::Present(place) => {
                    let property = list.properties.get(place).ok_or_else(other)?;
                    set(component, property, &*list.accesses[place], value)?;
                }
                Target::Former(place) => {
                    (list.former.get(place).ok_or_else(other)?.set)(component, value);
                    set_former = true;
                }
            }
        }
        Ok(set_former)
    }

    /// The properties that can be written.
    fn written(&self) -> impl Iterator<Item = (&Property, &dyn Access<T>)> {
        let PropertyList {
            properties, accesses, ..
        } = &*self.list;
        let all = properties.iter().zip(accesses.iter().map(|access| &**access));
        all.filter(|(property, _)| !property.read_only)
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
