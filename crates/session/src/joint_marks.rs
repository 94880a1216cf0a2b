//! A page's drawing of a joint or a rigid weld: the symbols of physics in the form that the page reads, and the strain.

use serde::{Serialize, Serializer};
use tombolo::physics::{
    BodyRef, CoordinateMarks, JointDirection, JointPoint, JointRef, JointSymbol, PhysicsWorld, RigidWeldRef,
    Vec2,
};

/// The number of degrees of strain: 0 for none, the last one for a joint about to break.
pub(crate) const STRAINS: u8 = 8;

/// A constraint that is drawn: a joint of two bodies, or a weld within one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie<'a> {
    /// A joint of two bodies.
    Joint(JointRef<'a>),
    /// A rigid weld within one body.
    Weld(RigidWeldRef<'a>),
}

impl<'a> Tie<'a> {
    /// All of a world: the joints, then the welds.
    pub(crate) fn all(world: &'a PhysicsWorld) -> impl Iterator<Item = Self> + 'a {
        let joints = world.joints().map(Self::Joint);
        joints.chain(world.rigid_welds().map(Self::Weld))
    }

    /// An index that no other joint or weld has, and the bits of its handle.
    pub(crate) fn place(&self) -> (u32, u64) {
        match self {
            Self::Joint(joint) => (2 * joint.id().index(), joint.id().to_bits()),
            Self::Weld(weld) => (2 * weld.id().index() + 1, weld.id().to_bits()),
        }
    }

    /// The two bodies; for a weld its body twice.
    pub(crate) fn bodies(&self) -> [BodyRef<'a>; 2] {
        match self {
            Self::Joint(joint) => joint.bodies(),
            Self::Weld(weld) => [weld.body(); 2],
        }
    }

    /// Both anchors, in the frames of the bodies.
    pub(crate) fn anchors(&self) -> [Vec2; 2] {
        match self {
            Self::Joint(joint) => joint.local_anchors(),
            Self::Weld(weld) => [weld.local_point(); 2],
        }
    }

    /// The color in the constraint graph, if it is solved by itself.
    pub(crate) fn color(&self) -> Option<u32> {
        match self {
            Self::Joint(joint) => joint.color(),
            Self::Weld(_) => None,
        }
    }

    /// Numbers that all are the same while the joint is drawn by the same symbols with the same numbers.
    pub(crate) fn look(&self) -> impl Iterator<Item = u64> {
        let marks = match self {
            Self::Joint(joint) => Some(joint.marks()),
            Self::Weld(_) => None,
        };
        marks.into_iter().flat_map(|marks| {
            let acts = |on: &CoordinateMarks| {
                u64::from(on.is_locked) << 9 | u64::from(on.spring) << 8 | u64::from(on.motor as u8)
            };
            let bits = |[x, y]: [f32; 2]| u64::from(x.to_bits()) << 32 | u64::from(y.to_bits());
            let coordinates = [marks.along, marks.across, marks.turn];
            let limits = coordinates.map(|on| on.limit.map_or(u64::MAX, bits));
            let [first, second] = marks.wheels.unwrap_or_default();
            let rest = [marks.angles, first.into(), second.into(), [marks.radius, 0.0]].map(bits);
            let heading = marks.heading.map_or(u64::MAX, |heading| bits(heading.into()));
            let kind = [marks.kind as u64, heading];
            (coordinates.map(|on| acts(&on)).into_iter().chain(limits))
                .chain(rest)
                .chain(kind)
        })
    }

    /// The strain, from 0 to `STRAINS - 1`.
    pub(crate) fn strain(&self) -> u8 {
        let strain = match self {
            Self::Joint(joint) => joint.strain(),
            Self::Weld(weld) => weld.strain(),
        };
        (strain * f32::from(STRAINS - 1)).round() as u8
    }
}

/// The drawing of a joint beside its two anchors: the symbols that physics draws it by, as a page reads them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JointMarks {
    /// The angles of the joint frame in both bodies, in radians.
    pub(crate) angles: [f32; 2],
    pub(crate) symbols: Vec<Symbol>,
}

impl JointMarks {
    pub(crate) fn of(tie: &Tie<'_>) -> Self {
        let (angles, symbols) = match tie {
            Tie::Joint(joint) => {
                let marks = joint.marks();
                (marks.angles, marks.symbols())
            }
            Tie::Weld(weld) => ([0.0; 2], weld.symbols().to_vec()),
        };
        Self {
            angles,
            symbols: symbols.into_iter().map(Symbol).collect(),
        }
    }

    /// The same symbols without their numbers, and the numbers: first the angles, then those of the symbols in the order
    /// in which a page reads them.
    pub(crate) fn parted(&self) -> (Vec<Symbol>, Vec<f32>) {
        let mut numbers = self.angles.to_vec();
        let symbols = self.symbols.iter();
        let bare = symbols.map(|Symbol(symbol)| {
            Symbol(with_numbers(symbol, &mut |number| {
                numbers.push(number);
                0.0
            }))
        });
        (bare.collect(), numbers)
    }
}

/// A symbol with other numbers, each made of the one before.
fn with_numbers(symbol: &JointSymbol, each: &mut dyn FnMut(f32) -> f32) -> JointSymbol {
    use JointSymbol as Is;
    fn two(of: [f32; 2], each: &mut dyn FnMut(f32) -> f32) -> [f32; 2] {
        of.map(each)
    }
    fn sign(of: i8, each: &mut dyn FnMut(f32) -> f32) -> i8 {
        each(of.into()) as i8
    }
    fn direction(of: JointDirection, each: &mut dyn FnMut(f32) -> f32) -> JointDirection {
        match of {
            JointDirection::World(unit) => JointDirection::World(two(unit.into(), each).into()),
            other => other,
        }
    }
    match *symbol {
        Is::Rope(length) => Is::Rope(each(length)),
        Is::Wheels(wheels) => Is::Wheels(wheels.map(|wheel| two(wheel.into(), each).into())),
        Is::Rail(along, limit) => Is::Rail(direction(along, each), limit.map(|limit| two(limit, each))),
        Is::Stops(along, limit) => Is::Stops(direction(along, each), two(limit, each)),
        Is::Push(at, along, way) => Is::Push(at, direction(along, each), sign(way, each)),
        Is::Turn(about, way) => Is::Turn(about, sign(way, each)),
        Is::Range(limit) => Is::Range(two(limit, each)),
        Is::Pinion(radius) => Is::Pinion(each(radius)),
        other @ (Is::Arms
        | Is::ArmB
        | Is::SoftArms
        | Is::Rod(_)
        | Is::Spring(_)
        | Is::Dashes
        | Is::Coil(_)
        | Is::Pin(_)
        | Is::Cross(_)
        | Is::Diamond(_)
        | Is::Square(_)
        | Is::Plate(_)) => other,
    }
}

/// A symbol: a list of its word and its numbers, with which `pages/joints.js` calls the function of that name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Symbol(JointSymbol);

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use JointSymbol as Is;
        match self.0 {
            Is::Arms => ("arms",).serialize(serializer),
            Is::ArmB => ("armB",).serialize(serializer),
            Is::SoftArms => ("softArms",).serialize(serializer),
            Is::Rod(ends) => ("rod", ends.map(Point)).serialize(serializer),
            Is::Spring(ends) => ("spring", ends.map(Point)).serialize(serializer),
            Is::Rope(length) => ("rope", length).serialize(serializer),
            Is::Dashes => ("dashes",).serialize(serializer),
            Is::Wheels(wheels) => ("wheels", wheels.map(<[f32; 2]>::from)).serialize(serializer),
            Is::Rail(direction, limit) => ("rail", Direction(direction), limit).serialize(serializer),
            Is::Stops(direction, limit) => ("stops", Direction(direction), limit).serialize(serializer),
            Is::Push(at, direction, sign) => {
                ("push", Point(at), Direction(direction), sign).serialize(serializer)
            }
            Is::Turn(about, sign) => ("turn", Point(about), sign).serialize(serializer),
            Is::Range(limit) => ("range", limit).serialize(serializer),
            Is::Coil(about) => ("coil", Point(about)).serialize(serializer),
            Is::Pin(at) => ("pin", Point(at)).serialize(serializer),
            Is::Cross(at) => ("cross", Point(at)).serialize(serializer),
            Is::Diamond(at) => ("diamond", Point(at)).serialize(serializer),
            Is::Square(at) => ("square", Point(at)).serialize(serializer),
            Is::Plate(at) => ("plate", Point(at)).serialize(serializer),
            Is::Pinion(radius) => ("pinion", radius).serialize(serializer),
        }
    }
}

/// A place, as a word.
struct Point(JointPoint);

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self.0 {
            JointPoint::A => "a",
            JointPoint::B => "b",
            JointPoint::CenterA => "centerA",
            JointPoint::Corner => "corner",
            JointPoint::FootOfA => "footOfA",
            JointPoint::FootOfCenterA => "footOfCenterA",
        })
    }
}

/// A direction: a word, or a vector of the world.
struct Direction(JointDirection);

impl Serialize for Direction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            JointDirection::Along => serializer.serialize_str("along"),
            JointDirection::Across => serializer.serialize_str("across"),
            JointDirection::Between => serializer.serialize_str("between"),
            JointDirection::World(unit) => <[f32; 2]>::from(unit).serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers in a JSON text, in its order.
    fn numbers_in(json: &serde_json::Value, out: &mut Vec<f64>) {
        match json {
            serde_json::Value::Number(number) => out.extend(number.as_f64()),
            serde_json::Value::Array(parts) => parts.iter().for_each(|part| numbers_in(part, out)),
            _ => {}
        }
    }

    #[test]
    fn numbers_are_parted_in_the_order_of_the_text() {
        use JointSymbol as Is;
        let upwards = JointDirection::World(Vec2::new(0.0, 1.0));
        let symbols = [
            Is::Wheels([Vec2::new(1.0, 2.0), Vec2::new(3.0, 4.0)]),
            Is::Rope(5.0),
            Is::Rail(JointDirection::Along, Some([6.0, 7.0])),
            Is::Rail(upwards, None),
            Is::Stops(upwards, [8.0, 9.0]),
            Is::Push(JointPoint::B, upwards, -1),
            Is::Turn(JointPoint::A, 1),
            Is::Range([10.0, 11.0]),
            Is::Pinion(-12.0),
            Is::Rod([JointPoint::A, JointPoint::Corner]),
        ];
        let marks = JointMarks {
            angles: [0.5, 0.25],
            symbols: symbols.map(Symbol).to_vec(),
        };
        let json = serde_json::to_value(&marks).unwrap();
        let mut expected = Vec::new();
        numbers_in(&json["angles"], &mut expected);
        numbers_in(&json["symbols"], &mut expected);
        let (bare, numbers) = marks.parted();
        assert_eq!(
            numbers
                .iter()
                .map(|number| f64::from(*number))
                .collect::<Vec<_>>(),
            expected
        );
        assert_eq!(numbers.len(), 22);
        let other = JointMarks {
            angles: [0.0; 2],
            symbols: bare.clone(),
        };
        assert_eq!(other.parted().0, bare);
        assert!(other.parted().1.iter().all(|number| *number == 0.0));
    }
}
