//! The mouse: dragging, which is a spring from the pointer to the body, and cutting.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_tombolo::physics::{JointId, MotorDef, Pose, Position, QueryFilter};
use bevy_tombolo::prelude::*;

use crate::skins::Cuts;

/// What the mouse is doing.
#[derive(Resource, Default)]
struct Hands {
    /// The spring to the body that is dragged.
    spring: Option<JointId>,
    /// Where the stroke of the knife began.
    stroke: Option<Vec2>,
    /// The pointer in the world.
    at: Vec2,
}

/// The body, without a collider, that is where the pointer is.
#[derive(Component)]
struct Hand;

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Hands>()
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn((Hand, Body::Kinematic));
        })
        .add_systems(Update, (point, drag, stroke).chain())
        .add_systems(FixedUpdate, move_hand);
}

/// Cuts all that a stroke crosses.
pub(crate) fn cut(physics: &mut Physics, cuts: &mut Cuts, from: Vec2, to: Vec2) {
    let (from, to) = (Position::from(from), Position::from(to));
    match physics.world_mut().cut_through(from, to, QueryFilter::default()) {
        Ok(made) => cuts.0.extend(made),
        Err(error) => warn!("{error}"),
    }
}

fn point(
    mut hands: ResMut<Hands>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
) {
    let (camera, place) = *camera;
    if let Some(pointer) = window.cursor_position()
        && let Ok(at) = camera.viewport_to_world_2d(place, pointer)
    {
        hands.at = at;
    }
}

fn drag(
    mut hands: ResMut<Hands>,
    mut physics: ResMut<Physics>,
    hand: Single<Entity, With<Hand>>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut gizmos: Gizmos,
) -> Result {
    if buttons.just_pressed(MouseButton::Left)
        && let Some(at_hand) = physics.body(*hand).map(|body| body.id())
    {
        let world = physics.world_mut();
        // Pieces of cut bodies belong to no entity, so it is a body of the world that is asked for.
        let found = world.overlap_point(hands.at.into(), QueryFilter::default())?;
        let body = found.first().and_then(|&shape| Some(world.shape(shape)?.body()));
        if let Some(body) = body {
            let local = body.pose().inverse_transform_point(hands.at);
            let spring = MotorDef {
                linear_hertz: 5.0,
                max_spring_force: 400.0 * body.mass(),
                ..MotorDef::new(at_hand, Vec2::ZERO, body.id(), local)
            };
            // A release outside of the window may not have been seen.
            if let Some(old) = hands.spring.take()
                && world.joint(old).is_some()
            {
                world.destroy_joint(old)?;
            }
            world.body_mut(at_hand)?.teleport(Pose::new(hands.at, 0.0))?;
            hands.spring = Some(world.create_joint(spring)?);
        }
    }
    if buttons.just_released(MouseButton::Left)
        && let Some(spring) = hands.spring.take()
        && physics.world().joint(spring).is_some()
    {
        physics.world_mut().destroy_joint(spring)?;
    }
    if let Some(spring) = hands.spring.and_then(|spring| physics.world().joint(spring)) {
        let [_, end] = spring.anchors().map(|anchor| anchor.to_vec2());
        gizmos.line_2d(hands.at, end, Color::BLACK);
    }
    Ok(())
}

fn stroke(
    mut hands: ResMut<Hands>,
    mut physics: ResMut<Physics>,
    mut cuts: ResMut<Cuts>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut gizmos: Gizmos,
) {
    if buttons.just_pressed(MouseButton::Right) {
        hands.stroke = Some(hands.at);
    }
    if let Some(from) = hands.stroke {
        gizmos.line_2d(from, hands.at, Color::srgb(0.8, 0.1, 0.1));
        if buttons.just_released(MouseButton::Right) {
            hands.stroke = None;
            if from != hands.at {
                cut(&mut physics, &mut cuts, from, hands.at);
            }
        }
    }
}

/// The hand goes where the pointer is, with the velocity that it takes.
fn move_hand(hands: Res<Hands>, hand: Single<Entity, With<Hand>>, mut commands: Commands) {
    commands.entity(*hand).insert(MoveTo {
        position: hands.at,
        angle: 0.0,
    });
}
