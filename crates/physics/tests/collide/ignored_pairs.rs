//! Pairs of shapes that are ignored, against a plain set.

use crate::world_support::Random;
use std::collections::BTreeSet;
use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, ShapeId, Vec2, WorldDef};

/// Pairs of many shapes that come and go in any order, against a plain set; frames in between keep those of their moment.
#[test]
fn ignored_pairs_last_as_long_as_both_shapes() {
    let mut random = Random(7);
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    let (mut shapes, mut ignored) = (Vec::new(), BTreeSet::new());
    let mut kept = None;
    for call in 0..3_000 {
        match random.below(10) {
            0..=2 => shapes.push(world.create_shape(body, &ShapeDef::default(), &ball).unwrap()),
            3 if !shapes.is_empty() => {
                let gone = shapes.swap_remove(random.below(shapes.len()));
                world.destroy_shape(gone).unwrap();
                ignored.retain(|pair: &[ShapeId; 2]| !pair.contains(&gone));
            }
            4 if call % 50 == 0 => kept = Some((world.frame(), shapes.clone(), ignored.clone())),
            5 if call % 7 == 0 => {
                if let Some((frame, then, pairs)) = kept.take() {
                    world.restore_frame(&frame);
                    (shapes, ignored) = (then, pairs);
                }
            }
            _ if shapes.len() > 1 => {
                let [a, b] = [0; 2].map(|_| shapes[random.below(shapes.len())]);
                let is_set = random.below(4) != 0;
                world.set_pair_ignored(a, b, is_set).unwrap();
                let pair = [a.min(b), a.max(b)];
                match is_set && a != b {
                    true => ignored.insert(pair),
                    false => ignored.remove(&pair),
                };
            }
            _ => {}
        }
        if call % 100 == 0 {
            world.validate();
            for (at, &a) in shapes.iter().enumerate() {
                for &b in &shapes[at..] {
                    let is_known = ignored.contains(&[a.min(b), a.max(b)]);
                    assert_eq!(world.is_pair_ignored(a, b), is_known, "call {call}");
                }
            }
        }
    }
}
