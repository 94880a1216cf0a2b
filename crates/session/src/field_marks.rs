//! [`FieldMarks`]: the drawing of a field or a zone, in the picture and on the page: the border of its area, or the
//! line that it pulls to, and arrows in the direction of its push.

use serde::Serialize;
use tombolo::World;
use tombolo::geometry::Pose;
use tombolo::geometry::split::ConcavePolygon;
use tombolo::physics::{Aabb, FieldDef, FieldKind, PhysicsWorld, Shape, Vec2};

/// The number of chords for half a turn of a round border.
const ARC_PIECES: u32 = 12;

/// The number of arrows in a square area; a longer one has more along it and fewer across.
const ARROWS: f32 = 16.0;

/// The length of an arrow as a share of the space that it has.
const ARROW_SHARE: f32 = 0.5;

/// The drawing of a field or a zone, in meters of the world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldMarks {
    /// "wind", "fluid", "gravity" or "zone".
    pub kind: &'static str,
    /// The border of the area in which it acts; empty if that is everywhere.
    pub border: Vec<[f32; 2]>,
    /// Polylines: a chain, the circle at which a pull holds, arrows, the holes of a zone.
    pub lines: Vec<Vec<[f32; 2]>>,
}

/// The owner of marks, by which they are matched from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarkedAs {
    /// The field with this number.
    Field(u64),
    /// The zone at this place in the list of zones.
    Zone(usize),
}

impl FieldMarks {
    /// The marks of everything drawn in a world: its fields in their order, then its zones, each with the key that
    /// identifies it in the next frame. Only worlds with entities have zones.
    pub fn all(physics: &PhysicsWorld, world: Option<&World>) -> Vec<(MarkedAs, Self)> {
        let fields = physics.fields().filter_map(|id| {
            let marks = Self::of(&physics.field(id)?)?;
            Some((MarkedAs::Field(id.to_bits()), marks))
        });
        let zones = world.map(World::zone_polygons).unwrap_or_default();
        let zones = zones.iter().enumerate();
        let zones = zones.map(|(number, (_, polygon))| (MarkedAs::Zone(number), Self::of_zone(polygon)));
        fields.chain(zones).collect()
    }

    /// The marks of a zone: its border, and its holes.
    fn of_zone(polygon: &ConcavePolygon) -> Self {
        let points = |number: usize| -> Vec<[f32; 2]> {
            let points = &polygon.points()[polygon.loop_range(number)];
            points.iter().map(|point| point.as_vec2().to_array()).collect()
        };
        let hole = |number: usize| {
            let mut points = points(number);
            points.extend(points.first().copied());
            points
        };
        Self {
            kind: "zone",
            border: points(0),
            lines: (1..polygon.loop_count()).map(hole).collect(),
        }
    }

    /// The marks of a field; `None` if it does not act, or if it acts everywhere and has no position to be drawn at.
    pub(crate) fn of(def: &FieldDef) -> Option<Self> {
        if !def.enabled {
            return None;
        }
        let pose = Pose::new(def.position.to_vec2(), def.angle);
        let place = |points: &[Vec2]| -> Vec<[f32; 2]> {
            let points = points.iter().map(|&point| pose.transform_point(point).to_array());
            points.collect()
        };
        let border = def.area.map_or_else(Vec::new, |area| area.border(ARC_PIECES));
        let mut lines = Vec::new();
        let kind = match &def.kind {
            FieldKind::Wind { velocity, .. } => {
                lines = def.area.map_or_else(Vec::new, |area| arrows(&area, *velocity));
                "wind"
            }
            FieldKind::Fluid { velocity, .. } => {
                lines = def.area.map_or_else(Vec::new, |area| arrows(&area, *velocity));
                "fluid"
            }
            FieldKind::RadialGravity { radius, .. } => {
                let circle = Shape::circle(Vec2::ZERO, *radius);
                lines.extend(circle.map(|circle| closed(circle.border(ARC_PIECES))));
                "gravity"
            }
            FieldKind::ChainGravity {
                points,
                closed: is_closed,
                ..
            } => {
                lines.push(if *is_closed {
                    closed(points.clone())
                } else {
                    points.clone()
                });
                "gravity"
            }
            FieldKind::Gravity { acceleration } => {
                lines = def
                    .area
                    .map_or_else(Vec::new, |area| arrows(&area, *acceleration));
                "gravity"
            }
            _ => return None,
        };
        if border.is_empty() && lines.is_empty() {
            return None;
        }
        Some(Self {
            kind,
            border: place(&border),
            lines: lines.iter().map(|line| place(line)).collect(),
        })
    }
}

fn closed(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.extend(points.first().copied());
    points
}

/// Arrows over an area, in its frame.
fn arrows(area: &Shape, vector: Vec2) -> Vec<Vec<Vec2>> {
    let Some(direction) = vector.try_normalize() else {
        return Vec::new();
    };
    let bounds: Aabb = area.aabb(Pose::IDENTITY);
    let size = bounds.max - bounds.min;
    let side = (size.x * size.y / ARROWS).sqrt();
    let counts = (size / side).round().max(Vec2::ONE);
    let cell = size / counts;
    let length = ARROW_SHARE * cell.min_element();
    let mut arrows = Vec::new();
    for i in 0..(counts.x * counts.y) as usize {
        let at = Vec2::new((i as f32 % counts.x).floor(), (i as f32 / counts.x).floor());
        let middle = bounds.min + cell * (at + Vec2::splat(0.5));
        let [tail, head] = [-0.5, 0.5].map(|share| middle + share * length * direction);
        if area.contains_point(tail) && area.contains_point(head) {
            let barb = |side: f32| head + 0.3 * length * (side * direction.perp() - direction);
            arrows.push(vec![tail, head]);
            arrows.push(vec![barb(0.5), head, barb(-0.5)]);
        }
    }
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo::physics::Position;

    #[test]
    fn a_zone_is_drawn_where_its_entity_is_with_its_holes() {
        let scene = r#"(
            settings: (),
            entities: {"lake": {"water": Zone(shape: Outline(
                points: [(0, 0), (20, 0), (20, 20), (0, 20)], holes: [[(8, 8), (8, 12), (12, 12), (12, 8)]],
            ))}},
            place: [One(name: "lake", entity: "lake", at: (100, 0))],
        )"#;
        let scene = tombolo::Scene::parse("lake.ron", scene).expect("a scene");
        let world = World::from_scene(&scene).expect("a world");
        let all = FieldMarks::all(world.physics(), Some(&world));
        let [(MarkedAs::Zone(0), marks)] = all.as_slice() else {
            panic!("one zone: {all:?}");
        };
        let mut border = marks.border.clone();
        border.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        assert_eq!(border, [[100.0, 0.0], [100.0, 20.0], [120.0, 0.0], [120.0, 20.0]]);
        let [hole] = marks.lines.as_slice() else {
            panic!("one hole: {:?}", marks.lines);
        };
        assert_eq!((hole.len(), hole[0]), (5, hole[4]), "closed");
        assert!(hole.contains(&[108.0, 12.0]));
        assert!(FieldMarks::all(world.physics(), None).is_empty());
    }

    #[test]
    fn marks_lie_where_the_field_acts() {
        let wind = FieldKind::Wind {
            velocity: Vec2::new(3.0, 0.0),
            density: 1.0,
            drag: 1.0,
            lift: 0.0,
        };
        let mut def = FieldDef {
            area: Some(Shape::new_box(8.0, 4.0).expect("a box")),
            position: Position::new(100.0, 0.0),
            ..FieldDef::new(wind)
        };
        let marks = FieldMarks::of(&def).expect("it acts");
        assert_eq!((marks.kind, marks.border.len()), ("wind", 4));
        assert_eq!(marks.lines.len(), 2 * 18, "six along it and three across");
        for &[x, y] in marks.border.iter().chain(marks.lines.iter().flatten()) {
            assert!(
                (96.0..=104.0).contains(&x) && (-2.0..=2.0).contains(&y),
                "{x} {y}"
            );
        }
        for line in marks.lines.iter().step_by(2) {
            assert!(
                line[1][0] > line[0][0],
                "an arrow points the way that the wind blows: {line:?}"
            );
        }
        def.enabled = false;
        assert_eq!(FieldMarks::of(&def), None);
        assert_eq!(
            FieldMarks::of(&FieldDef::new(FieldKind::Gravity {
                acceleration: Vec2::X
            })),
            None
        );
    }
}
