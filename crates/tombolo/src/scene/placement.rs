//! Placements: one instance of an entity resource, a row of them, or a grid; their overrides; and the names and poses
//! of their instances. The reader of a document creates them, `references.rs` expands them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor};
use tombolo_geometry::{Pose, Rot, Vec2};

use super::component_reader::ComponentOver;
use super::components::{Component, NamedComponent};
use super::library::{Library, Resource};
use super::nearest::advice;
use super::reader::{
    CheckFailure, EachEntry, FieldReader, Name, NameSeed, NamedEntries, Over, Properties, Reader,
};
use super::values::NumberRange;
use crate::error::Subject;

/// The greatest number of instances along one side of a grid.
pub const SIDE_MAX: u32 = 100_000;

/// The greatest number of instances that one scene may place: a typing error in a count gives a message and not full
/// memory.
pub const INSTANCES_MAX: usize = 1_000_000;

/// One placement, read and checked.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) line: usize,
    pub(crate) name: String,
    /// The index of the entity resource.
    pub(crate) resource: usize,
    /// The components with overrides, by their places among the resource's.
    pub(crate) overridden: BTreeMap<usize, Component>,
    pub(crate) form: PlacementKind,
    pub(crate) layout: Layout,
}

/// The kind of a placement: the word in front of the parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlacementKind {
    One,
    Row,
    Grid,
}

const ROW_NAMES: [&str; 9] = [
    "name",
    "entity",
    "at",
    "angle",
    "overrides",
    "count",
    "step",
    "jitter",
    "angle_jitter",
];

const GRID_NAMES: [&str; 12] = [
    "name",
    "entity",
    "at",
    "angle",
    "overrides",
    "columns",
    "rows",
    "column_step",
    "row_step",
    "taper",
    "jitter",
    "angle_jitter",
];

const PLACEMENT_WORDS: [&str; 3] = ["One", "Row", "Grid"];

/// The arrangement of a placement's instances. A row is a grid of one row; a single instance is a row of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) at: Vec2,
    /// The rotation of each instance, not of the grid, in radians.
    pub(crate) angle: f32,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) column_step: Vec2,
    pub(crate) row_step: Vec2,
    /// The number of columns by which each row is shorter than the one below.
    pub(crate) taper: u32,
    /// The greatest random offset of an instance in both directions, the same on every run.
    pub(crate) jitter: Vec2,
    /// The greatest random rotation of an instance in both directions, in radians, the same on every run.
    pub(crate) angle_jitter: f32,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            at: Vec2::ZERO,
            angle: 0.0,
            columns: 1,
            rows: 1,
            column_step: Vec2::ZERO,
            row_step: Vec2::ZERO,
            taper: 0,
            jitter: Vec2::ZERO,
            angle_jitter: 0.0,
        }
    }
}

impl Layout {
    /// The number of instances, not limited.
    pub(crate) fn count(&self) -> u64 {
        let row = |row: u64| u64::from(self.columns).saturating_sub(row * u64::from(self.taper));
        if self.taper == 0 {
            u64::from(self.rows) * row(0)
        } else {
            (0..u64::from(self.rows)).map(row).sum()
        }
    }

    /// The column and row of every instance, row by row from below.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (u32, u32)> {
        let Self {
            columns, rows, taper, ..
        } = *self;
        (0..rows).flat_map(move |row| {
            let in_row = columns.saturating_sub(row.saturating_mul(taper));
            (0..in_row).map(move |column| (column, row))
        })
    }

    /// The pose of the instance in a cell. The jitter depends on the placement's name and the cell alone, so other
    /// changes of the file do not affect it.
    pub(crate) fn pose(&self, placement_name: &str, (column, row): (u32, u32)) -> Pose {
        let cell = (u64::from(column) << 32) | u64::from(row);
        let mut state = name_hash(placement_name) ^ cell;
        let mut jitter = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            unit_interval(mixed(state)) * 2.0 - 1.0
        };
        let offset = Vec2::new(jitter(), jitter()) * self.jitter;
        let turn = jitter() * self.angle_jitter;
        let place = self.at + self.column_step * column as f32 + self.row_step * row as f32 + offset;
        Pose {
            position: place,
            rotation: Rot::from_angle(self.angle + turn),
        }
    }
}

/// FNV-1a over the bytes of a name (Fowler, Noll and Vo).
fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// The upper 24 bits as a number from 0 up to, not including, 1: exact in single precision.
fn unit_interval(bits: u64) -> f32 {
    (bits >> 40) as f32 / 16_777_216.0
}

/// The properties of a placement while it is read.
struct Draft<'a> {
    reader: &'a Reader<'a>,
    library: &'a Library,
    form: PlacementKind,
    line: usize,
    name: String,
    resource: Option<usize>,
    overridden: BTreeMap<usize, Component>,
    layout: Layout,
}

impl Properties for Draft<'_> {
    fn names(&self) -> &'static [&'static str] {
        match self.form {
            PlacementKind::One => &["name", "entity", "at", "angle", "overrides"],
            PlacementKind::Row => &ROW_NAMES,
            PlacementKind::Grid => &GRID_NAMES,
        }
    }

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        let layout = &mut self.layout;
        match name {
            "name" => {
                self.name = field.name()?.text;
                self.reader.rename(Subject::Entity(self.name.as_str().into()));
            }
            "entity" => self.resource = Some(self.read_resource(field)?),
            "at" => layout.at = field.vector()?,
            "angle" => layout.angle = field.number(NumberRange::Any)?,
            "count" | "columns" => layout.columns = field.count(1, SIDE_MAX)?,
            "rows" => layout.rows = field.count(1, SIDE_MAX)?,
            "step" | "column_step" => layout.column_step = field.vector()?,
            "row_step" => layout.row_step = field.vector()?,
            "taper" => layout.taper = field.count(0, SIDE_MAX)?,
            "jitter" => layout.jitter = field.vector()?,
            "angle_jitter" => layout.angle_jitter = field.number(NumberRange::Any)?,
            _ => self.read_overrides(field)?,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), CheckFailure> {
        if self.name.is_empty() {
            let message = "missing; every placement needs a name of its own";
            return Err((Some("name"), message.to_string()));
        }
        if self.resource.is_none() {
            return Err((Some("entity"), "missing; say which entity to place".to_string()));
        }
        Ok(())
    }
}

impl Draft<'_> {
    fn read_resource<'de, A: MapAccess<'de>>(
        &self,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<usize, A::Error> {
        let wanted = field.name()?;
        self.library.find(&wanted.text).ok_or_else(|| {
            let advice = advice(&wanted.text, self.library.names());
            field.refuse(format!("unknown entity {:?}; {advice}", wanted.text))
        })
    }

    fn read_overrides<'de, A: MapAccess<'de>>(
        &mut self,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        let Some(resource) = self.resource else {
            return Err(field.refuse("give \"entity\" before \"overrides\""));
        };
        let (reader, library) = (self.reader, self.library);
        let Resource { components, .. } = &library.resources[resource];
        let overridden = &mut self.overridden;
        field.by(NamedEntries {
            reader,
            each: Overrides {
                reader,
                library,
                components,
                overridden,
            },
        })
    }

    fn finish(self) -> Placement {
        Placement {
            line: self.line,
            name: self.name,
            resource: self.resource.unwrap_or_default(),
            overridden: self.overridden,
            form: self.form,
            layout: self.layout,
        }
    }
}

/// Reads the components that a placement overrides, over copies of the resource's.
struct Overrides<'a> {
    reader: &'a Reader<'a>,
    library: &'a Library,
    /// The resource's components.
    components: &'a [Arc<NamedComponent>],
    overridden: &'a mut BTreeMap<usize, Component>,
}

impl EachEntry for Overrides<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin_component(Some(&name));
        let Some(index) = self.components.iter().position(|named| named.name == name.text) else {
            let advice = advice(
                &name.text,
                self.components.iter().map(|named| named.name.as_str()),
            );
            return Err(reader.refuse(format!("the entity has no such component; {advice}")));
        };
        let own = &self.components[index].component;
        let component = self.overridden.entry(index).or_insert_with(|| own.clone());
        let library = self.library;
        map.next_value_seed(ComponentOver {
            reader,
            library,
            component,
        })?;
        reader.begin_component(None);
        Ok(())
    }
}

/// Reads one placement.
pub(crate) struct PlacementSeed<'a> {
    pub(crate) reader: &'a Reader<'a>,
    pub(crate) library: &'a Library,
    /// Its position in the list, from 1.
    pub(crate) number: usize,
}

impl<'de> DeserializeSeed<'de> for PlacementSeed<'_> {
    type Value = Placement;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Placement, D::Error> {
        deserializer.deserialize_enum("", &PLACEMENT_WORDS, self)
    }
}

impl<'de> Visitor<'de> for PlacementSeed<'_> {
    type Value = Placement;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", PLACEMENT_WORDS.join(", "))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Placement, A::Error> {
        let Self {
            reader,
            library,
            number,
        } = self;
        let (word, access) = data.variant_seed(NameSeed { reader, word: true })?;
        reader.begin(Subject::Placement(number), word.line);
        let form = match word.text.as_str() {
            "One" => PlacementKind::One,
            "Row" => PlacementKind::Row,
            "Grid" => PlacementKind::Grid,
            _ => {
                let advice = advice(&word.text, PLACEMENT_WORDS);
                return Err(reader.refuse(format!("unknown word {:?}; {advice}", word.text)));
            }
        };
        let mut draft = Draft {
            reader,
            library,
            form,
            line: word.line,
            name: String::new(),
            resource: None,
            overridden: BTreeMap::new(),
            layout: Layout::default(),
        };
        access.struct_variant(
            draft.names(),
            Over {
                reader,
                into: &mut draft,
            },
        )?;
        Ok(draft.finish())
    }
}

impl Placement {
    /// The name of the instance in a cell: `name`, `name[i]` in a row, `name[column,row]` in a grid.
    pub(crate) fn instance_name(&self, (column, row): (u32, u32)) -> String {
        let Self { name, form, .. } = self;
        match form {
            PlacementKind::One => name.clone(),
            PlacementKind::Row => format!("{name}[{column}]"),
            PlacementKind::Grid => format!("{name}[{column},{row}]"),
        }
    }
}
