//! Cuts of bodies of several shapes: what a segment parts and what it leaves alone, whatever its line does farther on.

use crate::feature_support::{ball, plain, weightless, world};
use tombolo_physics::{
    BodyDef, BodyId, Cut, PhysicsWorld, Position, QueryFilter, RigidWeldDef, Shape, ShapeDef, Vec2,
};

/// A weightless world with one dynamic body at the origin that has these boxes: their centers and sizes.
fn of_boxes(boxes: &[[f32; 4]]) -> (PhysicsWorld, BodyId) {
    let shapes: Vec<Shape> = boxes
        .iter()
        .map(|&[x, y, width, height]| Shape::box_at(width, height, Vec2::new(x, y), 0.0).unwrap())
        .collect();
    of_shapes(&shapes)
}

fn of_shapes(shapes: &[Shape]) -> (PhysicsWorld, BodyId) {
    let mut world = world(&weightless());
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    for shape in shapes {
        world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    }
    (world, body)
}

fn cut_through(world: &mut PhysicsWorld, from: (f32, f32), to: (f32, f32)) -> Vec<Cut> {
    let place = |(x, y)| Position::new(x, y);
    let cuts = world
        .cut_through(place(from), place(to), QueryFilter::default())
        .unwrap();
    world.validate();
    cuts
}

/// The numbers of shapes of the bodies into which a segment parts one; both directions of it do the same.
fn parts(boxes: &[[f32; 4]], from: (f32, f32), to: (f32, f32)) -> Vec<usize> {
    let [there, back] = [(from, to), (to, from)].map(|(from, to)| {
        let (mut world, _) = of_boxes(boxes);
        cut_through(&mut world, from, to);
        let mut counts: Vec<usize> = world.bodies().map(|body| body.shapes().count()).collect();
        counts.sort_unstable();
        counts
    });
    assert_eq!(there, back, "a segment has no direction");
    there
}

#[test]
fn a_segment_beside_a_body_leaves_it_whole_though_its_line_crosses() {
    let balls = [0.0, 3.0].map(|x| Shape::circle(Vec2::new(x, 0.0), 0.5).unwrap());
    let (mut world, body) = of_shapes(&balls);
    let before = world.state_hash();
    assert_eq!(cut_through(&mut world, (0.6, 1.0), (0.45, 0.4)), []);
    assert_eq!(
        (world.body(body).unwrap().shapes().count(), world.bodies().len()),
        (2, 1)
    );
    assert_eq!(world.state_hash(), before);
    // Two boxes, one on the other: the segment ends in the margin before the seam, or in the middle of it.
    let stack = [[5.0, 0.5, 10.0, 1.0], [5.0, 1.5, 10.0, 1.0]];
    for end in [-0.005, 0.0, 5.0, 9.98] {
        assert_eq!(parts(&stack, (-1.0, 1.0), (end, 1.0)), [2], "{end}");
    }
    assert_eq!(
        parts(&stack, (-1.0, 1.0), (11.0, 1.0)),
        [1, 1],
        "along the whole seam"
    );
}

#[test]
fn a_segment_through_a_shape_leaves_the_seams_beyond_its_ends() {
    // Boxes end to end above one another, cut across at the lowest: the segment's line is the seam of the upper ones.
    let tower = [[0.0, 0.5, 2.0, 1.0], [-0.5, 1.5, 1.0, 1.0], [0.5, 1.5, 1.0, 1.0]];
    assert_eq!(parts(&tower, (0.0, -1.0), (0.0, 1.001)), [3]);
    assert_eq!(parts(&tower, (0.0, -1.0), (0.0, 1.5)), [3]);
    assert_eq!(parts(&tower, (0.0, -1.0), (0.0, 3.0)), [2, 2]);
    // A plank of three boxes is parted in its middle box; far away a fourth hangs on to one of its ends.
    let plank = [[0.5, 0.5, 1.0, 1.0], [1.5, 0.5, 1.0, 1.0], [2.5, 0.5, 1.0, 1.0]];
    assert_eq!(parts(&plank, (1.5, -0.1), (1.5, 1.1)), [2, 2]);
    assert_eq!(parts(&plank, (1.5, -0.1), (1.5, 0.9)), [3]);
    let tall = [plank[0], plank[1], [12.0, 10.0, 20.0, 20.0]];
    assert_eq!(parts(&tall, (1.5, -1.0), (1.5, 1.2)), [2, 2]);
    // A ring of boxes that is cut on one side is still one body; on both sides it is two.
    let ring = [
        [0.0, 1.5, 4.0, 1.0],
        [0.0, -1.5, 4.0, 1.0],
        [-1.5, 0.0, 1.0, 2.0],
        [1.5, 0.0, 1.0, 2.0],
    ];
    assert_eq!(parts(&ring, (0.0, 3.0), (0.0, 0.0)), [4]);
    assert_eq!(parts(&ring, (0.0, 3.0), (0.0, -3.0)), [3, 3]);
}

#[test]
fn what_a_segment_does_not_concern_stays_together() {
    // A plank that is cut off far from two stones on either side of the line, which the segment does not pass.
    let boxes = [
        [0.0, 0.0, 4.0, 0.5],
        [-3.0, 20.0, 1.0, 1.0],
        [3.0, 22.0, 1.0, 1.0],
    ];
    assert_eq!(parts(&boxes, (0.0, -1.0), (0.0, 1.0)), [1, 1, 2]);
    assert_eq!(
        parts(&boxes, (0.0, -1.0), (0.0, 30.0)),
        [1, 1, 1, 1],
        "between the stones"
    );
    // A stone on the line holds both halves of what is not cut.
    let row = [
        [-3.0, 20.0, 1.0, 1.0],
        [0.0, 20.0, 1.0, 1.0],
        [3.0, 20.0, 1.0, 1.0],
        boxes[0],
    ];
    assert_eq!(parts(&row, (0.0, -1.0), (0.0, 1.0)), [1, 1, 3]);
}

#[test]
fn a_segment_that_crosses_a_plank_cuts_it_whatever_else_the_body_has() {
    let plank = [[0.5, 0.5, 1.0, 1.0], [1.5, 0.5, 1.0, 1.0], [2.5, 0.5, 1.0, 1.0]];
    let with = |others: &[[f32; 4]]| [&plank[..], others].concat();
    let (on_line, beside) = (
        [1.5, 20.0, 1.0, 1.0],
        [[-3.0, 20.0, 1.0, 1.0], [5.0, 22.0, 1.0, 1.0]],
    );
    let (from, to) = ((1.5, -0.1), (1.5, 1.1));
    assert_eq!(parts(&with(&[on_line]), from, to), [2, 3]);
    assert_eq!(
        parts(&with(&beside), from, to),
        [2, 4],
        "the stones stay together"
    );
    assert_eq!(parts(&with(&[beside[0], on_line, beside[1]]), from, to), [2, 5]);
    assert_eq!(
        parts(&with(&beside), from, (1.5, 30.0)),
        [3, 3],
        "between the stones"
    );
    // The ring that the segment enters stays whole, and parts nothing less for it.
    let ring = [
        [1.5, 10.0, 4.0, 1.0],
        [1.5, 14.0, 4.0, 1.0],
        [0.0, 12.0, 1.0, 3.0],
        [3.0, 12.0, 1.0, 3.0],
    ];
    assert_eq!(parts(&with(&ring), from, (1.5, 12.0)).len(), 2);
    assert_eq!(parts(&ring, from, (1.5, 12.0)), [4], "no cut of the ring alone");
}

#[test]
fn a_segment_along_a_seam_cuts_it_whatever_else_the_body_has() {
    let seam = [[0.5, 0.5, 1.0, 1.0], [1.5, 0.5, 1.0, 1.0]];
    let with = |others: &[[f32; 4]]| [&seam[..], others].concat();
    let (from, to) = ((1.0, -0.1), (1.0, 1.1));
    assert_eq!(parts(&seam, from, to), [1, 1]);
    assert_eq!(parts(&with(&[[1.0, 20.0, 1.0, 1.0]]), from, to), [1, 2]);
    let beside = [[-3.0, 20.0, 1.0, 1.0], [5.0, 22.0, 1.0, 1.0]];
    assert_eq!(parts(&with(&beside), from, to), [1, 3]);
    // A single stone stays with its side, though the other one has more.
    let longer = [seam[0], [2.0, 0.5, 2.0, 1.0], [-3.0, 20.0, 1.0, 1.0]];
    assert_eq!(parts(&longer, from, to), [1, 2]);
    let (mut world, body) = of_boxes(&longer);
    let piece = cut_through(&mut world, from, to)[0].pieces[0];
    let masses = [body, piece].map(|id| world.body(id).unwrap().mass());
    assert_eq!(masses, [2.0, 2.0]);
    // What is on both sides goes with the greater piece.
    let (mut world, body) = of_boxes(&[seam[0], [2.0, 0.5, 2.0, 1.0], beside[0], beside[1]]);
    let piece = cut_through(&mut world, from, to)[0].pieces[0];
    let masses = [body, piece].map(|id| world.body(id).unwrap().mass());
    assert_eq!(masses, [4.0, 1.0]);
}

#[test]
fn a_composite_that_a_segment_misses_keeps_it_from_cutting_nothing() {
    let (mut world, plank) = of_boxes(&[[0.0, 0.0, 1.0, 1.0]]);
    let welded = [3.0, 4.2].map(|x| {
        let body = plain(&mut world, &BodyDef::dynamic(x, 0.0), &ball(0.5));
        world.create_member(body, 0).unwrap()
    });
    let weld = RigidWeldDef::new(welded[0], welded[1], Position::new(3.6, 0.0));
    world.create_rigid_weld(&weld).unwrap();
    // It ends in the box of the first member, beside which its line passes the second one on another side.
    let cuts = cut_through(&mut world, (-2.0, 0.0), (2.55, 0.45));
    let cut: Vec<BodyId> = cuts.iter().map(|cut| cut.body).collect();
    assert_eq!(cut, [plank]);
}
