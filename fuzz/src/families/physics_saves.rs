//! Family `physics_saves`: saves of physics worlds, changed with knowledge of the format and a valid checksum. A save
//! is refused, or the world in it can be queried, called with every call, stepped, and saved again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tombolo_physics::{
    BodyDef, BodyKind, ChainDef, ConcavePolygon, DVec2, Debris, DebrisFate, IslandAlgorithm, PhysicsWorld,
    Position, RevoluteDef, Shape, ShapeDef, Shatter, Vec2, WorldDef,
};

use super::physics_world::{Call, Numbers, Player};
use super::save_description::{Rewording, element_sizes};
use crate::family::{Family, hold, same};
use crate::random::{Forgery, Random};

/// The family.
pub(crate) struct PhysicsSaves;

/// The number of accepted saves so far.
static LET_IN: AtomicU64 = AtomicU64::new(0);

/// One step of a case. Numbers that choose something are taken modulo the count.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Chooses the world whose save is changed: the first such operation counts.
    Save(u64),
    /// Changes a number in an element of an array, at a multiple of its width.
    Field(Field, Value),
    /// Copies a number from the same position in another element.
    Copy(Field, u64),
    /// Swaps two elements of an array.
    Swap(u64, u64, u64),
    /// Removes the last elements of an array.
    Shorten(u64, u64),
    /// Appends a copy of an element to its array.
    Repeat(u64, u64),
    /// Changes any bytes.
    Bytes(Forgery),
    /// Changes the count of an array to a wrong one.
    Count(u64, u64),
    /// Changes the description.
    Description(Rewording),
    /// Cuts the file off.
    End(u64),
    /// A call on the world, if the save is accepted.
    Call(Call),
}

/// A number of an element of an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    array: u64,
    element: u64,
    word: u64,
    /// The width in bytes.
    width: u8,
}

/// The new value of a number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    Set(u64),
    Float(f32),
    Add(u64),
}

impl Field {
    fn new(random: &mut Random) -> Self {
        Self {
            array: random.bits(),
            element: random.bits(),
            word: random.bits(),
            width: random.pick(&[4, 4, 4, 4, 2, 8, 1]),
        }
    }
}

fn value(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::Set(random.pick(&[0, 1, 2, u64::MAX, u64::MAX - 1, u64::from(u32::MAX)])),
        1 => Value::Set(random.odd_number()),
        2 => Value::Float(random.odd_float()),
        3 => Value::Float(random.between(-20.0, 20.0)),
        _ => Value::Add(random.pick(&[1, u64::MAX, 2, u64::MAX - 1, 1 << 31, 64])),
    }
}

impl Family for PhysicsSaves {
    const NAME: &'static str = "physics_saves";
    const ABOUT: &'static str = "saves of physics worlds, forged with the checksum put right, and then used";
    const CASES: u64 = 20_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations = vec![Operation::Save(random.bits())];
        let count = if random.one_in(3) { random.within(1..6) } else { 1 };
        for _ in 0..count {
            let number = random.bits();
            operations.push(match random.below(24) {
                0..=13 => Operation::Field(Field::new(random), value(random)),
                14 | 15 => Operation::Copy(Field::new(random), random.bits()),
                16 | 17 => Operation::Swap(number, random.bits(), random.bits()),
                18 => Operation::Shorten(number, random.bits()),
                19 => Operation::Repeat(number, random.bits()),
                20 | 21 => Operation::Bytes(Forgery::new(random)),
                22 => Operation::Count(number, random.odd_number()),
                _ if number.is_multiple_of(4) => Operation::End(number),
                _ => Operation::Description(Rewording::new(random)),
            });
        }
        let odd = random.pick(&[0, 30]);
        let mut numbers = Numbers { random, odd };
        operations.extend((0..24).map(|_| Operation::Call(numbers.call())));
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let which = operations.iter().find_map(|operation| match operation {
            Operation::Save(which) => Some(*which),
            _ => None,
        });
        let saves = saves();
        let which = (which.unwrap_or(0) % saves.len() as u64) as usize;
        let mut forged = Parts::of(&saves[which]);
        for operation in operations {
            forged.change(operation);
        }
        let Ok(world) = PhysicsWorld::from_save(&forged.bytes(operations)) else {
            return Ok(());
        };
        LET_IN.fetch_add(1, Ordering::Relaxed);
        let mut left_alone = PhysicsWorld::from_save(&world.save())
            .map_err(|error| format!("what a forged world saves is refused: {error}"))?;
        same!(
            left_alone.state_hash(),
            world.state_hash(),
            "hash of what a forged world saves"
        );
        world.validate();
        use_world(world.clone(), operations)?;
        let mut stepped = world;
        for step in 0..100 {
            for world in [&mut stepped, &mut left_alone] {
                world.step(1.0 / 60.0).map_err(|error| error.to_string())?;
            }
            same!(
                stepped.state_hash(),
                left_alone.state_hash(),
                "hashes after step {step}"
            );
            if step % 9 == 0 {
                left_alone = PhysicsWorld::from_save(&left_alone.save())
                    .map_err(|error| format!("what a forged world saves in step {step}: {error}"))?;
            }
        }
        stepped.validate();
        hold!(
            stepped.bodies().all(|body| body.position().is_finite()),
            "a body of a forged world is nowhere"
        );
        Ok(())
    }
}

/// Makes the calls of the case on an accepted world, then the calls that destroy everything.
fn use_world(world: PhysicsWorld, operations: &[Operation]) -> Result<(), String> {
    let mut player = Player::new(world);
    player.play(&Call::LookAround);
    for operation in operations {
        if let Operation::Call(call) = operation {
            player.play(call);
        }
    }
    player.world.validate();
    let again = PhysicsWorld::from_save(&player.world.save());
    let again = again.map_err(|error| format!("after the calls: {error}"))?;
    same!(
        again.state_hash(),
        player.world.state_hash(),
        "hash of a save after the calls"
    );
    let bodies: Vec<_> = player.world.bodies().map(|body| body.id()).collect();
    for body in bodies {
        player
            .world
            .destroy_body(body)
            .map_err(|error| error.to_string())?;
    }
    player.world.validate();
    player.world.step(1.0 / 60.0).map_err(|error| error.to_string())?;
    Ok(())
}

/// An array of a save: its line in the description, the size of one element in bytes, and all elements.
struct Array {
    line: u16,
    element_size: usize,
    count: u32,
    bytes: Vec<u8>,
}

/// A save, separated into its parts.
struct Parts {
    head: Vec<u8>,
    description: Vec<u8>,
    arrays: Vec<Array>,
}

/// The bytes of magic and version.
const HEAD: usize = 12;

/// The bytes of an array before its elements: line and count.
const ARRAY_HEAD: usize = 6;

impl Parts {
    fn of(save: &[u8]) -> Self {
        let (head, rest) = save[..save.len() - 8].split_at(HEAD);
        let (length, rest) = rest.split_at(4);
        let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
        let (description, mut rest) = rest.split_at(length as usize);
        let sizes = element_sizes(std::str::from_utf8(description).expect("a description is text"));
        let mut arrays = Vec::new();
        while !rest.is_empty() {
            let line = u16::from_le_bytes([rest[0], rest[1]]);
            let count = u32::from_le_bytes(rest[2..ARRAY_HEAD].try_into().expect("four bytes"));
            let element_size = sizes[usize::from(line)];
            let end = ARRAY_HEAD + element_size * count as usize;
            arrays.push(Array {
                line,
                element_size,
                count,
                bytes: rest[ARRAY_HEAD..end].to_vec(),
            });
            rest = &rest[end..];
        }
        Self {
            head: head.to_vec(),
            description: description.to_vec(),
            arrays,
        }
    }

    /// One of the arrays that are not empty.
    fn array(&mut self, which: u64) -> &mut Array {
        let filled: Vec<usize> = (0..self.arrays.len())
            .filter(|&place| !self.arrays[place].bytes.is_empty())
            .collect();
        &mut self.arrays[filled[(which % filled.len() as u64) as usize]]
    }

    fn change(&mut self, operation: &Operation) {
        match *operation {
            Operation::Field(field, value) => {
                let array = self.array(field.array);
                let place = array.place(field, field.element);
                array.set(place, usize::from(field.width), value);
            }
            Operation::Copy(field, from) => {
                let array = self.array(field.array);
                let [to, from] = [field.element, from].map(|element| array.place(field, element));
                let width = usize::from(field.width).min(array.bytes.len() - from.max(to));
                array.bytes.copy_within(from..from + width, to);
            }
            Operation::Swap(array, a, b) => {
                let array = self.array(array);
                let size = array.element_size;
                let [a, b] = [a, b].map(|element| array.element(element));
                (0..size).for_each(|byte| array.bytes.swap(a + byte, b + byte));
            }
            Operation::Shorten(array, by) => {
                let array = self.array(array);
                let left = array.count - 1 - (by % u64::from(array.count.min(3))) as u32;
                array.count = left;
                array.bytes.truncate(left as usize * array.element_size);
            }
            Operation::Repeat(array, element) => {
                let array = self.array(array);
                let start = array.element(element);
                array.bytes.extend_from_within(start..start + array.element_size);
                array.count += 1;
            }
            _ => {}
        }
        if self.arrays.iter().all(|array| array.bytes.is_empty()) {
            unreachable!("every save holds more than a few elements");
        }
    }

    /// The save, with the changes of the file itself, and the checksum corrected.
    fn bytes(&self, operations: &[Operation]) -> Vec<u8> {
        let mut description = self.description.clone();
        for operation in operations {
            if let Operation::Description(change) = *operation {
                change.apply(&mut description);
            }
        }
        let mut save = self.head.clone();
        save.extend((description.len() as u32).to_le_bytes());
        save.extend(&description);
        let first = save.len();
        for array in &self.arrays {
            save.extend(array.line.to_le_bytes());
            save.extend(array.count.to_le_bytes());
            save.extend(&array.bytes);
        }
        for operation in operations {
            match *operation {
                Operation::Bytes(forgery) if save.len() > HEAD => forgery.apply(&mut save[HEAD..]),
                Operation::Count(array, count) => {
                    let array = (array % self.arrays.len() as u64) as usize;
                    let before = self.arrays[..array].iter();
                    let before = before.map(|array| ARRAY_HEAD + array.bytes.len());
                    let place = first + before.sum::<usize>() + 2;
                    if let Some(there) = save.get_mut(place..place + 4) {
                        there.copy_from_slice(&(count as u32).to_le_bytes());
                    }
                }
                Operation::End(place) => save.truncate(HEAD.max((place % save.len() as u64) as usize)),
                _ => {}
            }
        }
        let sum = checksum(&save);
        save.extend(sum.to_le_bytes());
        save
    }
}

impl Array {
    fn element(&self, element: u64) -> usize {
        (element % (self.bytes.len() / self.element_size) as u64) as usize * self.element_size
    }

    fn place(&self, field: Field, element: u64) -> usize {
        let words = (self.element_size / usize::from(field.width)).max(1) as u64;
        self.element(element) + (field.word % words) as usize * usize::from(field.width)
    }

    fn set(&mut self, place: usize, width: usize, value: Value) {
        let end = self.bytes.len().min(place + width);
        let field = &mut self.bytes[place..end];
        let mut word = [0; 8];
        word[..field.len()].copy_from_slice(field);
        let new = match value {
            Value::Set(number) => number,
            Value::Float(number) if field.len() == 8 => f64::from(number).to_bits(),
            Value::Float(number) => number.to_bits().into(),
            Value::Add(number) => u64::from_le_bytes(word).wrapping_add(number),
        };
        field.copy_from_slice(&new.to_le_bytes()[..field.len()]);
    }
}

/// The checksum of a save, corrected after forging.
fn checksum(bytes: &[u8]) -> u64 {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut fold = |word: u64| {
        state = (state ^ word).wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(29);
    };
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|&word| fold(u64::from_le_bytes(word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(u64::from_le_bytes(last));
    fold(bytes.len() as u64);
    let mixed = (state ^ (state >> 32)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
    mixed ^ (mixed >> 32)
}

/// Saves of small worlds, in motion and between two calls.
fn saves() -> &'static [Vec<u8>] {
    static SAVES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAVES.get_or_init(|| {
        let mut saves = Vec::new();
        for (build, steps) in [
            (pile as fn() -> PhysicsWorld, [3, 60, 400]),
            (revolutes, [2, 40, 400]),
            (visits, [20, 45, 90]),
            (ground, [5, 70, 300]),
            (cuts, [0, 30, 200]),
            (lift, [5, 50, 120]),
            (gone, [10, 11, 40]),
        ] {
            let mut world = build();
            let mut made = 0;
            for until in steps {
                (made..until).for_each(|_| world.step(1.0 / 60.0).expect("a good time step"));
                made = until;
                saves.push(world.save());
            }
        }
        for algorithm in [IslandAlgorithm::DepthFirst, IslandAlgorithm::UnionFind] {
            let mut world = pile();
            world.set_island_algorithm(algorithm);
            (0..50).for_each(|_| world.step(1.0 / 60.0).expect("a good time step"));
            saves.push(world.save());
        }
        saves.extend((0..12).map(random_world));
        assert!(
            saves
                .iter()
                .all(|save| checksum(&save[..save.len() - 8]).to_le_bytes() == save[save.len() - 8..])
        );
        saves
    })
}

fn empty() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).expect("the default is good")
}

fn add(
    world: &mut PhysicsWorld,
    def: &BodyDef,
    shape: Shape,
    shape_def: &ShapeDef,
) -> tombolo_physics::BodyId {
    let body = world.create_body(def).expect("good numbers");
    world.create_shape(body, shape_def, &shape).expect("good numbers");
    body
}

fn rectangle(x: f32, y: f32) -> Shape {
    Shape::new_box(2.0 * x, 2.0 * y).expect("good numbers")
}

fn floor(world: &mut PhysicsWorld) -> tombolo_physics::BodyId {
    add(
        world,
        &BodyDef::fixed(0.0, -1.0),
        rectangle(20.0, 1.0),
        &ShapeDef::default(),
    )
}

/// Shapes of all kinds that fall on each other, some bouncing, some with hit events.
fn pile() -> PhysicsWorld {
    let mut world = empty();
    floor(&mut world);
    let shapes = [
        Shape::circle(Vec2::new(0.05, 0.0), 0.35),
        Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.05), 0.2),
        Shape::new_box(0.8, 0.6),
        Shape::rounded_box(0.6, 0.4, 0.1),
        Shape::polygon(
            &[Vec2::new(-0.4, -0.2), Vec2::new(0.4, -0.25), Vec2::new(0.1, 0.45)],
            0.0,
        ),
    ];
    for i in 0..12 {
        let def = ShapeDef {
            hit_events: i % 3 == 0,
            restitution: if i == 5 { 0.5 } else { 0.0 },
            rolling_resistance: if i % 5 == 0 { 0.1 } else { 0.0 },
            contact_events: i % 4 != 0,
            ..ShapeDef::default()
        };
        let place = BodyDef {
            angle: 0.3 * i as f32,
            ..BodyDef::dynamic((i % 4) as f32 - 1.5, 0.6 + (i / 4) as f32)
        };
        add(&mut world, &place, shapes[i % 5].expect("good numbers"), &def);
    }
    world
}

/// Two chains of revolute joints with limits, springs and motors, one hanging, one lying.
fn revolutes() -> PhysicsWorld {
    let mut world = empty();
    let ground = floor(&mut world);
    for (x, y) in [(-4.0, 6.0), (2.0, 0.5)] {
        let mut last = (ground, Vec2::new(x, y + 1.0));
        for i in 0..5 {
            let body = add(
                &mut world,
                &BodyDef::dynamic(x + 0.5 + i as f32, y),
                rectangle(0.4, 0.1),
                &ShapeDef::default(),
            );
            let revolute = RevoluteDef {
                enable_limit: i % 2 == 0,
                lower_angle: -0.5,
                upper_angle: 0.7,
                enable_spring: i % 3 == 0,
                spring_hertz: 2.0,
                spring_damping_ratio: 0.7,
                enable_motor: i == 4,
                motor_speed: 2.0,
                max_motor_torque: 5.0,
                collide_connected: i == 3,
                ..RevoluteDef::new(last.0, last.1, body, Vec2::new(-0.5, 0.0))
            };
            world.create_joint(revolute).expect("good numbers");
            last = (body, Vec2::new(0.5, 0.0));
        }
    }
    world
}

/// Bodies that fall through sensors, among them fast ones and bullets.
fn visits() -> PhysicsWorld {
    let mut world = empty();
    floor(&mut world);
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    for x in [-2.0, 0.0, 2.0] {
        add(&mut world, &BodyDef::fixed(x, 2.0), rectangle(0.7, 0.7), &sensor);
    }
    let carried = add(
        &mut world,
        &BodyDef::kinematic(0.0, 5.0),
        rectangle(0.5, 0.2),
        &ShapeDef::default(),
    );
    world
        .create_shape(
            carried,
            &sensor,
            &Shape::circle(Vec2::ZERO, 1.5).expect("good numbers"),
        )
        .expect("good numbers");
    for i in 0..8 {
        let def = BodyDef {
            bullet: i % 2 == 0,
            linear_velocity: Vec2::new(0.0, -20.0 * i as f32),
            ..BodyDef::dynamic(i as f32 * 0.6 - 2.0, 4.0 + 2.0 * i as f32)
        };
        add(&mut world, &def, rectangle(0.2, 0.2), &ShapeDef::default());
    }
    world
}

/// Bodies on a chain of segments, one of them disabled, one that never turns.
fn ground() -> PhysicsWorld {
    let mut world = empty();
    let body = world
        .create_body(&BodyDef::fixed(0.0, 0.0))
        .expect("good numbers");
    let points = [(9.0, 2.0), (4.0, 0.0), (0.0, 0.3), (-4.0, 0.0), (-9.0, 2.0)]
        .map(Vec2::from)
        .to_vec();
    let chain = ChainDef {
        points,
        ..ChainDef::default()
    };
    world.create_chain(body, &chain).expect("good numbers");
    for i in 0..7 {
        let def = BodyDef {
            enabled: i != 3,
            fixed_rotation: i == 4,
            allow_sleep: i != 5,
            ..BodyDef::dynamic(1.5 * i as f32 - 4.5, 2.5)
        };
        add(&mut world, &def, rectangle(0.4, 0.4), &ShapeDef::default());
    }
    world
}

/// A concave polygon with a hole and a plate, cut and shattered just now; small pieces stay.
fn cuts() -> PhysicsWorld {
    let mut world = empty();
    floor(&mut world);
    let fate = DebrisFate::Stay(Debris::FILTER);
    world
        .set_debris(Debris { area_max: 0.05, fate })
        .expect("good numbers");
    let square = |half: f64| [(-half, -half), (half, -half), (half, half), (-half, half)].map(DVec2::from);
    let hole: Vec<DVec2> = square(0.4).into_iter().rev().collect();
    let concave_polygon = ConcavePolygon::with_holes(&square(1.0), &[&hole]).expect("a frame");
    let frame = world
        .create_body(&BodyDef::dynamic(-3.0, 1.2))
        .expect("good numbers");
    world
        .create_concave_polygon(frame, &ShapeDef::default(), &concave_polygon)
        .expect("good numbers");
    let plate = add(
        &mut world,
        &BodyDef::dynamic(2.0, 1.0),
        rectangle(1.0, 0.6),
        &ShapeDef::default(),
    );
    (0..3).for_each(|_| world.step(1.0 / 60.0).expect("a good time step"));
    world
        .slice(frame, Position::new(-3.2, 0.0), Position::new(-2.9, 2.0))
        .expect("good numbers");
    let pattern = Shatter::Seeded { seed: 3, count: 6 };
    world.shatter(plate, &pattern).expect("good numbers");
    world
}

/// A lift and a turning bar under boxes; one box is connected below the lift.
fn lift() -> PhysicsWorld {
    let mut world = empty();
    let ground = floor(&mut world);
    let moving = BodyDef {
        linear_velocity: Vec2::new(0.1, 0.4),
        angular_velocity: 0.2,
        ..BodyDef::kinematic(0.0, 0.3)
    };
    let lift = add(&mut world, &moving, rectangle(2.5, 0.2), &ShapeDef::default());
    add(
        &mut world,
        &BodyDef::kinematic(6.0, 0.5),
        rectangle(1.0, 0.5),
        &ShapeDef::default(),
    );
    for i in 0..6 {
        let belt = ShapeDef {
            tangent_speed: if i == 2 { 1.0 } else { 0.0 },
            ..ShapeDef::default()
        };
        let place = BodyDef::dynamic(i as f32 - 2.0, 1.0 + 0.3 * i as f32);
        let body = add(&mut world, &place, rectangle(0.3, 0.3), &belt);
        if i == 4 {
            let (up, down) = (Vec2::new(2.4, 0.3), Vec2::new(0.0, 0.3));
            world
                .create_joint(RevoluteDef::new(lift, up, body, down))
                .expect("good numbers");
            world
                .create_joint(RevoluteDef::new(ground, Vec2::ZERO, lift, Vec2::ZERO))
                .expect("good numbers");
        }
    }
    world
}

/// A pile some of whose bodies, shapes and joints were destroyed, and in which one body was frozen; calls came after
/// the last step.
fn gone() -> PhysicsWorld {
    let mut world = revolutes();
    (0..30).for_each(|_| world.step(1.0 / 60.0).expect("a good time step"));
    let bodies: Vec<_> = world.bodies().map(|body| body.id()).collect();
    world.destroy_body(bodies[2]).expect("it lives");
    world.destroy_body(bodies[9]).expect("it lives");
    world
        .body_mut(bodies[4])
        .expect("it lives")
        .set_kind(BodyKind::Kinematic)
        .expect("it has no half-space");
    let beyond = BodyDef {
        linear_velocity: Vec2::new(300.0, 0.0),
        ..BodyDef::dynamic(99_999.0, 5.0)
    };
    add(&mut world, &beyond, rectangle(0.5, 0.5), &ShapeDef::default());
    world.step(1.0 / 60.0).expect("a good time step");
    assert!(world.bodies().any(|body| body.is_frozen()), "it left the world");
    world.destroy_body(bodies[5]).expect("it lives");
    world
}

/// A world made by random calls with valid numbers.
fn random_world(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut numbers = Numbers {
        random: &mut random,
        odd: 0,
    };
    let mut player = Player::new(PhysicsWorld::new(&numbers.world()).expect("good numbers"));
    for _ in 0..50 {
        player.play(&numbers.call());
    }
    player.world.save()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A family none of whose saves is accepted would find nothing.
    #[test]
    fn some_forged_saves_are_let_in_and_most_are_not() {
        let cases = 300;
        for seed in 0..cases {
            let operations = PhysicsSaves::generate(&mut Random::new(seed));
            PhysicsSaves::run(&operations).expect("this is a find");
        }
        let share = LET_IN.load(Ordering::Relaxed) as f64 / cases as f64;
        assert!((0.03..0.6).contains(&share), "{share}");
    }

    #[test]
    fn a_save_that_is_taken_apart_and_put_together_is_the_same() {
        for save in saves() {
            assert_eq!(Parts::of(save).bytes(&[]), *save);
        }
    }
}
