//! [`FieldRecord`]: a field in its stored form. `objects/fields.rs` creates and changes records.

use super::def::{FieldDef, FieldKind};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Position, plain_data};
use tombolo_handles::Handle;

/// The id of a field of one world; stale when the field is destroyed.
pub type FieldId = Handle<FieldRecord>;

/// The numbers of [`FieldKind`] in [`FieldRecord::kind`], which saves contain, so they never change meaning.
pub(crate) const WIND: u32 = 0;
pub(crate) const FLUID: u32 = 1;
pub(crate) const GRAVITY: u32 = 2;
pub(crate) const RADIAL: u32 = 3;
pub(crate) const CHAIN: u32 = 4;

/// Bits of [`FieldRecord::flags`].
mod flag {
    /// The field is enabled.
    pub(super) const ENABLED: u32 = 1;
    /// The field acts in its area only.
    pub(super) const AREA: u32 = 1 << 1;
    /// The field replaces the world's gravity.
    pub(super) const REPLACES: u32 = 1 << 2;
    /// The field's chain is closed.
    pub(super) const CLOSED: u32 = 1 << 3;
}

plain_data! {
    /// A point of a chain, in the field's frame.
    #[derive(Debug, PartialEq)]
    pub(crate) struct FieldPoint {
        pub(crate) place: Vec2,
    }

    /// The stored form of a field. Opaque to users.
    #[derive(Debug, PartialEq)]
    pub struct FieldRecord {
        /// The user's own number.
        pub(crate) user_key: u64,
        /// The categories that it acts on.
        pub(crate) mask: u64,
        /// The area in which it acts, if [`FieldRecord::area`] returns it; else zeros.
        area: Shape,
        /// The position of its frame's origin.
        pub(crate) position: Vec2,
        /// The velocity or acceleration.
        pub(crate) vector: Vec2,
        /// Wind: density, drag, lift. Fluid: density, drag, viscosity. Radial gravity: acceleration, radius, power.
        /// Chain gravity: pull, along, reach. The rest is 0.
        pub(crate) numbers: [f32; 3],
        /// The angle of its frame in radians.
        pub(crate) angle: f32,
        /// The kind, one of the constants above.
        pub(crate) kind: u32,
        /// Bits of `flag`: enabled, area, replaces gravity, closed.
        flags: u32,
        /// The start of its points among those of all fields.
        pub(crate) first_point: u32,
        /// The number of its points.
        pub(crate) point_count: u32,
    }
}

impl FieldRecord {
    /// The record of a checked definition, and its points, which are appended after the `first_point` existing ones.
    pub(crate) fn new(def: &FieldDef, first_point: u32) -> (Self, Vec<FieldPoint>) {
        let mut record = Self {
            user_key: def.user_key,
            mask: def.mask,
            area: def.area.unwrap_or(<Shape as bytemuck::Zeroable>::zeroed()),
            position: def.position.to_vec2(),
            vector: Vec2::ZERO,
            numbers: [0.0; 3],
            angle: def.angle,
            kind: GRAVITY,
            flags: 0,
            first_point,
            point_count: 0,
        };
        let mut chain: &[Vec2] = &[];
        (record.kind, record.vector, record.numbers) = match &def.kind {
            FieldKind::Wind {
                velocity,
                density,
                drag,
                lift,
            } => (WIND, *velocity, [*density, *drag, *lift]),
            FieldKind::Fluid {
                density,
                velocity,
                drag,
                viscosity,
            } => (FLUID, *velocity, [*density, *drag, *viscosity]),
            FieldKind::Gravity { acceleration } => (GRAVITY, *acceleration, [0.0; 3]),
            FieldKind::RadialGravity {
                acceleration,
                radius,
                power,
            } => (RADIAL, Vec2::ZERO, [*acceleration, *radius, *power as f32]),
            FieldKind::ChainGravity {
                points,
                closed,
                pull,
                along,
                reach,
            } => {
                chain = points;
                record.set(flag::CLOSED, *closed);
                (CHAIN, Vec2::ZERO, [*pull, *along, *reach])
            }
        };
        record.point_count = chain.len() as u32;
        let chain = chain.iter().map(|&place| FieldPoint { place }).collect();
        record.set(flag::ENABLED, def.enabled);
        record.set(flag::AREA, def.area.is_some());
        record.set(flag::REPLACES, def.replaces_gravity);
        (record, chain)
    }

    /// The definition from which the field could be created.
    pub(crate) fn def(&self, points: &[FieldPoint]) -> FieldDef {
        let [a, b, c] = self.numbers;
        FieldDef {
            kind: match self.kind {
                WIND => FieldKind::Wind {
                    velocity: self.vector,
                    density: a,
                    drag: b,
                    lift: c,
                },
                FLUID => FieldKind::Fluid {
                    density: a,
                    velocity: self.vector,
                    drag: b,
                    viscosity: c,
                },
                RADIAL => FieldKind::RadialGravity {
                    acceleration: a,
                    radius: b,
                    power: c as u32,
                },
                CHAIN => FieldKind::ChainGravity {
                    points: points.iter().map(|point| point.place).collect(),
                    closed: self.is_closed(),
                    pull: a,
                    along: b,
                    reach: c,
                },
                _ => FieldKind::Gravity {
                    acceleration: self.vector,
                },
            },
            area: self.area().copied(),
            position: Position::from(self.position),
            angle: self.angle,
            mask: self.mask,
            replaces_gravity: self.replaces_gravity(),
            enabled: self.is_enabled(),
            user_key: self.user_key,
        }
    }

    /// Whether a definition could have produced this record with these points.
    pub(crate) fn is_sound(&self, points: &[FieldPoint]) -> bool {
        let def = self.def(points);
        def.validate().is_ok() && Self::new(&def, self.first_point) == (*self, Vec::from(points))
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose::new(self.position, self.angle)
    }

    /// The area in which it acts, in its own frame; `None` if that is everywhere.
    pub(crate) fn area(&self) -> Option<&Shape> {
        self.has(flag::AREA).then_some(&self.area)
    }

    /// Whether it is a wind or a fluid, and not a gravity.
    pub(crate) fn is_medium(&self) -> bool {
        [WIND, FLUID].contains(&self.kind)
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.has(flag::ENABLED)
    }

    pub(crate) fn replaces_gravity(&self) -> bool {
        self.has(flag::REPLACES)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.has(flag::CLOSED)
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    fn set(&mut self, flag: u32, on: bool) {
        if on {
            self.flags |= flag;
        }
    }
}

/// A box in the world around the field's reach; `None` if that is everywhere.
pub(crate) fn reach_of(record: &FieldRecord, points: &[FieldPoint]) -> Option<Aabb> {
    let pose = record.pose();
    let area = record.area().map(|area| area.aabb(pose));
    let chain = (record.kind == CHAIN).then(|| {
        let points = points.iter().map(|point| pose.transform_point(point.place));
        let bounds = points.fold(Aabb::EMPTY, |bounds, point| bounds.union(Aabb::new(point, point)));
        bounds.grown(record.numbers[2])
    });
    match (area, chain) {
        (Some(area), Some(chain)) => Some(Aabb::new(area.min.max(chain.min), area.max.min(chain.max))),
        (area, chain) => area.or(chain),
    }
}
