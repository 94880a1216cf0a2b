//! [`Eye`]: the transform from the world to the screen, and the time, for everything that is drawn.

use kerf::game::Game;
use macroquad::math::{Vec2, vec2};
use tombolo::entity::Entity;
use tombolo::geometry::Pose;

/// The width by which outlines reach beyond their shapes, in units of the screen.
pub(crate) const OUTLINE: f32 = 3.0;

/// The transform of the camera, with the shaking.
#[derive(Clone, Copy)]
pub(crate) struct Eye<'a> {
    pub(crate) game: &'a Game,
    pub(crate) shake: Vec2,
    /// Seconds since the window opened, for animations.
    pub(crate) time: f32,
}

impl Eye<'_> {
    pub(crate) fn see(&self, place: Vec2) -> Vec2 {
        let seen = self
            .game
            .to_screen(tombolo::geometry::Vec2::new(place.x, place.y));
        vec2(seen.x, seen.y) + self.shake
    }

    pub(crate) fn pose(&self, entity: Entity) -> Option<Pose> {
        self.game.stepper().pose(&self.game.play().world, entity)
    }

    pub(crate) fn at(&self, pose: Pose, x: f32, y: f32) -> Vec2 {
        let place = pose.transform_point(tombolo::geometry::Vec2::new(x, y));
        self.see(vec2(place.x, place.y))
    }
}
