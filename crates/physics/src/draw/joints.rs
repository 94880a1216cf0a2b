//! Drawing of joints and rigid welds by their symbols (`symbols.rs`): pins, rods, slack and taut ropes, springs as
//! zigzags, rails with stops, arcs of limits, spirals, arrows of motors. A page draws the same symbols by
//! `crates/session/src/pages/joints.js`.

use super::marks::JointMarks;
use super::options::DrawOptions;
use super::palette::DrawColor;
use super::symbols::{JointDirection, JointPoint, JointSymbol};
use super::target::DebugDraw;
use crate::world::PhysicsWorld;
use crate::{Aabb, BodyKind, BodyRef, JointRef};
use alloc::vec;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::{Rot, Vec2};

/// Sizes in pixels: of a pin, of half of a spring's teeth, of a motor's arrow, of a weld's cross, of a stop, of an arc of
/// limits, of a spiral.
const PIN: f32 = 5.0;
const TOOTH: f32 = 4.0;
const ARROW: f32 = 8.0;
const CROSS: f32 = 4.0;
const STOP: f32 = 5.0;
const RANGE: f32 = 18.0;
const COIL: f32 = 6.0;
/// A length that no symbol exceeds, in pixels: that of a stop at the end of an arc of limits.
const SYMBOL: f32 = 1.3 * RANGE;
/// The least length of a spring that is drawn, in pixels: a shorter one has no direction.
const SPRING_MIN: f32 = 2.0;
/// The length to which a rail without stops is drawn in each direction, in meters.
const RAIL_M: f32 = 1.0;
/// The number of teeth of a spring, and of a rack on each side of its pinion.
const TEETH: usize = 10;
const COMB: i8 = 4;
/// The number of pieces of a slack rope or an arrow, and of an arc, a circle or a spiral.
const PIECES: usize = 12;
const ARC_PIECES: usize = 24;

/// Draws all joints, then all rigid welds.
pub(super) fn draw(world: &PhysicsWorld, draw: &mut dyn DebugDraw, options: &DrawOptions) {
    for joint in world.joints() {
        let marks = joint.marks();
        let mut sketch = Sketch::of(&joint, marks.angles, options.pixel_m);
        if !sketch.may_be_shown(&marks, options) {
            continue;
        }
        marks.symbols().iter().for_each(|symbol| sketch.add(symbol));
        let color = if options.graph_colors {
            options.palette.graph_color(joint.color())
        } else {
            options.palette.strained(joint.strain())
        };
        sketch.draw(color, draw, options);
    }
    for weld in world.rigid_welds() {
        let around =
            Aabb::new(weld.point().to_vec2(), weld.point().to_vec2()).grown(SYMBOL * options.pixel_m);
        if !options.shows(around) {
            continue;
        }
        let mut sketch = Sketch {
            anchors: [weld.point().to_vec2(); 2],
            bodies: [weld.body(); 2],
            angles: [0.0; 2],
            pixel: options.pixel_m,
            lines: Vec::new(),
            pins: Vec::new(),
        };
        weld.symbols().iter().for_each(|symbol| sketch.add(symbol));
        let color = options.palette.strained(weld.strain());
        sketch.draw(color, draw, options);
    }
}

/// The lines and dots that show a joint, in world coordinates, and what they are made from.
struct Sketch<'w> {
    anchors: [Vec2; 2],
    bodies: [BodyRef<'w>; 2],
    /// The angles of the joint frame in both bodies.
    angles: [f32; 2],
    /// The size of a pixel in meters.
    pixel: f32,
    lines: Vec<Vec<Vec2>>,
    pins: Vec<Vec2>,
}

impl<'w> Sketch<'w> {
    fn of(joint: &JointRef<'w>, angles: [f32; 2], pixel: f32) -> Self {
        Self {
            anchors: joint.anchors().map(|anchor| anchor.to_vec2()),
            bodies: joint.bodies(),
            angles,
            pixel,
            lines: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// Whether any symbol of a joint can be within the bounds: looks at a box that no symbol leaves, so that nothing is
    /// made of a joint that is out of sight.
    fn may_be_shown(&self, marks: &JointMarks, options: &DrawOptions) -> bool {
        let Some(bounds) = options.bounds else {
            return true;
        };
        let [a, b] = self.anchors;
        let centers = [0, 1].map(|body| self.center(body));
        let wheels = marks.wheels.into_iter().flatten();
        let points = [a, b].into_iter().chain(centers).chain(wheels);
        let area = points.map(|point| Aabb::new(point, point)).reduce(Aabb::union);
        let limits = [&marks.along, &marks.across].map(|marks| marks.limit.unwrap_or_default());
        let far = limits
            .as_flattened()
            .iter()
            .fold(RAIL_M, |far, limit| far.max(limit.abs()));
        // A point nearest to another on a line is no farther than that other; a pinion has a comb below it.
        let reach = far
            .max(a.distance(b))
            .max(b.distance(centers[0]))
            .max(2.0 * marks.radius.abs());
        let reach = reach + SYMBOL * options.pixel_m;
        // What is not finite is left to the sketch itself.
        !reach.is_finite() || area.is_some_and(|area| area.grown(reach).overlaps(bounds))
    }

    /// Draws the whole sketch in a color, if any of it is within the bounds.
    fn draw(&self, color: DrawColor, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        if !self.area().is_some_and(|area| options.shows(area)) {
            return;
        }
        for line in &self.lines {
            draw.polyline(line, color);
        }
        for &pin in &self.pins {
            draw.dot(pin, PIN * options.pixel_m, color);
        }
    }

    /// The box around the whole sketch; `None` if it is empty.
    fn area(&self) -> Option<Aabb> {
        let points = self.lines.iter().flatten().chain(&self.pins);
        let boxes = points.map(|&point| Aabb::new(point, point));
        boxes.reduce(Aabb::union)
    }

    /// The joint's axis in the world, as the rotation of the joint frame in the first body.
    fn frame(&self) -> Rot {
        self.bodies[0].rotation().then(Rot::from_angle(self.angles[0]))
    }

    fn center(&self, body: usize) -> Vec2 {
        self.bodies[body].center_of_mass().to_vec2()
    }

    fn point(&self, point: JointPoint) -> Vec2 {
        let [a, b] = self.anchors;
        let along = self.frame().rotate(Vec2::X);
        let foot = |of: Vec2| b + along * (of - b).dot(along);
        match point {
            JointPoint::A => a,
            JointPoint::B => b,
            JointPoint::CenterA => self.center(0),
            JointPoint::Corner => a + along * (b - a).dot(along),
            JointPoint::FootOfA => foot(a),
            JointPoint::FootOfCenterA => foot(self.center(0)),
        }
    }

    fn direction(&self, direction: JointDirection) -> Rot {
        let of = |unit: Vec2| Rot {
            cos: unit.x,
            sin: unit.y,
        };
        match direction {
            JointDirection::Along => self.frame(),
            JointDirection::Across => of(self.frame().rotate(Vec2::Y)),
            JointDirection::Between => {
                let between = (self.anchors[1] - self.anchors[0]).try_normalize();
                of(between.unwrap_or(Vec2::X))
            }
            JointDirection::World(heading) => of(heading),
        }
    }

    fn add(&mut self, symbol: &JointSymbol) {
        let (anchors, reach) = (self.anchors, CROSS * self.pixel);
        match *symbol {
            JointSymbol::Arms => self.arms(&[0, 1], false),
            JointSymbol::ArmB => self.arms(&[1], false),
            JointSymbol::SoftArms => self.arms(&[0, 1], true),
            JointSymbol::Rod(ends) => self.lines.push(ends.map(|end| self.point(end)).to_vec()),
            JointSymbol::Spring(ends) => self.spring(ends.map(|end| self.point(end))),
            JointSymbol::Rope(length) => self.rope(length),
            JointSymbol::Dashes => self.dashes(anchors),
            JointSymbol::Wheels([first, second]) => {
                self.lines.push(vec![anchors[0], first, second, anchors[1]]);
                let radius = STOP * self.pixel;
                self.lines
                    .extend([first, second].map(|wheel| circle(wheel, radius)));
            }
            JointSymbol::Rail(direction, limit) => {
                let ends = self.ends(direction, limit.unwrap_or([-RAIL_M, RAIL_M]));
                self.lines.push(ends.to_vec());
                if limit.is_some() {
                    self.stops(direction, ends);
                }
            }
            JointSymbol::Stops(direction, limit) => self.stops(direction, self.ends(direction, limit)),
            JointSymbol::Push(at, direction, sign) => {
                self.push(self.point(at), self.direction(direction), sign);
            }
            JointSymbol::Turn(about, sign) => self.turn(self.point(about), sign),
            JointSymbol::Range(limit) => self.range(limit),
            JointSymbol::Coil(about) => self.coil(self.point(about)),
            JointSymbol::Pin(at) => self.pins.push(self.point(at)),
            JointSymbol::Cross(at) => {
                let at = self.point(at);
                let arms = [Vec2::new(reach, reach), Vec2::new(reach, -reach)];
                self.lines.extend(arms.map(|arm| vec![at - arm, at + arm]));
            }
            JointSymbol::Diamond(at) => self.corners(at, [Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y]),
            JointSymbol::Square(at) => {
                let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
                self.corners(at, corners.map(Vec2::from));
            }
            JointSymbol::Plate(at) => {
                let (at, half) = (self.point(at), self.frame().rotate(Vec2::Y) * STOP * self.pixel);
                self.lines.push(vec![at - half, at + half]);
            }
            JointSymbol::Pinion(radius) => self.pinion(radius),
        }
    }

    /// Adds a closed line through corners around a point.
    fn corners(&mut self, at: JointPoint, corners: [Vec2; 4]) {
        let (at, reach) = (self.point(at), CROSS * self.pixel);
        let line = corners.iter().chain(&corners[..1]);
        self.lines.push(line.map(|&corner| at + corner * reach).collect());
    }

    /// Adds lines, or springs, from the center of each of these bodies that moves to its anchor.
    fn arms(&mut self, bodies: &[usize], soft: bool) {
        for &body in bodies {
            if self.bodies[body].kind() != BodyKind::Dynamic {
                continue;
            }
            let ends = [self.center(body), self.anchors[body]];
            if soft {
                self.spring(ends);
            } else {
                self.lines.push(ends.to_vec());
            }
        }
    }

    /// Adds a rope that sags by its slack.
    fn rope(&mut self, length: f32) {
        let [from, to] = self.anchors;
        let apart = from.distance(to);
        let slack = length * length - apart * apart;
        if slack <= 0.02 * apart * apart {
            return self.lines.push(vec![from, to]);
        }
        // The sag of a parabola of nearly the rope's length.
        let sag = 0.43 * sqrt(slack);
        let place = |piece: usize| {
            let share = piece as f32 / PIECES as f32;
            from.lerp(to, share) - Vec2::new(0.0, 4.0 * sag * share * (1.0 - share))
        };
        self.lines.push((0..=PIECES).map(place).collect());
    }

    fn spring(&mut self, [from, to]: [Vec2; 2]) {
        if from.distance(to) < SPRING_MIN * self.pixel {
            return;
        }
        let across = (to - from).perp().normalize_or_zero() * TOOTH * self.pixel;
        let place = |tooth: usize| {
            let share = (tooth as f32 + 0.5) / TEETH as f32;
            let side = if tooth.is_multiple_of(2) { 1.0 } else { -1.0 };
            from.lerp(to, 0.1 + 0.8 * share) + across * side
        };
        let ends = [from, from.lerp(to, 0.1)];
        let teeth = (0..TEETH).map(place);
        let line = ends.into_iter().chain(teeth).chain([from.lerp(to, 0.9), to]);
        self.lines.push(line.collect());
    }

    fn dashes(&mut self, [from, to]: [Vec2; 2]) {
        let count = (from.distance(to) / (8.0 * self.pixel)).clamp(1.0, 100.0) as usize;
        for dash in 0..count {
            let ends = [0.25, 0.75].map(|share| from.lerp(to, (dash as f32 + share) / count as f32));
            self.lines.push(ends.to_vec());
        }
    }

    /// The places at both limits along a direction from A.
    fn ends(&self, direction: JointDirection, limit: [f32; 2]) -> [Vec2; 2] {
        let along = self.direction(direction).rotate(Vec2::X);
        limit.map(|limit| self.anchors[0] + along * limit)
    }

    /// Adds a stop at each of two ends.
    fn stops(&mut self, direction: JointDirection, ends: [Vec2; 2]) {
        let stop = self.direction(direction).rotate(Vec2::Y) * STOP * self.pixel;
        self.lines.extend(ends.map(|end| vec![end - stop, end + stop]));
    }

    /// Adds an arrow along a direction or against it.
    fn push(&mut self, from: Vec2, direction: Rot, sign: i8) {
        let [along, across] = [Vec2::X, Vec2::Y].map(|unit| direction.rotate(unit) * ARROW * self.pixel);
        let along = along * f32::from(sign);
        let tip = from + 2.0 * along;
        let wings = [0.4, -0.4].map(|side| tip - 0.6 * along + across * side);
        self.lines.push(vec![from, tip]);
        self.lines.push(vec![wings[0], tip, wings[1]]);
    }

    /// Adds an arrow about a point.
    fn turn(&mut self, center: Vec2, sign: i8) {
        let (sign, radius) = (f32::from(sign), ARROW * self.pixel);
        let swept = |share: f32| sign * 4.2 * share;
        let at = |share: f32| center + Rot::from_angle(swept(share)).rotate(Vec2::new(radius, 0.0));
        let arc = (0..=PIECES).map(|piece| at(piece as f32 / PIECES as f32));
        let (tip, outwards) = (at(1.0), at(1.0) - center);
        let back = outwards.perp() * -sign * 0.45;
        self.lines.push(arc.collect());
        self.lines.push(vec![
            tip + back + outwards * 0.4,
            tip,
            tip + back - outwards * 0.4,
        ]);
    }

    /// Adds the arc of the angles that the limits allow, a stop at each end, and the hand that moves between them.
    fn range(&mut self, [lower, upper]: [f32; 2]) {
        let [a, b] = [0, 1].map(|body| {
            self.bodies[body]
                .rotation()
                .then(Rot::from_angle(self.angles[body]))
        });
        let is_turned = |body: usize| self.bodies[body].kind() == BodyKind::Dynamic;
        // The first body turns the other way in the frame of the second.
        let (hand, sign) = if is_turned(0) && !is_turned(1) {
            (0, -1.0)
        } else {
            (1, 1.0)
        };
        let pivot = self.anchors[0];
        let arm = (self.center(hand) - pivot).try_normalize();
        let arm = arm.unwrap_or_else(|| [a, b][hand].rotate(Vec2::X));
        let now = a.to(b).angle();
        let rim = |angle: f32, radius: f32| {
            let turned = Rot::from_angle(sign * (angle - now)).rotate(arm);
            pivot + turned * (radius * RANGE * self.pixel)
        };
        let swept = (upper - lower).min(TAU);
        let arc = (0..=ARC_PIECES).map(|piece| rim(lower + swept * piece as f32 / ARC_PIECES as f32, 1.0));
        let mut lines = vec![arc.collect(), vec![pivot, rim(now, 1.0)]];
        if swept < TAU {
            lines.extend([lower, upper].map(|end| vec![rim(end, 0.7), rim(end, 1.3)]));
        }
        self.lines.append(&mut lines);
    }

    /// Adds a spiral of two turns.
    fn coil(&mut self, center: Vec2) {
        let place = |piece: usize| {
            let share = piece as f32 / ARC_PIECES as f32;
            let radius = (0.3 + 0.7 * share) * COIL * self.pixel;
            center + Rot::from_angle(2.0 * TAU * share).rotate(Vec2::new(radius, 0.0))
        };
        self.lines.push((0..=ARC_PIECES).map(place).collect());
    }

    /// Adds a pinion, and the comb of its rack: a line along the second frame with teeth towards the pinion.
    fn pinion(&mut self, radius: f32) {
        let frame = self.bodies[1].rotation().then(Rot::from_angle(self.angles[1]));
        let [along, across] = [Vec2::X, Vec2::Y].map(|unit| frame.rotate(unit) * radius);
        let center = self.anchors[0];
        self.lines.push(circle(center, radius.abs()));
        let place = |tooth: f32, depth: f32| center - across * (1.0 + depth) + along * tooth;
        self.lines.push(vec![place(-1.0, 0.2), place(1.0, 0.2)]);
        for tooth in -COMB..=COMB {
            let share = f32::from(tooth) / f32::from(COMB);
            self.lines.push(vec![place(share, 0.2), place(share, 0.0)]);
        }
    }
}

fn circle(center: Vec2, radius: f32) -> Vec<Vec2> {
    let at = |piece: usize| {
        let turn = Rot::from_angle(TAU * piece as f32 / ARC_PIECES as f32);
        center + turn.rotate(Vec2::new(radius, 0.0))
    };
    (0..=ARC_PIECES).map(at).collect()
}
