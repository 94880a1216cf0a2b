//! Colliders under a pointer.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{Entity, ResMut};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_math::{Dir3, Vec3};
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_picking::{PickingPlugin, PickingSystems};
use bevy_shape::Ray3d;
use bevy_tombolo::{Body, Collider, PhysicsPickingPlugin, Sensor};
use bevy_transform::components::Transform;
use support::{ball, ground};

/// An app with a camera, and a pointer whose ray the test sets.
fn picking_app(ray: Ray3d) -> (App, Entity) {
    let mut app = support::app();
    app.add_plugins((PickingPlugin, PhysicsPickingPlugin));
    let camera = Camera {
        order: 3,
        ..Camera::default()
    };
    let camera = app.world_mut().spawn(camera).id();
    let point = move |mut rays: ResMut<RayMap>| {
        rays.map.insert(RayId::new(camera, PointerId::Mouse), ray);
    };
    let point = point
        .after(PickingSystems::ProcessInput)
        .before(PickingSystems::Backend);
    app.add_systems(PreUpdate, point);
    (app, camera)
}

fn down(x: f32, y: f32) -> Ray3d {
    Ray3d::new(Vec3::new(x, y, 1000.0), Dir3::NEG_Z)
}

fn hits(app: &App) -> Vec<PointerHits> {
    let hits = app.world().resource::<Messages<PointerHits>>();
    hits.iter_current_update_messages().cloned().collect()
}

#[test]
fn a_pointer_meets_the_colliders_below_it_the_highest_first() {
    let (mut app, camera) = picking_app(down(0.0, -0.2));
    let floor = ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.2);
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation.z = 5.0;
    support::steps(&mut app, 3);
    let hits = hits(&app);
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].pointer, hits[0].order), (PointerId::Mouse, 3.0));
    let mut picks = hits[0].picks.clone();
    picks.sort_by(|a, b| a.1.depth.total_cmp(&b.1.depth));
    let picked: Vec<(Entity, f32)> = picks.iter().map(|(entity, hit)| (*entity, hit.depth)).collect();
    assert_eq!(picked, [(ball, 995.0), (floor, 1000.0)]);
    for (_, hit) in picks {
        assert_eq!(
            (hit.camera, hit.position),
            (camera, Some(Vec3::new(0.0, -0.2, 0.0)))
        );
    }
}

#[test]
fn where_there_is_nothing_nothing_is_met() {
    for ray in [
        down(0.0, 50.0),
        Ray3d::new(Vec3::new(0.0, -0.2, 5.0), Dir3::X),
        Ray3d::new(Vec3::new(0.0, -0.2, 5.0), Dir3::Z),
    ] {
        let (mut app, _) = picking_app(ray);
        ground(&mut app);
        support::steps(&mut app, 3);
        assert_eq!(hits(&app).len(), 0, "{ray:?}");
    }
}

#[test]
fn a_sensor_is_met_as_other_colliders_are() {
    let (mut app, _) = picking_app(down(0.0, -0.2));
    let floor = ground(&mut app);
    let place = Transform::from_xyz(0.0, 0.0, 1.0);
    let button = (Body::Static, Collider::circle(0.5), Sensor, place);
    let button = app.world_mut().spawn(button).id();
    support::steps(&mut app, 3);
    let hits = hits(&app);
    assert_eq!(hits.len(), 1);
    let mut picks = hits[0].picks.clone();
    picks.sort_by(|a, b| a.1.depth.total_cmp(&b.1.depth));
    let picked: Vec<Entity> = picks.iter().map(|(entity, _)| *entity).collect();
    assert_eq!(picked, [button, floor]);
}
