//! Implementations of [`Data`] for definitions. A new field of a definition must be added to its list here: the
//! compiler requires it.

use crate::body::{BodyDef, BodyKind};
use crate::composite::RigidWeldDef;
use crate::cut::Shatter;
use crate::described::{Data, Kind, NamedFields, Schema, Unfit, Value, data_choice, data_struct, only_form};
use crate::field::{ExplosionDef, FieldDef, FieldKind};
use crate::heightfield::HeightfieldDef;
use crate::island::IslandAlgorithm;
use crate::joint::{JointDef, joint_kinds};
use crate::rule::ContactRule;
use crate::settings::{Capacity, Debris, DebrisFate, WorldDef};
use crate::shape::{ChainDef, CombineRule, Filter, ShapeDef};
use crate::tile_grid::{Tile, TileBlock, TileCut, TileGridDef, TileShape};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::split::ConcavePolygon;

data_struct!(Filter = |fields| Filter::default(); category, mask, group);
data_choice!(BodyKind {
    Static,
    Kinematic,
    Dynamic
});
data_choice!(IslandAlgorithm {
    Persistent,
    DepthFirst,
    UnionFind,
    ParallelUnionFind
});
data_choice!(DebrisFate { Vanish, Stay(filter) });
data_struct!(Debris = |fields| Debris::default(); area_max, fate);
data_struct!(
    WorldDef = |fields| WorldDef::default();
    gravity, substeps, sleeping, restitution_threshold, hit_threshold, contact_hertz, contact_damping_ratio,
    push_speed_max, speed_max, continuous, debris, islands, capacity,
);
data_struct!(Capacity = |fields| Capacity::default(); bodies, shapes, joints, contacts);
data_struct!(
    BodyDef = |fields| BodyDef::default();
    kind, position, angle, linear_velocity, angular_velocity, linear_damping, angular_damping, gravity_scale,
    sleep_threshold, allow_sleep, awake, fixed_rotation, fixed_x, fixed_y, own_mass, added_mass, dominance, extra_substeps,
    speed_max, spin_max, lasting_force, lasting_torque, contact_recycling, fast_rotation, bullet, enabled, user_key, name,
);
data_struct!(
    ShapeDef = |fields| ShapeDef::default();
    density, friction, restitution, rolling_resistance, tangent_speed, friction_rule, restitution_rule, material, contact_skin, filter,
    contact_events, hit_events, force_threshold, sees_sensors, sees_fixed, sensor, user_key,
);
data_choice!(CombineRule {
    Usual,
    Mean,
    GeometricMean,
    Min,
    Product,
    Max
});
data_struct!(
    ContactRule = |fields| ContactRule::default();
    friction, restitution, surface_speed, one_way, ignore, sensor, hit_threshold,
);
data_struct!(ChainDef = |fields| ChainDef::default(); points, closed, shape);
data_struct!(
    HeightfieldDef = |fields| HeightfieldDef::default();
    spacing, origin, heights, before, after, grounds, segments,
);
data_choice!(TileShape {
    Full,
    BottomHalf,
    TopHalf,
    LeftHalf,
    RightHalf,
    SlopeUp,
    SlopeDown,
    CeilingUp,
    CeilingDown,
    GentleUpLow,
    GentleUpHigh,
    GentleDownHigh,
    GentleDownLow,
    Convex { corners },
});
data_struct!(Tile = |fields| Tile::default(); shape, def);
data_struct!(
    TileGridDef = |fields| TileGridDef::default();
    cell_size, origin, width, height, tiles, cells,
);
data_struct!(TileBlock = |fields| TileBlock::cell(0, 0); x, y, width, height);
data_struct!(
    TileCut = |fields| TileCut::between(fields.need("from")?, fields.need("to")?);
    from, to, radius, mask,
);
data_choice!(Shatter { Sites(sites), Seeded { seed, count } });
data_choice!(FieldKind {
    Wind { velocity, density, drag, lift },
    Fluid { density, velocity, drag, viscosity },
    Gravity { acceleration },
    RadialGravity { acceleration, radius, power },
    ChainGravity { points, closed, pull, along, reach },
});
data_struct!(
    FieldDef = |fields| FieldDef::new(fields.need("kind")?);
    kind, area, position, angle, mask, replaces_gravity, enabled, user_key,
);
data_struct!(
    ExplosionDef = |fields| ExplosionDef::at(fields.need("position")?);
    position, mask, radius, falloff, impulse_per_length, tile_radius,
);
data_struct!(
    RigidWeldDef =
        |fields| RigidWeldDef::new(fields.need("member_a")?, fields.need("member_b")?, fields.need("point")?);
    member_a, member_b, point, force_threshold, torque_threshold, breaks, user_key,
);
/// Records [`JointDef`].
macro_rules! record_joints {
    ($( $(#[$attribute:meta])* $kind:ident($def:ident) = $number:literal { $($parts:tt)* }, )*) => {
        data_choice!(JointDef { $( $kind(def), )* });
    };
}
joint_kinds!(record_joints);

/// The number of words of a shape in memory: vertices and normals of eight corners, the centroid, the radius, and one
/// word with the number of corners and the kind.
const SHAPE_WORDS: usize = 36;

/// A shape is written by its words and not by its constructor, so that it is restored to the bit; zeros at the end of
/// its lists are left out. Calls that take a shape check it.
impl Data for Shape {
    fn kind(schema: &mut Schema) -> Kind {
        schema.define("Shape", false, |schema| {
            let points = Vec::<Vec2>::kind(schema);
            only_form(vec![
                ("kind", Kind::Unsigned),
                ("count", Kind::Unsigned),
                ("corners", points.clone()),
                ("normals", points),
                ("centroid", Vec2::kind(schema)),
                ("radius", Kind::F32),
            ])
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let (words, _) = bytemuck::bytes_of(self).as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let point = |place: usize| Vec2::new(f32::from_bits(words[place]), f32::from_bits(words[place + 1]));
        let points = |from: usize| -> Vec<Vec2> {
            let mut places = words[from..from + 16].chunks_exact(2);
            let used = places.rposition(|pair| pair != [0, 0]).map_or(0, |last| last + 1);
            (0..used).map(|place| point(from + 2 * place)).collect()
        };
        (words[35] >> 16).write(out);
        (words[35] & 0xffff).write(out);
        points(0).write(out);
        points(16).write(out);
        point(32).write(out);
        f32::from_bits(words[34]).write(out);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        const FIELDS: [&str; 6] = ["kind", "count", "corners", "normals", "centroid", "radius"];
        let (_, fields) = NamedFields::of(value, "Shape")?;
        fields.finish(&FIELDS)?;
        let mut words = [0_u32; SHAPE_WORDS];
        for (name, from) in [("corners", 0), ("normals", 16)] {
            let points: Vec<Vec2> = fields.need(name)?;
            if points.len() > 8 {
                return Err(Unfit::new(format!("a Shape has {} {name}", points.len())));
            }
            for (place, point) in points.iter().enumerate() {
                words[from + 2 * place] = point.x.to_bits();
                words[from + 2 * place + 1] = point.y.to_bits();
            }
        }
        let centroid: Vec2 = fields.need("centroid")?;
        (words[32], words[33]) = (centroid.x.to_bits(), centroid.y.to_bits());
        words[34] = fields.need::<f32>("radius")?.to_bits();
        let (kind, count): (u32, u32) = (fields.need("kind")?, fields.need("count")?);
        words[35] = kind << 16 | count & 0xffff;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(bytemuck::pod_read_unaligned(&bytes))
    }
}

/// A concave polygon is written by its corners, and is checked when it is read.
impl Data for ConcavePolygon {
    fn kind(schema: &mut Schema) -> Kind {
        schema.define("ConcavePolygon", false, |schema| {
            only_form(vec![
                ("points", Vec::<DVec2>::kind(schema)),
                ("loop_ends", Vec::<u32>::kind(schema)),
            ])
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.points().to_vec().write(out);
        self.loop_ends().to_vec().write(out);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        let (_, fields) = NamedFields::of(value, "ConcavePolygon")?;
        fields.finish(&["points", "loop_ends"])?;
        let polygon = Self::from_saved(fields.need("points")?, fields.need("loop_ends")?);
        polygon.map_err(|error| Unfit::new(format!("a ConcavePolygon: {error}")))
    }
}
