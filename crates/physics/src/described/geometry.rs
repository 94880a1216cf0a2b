//! Implementations of [`Data`](super::Data) for vectors, rotations and poses.

use super::data_struct;
use glam::{DVec2, Vec2};
use tombolo_geometry::shape::MassProperties;
use tombolo_geometry::{Pose, Position, Rot};

data_struct!(Vec2 = |fields| Vec2::ZERO; x, y);
data_struct!(DVec2 = |fields| DVec2::ZERO; x, y);
data_struct!(Position = |fields| Position::ORIGIN; x, y);
data_struct!(Rot = |fields| Rot::default(); cos, sin);
data_struct!(Pose = |fields| Pose::IDENTITY; position, rotation);
data_struct!(MassProperties = |fields| MassProperties::default(); mass, inertia, center);
