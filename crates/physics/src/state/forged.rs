//! Tests of forged trees with valid checksums, which a restore must refuse.

use super::forger::{Forger, scaled};
use crate::QueryFilter;
use crate::broad_phase::BroadPhase;
use crate::settings::WorldDef;
use crate::world::PhysicsWorld;
use crate::{BodyDef, BodyKind, ShapeDef};
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Vec2};

/// A floor, a lift and falling boxes, some of which were destroyed.
fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let mut boxes = Vec::new();
    for index in 0..60_u32 {
        let kind = [
            BodyKind::Dynamic,
            BodyKind::Dynamic,
            BodyKind::Kinematic,
            BodyKind::Static,
        ][index as usize % 4];
        let (x, y) = ((index % 12) as f32 * 0.9, (index / 12) as f32 * 0.95);
        let body = BodyDef {
            kind,
            ..BodyDef::dynamic(x, y)
        };
        let body = world.create_body(&body).unwrap();
        let geometry = Shape::new_box(1.0, 1.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &geometry).unwrap();
        boxes.push(body);
        if index % 7 == 3 {
            world.step(1.0 / 60.0).unwrap();
            world.destroy_body(boxes[index as usize / 2]).ok();
        }
    }
    world.step(1.0 / 60.0).unwrap();
    world.validate();
    world
}

/// All words of the broad phase in a save.
fn words(broad_phase: &mut BroadPhase) -> Vec<&mut [u32]> {
    let BroadPhase {
        trees,
        proxies,
        boxes,
        free,
        ..
    } = broad_phase;
    let mut arrays = Vec::new();
    for tree in trees.iter_mut().map(|tree| &mut **tree) {
        arrays.push(bytemuck::cast_slice_mut(&mut tree.nodes));
        arrays.push(bytemuck::cast_slice_mut(&mut tree.previous));
        arrays.push(&mut tree.items);
        arrays.push(bytemuck::cast_slice_mut(&mut tree.counts));
    }
    arrays.push(bytemuck::cast_slice_mut(proxies.unmarked_mut()));
    arrays.push(bytemuck::cast_slice_mut(boxes.unmarked_mut()));
    arrays.push(free.unmarked_mut());
    arrays.retain(|array| !array.is_empty());
    arrays
}

/// Changes one field at a time, in every array: it is refused, or the world continues validly and its queries are
/// right.
#[test]
fn forged_trees_are_refused_or_the_world_goes_on() {
    let world = world();
    let mut forger = Forger::new(7);
    let (mut refused, mut accepted) = (0, 0);
    let cases = scaled(750);
    for _ in 0..cases {
        let mut forged = world.clone();
        let mut arrays = words(&mut forged.state.broad_phase);
        let which = forger.below(arrays.len());
        forger.change_word(arrays[which]);
        let Ok(mut restored) = PhysicsWorld::from_save(&forged.save()) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        restored.validate();
        let everywhere = Aabb::new(Vec2::splat(-1.0e4), Vec2::splat(1.0e4));
        let found = restored.overlap_box(everywhere, QueryFilter::default()).unwrap();
        assert_eq!(
            found.len(),
            world
                .overlap_box(everywhere, QueryFilter::default())
                .unwrap()
                .len()
        );
        for _ in 0..3 {
            restored.step(1.0 / 60.0).unwrap();
        }
        restored.validate();
        let again = PhysicsWorld::from_save(&restored.save()).unwrap();
        assert_eq!(again.state_hash(), restored.state_hash());
    }
    // The accepted changes are of fields without effect: boxes from before the last commit, costs, filters that are too
    // wide.
    assert!(
        refused > cases / 2 && accepted > cases / 60,
        "{refused} refused, {accepted} accepted"
    );
}
