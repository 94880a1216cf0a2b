//! Casts rays one by one, and moves characters by Rapier's controller: stairs as ours, snapping to the ground.

use glam::Vec2;
use rapier2d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier2d::prelude::*;
use tombolo_bench_protocol::ground;
use tombolo_bench_protocol::ground::{Ground, WALKER, Walker};
use tombolo_scenes::STEP_S;

use crate::{Rapier, vector};

impl Ground for Rapier {
    fn cast_rays(&mut self, rays: &[ground::Ray], shares: &mut Vec<f32>) {
        let pipeline = self.world.query_pipeline();
        shares.clear();
        shares.extend(rays.iter().map(|ray| {
            let ray = Ray::new(vector(ray.origin), vector(ray.translation));
            pipeline.cast_ray(&ray, 1.0, true).map_or(1.0, |(_, share)| share)
        }));
    }

    fn walk(&mut self, walkers: &mut [Walker]) {
        let [height, radius] = WALKER;
        let shape = Capsule::new_y(0.5 * height - radius, radius);
        let controller = KinematicCharacterController {
            autostep: Some(CharacterAutostep {
                max_height: CharacterLength::Absolute(0.4),
                min_width: CharacterLength::Absolute(0.2),
                include_dynamic_bodies: true,
            }),
            snap_to_ground: Some(CharacterLength::Absolute(0.3)),
            ..KinematicCharacterController::default()
        };
        let pipeline = self.world.query_pipeline();
        for walker in walkers {
            let wanted = walker.wanted();
            // On the ground it is pressed down a little, since the controller would not detect the ground otherwise.
            let press = if walker.is_grounded && !walker.jumps {
                0.1
            } else {
                0.0
            };
            let way = STEP_S * (wanted - Vec2::new(0.0, press));
            let place = Pose::from_translation(vector(walker.place));
            let moved = controller.move_shape(STEP_S, &pipeline, &shape, &place, vector(way), |_| {});
            let done = Vec2::new(moved.translation.x, moved.translation.y);
            walker.place += done;
            walker.is_grounded = moved.grounded;
            walker.velocity = wanted;
            if moved.grounded && !walker.jumps {
                walker.velocity.y = 0.0;
            }
        }
    }
}
