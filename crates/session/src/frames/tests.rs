//! Compares a recording with its world: a second decoder, written as plainly as possible, reads the frames back and
//! must find every body, joint and contact of every step.

use std::collections::{BTreeMap, BTreeSet};
use std::f32::consts::{PI, TAU};
use std::io::Read;

use flate2::read::DeflateDecoder;
use tombolo::component::{AGENT, Agent};
use tombolo::entity::Dense;
use tombolo::physics::{
    Aabb, BodyDef, BodyId, BodyRef, ContactRef, PhysicsWorld, Position, Shape, ShapeDef, ShapeId, Vec2,
    WorldDef,
};
use tombolo::{Scene, World};
use tombolo_scenes::{self as scenes, STEP_S};

use super::bytes::tests::Reader;
use super::*;

/// A body in the decoded frames.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    status: u32,
    place: [i32; 3],
    motion: [i32; 3],
}

/// A contact in the decoded frames: track, strength, normal, points.
#[derive(Clone, Debug, Default)]
struct SeenContact {
    track: u32,
    points: Vec<[i32; 2]>,
    known: [[i32; 2]; 2],
}

/// The state of a reader after some frames.
#[derive(Default)]
pub(super) struct Decoder {
    bodies_appeared: u32,
    bodies: BTreeMap<u32, Seen>,
    joints_appeared: u32,
    joints: Vec<u32>,
    strains: BTreeMap<u32, u8>,
    /// The anchors of joints that were moved on their bodies, in quanta.
    pub(super) anchors: BTreeMap<u32, [i32; 4]>,
    /// The numbers of symbols that have changed, in quanta.
    pub(super) numbers: BTreeMap<u32, Vec<i32>>,
    /// Colors plus one, of contacts by their places and of joints.
    contact_colors: BTreeMap<u32, u32>,
    joint_colors: BTreeMap<u32, u32>,
    contacts: BTreeMap<u32, SeenContact>,
    /// The distances of each box beyond its shape when it was last made, and the frame of that; `None` without a box.
    boxes: BTreeMap<u32, Option<[i32; 4]>>,
    margins: BTreeMap<u32, [i32; 4]>,
    boxes_made: Vec<u32>,
    cells: BTreeSet<u32>,
    agents_appeared: u32,
    /// Where cells with tiles begin and end, by the tracks of grids that are there and the kinds of tiles.
    pub(super) tiles: BTreeMap<u32, BTreeMap<u32, BTreeSet<u32>>>,
    grids_appeared: u32,
    paths: BTreeMap<u32, Vec<[i32; 2]>>,
}

impl Decoder {
    pub(super) fn read_frame(&mut self, reader: &mut Reader<'_>) {
        self.read_bodies(reader);
        let new = reader.number();
        self.joints
            .extend(self.joints_appeared..self.joints_appeared + new);
        self.joints_appeared += new;
        let gone = reader.ascending();
        self.joints.retain(|joint| !gone.contains(joint));
        for joint in reader.ascending() {
            self.strains.insert(joint, reader.number() as u8);
        }
        for joint in reader.ascending() {
            self.anchors.insert(joint, [(); 4].map(|()| reader.signed()));
        }
        for joint in reader.ascending() {
            let count = reader.number();
            let numbers = (0..count).map(|_| reader.signed());
            self.numbers.insert(joint, numbers.collect());
        }
        for place in reader.ascending() {
            self.read_contact(place, reader);
        }
        self.boxes_made = reader.ascending();
        for &place in &self.boxes_made {
            let margins = self.margins.entry(place).or_default();
            let has_box = reader.number() == 1;
            if has_box {
                margins.iter_mut().for_each(|side| *side += reader.signed());
            }
            self.boxes.insert(place, has_box.then_some(*margins));
        }
        for cell in reader.ascending() {
            assert!(self.cells.remove(&cell), "only one that was there goes");
        }
        for cell in reader.ascending() {
            assert!(self.cells.insert(cell), "only one that was not there comes");
        }
        self.read_agents(reader);
        for colors in [&mut self.contact_colors, &mut self.joint_colors] {
            for place in reader.ascending() {
                colors.insert(place, reader.number());
            }
            colors.retain(|_, color| *color != 0);
        }
        self.read_tiles(reader);
    }

    fn read_tiles(&mut self, reader: &mut Reader<'_>) {
        let first_new = self.grids_appeared;
        self.grids_appeared += reader.number();
        self.tiles
            .extend((first_new..self.grids_appeared).map(|track| (track, BTreeMap::new())));
        for track in reader.ascending() {
            self.tiles.remove(&track).expect("only one that was there goes");
        }
        for track in reader.ascending() {
            let kinds = self
                .tiles
                .get_mut(&track)
                .expect("only one that is there changes");
            for kind in reader.ascending() {
                let bounds = kinds.entry(kind).or_default();
                for bound in reader.ascending() {
                    if !bounds.remove(&bound) {
                        bounds.insert(bound);
                    }
                }
            }
        }
    }

    fn read_agents(&mut self, reader: &mut Reader<'_>) {
        let first_new = self.agents_appeared;
        self.agents_appeared += reader.number();
        self.paths
            .extend((first_new..self.agents_appeared).map(|track| (track, Vec::new())));
        for track in reader.ascending() {
            self.paths.remove(&track).expect("only one who was there goes");
        }
        for track in reader.ascending() {
            let path = self.paths.get_mut(&track).expect("only one who is there walks");
            let stay = reader.number() as usize;
            path.drain(..path.len() - stay);
            let mut last = [0; 2];
            for place in 0..reader.number() as usize {
                last = last.map(|part| part + reader.signed());
                path.insert(place, last);
            }
        }
    }

    fn read_bodies(&mut self, reader: &mut Reader<'_>) {
        let first_new = self.bodies_appeared;
        self.bodies_appeared += reader.number();
        for track in first_new..self.bodies_appeared {
            let place = [(); 3].map(|()| reader.signed());
            self.bodies.insert(
                track,
                Seen {
                    place,
                    ..Seen::default()
                },
            );
        }
        for track in reader.ascending() {
            self.bodies.remove(&track).expect("only one who was there goes");
        }
        let before = self.bodies.clone();
        for track in reader.ascending() {
            self.bodies.get_mut(&track).unwrap().status = u32::MAX;
        }
        for body in self.bodies.values_mut().filter(|body| body.status == u32::MAX) {
            body.status = reader.number();
        }
        for part in 0..3 {
            for (track, body) in self.bodies.range_mut(..first_new) {
                if (before[track].status | body.status) & 1 == 1 {
                    let turns = part == 2;
                    let step = body.motion[part] + reader.signed();
                    body.motion[part] = if turns { i32::from(step as i16) } else { step };
                    body.place[part] += step;
                    body.place[part] &= if turns { 0xffff } else { -1 };
                }
            }
        }
        for body in self.bodies.values_mut().filter(|body| body.status & 1 == 0) {
            body.motion = [0; 3];
        }
        for track in reader.ascending() {
            self.bodies.get_mut(&track).unwrap().place = [i32::MAX; 3];
        }
        for body in self
            .bodies
            .values_mut()
            .filter(|body| body.place == [i32::MAX; 3])
        {
            body.place = [(); 3].map(|()| reader.signed());
        }
    }

    fn read_contact(&mut self, place: u32, reader: &mut Reader<'_>) {
        let head = reader.byte();
        let count = usize::from(head & 3);
        if count == 0 {
            self.contacts
                .remove(&place)
                .expect("only one that was there ends");
            return;
        }
        let contact = self.contacts.entry(place).or_default();
        if head & 4 != 0 {
            contact.track = reader.number();
        }
        let _normal = reader.byte();
        let mut known = [[0; 2]; 2];
        for (point, old) in known.iter_mut().zip(contact.known).take(count) {
            *point = old.map(|part| part + reader.signed());
        }
        contact.known = known;
        contact.points = known[..count].to_vec();
    }
}

pub(super) fn frames_of(recorder: Recorder) -> Vec<u8> {
    let mut frames = Vec::new();
    let packed = recorder.frames.finish().unwrap();
    DeflateDecoder::new(&packed[..]).read_to_end(&mut frames).unwrap();
    frames
}

/// The state of the world, for comparison after the recording is done. Bodies by id; tracks are given in the order in
/// which ids are first seen, which the recorder promises.
struct WorldSnapshot {
    bodies: Vec<(BodyId, Position, f32, u32)>,
    joints: usize,
    points: Vec<Vec2>,
    /// For each shape, in the order in which bodies and their shapes are first seen: its id, its box in the broad phase
    /// and the tight one.
    boxes: Vec<(ShapeId, Option<Aabb>, Aabb)>,
    /// Colors plus one, of contacts by their places; and of joints in the order of colors.
    contact_colors: BTreeMap<u32, u32>,
    joint_colors: Vec<u32>,
}

impl WorldSnapshot {
    fn of(world: &PhysicsWorld) -> Self {
        let status = |body: &BodyRef<'_>| {
            2 * body.island().map_or(0, |island| island + 1) + u32::from(body.is_awake())
        };
        let touching: Vec<ContactRef<'_>> = world.contacts().filter(ContactRef::is_touching).collect();
        let colors = touching
            .iter()
            .filter_map(|contact| Some((contact.id().index(), contact.color()? + 1)));
        let mut joint_colors: Vec<u32> = world
            .joints()
            .filter_map(|joint| Some(joint.color()? + 1))
            .collect();
        joint_colors.sort_unstable();
        Self {
            contact_colors: colors.collect(),
            joint_colors,
            bodies: world
                .bodies()
                .map(|body| (body.id(), body.position(), body.rotation().angle(), status(&body)))
                .collect(),
            joints: world.joints().len(),
            points: touching
                .iter()
                .flat_map(|contact| contact.points().collect::<Vec<_>>())
                .map(|(point, ..)| point.to_vec2())
                .collect(),
            boxes: world
                .bodies()
                .flat_map(|body| body.shapes().collect::<Vec<_>>())
                .map(|shape| {
                    let tight = shape.geometry().aabb(shape.body().pose());
                    (shape.id(), shape.fat_aabb(), tight)
                })
                .collect(),
        }
    }

    /// Every box that the world made anew is written, with its distances from the shape; all others stand still.
    fn compare_boxes(&self, decoder: &Decoder, shapes: &mut BTreeMap<u64, (u32, Option<Aabb>)>) {
        let mut made = Vec::new();
        for &(id, fat, tight) in &self.boxes {
            let next = shapes.len() as u32;
            let (place, before) = shapes.entry(id.to_bits()).or_insert((next, None));
            if fat == *before {
                continue;
            }
            *before = fat;
            made.push(*place);
            let Some(fat) = fat else {
                assert_eq!(decoder.boxes[place], None);
                continue;
            };
            let [left, bottom, right, top] = decoder.boxes[place]
                .expect("it has a box")
                .map(|side| side as f32 / 256.0);
            let shown = Aabb::new(
                tight.min - Vec2::new(left, bottom),
                tight.max + Vec2::new(right, top),
            );
            let off = (shown.min - fat.min).abs().max((shown.max - fat.max).abs());
            assert!(off.max_element() < 0.51 / 256.0, "{shown:?} for {fat:?}");
        }
        made.sort_unstable();
        let gone = |place: &u32| decoder.boxes[place].is_none();
        let shown: Vec<u32> = decoder
            .boxes_made
            .iter()
            .copied()
            .filter(|place| !gone(place))
            .collect();
        made.retain(|place| !gone(place));
        assert_eq!(shown, made);
    }

    fn compare(&self, decoder: &Decoder, tracks: &mut BTreeMap<u64, u32>) {
        for (id, ..) in &self.bodies {
            let next = tracks.len() as u32;
            tracks.entry(id.to_bits()).or_insert(next);
        }
        assert_eq!(decoder.bodies.len(), self.bodies.len());
        assert_eq!(decoder.joints.len(), self.joints);
        for (id, position, angle, status) in &self.bodies {
            let seen = decoder.bodies[&tracks[&id.to_bits()]];
            let [x, y, turn] = seen.place.map(|part| part as f32);
            assert_eq!(seen.status, *status);
            let slack = 0.51 / 1024.0;
            assert!((x / 1024.0 - position.x).abs() <= slack, "{x} for {}", position.x);
            assert!((y / 1024.0 - position.y).abs() <= slack, "{y} for {}", position.y);
            let off = (turn * TAU / 65536.0 - angle).rem_euclid(TAU);
            assert!(off.min(TAU - off) < 0.6 * TAU / 65536.0, "{turn} for {angle}");
        }
        self.compare_points(decoder);
        assert_eq!(decoder.contact_colors, self.contact_colors);
        let mut joint_colors: Vec<u32> = decoder.joint_colors.values().copied().collect();
        joint_colors.sort_unstable();
        assert_eq!(joint_colors, self.joint_colors);
    }

    /// Every decoded point is near a point of the world, and their numbers are equal.
    fn compare_points(&self, decoder: &Decoder) {
        let shown = decoder.contacts.values().flat_map(|contact| {
            let [x, y, turn] = decoder.bodies[&contact.track].place.map(|part| part as f32);
            let (sin, cos) = (sine(turn), sine(turn + 16384.0));
            contact.points.iter().map(move |point| {
                let [px, py] = point.map(|part| part as f32 / 256.0);
                Vec2::new(x / 1024.0 + cos * px - sin * py, y / 1024.0 + sin * px + cos * py)
            })
        });
        let shown: Vec<_> = shown.collect();
        assert_eq!(shown.len(), self.points.len());
        for point in shown {
            let nearest = self.points.iter().map(|other| other.distance(point));
            let nearest = nearest.fold(f32::INFINITY, f32::min);
            assert!(nearest < 0.02, "{point} is {nearest} m from any contact");
        }
    }
}

/// The sine of parts of a turn.
fn sine(parts: f32) -> f32 {
    tombolo::physics::Rot::from_angle((parts * TAU / 65536.0 + PI).rem_euclid(TAU) - PI).sin
}

fn record_and_compare(snapshots: &[WorldSnapshot], recorder: Recorder) {
    let frames = frames_of(recorder);
    let mut reader = Reader(&frames);
    let mut decoder = Decoder::default();
    let (mut tracks, mut shapes) = (BTreeMap::new(), BTreeMap::new());
    for snapshot in snapshots {
        decoder.read_frame(&mut reader);
        snapshot.compare(&decoder, &mut tracks);
        snapshot.compare_boxes(&decoder, &mut shapes);
    }
    assert!(reader.0.is_empty());
}

fn a_scene_comes_back(name: &str, steps: u32) {
    let info = scenes::find(name).unwrap();
    let mut world = PhysicsWorld::new(&info.world_def()).unwrap();
    let mut motion = info.build(info.size_small, 0, &mut world).unwrap();
    let mut recorder = Recorder::new(name, STEP_S, &world, None).unwrap();
    let mut snapshots = vec![WorldSnapshot::of(&world)];
    for step in 0..steps {
        motion.before_step(step, &mut world).unwrap();
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
        snapshots.push(WorldSnapshot::of(&world));
    }
    record_and_compare(&snapshots, recorder);
}

#[test]
fn a_pyramid_comes_back() {
    a_scene_comes_back("large_pyramid", 120);
}

#[test]
fn revolute_joints_that_fall_and_sleep_come_back() {
    a_scene_comes_back("falling_hinges", 300);
}

#[test]
fn bodies_and_joints_that_come_and_go_come_back() {
    a_scene_comes_back("rain", 300);
}

#[test]
fn a_turning_drum_comes_back() {
    a_scene_comes_back("tumbler", 120);
}

fn two_boxes() -> (PhysicsWorld, BodyId, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let top = Shape::new_box(40.0, 2.0).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &top).unwrap();
    let falling = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(falling, &ShapeDef::default(), &shape).unwrap();
    (world, ground, falling)
}

#[test]
fn a_body_destroyed_and_one_in_its_place_are_two() {
    let (mut world, _, falling) = two_boxes();
    let mut recorder = Recorder::new("boxes", STEP_S, &world, None).unwrap();
    let mut snapshots = vec![WorldSnapshot::of(&world)];
    world.destroy_body(falling).unwrap();
    let other = world.create_body(&BodyDef::dynamic(5.0, 9.0)).unwrap();
    assert_eq!(other.index(), falling.index(), "the place is used again");
    for _ in 0..5 {
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
        snapshots.push(WorldSnapshot::of(&world));
    }
    record_and_compare(&snapshots, recorder);
}

#[test]
fn a_disabled_body_has_no_box_until_it_is_enabled() {
    let (mut world, _, falling) = two_boxes();
    let mut recorder = Recorder::new("boxes", STEP_S, &world, None).unwrap();
    let mut snapshots = vec![WorldSnapshot::of(&world)];
    for step in 0..6 {
        world
            .body_mut(falling)
            .unwrap()
            .set_enabled(!(2..=3).contains(&step));
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
        snapshots.push(WorldSnapshot::of(&world));
    }
    let without = snapshots
        .iter()
        .filter(|snapshot| snapshot.boxes.iter().any(|(_, fat, _)| fat.is_none()));
    assert_eq!(without.count(), 2);
    record_and_compare(&snapshots, recorder);
}

#[test]
fn sleepers_cost_nothing() {
    let (mut world, ..) = two_boxes();
    let mut recorder = Recorder::new("boxes", STEP_S, &world, None).unwrap();
    let mut step = |recorder: &mut Recorder| {
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
        (recorder.frame.len(), world.counters().awake_bodies)
    };
    let asleep = (0..600)
        .map(|_| step(&mut recorder))
        .find(|&(_, awake)| awake == 0);
    assert!(asleep.is_some(), "it comes to rest");
    let (bytes, _) = step(&mut recorder);
    assert_eq!(bytes, 21, "twenty-one lists, all empty");
}

#[test]
fn a_full_recording_stops_and_says_so() {
    let (mut world, ..) = two_boxes();
    let mut recorder = Recorder::new("boxes", STEP_S, &world, None).unwrap();
    recorder.frames_bytes_max = 0;
    for _ in 0..9 {
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    let recorded = manifest["figures"]["step_us"].as_array().unwrap().len();
    assert_eq!((recorded, &manifest["frames_made"]), (1, &10.into()));
    let frames = frames_of(recorder);
    let mut reader = Reader(&frames);
    let mut decoder = Decoder::default();
    (0..recorded).for_each(|_| decoder.read_frame(&mut reader));
    assert!(reader.0.is_empty(), "as many frames as figures");
}

/// The shipped maze: its blocks change free space, and its agents walk around them. One of them has no body.
#[test]
fn cells_and_paths_come_back() {
    // Found from this crate's folder and from that of the package whose program this is.
    let folders = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let path = folders
        .map(|folder| folder.join("scenes/maze.ron"))
        .find(|path| path.exists());
    let text = std::fs::read_to_string(path.unwrap()).unwrap().replace(
        "place: [",
        "place: [One(name: \"ghost\", entity: \"ghost\", at: (-22, 0)),",
    );
    let ghost = "\"ghost\": {\"mind\": Agent(goal: (20, 3), speed: 9, clearance: 0.5)},";
    let text = text.replace("entities: {", &format!("entities: {{ {ghost}"));
    let mut world = World::from_scene(&Scene::parse("maze.ron", &text).unwrap()).unwrap();
    let mut recorder = Recorder::new("maze", STEP_S, world.physics(), Some(&world)).unwrap();
    let mut snapshots = vec![paths_and_cells(&world)];
    for step in 0..400 {
        world.step();
        if step == 300 {
            world.despawn(world.find("west walker").unwrap()).unwrap();
        }
        recorder.record(world.physics(), Some(&world)).unwrap();
        snapshots.push(paths_and_cells(&world));
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    assert_eq!(manifest["cells"]["clearance"], 0.5);
    let with_body = manifest["agents"].as_array().unwrap().iter();
    assert_eq!(with_body.filter(|agent| !agent["body"].is_null()).count(), 5);
    let frames = frames_of(recorder);
    let (mut reader, mut decoder) = (Reader(&frames), Decoder::default());
    let mut changes = 0;
    for (paths, cells) in &snapshots {
        let before = decoder.cells.clone();
        decoder.read_frame(&mut reader);
        assert_eq!(decoder.cells, *cells);
        changes += usize::from(decoder.cells != before);
        let mut shown: Vec<_> = decoder.paths.values().filter(|path| !path.is_empty()).collect();
        shown.sort_unstable();
        assert_eq!(shown, paths.iter().collect::<Vec<_>>());
    }
    assert!(reader.0.is_empty());
    assert!(
        (2..6).contains(&changes),
        "free space came about and changed {changes} times"
    );
}

/// The paths of all agents that have one, in order, and the leaves of free space.
fn paths_and_cells(world: &World) -> (Vec<Vec<[i32; 2]>>, BTreeSet<u32>) {
    let agents: &Dense<Agent> = world.manager(AGENT).unwrap();
    let owners = agents.owners().zip(agents.values());
    let walking =
        owners.filter(|((entity, _), agent)| world.pose(*entity).is_some() && !agent.path().is_empty());
    let mut paths: Vec<Vec<[i32; 2]>> = walking
        .map(|((entity, _), agent)| {
            let here = world.pose(entity).unwrap().position;
            let here = world.body_of(entity).is_none().then_some(here);
            let corners = here.iter().chain(agent.path());
            corners
                .map(|corner| [corner.x, corner.y].map(|part| (part * 256.0).round() as i32))
                .collect()
        })
        .collect();
    paths.sort_unstable();
    let mut cells = BTreeSet::new();
    for free in world.space().free_spaces() {
        free.cells(&free.bounds(), |cell| {
            cells.insert(2 * cell.code.bits() + u32::from(!cell.is_free));
        });
    }
    (paths, cells)
}
