//! The kinds of values of properties, and the checks of a single value: finite numbers, ranges, vectors, words of a
//! fixed list, names, nested structs. All code here reads through a [`FieldReader`] and refuses through its reader.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use tombolo_entity::{Kind, PropertyError, ShortNumber, Value};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::POSITION_MAX_M;

use super::nearest::advice;
use super::reader::{EachEntry, FieldReader, Name, NameSeed, NamedEntries, Over, Properties, Reader};
use crate::component::{Entry, InScene};

/// The range of a number, which has to be finite besides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberRange {
    Any,
    NotNegative,
    Positive,
    /// At most [`POSITION_MAX_M`] from zero.
    Coordinate,
}

impl<'de, A: MapAccess<'de>> FieldReader<'_, '_, A> {
    /// Reads the value by a seed.
    pub(crate) fn by<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }

    /// Ends the reading with an error at this property.
    pub(crate) fn refuse(&self, message: impl Into<Box<str>>) -> A::Error {
        self.reader.refuse(message)
    }

    /// A finite number within the limit.
    pub(crate) fn number(&mut self, limit: NumberRange) -> Result<f32, A::Error> {
        let number: f32 = self.map.next_value()?;
        checked(number, limit).map_err(|message| self.refuse(message))
    }

    /// A vector `(x, y)` of two coordinates.
    pub(crate) fn vector(&mut self) -> Result<Vec2, A::Error> {
        let (x, y): (f32, f32) = self.map.next_value()?;
        let [x, y] = [x, y]
            .map(|number| checked(number, NumberRange::Coordinate).map_err(|message| self.refuse(message)));
        Ok(Vec2::new(x?, y?))
    }

    /// A coordinate that may be absent.
    pub(crate) fn some_coordinate(&mut self) -> Result<Option<f32>, A::Error> {
        self.number(NumberRange::Coordinate).map(Some)
    }

    /// A list of coordinates.
    pub(crate) fn coordinates(&mut self) -> Result<Vec<f32>, A::Error> {
        let numbers: Vec<f32> = self.map.next_value()?;
        let check = |number| checked(number, NumberRange::Coordinate).map_err(|message| self.refuse(message));
        numbers.into_iter().map(check).collect()
    }

    /// A list of vectors.
    pub(crate) fn vectors(&mut self) -> Result<Vec<Vec2>, A::Error> {
        let pairs: Vec<(f32, f32)> = self.map.next_value()?;
        pairs
            .into_iter()
            .map(|pair| checked_vector(pair).map_err(|message| self.refuse(message)))
            .collect()
    }

    /// A list of lists of vectors.
    pub(crate) fn lists_of_vectors(&mut self) -> Result<Vec<Vec<Vec2>>, A::Error> {
        let lists: Vec<Vec<(f32, f32)>> = self.map.next_value()?;
        let vectors = |pairs: Vec<(f32, f32)>| pairs.into_iter().map(checked_vector).collect();
        let lists: Result<_, String> = lists.into_iter().map(vectors).collect();
        lists.map_err(|message| self.refuse(message))
    }

    /// The number of a step.
    pub(crate) fn step(&mut self) -> Result<u64, A::Error> {
        self.count(0, u32::MAX).map(u64::from)
    }

    /// An integer from `least` to `most`.
    pub(crate) fn count(&mut self, least: u32, most: u32) -> Result<u32, A::Error> {
        let count: f64 = self.map.next_value()?;
        if count % 1.0 != 0.0 {
            return Err(self.refuse(format!("{count} is not a whole number")));
        }
        if !(f64::from(least)..=f64::from(most)).contains(&count) {
            return Err(self.refuse(format!("{count} is out of range; give {least} to {most}")));
        }
        Ok(count as u32)
    }

    /// Any value that serde reads by itself: a Boolean, a mask.
    pub(crate) fn plain<T: Deserialize<'de>>(&mut self) -> Result<T, A::Error> {
        self.map.next_value()
    }

    /// The value of a component's property, of its kind and in its range.
    pub(crate) fn value(&mut self, entry: &Entry) -> Result<Value, A::Error> {
        let property = entry.property();
        let reader = self.reader;
        let value = match property.kind {
            _ if entry.in_scene() == InScene::Bits => Value::I64(self.by(BitsSeed)?),
            Kind::Choice(words) if matches!(entry.in_scene(), InScene::Plain | InScene::Within(..)) => {
                let word = self.by(NameSeed { reader, word: true })?.text;
                let place = words.iter().position(|known| *known == word);
                let place = place.ok_or_else(|| {
                    let advice = advice(&word, words.iter().copied());
                    self.refuse(format!("unknown word {word:?}; {advice}"))
                })?;
                Value::Choice(place as u32)
            }
            kind => self.map.next_value_seed(kind)?,
        };
        property
            .check(&property.name, value)
            .map_err(|error| match error {
                PropertyError::OutOfRange { value, .. } => {
                    let range = property.range_text();
                    self.refuse(format!("{} is out of range; give {range}", ShortNumber(value)))
                }
                PropertyError::NotFinite { value, .. } => {
                    self.refuse(format!("{value} is not a finite number"))
                }
                error => self.refuse(format!("{error}")),
            })
    }

    /// Numbers by name: `{"density": 0.4}`.
    pub(crate) fn named_numbers(&mut self) -> Result<Vec<(Box<str>, f32)>, A::Error> {
        let reader = self.reader;
        let mut numbers = Vec::new();
        let each = NumberEntries {
            reader,
            numbers: &mut numbers,
        };
        self.by(NamedEntries { reader, each })?;
        Ok(numbers)
    }

    /// A name in quotes, not empty.
    pub(crate) fn name(&mut self) -> Result<Name, A::Error> {
        let reader = self.reader;
        let name = self.by(NameSeed { reader, word: false })?;
        if name.text.is_empty() {
            return Err(self.refuse("a name cannot be empty"));
        }
        Ok(name)
    }

    /// A nested struct, read into `into`.
    pub(crate) fn over<T: Properties>(&mut self, into: &mut T) -> Result<(), A::Error> {
        let reader = self.reader;
        self.by(Over { reader, into })
    }

    /// A nested struct that starts from its default.
    pub(crate) fn fresh<T: Properties + Default>(&mut self) -> Result<T, A::Error> {
        let mut value = T::default();
        self.over(&mut value)?;
        Ok(value)
    }

    /// 64 bits.
    pub(crate) fn bits(&mut self) -> Result<u64, A::Error> {
        self.by(BitsSeed).map(i64::cast_unsigned)
    }

    /// One of several words, which may have properties or a name in parentheses.
    pub(crate) fn choice<T: Choice>(&mut self) -> Result<T, A::Error> {
        let reader = self.reader;
        self.by(ChoiceSeed::<T>::new(reader))
    }
}

/// Reads 64 bits: a number from 0 to 2⁶⁴ - 1, or a negative number with the same bits, such as -1 for all.
struct BitsSeed;

impl<'de> DeserializeSeed<'de> for BitsSeed {
    type Value = i64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<i64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for BitsSeed {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of 64 bits")
    }

    fn visit_u64<E: serde::de::Error>(self, bits: u64) -> Result<i64, E> {
        Ok(bits.cast_signed())
    }

    fn visit_i64<E: serde::de::Error>(self, bits: i64) -> Result<i64, E> {
        Ok(bits)
    }
}

/// Reads the numbers of [`FieldReader::named_numbers`].
struct NumberEntries<'a> {
    reader: &'a Reader<'a>,
    numbers: &'a mut Vec<(Box<str>, f32)>,
}

impl EachEntry for NumberEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        if self.numbers.iter().any(|(known, _)| **known == *name.text) {
            return Err(self
                .reader
                .refuse(format!("{:?} is given twice; keep one", name.text)));
        }
        let number = map.next_value()?;
        let number = checked(number, NumberRange::Any).map_err(|message| self.reader.refuse(message))?;
        self.numbers.push((name.text.into(), number));
        Ok(())
    }
}

fn checked(number: f32, limit: NumberRange) -> Result<f32, String> {
    if !number.is_finite() {
        return Err(format!("{number} is not a finite number"));
    }
    match limit {
        NumberRange::NotNegative if number < 0.0 => Err(format!("{number} is negative; give 0 or more")),
        NumberRange::Positive if number <= 0.0 => Err(format!("{number} is too small; give more than 0")),
        NumberRange::Coordinate if number.abs() > POSITION_MAX_M => Err(format!(
            "{number} is too far out; stay within {POSITION_MAX_M} meters"
        )),
        _ => Ok(number),
    }
}

fn checked_vector((x, y): (f32, f32)) -> Result<Vec2, String> {
    let x = checked(x, NumberRange::Coordinate)?;
    let y = checked(y, NumberRange::Coordinate)?;
    Ok(Vec2::new(x, y))
}

/// An enum whose variants are words in the text: `Static`, `Circle(radius: 1)`, `Entity("quay")`.
pub(crate) trait Choice: Sized {
    /// The words, in the order in which messages list them.
    const WORDS: &'static [&'static str];

    /// Reads the rest after the word, which is one of [`Self::WORDS`].
    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error>;
}

/// The text after a word.
pub(crate) struct Rest<'r, 's, A> {
    pub(crate) access: A,
    pub(crate) reader: &'r Reader<'s>,
}

impl<'de, A: VariantAccess<'de>> Rest<'_, '_, A> {
    /// Expects no further text.
    pub(crate) fn nothing(self) -> Result<(), A::Error> {
        self.access.unit_variant()
    }

    /// Properties in parentheses, read over the default.
    pub(crate) fn fresh<T: Properties + Default>(self) -> Result<T, A::Error> {
        let mut value = T::default();
        self.over(&mut value)?;
        Ok(value)
    }

    /// Properties in parentheses, read into `into`.
    pub(crate) fn over<T: Properties>(self, into: &mut T) -> Result<(), A::Error> {
        let reader = self.reader;
        self.access.struct_variant(into.names(), Over { reader, into })
    }

    /// A name in parentheses.
    pub(crate) fn name(self) -> Result<Name, A::Error> {
        let reader = self.reader;
        self.access.newtype_variant_seed(NameSeed { reader, word: false })
    }
}

/// Reads a [`Choice`].
pub(crate) struct ChoiceSeed<'r, 's, T> {
    reader: &'r Reader<'s>,
    choice: PhantomData<T>,
}

impl<'r, 's, T> ChoiceSeed<'r, 's, T> {
    pub(crate) fn new(reader: &'r Reader<'s>) -> Self {
        Self {
            reader,
            choice: PhantomData,
        }
    }
}

impl<'de, T: Choice> DeserializeSeed<'de> for ChoiceSeed<'_, '_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_enum("", T::WORDS, self)
    }
}

impl<'de, T: Choice> Visitor<'de> for ChoiceSeed<'_, '_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", T::WORDS.join(", "))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<T, A::Error> {
        let reader = self.reader;
        let (word, access) = data.variant_seed(NameSeed { reader, word: true })?;
        if !T::WORDS.contains(&word.text.as_str()) {
            let advice = advice(&word.text, T::WORDS.iter().copied());
            return Err(reader.refuse(format!("unknown word {:?}; {advice}", word.text)));
        }
        T::read(&word.text, Rest { access, reader })
    }
}

/// Reads a list, calling `each` for every element's deserializer.
pub(crate) struct Elements<F>(pub(crate) F);

/// The reading of a list's elements.
pub(crate) trait EachElement {
    /// Reads the next element; false at the end of the list.
    fn element<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error>;
}

impl<'de, F: EachElement> DeserializeSeed<'de> for Elements<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: EachElement> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list in brackets")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while self.0.element(&mut list)? {}
        Ok(())
    }
}
