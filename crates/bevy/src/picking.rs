//! [`PhysicsPickingPlugin`]: colliders under Bevy's pointers, as a backend of its picking. Feature `picking`.

use bevy_app::{App, Plugin, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, IntoScheduleConfigs, Query, Res};
use bevy_math::{Dir3, Vec3};
use bevy_picking::PickingSystems;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::backend::{HitData, PointerHits};
use bevy_shape::Ray3d;
use bevy_transform::components::GlobalTransform;
use tombolo_physics::QueryFilter;

use crate::query::SpatialQuery;

/// Makes colliders targets of Bevy's picking: what is hovered, clicked and dragged is the entity of the collider under
/// the pointer, sensors included.
///
/// A pointer's ray is followed to the plane of physics, z = 0, and meets there what [`SpatialQuery::at_point`] finds: the
/// colliders after the last step. Those with a higher z in their `GlobalTransform` are in front. Bevy's `Pickable` lets
/// an entity be passed. The app needs the plugins of `bevy_picking`, which Bevy's default plugins have.
///
/// ```no_run
/// use bevy_app::App;
/// use bevy_tombolo::{PhysicsPickingPlugin, TomboloPlugin};
///
/// let mut app = App::new();
/// // After Bevy's default plugins:
/// app.add_plugins((TomboloPlugin::default(), PhysicsPickingPlugin));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsPickingPlugin;

impl Plugin for PhysicsPickingPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreUpdate, pick.in_set(PickingSystems::Backend));
    }
}

/// Tells which colliders are under each pointer.
fn pick(
    rays: Res<RayMap>,
    cameras: Query<&Camera>,
    query: SpatialQuery,
    places: Query<&GlobalTransform>,
    mut hits: MessageWriter<PointerHits>,
) {
    // The order in which the map lists rays has no effect: each is of another camera or pointer.
    for (&RayId { camera, pointer }, &ray) in rays.iter() {
        let (Ok(view), Some(distance)) = (cameras.get(camera), to_plane(ray)) else {
            continue;
        };
        let point = ray.get_point(distance);
        let filter = QueryFilter {
            sensors: true,
            ..QueryFilter::default()
        };
        let Ok(found) = query.at_point(point.truncate(), filter) else {
            continue;
        };
        let picks: Vec<(Entity, HitData)> = found
            .into_iter()
            .map(|collider| {
                let height = places.get(collider).map_or(0.0, |place| place.translation().z);
                let depth = distance - along(ray.direction, height);
                (collider, HitData::new(camera, depth, Some(point), Some(Vec3::Z)))
            })
            .collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(pointer, picks, view.order as f32));
        }
    }
}

/// The length of a ray to the plane z = 0; `None` if it is parallel to the plane or begins beyond.
fn to_plane(ray: Ray3d) -> Option<f32> {
    let distance = -ray.origin.z / ray.direction.z;
    (distance.is_finite() && distance >= 0.0).then_some(distance)
}

/// The length of a ray between the plane at a height and the plane z = 0.
fn along(direction: Dir3, height: f32) -> f32 {
    height / -direction.z
}
