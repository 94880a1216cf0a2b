//! Boxes of the broad phase in a recording: which boxes were renewed, and their positions.
//!
//! A fat box stands still while its shape moves within it. When it is renewed it surrounds the shape by the margin, so
//! a box is written as the distances of its sides from those of the shape's tight box, which for most shapes are the
//! same each time: four zeros.

use tombolo::physics::{Aabb, BodyRef, PhysicsWorld, ShapeId, ShapeRef};

use super::bytes::{ascending, number, signed};

/// A distance between the sides of a fat box and a tight one is a whole number of these parts of a meter.
pub(super) const BOX_PARTS: f32 = 256.0;

/// The reader's state of one shape's box.
#[derive(Clone, Copy, Debug)]
struct RecordedBox {
    shape: ShapeId,
    /// The fat box; `None` if the broad phase keeps none.
    fat: Option<Aabb>,
    /// The distances of the left, bottom, right and top sides from the tight box when the fat box was last made.
    reach: [i32; 4],
}

/// The boxes of all solid shapes that bodies had when they were first seen. A box has the place of its shape in the
/// list of the solid shapes of all bodies in the order of tracks.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    known: Vec<RecordedBox>,
    changed: Vec<u32>,
}

/// The shapes of a body that a recording has: all but sensors.
pub(super) fn solid_shapes<'w>(body: &BodyRef<'w>) -> impl Iterator<Item = ShapeRef<'w>> {
    body.shapes().filter(|shape| !shape.is_sensor())
}

/// The distances of the sides of a box from those of a smaller box in it.
fn reach(fat: Aabb, tight: Aabb) -> [i32; 4] {
    let [low, high] = [tight.min - fat.min, fat.max - tight.max];
    [low.x, low.y, high.x, high.y].map(|beyond| (beyond * BOX_PARTS).round() as i32)
}

impl Boxes {
    /// Adds the shapes of a body that is seen for the first time, the same ones as in the manifest.
    pub(super) fn add_body(&mut self, body: &BodyRef<'_>) {
        self.known.extend(solid_shapes(body).map(|shape| RecordedBox {
            shape: shape.id(),
            fat: None,
            reach: [0; 4],
        }));
    }

    /// Writes a frame in which nothing has changed.
    pub(super) fn record_nothing(out: &mut Vec<u8>) {
        ascending(out, &[]);
    }

    /// Writes one frame. The bodies must have updated their tracks.
    pub(super) fn record(&mut self, world: &PhysicsWorld, out: &mut Vec<u8>) {
        self.changed.clear();
        for (place, known) in (0..).zip(&self.known) {
            let fat = world.shape(known.shape).and_then(|shape| shape.fat_aabb());
            if fat != known.fat {
                self.changed.push(place);
            }
        }
        ascending(out, &self.changed);
        for &place in &self.changed {
            self.known[place as usize].write_change(world, out);
        }
    }
}

impl RecordedBox {
    /// Writes 0 for a box that is gone; else 1, then the changes in the distances at left, bottom, right and top.
    fn write_change(&mut self, world: &PhysicsWorld, out: &mut Vec<u8>) {
        let shape = world.shape(self.shape);
        self.fat = shape.as_ref().and_then(|shape| shape.fat_aabb());
        let (Some(shape), Some(fat)) = (shape, self.fat) else {
            number(out, 0);
            return;
        };
        number(out, 1);
        let reach = reach(fat, shape.geometry().aabb(shape.body().pose()));
        for (now, before) in reach.iter().zip(self.reach) {
            signed(out, now.wrapping_sub(before));
        }
        self.reach = reach;
    }
}
