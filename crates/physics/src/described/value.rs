//! The schema of a recording and its values: names, kinds and fields, written with the values, so that a build whose
//! definitions have grown reads old ones by name.

use super::unfit::Unfit;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

/// The greatest nesting depth of values: definitions nest four deep.
const DEPTH_MAX: usize = 16;

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A boolean, one byte.
    Bool,
    /// An unsigned number, seven bits a byte.
    Unsigned,
    /// A signed number.
    Signed,
    /// A float of four bytes.
    F32,
    /// A float of eight bytes.
    F64,
    /// A number of bytes.
    Bytes,
    /// A number of values of one kind.
    List(Box<Kind>),
    /// A value of one kind, or none.
    Option(Box<Kind>),
    /// The named type with this number in the schema.
    Named(u32),
}

/// A form of the values of a type: the only one of a struct, a variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    pub(super) name: Box<str>,
    pub(super) fields: Vec<(Box<str>, Kind)>,
}

/// A type with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Type {
    name: Box<str>,
    /// Whether a number before each value selects its form; a struct has one form and no number.
    is_choice: bool,
    forms: Vec<Form>,
}

/// All types of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    types: Vec<Type>,
}

/// A value of a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A value of [`Kind::Bool`].
    Bool(bool),
    /// A value of [`Kind::Unsigned`].
    Unsigned(u64),
    /// A value of [`Kind::Signed`].
    Signed(i64),
    /// A value of [`Kind::F32`].
    F32(f32),
    /// A value of [`Kind::F64`].
    F64(f64),
    /// A value of [`Kind::Bytes`].
    Bytes(Vec<u8>),
    /// A value of [`Kind::List`].
    List(Vec<Self>),
    /// A value of [`Kind::Option`].
    Option(Option<Box<Self>>),
    /// A value of [`Kind::Named`].
    Form {
        /// The name of the type.
        of: Box<str>,
        /// The name of the form; empty for a struct.
        form: Box<str>,
        /// The fields by name.
        fields: Vec<(Box<str>, Self)>,
    },
}

impl Schema {
    /// The number of a type, which is added if it is new.
    pub fn define(
        &mut self,
        name: &str,
        is_choice: bool,
        forms: impl FnOnce(&mut Self) -> Vec<Form>,
    ) -> Kind {
        if let Some(known) = self.types.iter().position(|known| *known.name == *name) {
            return Kind::Named(known as u32);
        }
        // The types of its fields come first.
        let forms = forms(self);
        self.types.push(Type {
            name: name.into(),
            is_choice,
            forms,
        });
        Kind::Named(self.types.len() as u32 - 1)
    }

    /// The kind of the type with a name.
    pub(crate) fn find(&self, name: &str) -> Option<Kind> {
        let place = self.types.iter().position(|known| *known.name == *name)?;
        Some(Kind::Named(place as u32))
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_number(self.types.len() as u64, out);
        for Type {
            name,
            is_choice,
            forms,
        } in &self.types
        {
            write_text(name, out);
            out.push(u8::from(*is_choice));
            write_number(forms.len() as u64, out);
            for form in forms {
                write_text(&form.name, out);
                write_number(form.fields.len() as u64, out);
                for (name, kind) in &form.fields {
                    write_text(name, out);
                    kind.write(out);
                }
            }
        }
    }

    /// Reads the output of [`Schema::write`].
    pub(crate) fn read(from: &mut &[u8]) -> Result<Self, Unfit> {
        let mut types: Vec<Type> = Vec::new();
        for _ in 0..read_count(from)? {
            let name = read_text(from)?;
            let is_choice = read_byte(from)? != 0;
            let mut forms = Vec::new();
            for _ in 0..read_count(from)? {
                let name = read_text(from)?;
                let mut fields = Vec::new();
                for _ in 0..read_count(from)? {
                    let name = read_text(from)?;
                    fields.push((name, Kind::read(from, types.len() as u32, DEPTH_MAX)?));
                }
                forms.push(Form { name, fields });
            }
            if !is_choice && forms.len() != 1 {
                return Err(Unfit::new(format!("the type {name} has no form, or several")));
            }
            types.push(Type {
                name,
                is_choice,
                forms,
            });
        }
        Ok(Self { types })
    }

    /// Reads a value of a kind.
    pub(crate) fn read_value(&self, kind: &Kind, from: &mut &[u8]) -> Result<Value, Unfit> {
        Ok(match kind {
            Kind::Bool => Value::Bool(read_byte(from)? != 0),
            Kind::Unsigned => Value::Unsigned(read_number(from)?),
            Kind::Signed => {
                let folded = read_number(from)?;
                Value::Signed((folded >> 1) as i64 ^ -((folded & 1) as i64))
            }
            Kind::F32 => Value::F32(f32::from_bits(u32::from_le_bytes(read_array(from)?))),
            Kind::F64 => Value::F64(f64::from_bits(u64::from_le_bytes(read_array(from)?))),
            Kind::Bytes => {
                let count = read_count(from)?;
                Value::Bytes(Vec::from(read_bytes(from, count)?))
            }
            Kind::List(of) => {
                let mut list = Vec::new();
                for _ in 0..read_count(from)? {
                    list.push(self.read_value(of, from)?);
                }
                Value::List(list)
            }
            Kind::Option(of) => Value::Option(match read_byte(from)? {
                0 => None,
                _ => Some(Box::new(self.read_value(of, from)?)),
            }),
            Kind::Named(number) => self.read_named(*number, from)?,
        })
    }

    fn read_named(&self, number: u32, from: &mut &[u8]) -> Result<Value, Unfit> {
        let of = self.types.get(number as usize).ok_or_else(Unfit::cut_off)?;
        let form = if of.is_choice { read_number(from)? } else { 0 };
        let form = usize::try_from(form).ok().and_then(|form| of.forms.get(form));
        let form = form.ok_or_else(|| Unfit::new(format!("a {} of no form", of.name)))?;
        let mut fields = Vec::with_capacity(form.fields.len());
        for (name, kind) in &form.fields {
            fields.push((name.clone(), self.read_value(kind, from)?));
        }
        Ok(Value::Form {
            of: of.name.clone(),
            form: form.name.clone(),
            fields,
        })
    }
}

impl Kind {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bool => out.push(0),
            Self::Unsigned => out.push(1),
            Self::Signed => out.push(2),
            Self::F32 => out.push(3),
            Self::F64 => out.push(4),
            Self::Bytes => out.push(5),
            Self::List(of) => {
                out.push(6);
                of.write(out);
            }
            Self::Option(of) => {
                out.push(7);
                of.write(out);
            }
            Self::Named(number) => {
                out.push(8);
                write_number(u64::from(*number), out);
            }
        }
    }

    /// Reads a kind; it may refer only to the types before it, so that no type contains itself.
    fn read(from: &mut &[u8], types_before: u32, depth: usize) -> Result<Self, Unfit> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Unfit::new(String::from("a list of lists that is nested too deep")))?;
        Ok(match read_byte(from)? {
            0 => Self::Bool,
            1 => Self::Unsigned,
            2 => Self::Signed,
            3 => Self::F32,
            4 => Self::F64,
            5 => Self::Bytes,
            6 => Self::List(Box::new(Self::read(from, types_before, depth)?)),
            7 => Self::Option(Box::new(Self::read(from, types_before, depth)?)),
            8 => match read_number(from)? {
                number if number < u64::from(types_before) => Self::Named(number as u32),
                number => {
                    return Err(Unfit::new(format!(
                        "a type of number {number}, which is not known yet"
                    )));
                }
            },
            kind => {
                return Err(Unfit::new(format!(
                    "a kind of number {kind}, which this version does not know"
                )));
            }
        })
    }
}

/// Writes a number with seven bits a byte, the lowest first.
pub fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a text after the number of its bytes.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    write_number(text.len() as u64, out);
    out.extend(text.as_bytes());
}

fn read_bytes<'a>(from: &mut &'a [u8], count: usize) -> Result<&'a [u8], Unfit> {
    let (taken, rest) = from.split_at_checked(count).ok_or_else(Unfit::cut_off)?;
    *from = rest;
    Ok(taken)
}

fn read_array<const N: usize>(from: &mut &[u8]) -> Result<[u8; N], Unfit> {
    Ok(read_bytes(from, N)?.try_into().expect("so many were taken"))
}

fn read_byte(from: &mut &[u8]) -> Result<u8, Unfit> {
    Ok(read_array::<1>(from)?[0])
}

fn read_number(from: &mut &[u8]) -> Result<u64, Unfit> {
    let mut number = 0;
    for place in 0..10 {
        let byte = read_byte(from)?;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Unfit::new(String::from("a number of more than 64 bits")))
}

/// Reads the number of items of which each takes at least one byte, so that memory stays in proportion to the bytes.
fn read_count(from: &mut &[u8]) -> Result<usize, Unfit> {
    let count = read_number(from)?;
    usize::try_from(count)
        .ok()
        .filter(|count| *count <= from.len())
        .ok_or_else(Unfit::cut_off)
}

pub(crate) fn read_text(from: &mut &[u8]) -> Result<Box<str>, Unfit> {
    let count = read_count(from)?;
    let text = core::str::from_utf8(read_bytes(from, count)?);
    text.map(Box::from)
        .map_err(|_| Unfit::new(String::from("a name that is no text")))
}

/// A form with fields.
pub fn form(name: &str, fields: Vec<(&str, Kind)>) -> Form {
    let fields = fields.into_iter().map(|(name, kind)| (name.into(), kind));
    Form {
        name: name.into(),
        fields: fields.collect(),
    }
}

/// The forms of a struct: one, with these fields.
pub fn only_form(fields: Vec<(&str, Kind)>) -> Vec<Form> {
    vec![form("", fields)]
}
