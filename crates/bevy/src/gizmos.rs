//! [`PhysicsGizmosPlugin`]: debug drawing of the physics world through Bevy's gizmos. Feature `gizmos`.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_ecs::prelude::{Res, Resource};
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::GizmoConfigGroup;
use bevy_gizmos::gizmos::Gizmos;
use bevy_math::{Isometry2d, Vec2};
use bevy_reflect::Reflect;
use bevy_time::{Fixed, Time};
use tombolo_physics::{DebugDraw, DrawColor, DrawOptions};

use crate::world::Physics;

/// Draws the physics world with Bevy's gizmos: shapes, joints, and on request contacts, forces, boxes, velocities and
/// names, as [`PhysicsGizmoOptions`] says. In each frame, in `PostUpdate`.
///
/// What is drawn is the state of the last step: a sprite whose `Transform` is interpolated is up to a step behind it.
/// Filled shapes are drawn by their outlines. The app needs Bevy's `GizmoPlugin`, which the default plugins have.
///
/// ```no_run
/// use bevy_app::App;
/// use bevy_tombolo::physics::DrawOptions;
/// use bevy_tombolo::{PhysicsGizmoOptions, PhysicsGizmosPlugin, TomboloPlugin};
///
/// let mut app = App::new();
/// // After Bevy's default plugins:
/// app.add_plugins((TomboloPlugin::default(), PhysicsGizmosPlugin));
/// let options = DrawOptions { contacts: true, names: true, ..DrawOptions::default() };
/// app.insert_resource(PhysicsGizmoOptions(options));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsGizmosPlugin;

/// The choice of what [`PhysicsGizmosPlugin`] draws, its sizes and its colors. The plugin sets `dt` to the length of a
/// step.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct PhysicsGizmoOptions(pub DrawOptions);

/// The group of the gizmos: its `GizmoConfig` switches them off, and sets the width of lines and the render layers.
#[derive(Clone, Copy, Debug, Default, Reflect, GizmoConfigGroup)]
pub struct PhysicsGizmos;

impl Plugin for PhysicsGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhysicsGizmoOptions>()
            .init_gizmo_group::<PhysicsGizmos>()
            .add_systems(PostUpdate, draw);
    }
}

/// Draws the world.
fn draw(
    physics: Res<Physics>,
    options: Res<PhysicsGizmoOptions>,
    time: Res<Time<Fixed>>,
    mut gizmos: Gizmos<PhysicsGizmos>,
) {
    if !gizmos.config.enabled {
        return;
    }
    let options = DrawOptions {
        dt: time.timestep().as_secs_f32(),
        ..options.0.clone()
    };
    let text_size = TEXT_PIXELS * options.pixel_m;
    let mut target = Target {
        gizmos: &mut gizmos,
        text_size,
    };
    physics.world.draw(&mut target, &options);
}

/// The height of text, in pixels of [`DrawOptions::pixel_m`].
const TEXT_PIXELS: f32 = 12.0;

/// Gizmos as the target of a drawing.
struct Target<'a, 'w, 's> {
    gizmos: &'a mut Gizmos<'w, 's, PhysicsGizmos>,
    /// The height of text, in meters.
    text_size: f32,
}

impl DebugDraw for Target<'_, '_, '_> {
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
        self.gizmos.line_2d(from, to, of_bevy(color));
    }

    fn polyline(&mut self, points: &[Vec2], color: DrawColor) {
        self.gizmos.linestrip_2d(points.iter().copied(), of_bevy(color));
    }

    fn polygon(&mut self, corners: &[Vec2], _filled: bool, color: DrawColor) {
        self.gizmos.lineloop_2d(corners.iter().copied(), of_bevy(color));
    }

    fn text(&mut self, at: Vec2, text: &str, color: DrawColor) {
        let left = Vec2::new(-0.5, 0.0);
        let place = Isometry2d::from_translation(at);
        self.gizmos
            .text_2d(place, text, self.text_size, left, of_bevy(color));
    }
}

fn of_bevy(color: DrawColor) -> Color {
    Color::srgba(color.red, color.green, color.blue, color.alpha)
}
