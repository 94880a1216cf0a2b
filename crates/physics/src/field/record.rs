//! [`FieldRecord`]: a field as it is kept.

use super::def::{FieldDef, FieldKind};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Position, plain_data};
use tombolo_handles::Handle;

/// Names a field of one world; goes stale when the field is destroyed.
pub type FieldId = Handle<FieldRecord>;

/// [`FieldRecord::kind`] by [`FieldKind`]; what fields are saved with, so they never change meaning.
pub(crate) const WIND: u32 = 0;
pub(crate) const FLUID: u32 = 1;
pub(crate) const GRAVITY: u32 = 2;
pub(crate) const RADIAL: u32 = 3;
pub(crate) const CHAIN: u32 = 4;

/// Bits of [`FieldRecord::flags`].
mod flag {
    /// It acts.
    pub(super) const ENABLED: u32 = 1;
    /// It acts in its area only.
    pub(super) const AREA: u32 = 1 << 1;
    /// It acts in place of the world's gravity.
    pub(super) const REPLACES: u32 = 1 << 2;
    /// Its chain is closed.
    pub(super) const CLOSED: u32 = 1 << 3;
}

plain_data! {
    /// A point of a chain, in the field's frame.
    #[derive(Debug, PartialEq)]
    pub(crate) struct FieldPoint {
        pub(crate) place: Vec2,
    }

    /// What is kept of a field. Opaque to users.
    #[derive(Debug, PartialEq)]
    pub struct FieldRecord {
        /// The user's own number.
        pub(crate) user_key: u64,
        /// Which categories it acts on.
        pub(crate) mask: u64,
        /// Where it acts, if [`FieldRecord::area`] says so; else zeros.
        area: Shape,
        /// Where its frame's origin is.
        pub(crate) position: Vec2,
        /// Its velocity or acceleration.
        pub(crate) vector: Vec2,
        /// Wind: density, drag, lift. Fluid: density, drag, viscosity. Toward the origin: acceleration, radius, power. Along
        /// a chain: pull, along, reach. The rest is 0.
        pub(crate) numbers: [f32; 3],
        /// Radians that its frame is turned by.
        pub(crate) angle: f32,
        /// One of the constants above.
        pub(crate) kind: u32,
        /// Bits of `flag`.
        flags: u32,
        /// Where its points begin among those of all fields.
        pub(crate) first_point: u32,
        /// How many it has.
        pub(crate) point_count: u32,
    }
}

impl FieldRecord {
    /// What is kept of a definition that was checked, and its points, which come after the `first_point` that there are.
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

    /// What the field was created from.
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

    /// Whether it is one that a definition may have given, with such points.
    pub(crate) fn is_sound(&self, points: &[FieldPoint]) -> bool {
        let def = self.def(points);
        def.validate().is_ok() && Self::new(&def, self.first_point) == (*self, Vec::from(points))
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose::new(self.position, self.angle)
    }

    /// Where it acts, in its own frame; `None` if that is everywhere.
    pub(crate) fn area(&self) -> Option<&Shape> {
        self.has(flag::AREA).then_some(&self.area)
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

/// A box in the world around all that a field reaches; `None` if that is everywhere.
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
