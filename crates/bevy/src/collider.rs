//! Components of colliders, for games to insert and change. All but [`Collider`] are optional.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Component, Has, ReflectComponent};
use bevy_ecs::query::QueryData;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use bevy_shape::Polyline2d;
use bevy_transform::components::Transform;
use tombolo_physics::{CombineRule, Filter, PhysicsError, PhysicsWorld, ShapeDef, ShapeId};

use crate::link::ColliderLink;
use crate::outline::Outline;
use crate::pending::{collider_changed, collider_removed};
use crate::reflected::{ReflectedFilter, ReflectedRule};

/// The shapes by which a body touches others: on the body's own entity, or on entities below it, each of which adds its
/// shapes at its pose in the body's frame.
///
/// A collider belongs to the nearest entity with a [`Body`](crate::Body), itself first, then upward; without one it has
/// no shapes until there is one. Bevy's [`Disabled`] on an entity below the body's leaves the collider without shapes for as long
/// as it is present.
///
/// The scale of its `Transform`, times those of all entities above, scales its shapes, and its mass with them: at once when it
/// is spawned, from the next step on when a scale changes. Negative scales mirror. Each kind of [`Outline`] says what an uneven
/// scale makes of it. One of 0 leaves the collider without shapes, with a [`PhysicsFault`](crate::PhysicsFault), until it has
/// another. A concave collider, and one that was cut, is made anew from its whole outline under another scale. The shapes of an
/// entity that is turned below one with an uneven scale are scaled along their own axes, also where Bevy shears the picture
/// or, at a quarter turn, draws the two axes the other way around. To draw something larger than it is, give the sprite an entity of its own below the collider's.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, ColliderLink)]
#[component(on_add = collider_changed, on_remove = collider_removed)]
pub struct Collider {
    /// The parts; all have one material, one filter and one entity.
    pub parts: Vec<Outline>,
}

impl Collider {
    /// A collider of several parts.
    pub fn compound(parts: impl IntoIterator<Item = Outline>) -> Self {
        Self {
            parts: parts.into_iter().collect(),
        }
    }

    /// A disc around the origin.
    pub fn circle(radius: f32) -> Self {
        Outline::circle(radius).into()
    }

    /// A rectangle around the origin, from its width and height.
    pub fn rectangle(width: f32, height: f32) -> Self {
        Outline::rectangle(width, height).into()
    }
}

impl<T: Into<Outline>> From<T> for Collider {
    fn from(part: T) -> Self {
        Self {
            parts: vec![part.into()],
        }
    }
}

/// Segments, solid from both sides as [`Outline::Segment`] is. Over ground bodies slide more smoothly if it is an
/// [`Outline::chain`], which is solid from one side only.
impl From<Polyline2d> for Collider {
    fn from(line: Polyline2d) -> Self {
        let ends = line.vertices.windows(2);
        Self::compound(ends.map(|ends| Outline::Segment {
            a: ends[0],
            b: ends[1],
        }))
    }
}

/// Material of a collider: its surface and its density.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = collider_changed)]
pub struct Material {
    /// Density, in kilograms per square meter.
    pub density: f32,
    /// Coulomb friction. Two colliders use the square root of the product.
    pub friction: f32,
    /// Bounciness. Two colliders use the larger.
    pub restitution: f32,
    /// Resistance to rolling.
    pub rolling_resistance: f32,
    /// Speed at which the surface moves around the collider, in meters per second: conveyor belts.
    pub tangent_speed: f32,
    /// Rule by which friction is combined with that of the other collider; the square root of the product by default.
    #[reflect(remote = ReflectedRule)]
    pub friction_rule: CombineRule,
    /// Rule by which restitution is combined with that of the other collider; the larger one by default.
    #[reflect(remote = ReflectedRule)]
    pub restitution_rule: CombineRule,
    /// Distance in meters that the collider keeps from others, 0 to 0.5; two use the sum.
    pub contact_skin: f32,
    /// Number of the material in [`ContactRules`](crate::ContactRules): one-way platforms, belts and others.
    pub material: u32,
}

impl From<&ShapeDef> for Material {
    fn from(def: &ShapeDef) -> Self {
        Self {
            density: def.density,
            friction: def.friction,
            restitution: def.restitution,
            rolling_resistance: def.rolling_resistance,
            tangent_speed: def.tangent_speed,
            friction_rule: def.friction_rule,
            restitution_rule: def.restitution_rule,
            contact_skin: def.contact_skin,
            material: def.material,
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::from(&ShapeDef::default())
    }
}

/// The collision filter: each collider's category must be in the other's mask, unless both are of one group.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = collider_changed)]
pub struct CollisionFilter(#[reflect(remote = ReflectedFilter)] pub Filter);

impl CollisionFilter {
    /// A collider of `category` that touches the categories in `mask`.
    pub fn new(category: u64, mask: u64) -> Self {
        Self(Filter {
            category,
            mask,
            group: 0,
        })
    }
}

/// Makes a collider a sensor: it touches nothing and has no mass, and reports overlaps that begin and end as
/// [`SensorEntered`](crate::SensorEntered) and [`SensorLeft`](crate::SensorLeft).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_add = collider_changed, on_remove = collider_changed)]
pub struct Sensor;

/// The events of a collider that become messages. Of two that touch, it is enough if one has an option on.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[component(on_remove = collider_changed)]
pub struct Reports {
    /// [`TouchBegan`](crate::TouchBegan) and [`TouchEnded`](crate::TouchEnded); true without this component.
    pub touches: bool,
    /// [`Hit`](crate::Hit); false without this component.
    pub hits: bool,
    /// Force in newtons above which a touch gives [`ForceExceeded`](crate::ForceExceeded); 0 for none.
    pub force_threshold: f32,
    /// Whether a sensor reports other sensors.
    pub sensors: bool,
    /// Whether a collider of a static or kinematic body, if it is no sensor, reports overlaps with others of such
    /// bodies, as a sensor would.
    pub fixed: bool,
}

impl Default for Reports {
    fn default() -> Self {
        let def = ShapeDef::default();
        Self {
            touches: def.contact_events,
            hits: def.hit_events,
            force_threshold: def.force_threshold,
            sensors: def.sees_sensors,
            fixed: def.sees_fixed,
        }
    }
}

/// All components that define a collider.
#[derive(QueryData)]
pub(crate) struct ColliderSettings {
    pub(crate) collider: &'static Collider,
    material: Option<&'static Material>,
    filter: Option<&'static CollisionFilter>,
    reports: Option<&'static Reports>,
    sensor: Has<Sensor>,
    pub(crate) is_hidden: Has<Disabled>,
}

impl ColliderSettingsItem<'_, '_> {
    /// The definition of the collider's shapes.
    pub(crate) fn def(&self, key: u64) -> ShapeDef {
        let material = self.material.copied().unwrap_or_default();
        let reports = self.reports.copied().unwrap_or_default();
        ShapeDef {
            density: material.density,
            friction: material.friction,
            restitution: material.restitution,
            rolling_resistance: material.rolling_resistance,
            tangent_speed: material.tangent_speed,
            friction_rule: material.friction_rule,
            restitution_rule: material.restitution_rule,
            material: material.material,
            contact_skin: material.contact_skin,
            filter: self.filter.copied().unwrap_or_default().0,
            contact_events: reports.touches,
            hit_events: reports.hits,
            force_threshold: reports.force_threshold,
            sees_sensors: reports.sensors,
            sees_fixed: reports.fixed,
            sensor: self.sensor,
            user_key: key,
        }
    }
}

/// Changes a shape to agree with a definition. Values that agree already are not set, since most calls wake what
/// touches the shape.
pub(crate) fn apply(world: &mut PhysicsWorld, id: ShapeId, def: &ShapeDef) -> Result<(), PhysicsError> {
    let mut shape = world.shape_mut(id)?;
    let is = shape.view();
    let rules = [def.friction_rule, def.restitution_rule];
    let density = is.density() != def.density;
    let material = [is.friction(), is.restitution()] != [def.friction, def.restitution];
    let surface =
        [is.rolling_resistance(), is.tangent_speed()] != [def.rolling_resistance, def.tangent_speed];
    let combined = is.combine_rules() != rules;
    let skin = is.contact_skin() != def.contact_skin;
    let made_of = is.material_number() != def.material;
    let filter = is.filter() != def.filter;
    let events = [is.has_contact_events(), is.has_hit_events()] != [def.contact_events, def.hit_events];
    let force = is.force_threshold() != def.force_threshold;
    let sees = [is.sees_sensors(), is.sees_fixed()] != [def.sees_sensors, def.sees_fixed];
    let sensor = is.is_sensor() != def.sensor;
    if density {
        shape.set_density(def.density)?;
    }
    if material {
        shape.set_material(def.friction, def.restitution)?;
    }
    if surface {
        shape.set_surface(def.rolling_resistance, def.tangent_speed)?;
    }
    if combined {
        shape.set_combine_rules(def.friction_rule, def.restitution_rule);
    }
    if skin {
        shape.set_contact_skin(def.contact_skin)?;
    }
    if made_of {
        shape.set_material_number(def.material)?;
    }
    if filter {
        shape.set_filter(def.filter);
    }
    if events {
        shape.set_events(def.contact_events, def.hit_events);
    }
    if force {
        shape.set_force_threshold(def.force_threshold)?;
    }
    if sees {
        shape.set_sees(def.sees_sensors, def.sees_fixed);
    }
    if sensor {
        shape.set_sensor(def.sensor);
    }
    Ok(())
}
