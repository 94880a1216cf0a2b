//! [`Property`]: the description of one property.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::error::{PropertyError, ShortNumber};
use super::limits::Limits;
use crate::bytes::DataError;
use crate::name::{NameHash, check_form};
use crate::value::{Kind, Value};

/// The description of a property, for tools and checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name within the component.
    pub name: Box<str>,
    /// The name's hash.
    pub hash: NameHash,
    /// The names that it has in saves of earlier builds.
    pub former_names: Vec<&'static str>,
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
        let mut limits = Limits {
            kind: self.kind,
            part,
            range: self.range,
            zero_or_from: self.zero_or_from,
            read_only: self.read_only,
            least,
            most,
        };
        if self.read_only || part.is_some() || self.zero_or_from.is_some() {
            limits.admit_nothing();
        }
        limits
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

    /// The place of the property that a save means by a name: of those that can be written the one of that name, else the
    /// one that once had it.
    pub(crate) fn find_saved(properties: &[Self], is_it: impl Fn(&str) -> bool) -> Option<usize> {
        let find = |has_it: &dyn Fn(&Self) -> bool| {
            let mut properties = properties.iter();
            properties.position(|property| !property.read_only && has_it(property))
        };
        find(&|property| is_it(&property.name))
            .or_else(|| find(&|property| property.former_names.iter().any(|name| is_it(name))))
    }

    #[cold]
    pub(super) fn not_taken(&self) -> DataError {
        DataError::broken(alloc::format!(
            "property `{}` does not take its own value",
            self.name
        ))
    }

    /// A property that can be written, without range, unit and documentation. For custom managers; a
    /// [`Schema`](crate::Schema) makes properties from closures.
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
            former_names: Vec::new(),
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
