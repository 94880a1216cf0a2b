//! Shapes on bodies: the definition ([`ShapeDef`], [`Filter`], [`ChainDef`]), and the records in which the world stores
//! them.
//!
//! The geometry is a [`tombolo_geometry::shape::Shape`]; this file adds what makes it part of a body: material, filter,
//! events, and its proxy in the broad phase.

use crate::PhysicsError;
use crate::error::{Range, density};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::plain_data;
use tombolo_geometry::shape::Shape;
use tombolo_handles::Handle;

/// The id of a shape of one world; stale when the shape or its body is destroyed.
pub type ShapeId = Handle<ShapeRecord>;

/// The collision filter of a shape: category, mask and group, as in Box2D.
///
/// Two shapes of the same group other than 0 always touch if the group is positive, never if it is negative. Otherwise
/// each one's category must be in the other's mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct Filter {
    /// The category bits of this shape; 1 by default.
    pub category: u64,
    /// The categories that this shape may touch; all by default.
    pub mask: u64,
    /// The group; 0 for none (the default). Equal groups override category and mask.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            category: 1,
            mask: u64::MAX,
            group: 0,
        }
    }
}

impl Filter {
    /// Whether shapes with these two filters may touch.
    #[inline]
    pub fn allows(self, other: Self) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        (self.mask & other.category) != 0 && (other.mask & self.category) != 0
    }
}

/// The rule by which two touching shapes combine their friction or their restitution.
///
/// Of two different rules the later one in this list applies, so that [`CombineRule::Usual`] yields to any other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum CombineRule {
    /// The geometric mean of frictions, the greater restitution.
    #[default]
    Usual = 0,
    /// The arithmetic mean.
    Mean = 1,
    /// The square root of the product.
    GeometricMean = 2,
    /// The smaller value.
    Min = 3,
    /// The product.
    Product = 4,
    /// The greater value.
    Max = 5,
}

impl CombineRule {
    /// All rules, by number.
    pub const ALL: [Self; 6] = [
        Self::Usual,
        Self::Mean,
        Self::GeometricMean,
        Self::Min,
        Self::Product,
        Self::Max,
    ];

    /// Combines two numbers; `usual` is the rule that [`CombineRule::Usual`] stands for.
    pub(crate) fn combine(self, usual: Self, a: f32, b: f32) -> f32 {
        match if self == Self::Usual { usual } else { self } {
            Self::Mean => 0.5 * (a + b),
            Self::Usual | Self::GeometricMean => sqrt(a * b),
            Self::Min => a.min(b),
            Self::Product => a * b,
            Self::Max => a.max(b),
        }
    }
}

/// The definition of a shape, apart from its geometry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct ShapeDef {
    /// Density in kilograms per square meter; 1 by default, 0 or at least a millionth.
    pub density: f32,
    /// Coefficient of Coulomb friction; 0.6 by default, 0 to a million. Two shapes use the square root of the product,
    /// unless one of them has a [`ShapeDef::friction_rule`].
    pub friction: f32,
    /// Coefficient of restitution; 0 by default, 0 to 100. Two shapes use the larger, unless one of them has a
    /// [`ShapeDef::restitution_rule`].
    pub restitution: f32,
    /// Rolling resistance: the torque against rolling is at most this times the normal force times a radius; 0 by
    /// default. Of two touching shapes the greater resistance applies, and the greater radius: that of a circle or
    /// capsule, the rounding of a polygon. So polygons without rounding do not resist each other's rolling.
    pub rolling_resistance: f32,
    /// Speed in meters per second at which the surface moves around the shape, as of a conveyor belt, counter-clockwise
    /// if positive: bodies on top of the shape are carried towards smaller x. 0 by default; two shapes use the sum.
    /// What it carries stays awake, however slow it is; what it only rubs at does not.
    pub tangent_speed: f32,
    /// The rule by which friction is combined with that of the other shape.
    pub friction_rule: CombineRule,
    /// The rule by which restitution is combined with that of the other shape.
    pub restitution_rule: CombineRule,
    /// The number of the shape's material, for
    /// [`PhysicsWorld::set_contact_rule`](crate::PhysicsWorld::set_contact_rule); 0 by default, and any number but
    /// [`ANY_MATERIAL`].
    pub material: u32,
    /// The distance in meters that the shape keeps from others, as if a soft layer covered it: two touching shapes rest
    /// at the sum of theirs. 0 by default, 0 to 0.5, rounded to a hundredth of a millimeter. For contacts and
    /// continuous collision only: mass, queries and sensors are those of the shape itself. Thin and small shapes are
    /// caught more easily and need less continuous collision; its layer rounds the corners of polygons.
    pub contact_skin: f32,
    /// The collision filter.
    pub filter: Filter,
    /// Whether begin and end of touches are reported; true by default. It is enough if one of two shapes has it.
    pub contact_events: bool,
    /// Whether hard hits are reported; false by default. It is enough if one of two shapes has it.
    pub hit_events: bool,
    /// The average force of a touch over a step, in newtons, above which it is reported
    /// ([`Events::force`](crate::Events::force)); 0, the default, for never. Of two shapes the smaller threshold
    /// applies. It costs a test of each contact of the shape's body in each step.
    pub force_threshold: f32,
    /// Whether a sensor reports other sensors too; false by default. It costs a comparison of boxes with every sensor in
    /// each step.
    pub sees_sensors: bool,
    /// Whether a shape that is not a sensor reports, like a sensor, the shapes of static and kinematic bodies that
    /// touch it while its own body is static or kinematic; false by default. Such bodies have no contacts, and two
    /// static ones are never reported. It costs a query in each step.
    pub sees_fixed: bool,
    /// Whether the shape is a sensor; false by default. A sensor touches nothing and has no mass; it reports the shapes
    /// of other bodies, except sensors, that begin and end to overlap it, as its filter allows. Rays and other queries
    /// ignore it. It costs one query in each step, also while everything sleeps.
    pub sensor: bool,
    /// The user's own number, kept with the shape and in saves.
    pub user_key: u64,
}

impl Default for ShapeDef {
    fn default() -> Self {
        Self {
            density: 1.0,
            friction: 0.6,
            restitution: 0.0,
            rolling_resistance: 0.0,
            tangent_speed: 0.0,
            friction_rule: CombineRule::Usual,
            restitution_rule: CombineRule::Usual,
            material: 0,
            contact_skin: 0.0,
            filter: Filter::default(),
            contact_events: true,
            hit_events: false,
            force_threshold: 0.0,
            sees_sensors: false,
            sees_fixed: false,
            sensor: false,
            user_key: 0,
        }
    }
}

impl ShapeDef {
    /// Checks the numbers, like every call that takes a definition.
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        density("density", self.density)?;
        Range::FRICTION.check("friction", self.friction)?;
        Range::RESTITUTION.check("restitution", self.restitution)?;
        Range::FRICTION.check("rolling_resistance", self.rolling_resistance)?;
        check_material("material", self.material)?;
        Range::CONTACT_SKIN.check("contact_skin", self.contact_skin)?;
        Range::THRESHOLD.check("force_threshold", self.force_threshold)?;
        Range::VELOCITY.check("tangent_speed", self.tangent_speed)
    }

    /// The part that the narrow phase reads.
    pub(crate) fn to_material(&self) -> Material {
        Material {
            friction: self.friction,
            restitution: self.restitution,
            rolling_resistance: self.rolling_resistance,
            tangent_speed: self.tangent_speed,
            id: self.material,
            rules: Material::rules(self.friction_rule, self.restitution_rule),
            skin: skin_units(self.contact_skin),
        }
    }
}

/// The units of [`Material::skin`] in a meter: hundredths of a millimeter, so that decimal numbers come back as given.
const SKIN_UNITS_PER_M: f32 = 1.0e5;

/// A contact skin in meters, which is in range, in units of [`Material::skin`].
pub(crate) fn skin_units(contact_skin: f32) -> u16 {
    (contact_skin * SKIN_UNITS_PER_M + 0.5) as u16
}

/// The contact skin in meters of units of [`Material::skin`].
pub(crate) fn skin_m(units: u16) -> f32 {
    f32::from(units) / SKIN_UNITS_PER_M
}

/// Used in place of a material's number in a rule: every material that has no rule of its own with the other one.
pub const ANY_MATERIAL: u32 = u32::MAX;

/// Returns an error for the number that stands for all materials.
pub(crate) fn check_material(what: &'static str, material: u32) -> Result<(), PhysicsError> {
    if material != ANY_MATERIAL {
        return Ok(());
    }
    Err(PhysicsError::InvalidNumber {
        what,
        got: material as f32,
        expected: "a number from 0 to 4294967294",
    })
}

/// The definition of a chain: one-sided segments through a row of points.
///
/// The solid side of a segment is on its right in the direction from point to point: a closed counter-clockwise chain
/// is ground seen from outside, a clockwise one a container. An open chain is continued straight beyond its ends, so
/// that these have no corners; from the open side, bodies pass through. Meant for static bodies: a chain has no mass,
/// and two chains never touch each other.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct ChainDef {
    /// The points in meters, in the body's frame: two or more, three or more if closed. The chain must not cross
    /// itself.
    pub points: Vec<Vec2>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// The definition that all segments share.
    pub shape: ShapeDef,
}

impl ChainDef {
    /// The segments, in the order of the points, from which
    /// [`PhysicsWorld::create_chain`](crate::PhysicsWorld::create_chain) makes shapes.
    ///
    /// # Errors
    ///
    /// If there are too few points, a point is not finite or out of range, or two neighbors are too near.
    pub fn segments(&self) -> Result<Vec<Shape>, PhysicsError> {
        let count = self.points.len();
        if count < if self.closed { 3 } else { 2 } {
            return Err(PhysicsError::InvalidNumber {
                what: "number of points",
                got: count as f32,
                expected: "2 or more, and 3 or more of a closed chain",
            });
        }
        // The point with a number that may be one beyond either end.
        let point = |place: usize| {
            let [first, last] = [self.points[0], self.points[count - 1]];
            match (place, self.closed) {
                (0, true) => last,
                (0, false) => 2.0 * first - self.points[1],
                (place, true) => self.points[(place - 1) % count],
                (place, false) if place <= count => self.points[place - 1],
                _ => 2.0 * last - self.points[count - 2],
            }
        };
        let segment_count = if self.closed { count } else { count - 1 };
        (1..=segment_count)
            .map(|i| {
                Ok(Shape::chain_segment(
                    point(i - 1),
                    point(i),
                    point(i + 1),
                    point(i + 2),
                )?)
            })
            .collect()
    }
}

plain_data! {
    /// The cold data of a shape. Opaque to users.
    #[derive(Debug)]
    pub struct ShapeRecord {
        /// The user's own number.
        pub(crate) user_key: u64,
        /// Category bits of the filter.
        pub(crate) category: u64,
        /// Mask of the filter.
        pub(crate) mask: u64,
        /// Group of the filter; equal groups override category and mask.
        pub(crate) group: i32,
        /// Density in kilograms per square meter.
        pub(crate) density: f32,
        /// 1 if begin and end of touches are reported.
        pub(crate) contact_events: u32,
        /// 1 if hard hits are reported.
        pub(crate) hit_events: u32,
        /// The shape's place in the list of sensors plus one; 0 if it is not a sensor.
        pub(crate) sensor: u32,
        /// The index of the shape's concave polygon plus one; 0 for a shape that is not a part of one.
        pub(crate) concave_polygon: u32,
        /// The shape before it in its body's list, or `NONE`.
        pub(crate) previous: u32,
        /// The shape's place in the list of watchers plus one; 0 if it is in none.
        pub(crate) watcher: u32,
    }

    /// The reports that a shape requests besides touches and hits.
    #[derive(Debug)]
    pub(crate) struct Watcher {
        /// The shape's index.
        pub(crate) shape: u32,
        /// The force of a touch above which it is reported, in newtons; 0 for never.
        pub(crate) force_threshold: f32,
        /// 1 if sensors are reported to it while it is a sensor.
        pub(crate) sees_sensors: u32,
        /// 1 if shapes of static and kinematic bodies are reported to it while its body is one of those.
        pub(crate) sees_fixed: u32,
    }

    /// The fields of a shape that are read by the stages that move boxes and find pairs.
    #[derive(Debug)]
    pub(crate) struct ShapeLink {
        /// The body's index.
        pub(crate) body: u32,
        /// The next shape of the same body, or `NONE`.
        pub(crate) next: u32,
        /// The shape's proxy in the broad phase, or `NONE` for a sensor and while the body is disabled.
        pub(crate) proxy: u32,
        /// The margin of the fat box in meters.
        pub(crate) margin: f32,
    }

    /// The fields of a shape that the narrow phase combines when two shapes touch.
    #[derive(Debug)]
    pub(crate) struct Material {
        /// Coefficient of Coulomb friction.
        pub(crate) friction: f32,
        /// Coefficient of restitution.
        pub(crate) restitution: f32,
        /// Rolling resistance, as a fraction of the normal force times the greater rounding radius of a contact.
        pub(crate) rolling_resistance: f32,
        /// Speed of the surface in meters per second.
        pub(crate) tangent_speed: f32,
        /// The material's number.
        pub(crate) id: u32,
        /// The rules for friction and restitution: two numbers of [`CombineRule`], eight bits each.
        pub(crate) rules: u16,
        /// The contact skin in hundredths of a millimeter.
        pub(crate) skin: u16,
    }
}

const _: () = assert!(size_of::<Material>() == 24);

impl Material {
    /// The two rules, packed as in [`Material::rules`].
    pub(crate) fn rules(friction: CombineRule, restitution: CombineRule) -> u16 {
        friction as u16 | (restitution as u16) << 8
    }

    fn rule(number: u16) -> CombineRule {
        CombineRule::ALL[(number as usize & 0xFF).min(CombineRule::ALL.len() - 1)]
    }

    pub(crate) fn friction_rule(&self) -> CombineRule {
        Self::rule(self.rules)
    }

    pub(crate) fn restitution_rule(&self) -> CombineRule {
        Self::rule(self.rules >> 8)
    }

    /// The contact skin in meters.
    pub(crate) fn contact_skin(&self) -> f32 {
        skin_m(self.skin)
    }
}

impl Watcher {
    /// The reports that a definition requests.
    pub(crate) fn of(shape: u32, def: &ShapeDef) -> Self {
        Self {
            shape,
            force_threshold: def.force_threshold,
            sees_sensors: u32::from(def.sees_sensors),
            sees_fixed: u32::from(def.sees_fixed),
        }
    }

    /// Whether it requests any report.
    pub(crate) fn asks(&self) -> bool {
        self.force_threshold > 0.0 || self.sees_sensors != 0 || self.sees_fixed != 0
    }
}

impl ShapeRecord {
    /// The definition from which the shape could be created.
    pub(crate) fn def(&self, material: &Material, watcher: Option<&Watcher>) -> ShapeDef {
        ShapeDef {
            density: self.density,
            friction: material.friction,
            restitution: material.restitution,
            rolling_resistance: material.rolling_resistance,
            tangent_speed: material.tangent_speed,
            friction_rule: material.friction_rule(),
            restitution_rule: material.restitution_rule(),
            material: material.id,
            contact_skin: material.contact_skin(),
            filter: self.filter(),
            contact_events: self.contact_events != 0,
            hit_events: self.hit_events != 0,
            force_threshold: watcher.map_or(0.0, |watcher| watcher.force_threshold),
            sees_sensors: watcher.is_some_and(|watcher| watcher.sees_sensors != 0),
            sees_fixed: watcher.is_some_and(|watcher| watcher.sees_fixed != 0),
            sensor: self.sensor != 0,
            user_key: self.user_key,
        }
    }

    pub(crate) fn filter(&self) -> Filter {
        Filter {
            category: self.category,
            mask: self.mask,
            group: self.group,
        }
    }

    pub(crate) fn set_filter(&mut self, filter: Filter) {
        (self.category, self.mask, self.group) = (filter.category, filter.mask, filter.group);
    }
}
