//! Bodies of entities that calls cut.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::{Message, Messages};
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Entity, ResMut, Resource};
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{JointDef, Position, QueryFilter, RigidWeldDef};
use bevy_tombolo::{
    Body, BodyCut, Collider, ColliderLink, GravityScale, Joint, JointLink, Material, Observed, Physics,
    PieceVanished, RigidWeldExceeded, Rollback, Sensor, SensorEntered, SensorLeft, SpatialQuery, StableKey,
    TouchBegan, TouchEnded,
};
use bevy_transform::components::Transform;
use support::{app, body_at, faults, get, hash, link, physics, steps};

/// A plank of 0.8 kg.
fn plank(app: &mut App) -> Entity {
    let plank = (
        Body::Dynamic,
        GravityScale(0.0),
        Collider::rectangle(4.0, 0.2),
        StableKey(1),
    );
    app.world_mut().spawn(plank).id()
}

/// A collider of the plank that a cut at 1.0 gives to the piece as it is.
fn knob(app: &mut App, plank: Entity) -> Entity {
    let knob = (
        ChildOf(plank),
        Collider::circle(0.3),
        Transform::from_xyz(1.5, 0.0, 0.0),
    );
    app.world_mut().spawn(knob).id()
}

/// The messages of the last frame.
fn messages<T: Message + Clone>(app: &App) -> Vec<T> {
    let messages = app.world().resource::<Messages<T>>();
    messages.iter_current_update_messages().cloned().collect()
}

/// Cuts off what is beyond a distance from the middle.
fn cut(app: &mut App, plank: Entity, distance: f32) {
    let id = link(app, plank).id().unwrap();
    let at = body_at(app, plank).x + distance;
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let (from, to) = (Position::new(at, -9.0), Position::new(at, 9.0));
    let cut = physics.world_mut().slice(id, from, to).unwrap();
    assert_eq!(cut.expect("the line crosses it").pieces.len(), 1);
}

fn mass(app: &App, entity: Entity) -> f32 {
    physics(app).body(entity).unwrap().mass()
}

/// The collider that a ray finds that comes down on the plank.
fn collider_at(app: &mut App, x: f32) -> Option<Entity> {
    let find = move |query: SpatialQuery| {
        let hit = query
            .cast_ray(Vec2::new(x, 5.0), Vec2::new(0.0, -9.0), QueryFilter::default())
            .unwrap();
        hit.map(|hit| hit.collider)
    };
    app.world_mut().run_system_once(find).unwrap()
}

#[test]
fn a_cut_body_stays_cut_when_the_world_goes_back() {
    for cut_in_step_of_save in [false, true] {
        let mut app = app();
        let plank = plank(&mut app);
        steps(&mut app, 2);
        cut(&mut app, plank, 1.0);
        if !cut_in_step_of_save {
            steps(&mut app, 1);
        }
        let snapshot = app.world_mut().save_physics();
        steps(&mut app, 5);
        let straight = hash(&app);
        assert!((mass(&app, plank) - 0.6).abs() < 1.0e-5);
        app.world_mut().restore_physics(&snapshot);
        assert_eq!(collider_at(&mut app, 0.0), Some(plank));
        steps(&mut app, 5);
        assert_eq!(hash(&app), straight);
        assert_eq!(physics(&app).world().counters().bodies, 2);
        assert_eq!(collider_at(&mut app, 0.0), Some(plank));
    }
}

#[test]
fn a_body_that_was_cut_since_is_whole_again_when_the_world_goes_back() {
    let mut app = app();
    let plank = plank(&mut app);
    steps(&mut app, 2);
    let snapshot = app.world_mut().save_physics();
    cut(&mut app, plank, 1.0);
    steps(&mut app, 3);
    app.world_mut().restore_physics(&snapshot);
    steps(&mut app, 3);
    assert!((mass(&app, plank) - 0.8).abs() < 1.0e-5);
    assert_eq!(physics(&app).world().counters().bodies, 1);
    assert_eq!(get::<ColliderLink>(&app, plank).shapes().len(), 1);
}

#[test]
fn the_rest_of_a_cut_body_belongs_to_its_entity() {
    let mut app = app();
    let plank = plank(&mut app);
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    steps(&mut app, 1);
    assert_eq!(collider_at(&mut app, 0.0), Some(plank));
    assert!(get::<ColliderLink>(&app, plank).concave_polygon().is_some());
    // Another surface is that of the rest.
    let heavy = Material {
        density: 2.0,
        ..Material::default()
    };
    app.world_mut().entity_mut(plank).insert(heavy);
    steps(&mut app, 1);
    assert!((mass(&app, plank) - 1.2).abs() < 1.0e-5, "{}", mass(&app, plank));
    // Another outline is a whole one.
    app.world_mut()
        .entity_mut(plank)
        .insert(Collider::rectangle(2.0, 0.2));
    steps(&mut app, 1);
    assert!((mass(&app, plank) - 0.8).abs() < 1.0e-5, "{}", mass(&app, plank));
    cut(&mut app, plank, 0.5);
    cut(&mut app, plank, 0.25);
    app.world_mut().entity_mut(plank).remove::<Collider>();
    steps(&mut app, 1);
    assert_eq!(physics(&app).body(plank).unwrap().shapes().count(), 0);
    assert_eq!(faults(&app), []);
}

#[test]
fn what_a_cut_took_from_a_body_does_not_come_again() {
    let mut app = app();
    let plank = plank(&mut app);
    let knob = knob(&mut app, plank);
    let hook = app.world_mut().spawn((Body::Static, StableKey(2))).id();
    app.world_mut().spawn(Joint::revolute(
        hook,
        Vec2::new(1.8, 0.0),
        plank,
        Vec2::new(1.8, 0.0),
    ));
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    steps(&mut app, 1);
    let snapshot = app.world_mut().save_physics();
    steps(&mut app, 5);
    let straight = hash(&app);
    let found = collider_at(&mut app, 1.5);
    app.world_mut().restore_physics(&snapshot);
    steps(&mut app, 5);
    assert_eq!(hash(&app), straight, "neither the knob nor the joint comes back");
    assert_eq!(collider_at(&mut app, 1.5), found);
    assert_eq!(get::<ColliderLink>(&app, knob).shapes(), []);
    app.world_mut().despawn(knob);
    steps(&mut app, 1);
    assert_eq!(physics(&app).world().counters().bodies, 3);
}

#[test]
fn touches_and_overlaps_of_what_goes_to_a_piece_end() {
    for saves in [false, true] {
        let mut app = app();
        let plank = plank(&mut app);
        let knob = knob(&mut app, plank);
        let at = |y| {
            (
                Body::Static,
                Collider::circle(0.3),
                Transform::from_xyz(1.5, y, 0.0),
            )
        };
        let post = app.world_mut().spawn(at(-0.59)).id();
        let zone = app.world_mut().spawn((at(0.5), Sensor)).id();
        steps(&mut app, 1);
        let began = messages::<TouchBegan>(&app);
        assert_eq!([began.len(), messages::<SensorEntered>(&app).len()], [1, 1]);
        assert!([began[0].collider, began[0].other_collider].contains(&knob));
        steps(&mut app, 2);
        let id = get::<ColliderLink>(&app, knob).shapes()[0];
        cut(&mut app, plank, 1.0);
        if saves {
            app.world_mut().save_physics();
        }
        steps(&mut app, 1);
        let ended = messages::<TouchEnded>(&app);
        let left = messages::<SensorLeft>(&app);
        assert_eq!([ended.len(), left.len()], [1, 1]);
        let mut pair = [ended[0].collider, ended[0].other_collider];
        pair.sort_unstable();
        let mut expected = [knob, post];
        expected.sort_unstable();
        assert_eq!(pair, expected);
        assert_eq!([left[0].collider, left[0].other_collider], [zone, knob]);
        // What touches now is nobody's.
        assert_eq!(messages::<TouchBegan>(&app), []);
        assert_eq!(messages::<SensorEntered>(&app), []);
        assert!(physics(&app).world().shape(id).is_some());
        assert_eq!(physics(&app).entity_of_shape(id), None);
        // Nor is what ends later, when the piece goes.
        let piece = physics(&app).world().shape(id).unwrap().body().id();
        let mut resource = app.world_mut().resource_mut::<Physics>();
        resource.world_mut().destroy_body(piece).unwrap();
        steps(&mut app, 1);
        assert_eq!(messages::<TouchEnded>(&app), []);
        assert_eq!(messages::<SensorLeft>(&app), []);
    }
}

#[test]
fn a_cut_in_the_first_step_after_going_back_is_the_cut_that_it_was() {
    let mut app = app();
    let plank = plank(&mut app);
    knob(&mut app, plank);
    steps(&mut app, 2);
    let snapshot = app.world_mut().save_physics();
    cut(&mut app, plank, 1.0);
    steps(&mut app, 5);
    let straight = hash(&app);
    let shapes = physics(&app).world().counters().shapes;
    for saves in [false, true] {
        app.world_mut().restore_physics(&snapshot);
        cut(&mut app, plank, 1.0);
        if saves {
            // The rest belongs to the plank in this one too, and the knob to nobody.
            let snapshot = app.world_mut().save_physics();
            steps(&mut app, 2);
            app.world_mut().restore_physics(&snapshot);
            assert_eq!(collider_at(&mut app, 0.0), Some(plank));
        }
        steps(&mut app, 5);
        assert_eq!(physics(&app).world().counters().shapes, shapes);
        assert_eq!(hash(&app), straight);
        assert_eq!(collider_at(&mut app, 0.0), Some(plank));
        assert_eq!(get::<ColliderLink>(&app, plank).shapes().len(), 1);
    }
}

#[test]
fn a_joint_that_breaks_on_a_piece_has_broken() {
    let mut app = app();
    let plank = plank(&mut app);
    let hook = app.world_mut().spawn((Body::Static, StableKey(2))).id();
    let at = Vec2::new(1.8, 0.0);
    let mut joint = Joint::revolute(hook, at, plank, at);
    if let JointDef::Revolute(def) = &mut joint.def {
        (def.force_threshold, def.breaks) = (100.0, true);
    }
    let joint = app.world_mut().spawn(joint).id();
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    let whole = link(&app, plank).id().unwrap();
    let mut resource = app.world_mut().resource_mut::<Physics>();
    let world = resource.world_mut();
    let mut bodies = world.bodies();
    let piece = bodies.find(|body| body.id() != whole && body.mass() > 0.0);
    let piece = piece.expect("the cut made it").id();
    drop(bodies);
    let mut piece = world.body_mut(piece).unwrap();
    piece
        .apply_impulse(bevy_tombolo::physics::Vec2::new(0.0, 500.0))
        .unwrap();
    steps(&mut app, 2);
    assert_eq!(physics(&app).world().counters().joints, 0);
    assert!(get::<JointLink>(&app, joint).has_broken());
}

#[test]
fn cuts_are_told_of_with_the_pieces_that_remain_and_those_that_vanish() {
    let mut app = app();
    let plank = plank(&mut app);
    app.world_mut().entity_mut(plank).insert(Observed);
    app.insert_resource(Told::default());
    app.world_mut()
        .add_observer(|cut: On<BodyCut>, mut told: ResMut<Told>| told.0.push(cut.entity));
    app.world_mut()
        .add_observer(|gone: On<PieceVanished>, mut told: ResMut<Told>| told.1.push(gone.entity));
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    assert_eq!(messages::<BodyCut>(&app), [], "the step tells");
    steps(&mut app, 1);
    let cuts = messages::<BodyCut>(&app);
    assert_eq!(cuts.len(), 1);
    assert_eq!((cuts[0].entity, cuts[0].debris), (plank, false));
    let piece = cuts[0].piece;
    assert!((physics(&app).world().body(piece).unwrap().mass() - 0.2).abs() < 1.0e-5);
    assert_eq!(messages::<PieceVanished>(&app), []);
    // A cut of the piece is no entity's; one of the rest is, and what it cuts off is too small to keep.
    let whole = link(&app, plank).id().unwrap();
    let at = body_at(&app, plank);
    let far = at.x - 2.0 + 4.0e-4;
    let mut resource = app.world_mut().resource_mut::<Physics>();
    let world = resource.world_mut();
    let of_piece = world.slice(piece, Position::new(1.5, -9.0), Position::new(1.5, 9.0));
    assert_eq!(of_piece.unwrap().unwrap().pieces.len(), 1);
    let sliver = world.slice(whole, Position::new(far, -9.0), Position::new(far, 9.0));
    assert_eq!(sliver.unwrap().unwrap().vanished.len(), 1);
    steps(&mut app, 1);
    assert_eq!(messages::<BodyCut>(&app), []);
    let vanished = messages::<PieceVanished>(&app);
    assert_eq!(vanished.len(), 1);
    assert_eq!(vanished[0].entity, plank);
    assert!((vanished[0].area - 8.0e-5).abs() < 2.0e-5, "{vanished:?}");
    assert!((vanished[0].center.x - far).abs() < 0.01);
    let Told(cut, gone) = app.world().resource::<Told>();
    assert_eq!((&cut[..], &gone[..]), (&[plank][..], &[plank][..]));
}

/// The entities for which observers were called.
#[derive(Resource, Default)]
struct Told(Vec<Entity>, Vec<Entity>);

#[test]
fn a_rigid_weld_that_breaks_is_told_of_before_the_part_that_leaves() {
    let mut app = app();
    let box_at = |x: f32| {
        (
            Body::Dynamic,
            GravityScale(0.0),
            Collider::rectangle(1.0, 1.0),
            Transform::from_xyz(x, 5.0, 0.0),
        )
    };
    let [a, b] = [0.0, 1.0].map(|x| app.world_mut().spawn(box_at(x)).id());
    steps(&mut app, 1);
    let bodies = [a, b].map(|entity| link(&app, entity).id().unwrap());
    let mut resource = app.world_mut().resource_mut::<Physics>();
    let world = resource.world_mut();
    let [first, second] = bodies.map(|body| world.create_member(body, 0).unwrap());
    let weld = world.create_rigid_weld(&RigidWeldDef {
        force_threshold: 10.0,
        user_key: 7,
        ..RigidWeldDef::new(first, second, Position::new(0.5, 5.0))
    });
    let weld = weld.unwrap();
    steps(&mut app, 2);
    assert_eq!(messages::<RigidWeldExceeded>(&app), []);
    let mut resource = app.world_mut().resource_mut::<Physics>();
    let mut body = resource.world_mut().body_mut(bodies[0]).unwrap();
    let far = bevy_tombolo::physics::Vec2::new(0.0, 500.0);
    body.apply_force_at(far, Position::new(1.4, 5.0)).unwrap();
    steps(&mut app, 1);
    let exceeded = messages::<RigidWeldExceeded>(&app);
    assert_eq!(exceeded.len(), 1);
    let told = exceeded[0];
    assert_eq!(
        (told.entity, told.weld, told.user_key, told.broke),
        (a, weld, 7, true)
    );
    assert!(told.force.length() > 10.0);
    let cuts = messages::<BodyCut>(&app);
    assert_eq!(cuts.len(), 1);
    assert_eq!(cuts[0].entity, a);
    assert!(physics(&app).world().body(cuts[0].piece).is_some());
}
