//! Arguments of calls as [`Data`]. Commands, values and resources are written as in saves, by fixed numbers: a new
//! kind gets a new number. All others are written by the names of fields.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{ComponentDefinition, DataError, Reader, ResourceDefinition, Value, Writer};
use tombolo_physics::described::{self, Data, Kind, Schema, Unfit};
use tombolo_physics::{Bytes, data_choice, data_struct};

use crate::component::{Collider, GeometryKind, ShapeGeometry};
use crate::scene::{ScriptLimits, SegmentCut, Settings};
use crate::world::command::Command;

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedValue(pub Value);

/// Definitions of resources.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources(pub Vec<ResourceDefinition>);

/// A material, outline or script as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedAsset {
    /// The name.
    pub name: Box<str>,
    /// The text, as for [`World::reload`](crate::World::reload).
    pub text: Box<str>,
}

/// A scene as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedScene {
    /// The name of its file.
    pub file: Box<str>,
    /// The text of the file.
    pub text: Box<str>,
    /// The materials that were reloaded since.
    pub materials: Vec<RecordedAsset>,
    /// The outlines that were reloaded since.
    pub outlines: Vec<RecordedAsset>,
}

/// The definitions of a world: resources and scripts in the order of their names, scenes in the order in which they were
/// added: of assets with one name that of the last counts.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedDefinitions {
    /// The resources of the library.
    pub resources: Resources,
    /// The scripts by name.
    pub scripts: Vec<RecordedAsset>,
    /// The scenes, of which reloads read materials and outlines.
    pub scenes: Vec<RecordedScene>,
}

/// A command that the inbox delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The key of its sender.
    pub sender: u64,
    /// Its number among the commands of the sender.
    pub sequence: u64,
    /// The command itself.
    pub command: Command,
}

data_struct!(
    Sent = |fields| Sent { sender: 0, sequence: 0, command: fields.need("command")? };
    sender, sequence, command,
);
data_struct!(RecordedAsset = |fields| Self::default(); name, text);
data_struct!(RecordedScene = |fields| Self::default(); file, text, materials, outlines);
data_struct!(
    RecordedDefinitions = |fields| Self { resources: fields.need("resources")?, scripts: Vec::new(), scenes: Vec::new() };
    resources, scripts, scenes,
);
data_struct!(SegmentCut = |fields| SegmentCut::default(); step, from, to);
data_choice!(GeometryKind {
    Circle,
    Capsule,
    Segment,
    Polygon,
    Box,
    Chain,
    Concave,
    HalfSpace,
    Heightfield
});
data_struct!(
    ShapeGeometry = |fields| ShapeGeometry::default();
    kind, points, size, radius, closed, loop_ends, position, angle,
);
data_struct!(Collider = |fields| Collider::default(); geometry, def, shapes);
data_struct!(
    ScriptLimits = |fields| ScriptLimits::default();
    operations_per_call, operations_per_step, changes_per_call, spawns_per_call, spawns_per_step, memory_bytes,
    string_bytes, list_length, map_length, call_depth, text_bytes, printed_lines,
);
data_struct!(
    Settings = |fields| Settings::default();
    gravity, substeps, steps_per_second, sleeping, continuous, restitution_threshold, hit_threshold, contact_hertz,
    contact_damping_ratio, push_speed_max, speed_max, debris_area, debris_stays, seed, entities_max, bodies_max,
    script_limits,
);

/// Reads a value from bytes, which it must use up.
fn read_bytes<T>(
    value: &described::Value,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, DataError>,
) -> Result<T, Unfit> {
    let Bytes(bytes) = Bytes::read(value)?;
    let mut from = Reader::new(&bytes);
    let all = read(&mut from).and_then(|read| from.end().map(|()| read));
    all.map_err(|error| Unfit::new(format!("{error}")))
}

/// Writes the output of `save` as bytes.
fn write_bytes(save: impl FnOnce(&mut Writer), out: &mut Vec<u8>) {
    let mut bytes = Writer::new();
    save(&mut bytes);
    Bytes(bytes.finish()).write(out);
}

impl Data for Command {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(|bytes| self.save(bytes), out);
    }

    fn read(value: &described::Value) -> Result<Self, Unfit> {
        read_bytes(value, Self::restore)
    }
}

impl Data for RecordedValue {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(|bytes| bytes.tagged_value(&self.0), out);
    }

    fn read(value: &described::Value) -> Result<Self, Unfit> {
        read_bytes(value, |from| from.tagged_value().map(Self))
    }
}

impl Data for Resources {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(
            |bytes| {
                bytes.length(self.0.len());
                self.0.iter().for_each(|resource| save_resource(resource, bytes));
            },
            out,
        );
    }

    fn read(value: &described::Value) -> Result<Self, Unfit> {
        read_bytes(value, |from| {
            let count = from.length(25, WHAT)?;
            let all: Result<Vec<_>, DataError> = (0..count).map(|_| restore_resource(from)).collect();
            all.map(Self)
        })
    }
}

/// The item that is read, for errors.
const WHAT: &str = "a recorded resource";

fn save_resource(resource: &ResourceDefinition, out: &mut Writer) {
    out.text(&resource.name);
    out.flag(resource.inherits.is_some());
    if let Some(inherits) = &resource.inherits {
        out.text(inherits);
    }
    out.length(resource.components.len());
    for component in &resource.components {
        out.text(&component.name);
        out.text(&component.manager);
        out.length(component.values.len());
        for (property, value) in &component.values {
            out.text(property);
            out.tagged_value(value);
        }
    }
    out.length(resource.children.len());
    resource.children.iter().for_each(|child| out.text(child));
}

fn restore_resource(from: &mut Reader<'_>) -> Result<ResourceDefinition, DataError> {
    let name = from.text(WHAT)?;
    let inherits = from.flag(WHAT)?.then(|| from.text(WHAT)).transpose()?;
    let mut components = Vec::new();
    for _ in 0..from.length(24, WHAT)? {
        let (name, manager) = (from.text(WHAT)?, from.text(WHAT)?);
        let mut values: Vec<(Box<str>, Value)> = Vec::new();
        for _ in 0..from.length(9, WHAT)? {
            values.push((from.text(WHAT)?, from.tagged_value()?));
        }
        components.push(ComponentDefinition {
            name,
            manager,
            values,
        });
    }
    let mut children = Vec::new();
    for _ in 0..from.length(8, WHAT)? {
        children.push(from.text(WHAT)?);
    }
    Ok(ResourceDefinition {
        name,
        inherits,
        components,
        children,
    })
}
