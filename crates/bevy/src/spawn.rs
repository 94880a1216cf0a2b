//! [`SpawnPhysics`]: entities for the objects of a physics world that was made elsewhere.

use std::collections::BTreeMap;

use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Commands, Entity, Name};
use bevy_ecs::system::EntityCommands;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use tombolo_physics::{
    BodyId, BodyKind, BodyRef, ConcavePolygonRef, FieldId, JointId, MassProperties, PhysicsWorld, Pose,
    ShapeDef, ShapeRef, TileGridDef, TileGridRef,
};

use crate::body::{
    Body, BodyDisabled, BodyOptions, Damping, GravityScale, LastingForce, LockedAxes, MassOverride,
    SleepSettings, Velocity,
};
use crate::collider::{Collider, CollisionFilter, Material, Reports, Sensor};
use crate::field::Field;
use crate::joint::Joint;
use crate::outline::Outline;
use crate::planar::PlanarTransform;
use crate::tiles::TileGrid;

/// Spawning the objects of a physics world as entities, as a trait of Bevy's `Commands`.
pub trait SpawnPhysics {
    /// Spawns an entity for each body, each joint and each field, with components that define them as they are in the world: kind,
    /// pose, velocities, options, name; shapes with materials, filters and sensors; the first tile grid of each body.
    /// Shapes that differ in these from the first of their body are on children. All of them are children of `parent`
    /// if there is one, relative to which the poses are then.
    ///
    /// Entities are spawned in the order of the world's bodies, joints and fields, which gives automatic keys in that order.
    /// Contact rules, the settings of the world, and all that a step leaves behind (contacts, impulses) stay in the
    /// world. Bodies that rigid welds hold together are one entity, as they are one body of the world; their welds
    /// stay in the world too, so it does not break.
    fn spawn_physics(&mut self, world: &PhysicsWorld, parent: Option<Entity>) -> SpawnedPhysics;
}

/// The entities of [`SpawnPhysics::spawn_physics`], to which the game adds components of its own; in the world's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpawnedPhysics {
    /// The world's bodies with their entities.
    pub bodies: Vec<(BodyId, Entity)>,
    /// The world's joints with their entities.
    pub joints: Vec<(JointId, Entity)>,
    /// The world's fields with their entities.
    pub fields: Vec<(FieldId, Entity)>,
}

impl SpawnPhysics for Commands<'_, '_> {
    fn spawn_physics(&mut self, world: &PhysicsWorld, parent: Option<Entity>) -> SpawnedPhysics {
        let mut spawned = SpawnedPhysics::default();
        let mut entities: BTreeMap<u64, Entity> = BTreeMap::new();
        for body in world.bodies() {
            let entity = spawn_body(self, world, &body, parent);
            entities.insert(body.id().to_bits(), entity);
            spawned.bodies.push((body.id(), entity));
        }
        for joint in world.joints() {
            let [a, b] = joint.bodies().map(|body| entities[&body.id().to_bits()]);
            let mut entity = self.spawn(Joint::new(a, b, joint.def()));
            if let Some(parent) = parent {
                entity.insert(ChildOf(parent));
            }
            spawned.joints.push((joint.id(), entity.id()));
        }
        for id in world.fields() {
            let def = world.field(id).expect("it is one of the world's");
            let pose = Pose::new(def.position.to_vec2(), def.angle);
            let mut entity = self.spawn((Field::new(def), transform(pose)));
            if let Some(parent) = parent {
                entity.insert(ChildOf(parent));
            }
            spawned.fields.push((id, entity.id()));
        }
        spawned
    }
}

/// Spawns one body with its colliders.
fn spawn_body(
    commands: &mut Commands,
    world: &PhysicsWorld,
    body: &BodyRef<'_>,
    parent: Option<Entity>,
) -> Entity {
    let mut entity = commands.spawn((kind(body), transform(body.pose()), velocity(body)));
    if let Some(parent) = parent {
        entity.insert(ChildOf(parent));
    }
    insert_settings(&mut entity, body);
    if let Some(grid) = world.tile_grids().find(|grid| grid.body().id() == body.id()) {
        entity.insert(TileGrid::new(tile_grid(&grid)));
    }
    let id = entity.id();
    for (place, (def, parts)) in colliders(world, body).into_iter().enumerate() {
        let collider = Collider { parts };
        let mut entity = if place == 0 {
            commands.entity(id)
        } else {
            commands.spawn(ChildOf(id))
        };
        entity.insert(collider);
        insert_surface(&mut entity, &def);
    }
    id
}

fn kind(body: &BodyRef<'_>) -> Body {
    match body.kind() {
        BodyKind::Static => Body::Static,
        BodyKind::Kinematic => Body::Kinematic,
        BodyKind::Dynamic => Body::Dynamic,
    }
}

pub(crate) fn transform(pose: Pose) -> Transform {
    let mut transform = Transform::IDENTITY;
    PlanarTransform::from_pose(pose).write(&mut transform);
    transform
}

fn velocity(body: &BodyRef<'_>) -> Velocity {
    Velocity {
        linear: body.linear_velocity(),
        angular: body.angular_velocity(),
    }
}

/// Inserts the components of a body whose values are not the defaults.
fn insert_settings(entity: &mut EntityCommands, body: &BodyRef<'_>) {
    if !body.name().is_empty() {
        entity.insert(Name::new(body.name().to_owned()));
    }
    let damping = Damping {
        linear: body.linear_damping(),
        angular: body.angular_damping(),
    };
    if damping != Damping::default() {
        entity.insert(damping);
    }
    if body.gravity_scale() != 1.0 {
        entity.insert(GravityScale(body.gravity_scale()));
    }
    let [x, y] = body.fixed_axes();
    let rotation = body.has_fixed_rotation();
    if x || y || rotation {
        entity.insert(LockedAxes { x, y, rotation });
    }
    let (own, added) = (body.own_mass(), body.added_mass());
    if own != MassProperties::default() || added != 0.0 {
        entity.insert(MassOverride { own, added });
    }
    let (force, torque) = (body.lasting_force(), body.lasting_torque());
    if force != Vec2::ZERO || torque != 0.0 {
        entity.insert(LastingForce { force, torque });
    }
    let options = BodyOptions {
        bullet: body.is_bullet(),
        fast_rotation: body.has_fast_rotation(),
        contact_recycling: body.has_contact_recycling(),
        dominance: body.dominance(),
        extra_substeps: body.extra_substeps(),
        speed_max: body.speed_max(),
        spin_max: body.spin_max(),
    };
    if options != BodyOptions::default() {
        entity.insert(options);
    }
    let sleep = SleepSettings {
        may_sleep: body.may_sleep(),
        threshold: body.sleep_threshold(),
        starts_asleep: body.kind() != BodyKind::Static && body.is_enabled() && !body.is_awake(),
    };
    if sleep != SleepSettings::default() {
        entity.insert(sleep);
    }
    if !body.is_enabled() {
        entity.insert(BodyDisabled);
    }
}

/// The parts of a body's colliders: shapes with one definition, each in the order of creation.
fn colliders(world: &PhysicsWorld, body: &BodyRef<'_>) -> Vec<(ShapeDef, Vec<Outline>)> {
    let mut colliders: Vec<(ShapeDef, Vec<Outline>)> = Vec::new();
    // A body lists its newest shape first.
    let mut shapes: Vec<ShapeRef<'_>> = body.shapes().filter(|shape| shape.tiles().is_none()).collect();
    shapes.reverse();
    let mut last = None;
    for shape in shapes {
        let polygon = shape.part_of();
        if polygon.is_some() && polygon == last {
            continue;
        }
        last = polygon;
        let outline = match polygon.and_then(|id| world.concave_polygon(id)) {
            Some(polygon) => concave(&polygon),
            None => Outline::Shape(*shape.geometry()),
        };
        let def = surface(&shape);
        // A collider has at most one polygon that may be concave.
        match colliders
            .iter_mut()
            .find(|(of, _)| *of == def && polygon.is_none())
        {
            Some((_, parts)) => parts.push(outline),
            None => colliders.push((def, vec![outline])),
        }
    }
    colliders
}

fn concave(polygon: &ConcavePolygonRef<'_>) -> Outline {
    let corners = |index| polygon.loop_points(index).collect();
    Outline::Concave {
        border: corners(0),
        holes: (1..polygon.loop_count()).map(corners).collect(),
    }
}

/// The definition of a shape, without its key.
fn surface(shape: &ShapeRef<'_>) -> ShapeDef {
    let [friction_rule, restitution_rule] = shape.combine_rules();
    ShapeDef {
        density: shape.density(),
        friction: shape.friction(),
        restitution: shape.restitution(),
        rolling_resistance: shape.rolling_resistance(),
        tangent_speed: shape.tangent_speed(),
        friction_rule,
        restitution_rule,
        material: shape.material_number(),
        contact_skin: shape.contact_skin(),
        filter: shape.filter(),
        sensor: shape.is_sensor(),
        contact_events: shape.has_contact_events(),
        hit_events: shape.has_hit_events(),
        force_threshold: shape.force_threshold(),
        sees_sensors: shape.sees_sensors(),
        sees_fixed: shape.sees_fixed(),
        user_key: 0,
    }
}

/// Inserts the components of a collider whose values are not the defaults.
fn insert_surface(entity: &mut EntityCommands, def: &ShapeDef) {
    let material = Material::from(def);
    if material != Material::default() {
        entity.insert(material);
    }
    let filter = CollisionFilter(def.filter);
    if filter != CollisionFilter::default() {
        entity.insert(filter);
    }
    let reports = Reports {
        touches: def.contact_events,
        hits: def.hit_events,
        force_threshold: def.force_threshold,
        sensors: def.sees_sensors,
        fixed: def.sees_fixed,
    };
    if reports != Reports::default() {
        entity.insert(reports);
    }
    if def.sensor {
        entity.insert(Sensor);
    }
}

/// The definition of a grid with its present cells.
fn tile_grid(grid: &TileGridRef<'_>) -> TileGridDef {
    let [width, height] = [grid.width(), grid.height()];
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    TileGridDef {
        cell_size: grid.cell_size(),
        origin: grid.origin(),
        width,
        height,
        tiles: grid.tiles(),
        cells: cells.map(|(x, y)| grid.tile(x, y).unwrap_or(0)).collect(),
    }
}
