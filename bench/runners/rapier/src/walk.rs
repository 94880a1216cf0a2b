//! Casts rays one by one, moves characters by Rapier's controller (stairs as ours, snapping to the ground), and makes
//! grids of its voxels.

use glam::Vec2;
use rapier2d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier2d::parry::math::IVector;
use rapier2d::parry::shape::Voxels;
use rapier2d::prelude::*;
use tombolo::physics::ShapeDef;
use tombolo_bench_protocol::ground;
use tombolo_bench_protocol::ground::{Ground, WALKER, Walker};
use tombolo_bench_protocol::tiles::Tiles;
use tombolo_scenes::STEP_S;

use crate::{Rapier, vector, with_material};

fn cell([x, y]: [u32; 2]) -> IVector {
    IVector::new(x as _, y as _)
}

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

    fn create_tiles(&mut self, tiles: &Tiles) -> bool {
        let cells: Vec<IVector> = tiles.full().map(cell).collect();
        let collider = ColliderBuilder::voxels(vector(Vec2::ONE), &cells);
        let collider = with_material(collider, &ShapeDef::default());
        let body = self.world.insert_body(RigidBodyBuilder::fixed());
        self.tiles = Some(self.world.insert_collider(collider, Some(body)));
        true
    }

    fn set_tile(&mut self, place: [u32; 2], is_full: bool) {
        let collider = self.tiles.and_then(|tiles| self.world.colliders.get_mut(tiles));
        let voxels = collider.and_then(|collider| collider.shape_mut().as_voxels_mut());
        voxels.expect("the grid was made").set_voxel(cell(place), is_full);
    }

    fn tile_bytes(&self) -> usize {
        let collider = self.tiles.and_then(|tiles| self.world.colliders.get(tiles));
        let voxels = collider.and_then(|collider| collider.shape().as_voxels());
        voxels.map_or(0, Voxels::total_memory_size)
    }
}
