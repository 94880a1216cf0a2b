//! The description of a manager's properties in a save, written and matched with the present ones.

use alloc::format;
use alloc::vec::Vec;

use super::description::Property;
use crate::bytes::{DataError, LIST_DEPTH_MAX, Reader, Writer};
use crate::saved::{SavedKind, SavedManager, write_kind};
use crate::value::Kind;
use crate::value::saved::{Field, SavedForm, Target};

/// The description of properties: name and kind of each that can be written, in order.
pub(crate) fn describe(properties: &[Property], out: &mut Writer) {
    for property in properties.iter().filter(|property| !property.read_only) {
        out.name(&property.name);
        write_kind(property.kind, out);
    }
}

impl SavedManager<'_> {
    /// The form of a manager that reads only what was saved with the same properties and no later version.
    ///
    /// # Errors
    ///
    /// [`DataError::Unfit`] if the properties were others, or the version is later.
    pub fn same_form(&self, properties: &[Property], version: u32) -> Result<SavedForm, DataError> {
        let form = self.form_of_same(properties, version)?;
        form.ok_or_else(|| DataError::unfit("it had other properties when it was saved"))
    }

    /// The form of a manager with these properties, and these names and kinds of former ones.
    pub(crate) fn form<'a>(
        &self,
        properties: &[Property],
        former: impl Iterator<Item = (&'a str, Kind)> + Clone,
        version: u32,
    ) -> Result<SavedForm, DataError> {
        if let Some(form) = self.form_of_same(properties, version)? {
            return Ok(form);
        }
        let mut from = Reader::new(self.properties);
        let mut fields: Vec<Field> = Vec::new();
        while from.remaining() > 0 {
            let name = from.name("a property's name")?;
            let kind = SavedKind::read(&mut from, LIST_DEPTH_MAX)?;
            let field = find(name, &kind, properties, former.clone())?;
            if fields.iter().any(|other| other.target == field.target) {
                return Err(DataError::broken(format!("the property `{name}` stands twice")));
            }
            fields.push(field);
        }
        Ok(SavedForm {
            version: self.version,
            fields: Some(fields.into()),
        })
    }

    /// The form if the properties are the present ones.
    fn form_of_same(&self, properties: &[Property], version: u32) -> Result<Option<SavedForm>, DataError> {
        if self.version > version {
            return Err(DataError::unfit(format!(
                "a later build saved it, with version {} of its data; this one reads {version}",
                self.version
            )));
        }
        let mut present = Writer::with_capacity(self.properties.len());
        describe(properties, &mut present);
        let is_same = *self.properties == *present.finish();
        Ok(is_same.then_some(SavedForm {
            version: self.version,
            fields: None,
        }))
    }
}

/// The field of a property in a save: that of the present property of its name, if that takes its kind, else that of a
/// former one.
fn find<'a>(
    name: &str,
    saved: &SavedKind<'_>,
    properties: &[Property],
    mut former: impl Iterator<Item = (&'a str, Kind)>,
) -> Result<Field, DataError> {
    let present = Property::find_saved(properties, |known| known == name);
    let encoding = present.and_then(|place| saved.encoding(properties[place].kind));
    if let (Some(place), Some(encoding)) = (present, encoding) {
        let target = Target::Present(place);
        return Ok(Field { target, encoding });
    }
    let mut encoding = None;
    let place = former.position(|(known, kind)| {
        encoding = (known == name).then(|| saved.encoding(kind)).flatten();
        encoding.is_some()
    });
    if let (Some(place), Some(encoding)) = (place, encoding) {
        let target = Target::Former(place);
        return Ok(Field { target, encoding });
    }
    Err(DataError::unfit(match present {
        Some(place) => format!(
            "the property `{name}` was {saved} when it was saved, and is {} here",
            properties[place].kind
        ),
        None => format!("there is no property `{name}` here"),
    }))
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;
    use crate::value::Value;

    const WORDS: Kind = Kind::Choice(&["Off", "On"]);

    #[test]
    fn a_description_names_what_can_be_written() {
        let mut derived = Property::new("sum", Kind::I32, Value::I32(0));
        derived.read_only = true;
        let properties = [
            Property::new("mode", WORDS, Value::Choice(0)),
            derived,
            Property::new("path", Kind::List(&Kind::Vec2), Value::List(Vec::new())),
        ];
        let mut out = Writer::new();
        describe(&properties, &mut out);
        let bytes = out.finish();
        let mut from = Reader::new(&bytes);
        assert_eq!(from.name("a name"), Ok("mode"));
        let mode = SavedKind::read(&mut from, LIST_DEPTH_MAX).unwrap();
        assert_eq!(mode, SavedKind::Choice(alloc::vec!["Off", "On"]));
        assert_eq!(from.name("a name"), Ok("path"));
        let path = SavedKind::read(&mut from, LIST_DEPTH_MAX).unwrap();
        assert_eq!(path, SavedKind::List(Box::new(SavedKind::Plain(Kind::Vec2))));
        assert_eq!(from.end(), Ok(()));
    }
}
