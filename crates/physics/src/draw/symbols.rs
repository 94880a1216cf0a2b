//! [`JointSymbol`]: the symbols of a joint's function. Which kind of joint is drawn by which symbols stands here alone:
//! `joints.rs` draws them, and so does any other drawing of joints, such as that of a page.

use super::marks::{CoordinateMarks, JointMarks};
use crate::{JointKind, RigidWeldRef};
use alloc::vec::Vec;
use tombolo_geometry::Vec2;

/// The farthest limit that is drawn, in meters or radians.
const LIMIT_DRAWN_MAX: f32 = 10_000.0;

/// A place that symbols of a joint are drawn at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointPoint {
    /// The anchor on the first body.
    A,
    /// The anchor on the second body.
    B,
    /// The center of mass of the first body.
    CenterA,
    /// The point nearest to [`JointPoint::B`] on the line through [`JointPoint::A`] along the joint's axis.
    Corner,
    /// The point nearest to [`JointPoint::A`] on the line through [`JointPoint::B`] along the joint's axis.
    FootOfA,
    /// The point nearest to [`JointPoint::CenterA`] on the line through [`JointPoint::B`] along the joint's axis.
    FootOfCenterA,
}

/// A direction that symbols of a joint are drawn along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointDirection {
    /// The x axis of the joint frame in the first body: the joint's axis.
    Along,
    /// The y axis of that frame.
    Across,
    /// From [`JointPoint::A`] to [`JointPoint::B`].
    Between,
    /// A direction of the world, a unit vector.
    World(Vec2),
}

/// A symbol of what a joint does. Sizes are a drawing's own, but for lengths in meters and angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointSymbol {
    /// A line from the center of mass of each dynamic body to its anchor.
    Arms,
    /// The same for the second body only.
    ArmB,
    /// The same as `Arms`, each as a spring: a soft connection.
    SoftArms,
    /// A straight line.
    Rod([JointPoint; 2]),
    /// A spring, as a zigzag.
    Spring([JointPoint; 2]),
    /// A rope of this length from A to B, which hangs down by its slack.
    Rope(f32),
    /// A dashed line from A to B.
    Dashes,
    /// A rope from A over two points of the world to B.
    Wheels([Vec2; 2]),
    /// A line through A, to a stop at each limit if there are limits.
    Rail(JointDirection, Option<[f32; 2]>),
    /// The stops alone, this far from A.
    Stops(JointDirection, [f32; 2]),
    /// An arrow the way a motor pushes: its place, its direction, and 1 or -1.
    Push(JointPoint, JointDirection, i8),
    /// An arc about a point, the way a motor turns: 1 or -1.
    Turn(JointPoint, i8),
    /// The angles that limits allow: an arc about A, to which a hand to the second body points, or to the first one if
    /// that one alone is dynamic.
    Range([f32; 2]),
    /// An angular spring, as a spiral.
    Coil(JointPoint),
    /// A dot.
    Pin(JointPoint),
    /// Two lines that cross.
    Cross(JointPoint),
    /// A square on one corner.
    Diamond(JointPoint),
    /// A square.
    Square(JointPoint),
    /// A plate across the joint's axis.
    Plate(JointPoint),
    /// A pinion of this radius about A, and the comb of its rack, on the side that the sign says.
    Pinion(f32),
}

impl RigidWeldRef<'_> {
    /// The symbols by which a rigid weld is drawn, both of whose anchors are its point: a cross within a square.
    #[must_use]
    pub fn symbols(&self) -> [JointSymbol; 2] {
        [
            JointSymbol::Cross(JointPoint::B),
            JointSymbol::Square(JointPoint::B),
        ]
    }
}

fn drawn(limit: [f32; 2]) -> [f32; 2] {
    limit.map(|end| end.clamp(-LIMIT_DRAWN_MAX, LIMIT_DRAWN_MAX))
}

/// Limits are drawn to 10 km, so that all numbers are finite.
impl JointMarks {
    /// The symbols by which a joint is drawn, from the lowest to the uppermost.
    #[must_use]
    pub fn symbols(&self) -> Vec<JointSymbol> {
        use JointDirection::{Along, Between, World};
        use JointPoint::{A, B, CenterA, FootOfA, FootOfCenterA};
        use JointSymbol::{
            ArmB, Arms, Cross, Dashes, Diamond, Pin, Pinion, Plate, Push, Rail, Rod, Rope, SoftArms, Spring,
            Stops, Turn, Wheels,
        };
        let (along, turn) = (&self.along, &self.turn);
        let line = |ends| if along.spring { Spring(ends) } else { Rod(ends) };
        let limit = along.limit.map(drawn);
        let stops = |direction| limit.map(|limit| Stops(direction, limit));
        let push = |direction| (along.motor != 0).then_some(Push(B, direction, along.motor));
        let heading = self.heading.map(|heading| Push(B, World(heading), 1));
        let mut symbols = Vec::new();
        match self.kind {
            JointKind::Distance => {
                let acts = along.spring || along.motor != 0;
                symbols.push(match limit {
                    Some([_, longest]) if !acts && longest < LIMIT_DRAWN_MAX => Rope(longest),
                    _ => line([A, B]),
                });
                symbols.extend(stops(Between).filter(|_| acts));
                symbols.extend(push(Between));
                symbols.extend([Pin(A), Pin(B)]);
            }
            JointKind::Prismatic => {
                symbols.extend([ArmB, Rail(Along, limit)]);
                symbols.extend(push(Along));
                symbols.extend(along.spring.then_some(Spring([A, B])));
                symbols.push(Pin(B));
            }
            JointKind::Wheel => {
                symbols.extend([Rod([CenterA, FootOfCenterA]), line([FootOfCenterA, B])]);
                symbols.extend(stops(Along));
                symbols.extend((turn.motor != 0).then_some(Turn(B, turn.motor)));
                symbols.push(Pin(B));
            }
            JointKind::Weld => {
                symbols.extend([if along.spring { SoftArms } else { Arms }, line([A, B])]);
                // Seen also where all points coincide.
                symbols.extend(along.spring.then_some(Diamond(B)));
                symbols.push(Cross(B));
                about(&mut symbols, turn, B);
            }
            JointKind::Motor => {
                symbols.extend([line([A, B]), Diamond(A)]);
                symbols.extend(heading);
                about(&mut symbols, turn, B);
                symbols.push(Pin(B));
            }
            JointKind::Generic => self.generic(&mut symbols),
            JointKind::Pogo => symbols.extend([line([FootOfA, B]), Plate(FootOfA), Pin(B)]),
            JointKind::Mover => symbols.extend(heading.into_iter().chain([Pin(B)])),
            JointKind::Gear => symbols.push(Dashes),
            JointKind::Rack => symbols.extend([Dashes, Pinion(self.radius)]),
            JointKind::Pulley => {
                symbols.extend(self.wheels.map(Wheels));
                symbols.extend([Pin(A), Pin(B)]);
            }
            JointKind::Revolute => {
                symbols.push(Arms);
                about(&mut symbols, turn, A);
                symbols.push(Pin(A));
            }
            JointKind::Filter => {}
        }
        symbols
    }

    /// A generic joint: a rail for each axis along which it moves, then what acts along x from A, and along y to B.
    fn generic(&self, symbols: &mut Vec<JointSymbol>) {
        use JointPoint::{A, B, Corner};
        use JointSymbol::{Arms, Diamond, Pin, Push, Rail, Rod, Spring, Square};
        let axes = [
            (JointDirection::Along, &self.along),
            (JointDirection::Across, &self.across),
        ];
        symbols.push(Arms);
        let is_free = |marks: &CoordinateMarks| !marks.is_locked && marks.limit.is_none();
        // Where both axes are free without ends there is no rail.
        let has_rails = !axes.iter().all(|(_, marks)| is_free(marks));
        let rails = axes.iter().filter(|(_, marks)| has_rails && !marks.is_locked);
        symbols.extend(rails.map(|(direction, marks)| Rail(*direction, marks.limit.map(drawn))));
        let line = |marks: &CoordinateMarks, ends| if marks.spring { Spring(ends) } else { Rod(ends) };
        let is_sprung = |marks: &CoordinateMarks| marks.spring && !marks.is_locked;
        if axes.iter().any(|(_, marks)| is_sprung(marks)) {
            symbols.extend([line(&self.along, [A, Corner]), line(&self.across, [Corner, B])]);
        } else {
            symbols.push(Rod([A, B]));
        }
        let pushes = axes
            .iter()
            .filter(|(_, marks)| marks.motor != 0 && !marks.is_locked);
        symbols.extend(pushes.map(|(direction, marks)| Push(B, *direction, marks.motor)));
        symbols.push(Diamond(A));
        if self.turn.is_locked {
            symbols.push(Square(B));
        } else {
            about(symbols, &self.turn, A);
            symbols.push(Pin(B));
        }
    }
}

/// Adds what acts on the angle: limits, an angular spring, a motor that turns.
fn about(symbols: &mut Vec<JointSymbol>, turn: &CoordinateMarks, point: JointPoint) {
    symbols.extend(turn.limit.map(|limit| JointSymbol::Range(drawn(limit))));
    symbols.extend(turn.spring.then_some(JointSymbol::Coil(point)));
    symbols.extend((turn.motor != 0).then_some(JointSymbol::Turn(point, turn.motor)));
}
