//! Tests of forged saves with valid checksums: each is refused, with the reason. Lists and links are forged in
//! `check_lists.rs`, trees in `forged.rs`; here are numbers, flags, awake bodies, and boxes.

use super::*;
use crate::body::flag;
use crate::contact::flag as contact_flag;
use crate::name::NamedBody;
use crate::persistent::{PlainMap, RestoreError, save};
use crate::{
    BodyDef, BodyId, ConcavePolygon, DVec2, FieldDef, FieldKind, IslandAlgorithm, JointKind, PhysicsWorld,
    Position, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};
use alloc::vec::Vec;

const DT: f32 = 1.0 / 60.0;

/// Bodies by their role: the order of their creation is that of their indices.
mod body {
    pub(super) const FLOOR: u32 = 0;
    pub(super) const LOWER: u32 = 1;
    pub(super) const UPPER: u32 = 2;
    pub(super) const LIFT: u32 = 3;
    pub(super) const HUNG: u32 = 4;
    pub(super) const OFF: u32 = 5;
    pub(super) const ASLEEP: u32 = 6;
    pub(super) const CUT: u32 = 7;
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, half: Vec2) -> BodyId {
    let id = world.create_body(def).unwrap();
    let shape = Shape::new_box(2.0 * half.x, 2.0 * half.y).unwrap();
    let def = ShapeDef {
        hit_events: id.index() == body::UPPER,
        ..ShapeDef::default()
    };
    world.create_shape(id, &def, &shape).unwrap();
    id
}

/// A world with many features: two boxes on each other on a floor, a lift, a revolute joint, a disabled body, a
/// sleeping one, one with a concave polygon that was just cut, and a sensor with a visitor; a destroyed body left its
/// slots.
fn world(islands: IslandAlgorithm) -> PhysicsWorld {
    let def = WorldDef {
        islands,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let half = Vec2::splat(0.5);
    let floor = add(&mut world, &BodyDef::fixed(0.0, -0.5), Vec2::new(30.0, 0.5));
    add(&mut world, &BodyDef::dynamic(0.0, 0.5), half);
    add(&mut world, &BodyDef::dynamic(0.0, 1.5), half);
    let moving = BodyDef {
        linear_velocity: Vec2::new(0.0, 0.1),
        ..BodyDef::kinematic(5.0, 3.0)
    };
    let lift = add(&mut world, &moving, half);
    let hung = add(&mut world, &BodyDef::dynamic(5.0, 1.5), half);
    world
        .create_joint(RevoluteDef::new(
            lift,
            Vec2::new(0.0, -0.8),
            hung,
            Vec2::new(0.0, 0.7),
        ))
        .unwrap();
    let off = BodyDef {
        enabled: false,
        ..BodyDef::dynamic(-5.0, 0.5)
    };
    add(&mut world, &off, half);
    let asleep = BodyDef {
        awake: false,
        ..BodyDef::dynamic(-8.0, 0.5)
    };
    add(&mut world, &asleep, half);
    let cut = world.create_body(&BodyDef::dynamic(10.0, 1.0)).unwrap();
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 0.2), (-1.0, 1.0)].map(DVec2::from);
    let concave_polygon = ConcavePolygon::new(&corners).unwrap();
    world
        .create_concave_polygon(cut, &ShapeDef::default(), &concave_polygon)
        .unwrap();
    let gone = add(&mut world, &BodyDef::dynamic(15.0, 5.0), half);
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    world
        .create_shape(floor, &sensor, &Shape::circle(Vec2::new(0.0, 1.0), 2.0).unwrap())
        .unwrap();
    let [water, track] = fields();
    world.create_field(&water).unwrap();
    world.create_field(&track).unwrap();
    for _ in 0..12 {
        world.step(DT).unwrap();
    }
    world.destroy_body(gone).unwrap();
    world
        .slice(cut, Position::new(10.3, 0.0), Position::new(10.3, 3.0))
        .unwrap()
        .expect("the line goes through");
    let gone = add(&mut world, &BodyDef::dynamic(15.0, 5.0), half);
    world.destroy_body(gone).unwrap();
    world
}

/// A fluid and a chain, both far away.
fn fields() -> [FieldDef; 2] {
    let water = FieldKind::Fluid {
        density: 1.0,
        velocity: Vec2::ZERO,
        drag: 1.0,
        viscosity: 1.0,
    };
    let track = FieldKind::ChainGravity {
        points: [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)].map(Vec2::from).to_vec(),
        closed: true,
        pull: 1.0,
        along: 0.0,
        reach: 2.0,
    };
    [water, track].map(|kind| FieldDef {
        area: Some(Shape::new_box(4.0, 4.0).unwrap()),
        position: Position::new(500.0, 0.0),
        ..FieldDef::new(kind)
    })
}

/// The place of a contact between two bodies.
fn contact(state: &State, a: u32, b: u32) -> u32 {
    let of = |contact: &crate::contact::Contact| [contact.body_a, contact.body_b] == [a, b];
    state.contacts.contacts.iter().position(of).unwrap() as u32
}

/// The contact between the two boxes.
fn upper(state: &mut State) -> &mut crate::contact::Contact {
    let place = contact(state, body::LOWER, body::UPPER);
    &mut state.contacts.contacts[place]
}

fn upper_manifold(state: &mut State) -> &mut crate::contact::CachedManifold {
    let place = contact(state, body::LOWER, body::UPPER);
    &mut state.contacts.cached_manifolds[place]
}

fn proxy(state: &mut State, body: u32) -> &mut crate::broad_phase::Proxy {
    let shape = state.body_sims[body].first_shape;
    let proxy = state.shape_links[shape].proxy as usize;
    &mut state.broad_phase.proxies[proxy]
}

/// A rule for two categories by number.
fn category_rule(first: u32, second: u32) -> crate::rule::PlainRule {
    crate::rule::PlainRule::new(first, second, &crate::ContactRule::default())
}

/// The saved form of a body's extra substeps.
fn asking(body: u32, extra: u32) -> crate::control::ExtraSubsteps {
    crate::control::ExtraSubsteps { body, extra }
}

/// The saved form of callbacks.
fn callbacks(custom_filter: u32, pre_solve: u32, categories: u64) -> crate::callback::PlainCallbacks {
    crate::callback::PlainCallbacks {
        categories,
        custom_filter,
        pre_solve,
    }
}

fn record(state: &mut State) -> &mut crate::concave_polygon::ConcavePolygonRecord {
    state.concave_polygon_pool.records.value_at_mut(0).unwrap()
}

type Forgery = (fn(&mut State), &'static str, &'static str);

const NUMBERS: &str = "a number that is out of range";
const ASKING: &str = "a body that cannot ask for so many, or out of order";
const NAMED: &str = "a name that is none, of no body, or out of order";
const FLAGS: &str = "a number or a flag that is out of range";

#[rustfmt::skip]
const FORGERIES: &[Forgery] = &[
    // Settings: more substeps than a step can take, a time that runs out, NaN.
    (|s| s.settings_mut().substeps = 0, "settings", NUMBERS),
    (|s| s.settings_mut().substeps = 65, "settings", NUMBERS),
    (|s| s.head[0u32].step_index = u64::MAX, "head", NUMBERS),
    (|s| s.settings_mut().gravity.y = f32::NAN, "settings", NUMBERS),
    (|s| s.settings_mut().contact_hertz = f32::INFINITY, "settings", NUMBERS),
    (|s| s.settings_mut().speed_max = -1.0, "settings", NUMBERS),
    (|s| s.settings_mut().sleeping = 2, "settings", NUMBERS),
    (|s| s.settings_mut().debris_area_max = f32::NAN, "settings", NUMBERS),
    // Bodies.
    (|s| s.body_sims[body::UPPER].kind = 3, "body_sims", FLAGS),
    (|s| s.body_sims[body::UPPER].flags |= 1 << 31, "body_sims", FLAGS),
    (|s| s.body_sims[body::UPPER].set(flag::FROZEN, true), "body_sims", FLAGS),
    (|s| s.body_sims[body::UPPER].gravity_scale = f32::NAN, "body_sims", FLAGS),
    (|s| s.body_sims[body::UPPER].sleep_time_s = f32::INFINITY, "body_sims", FLAGS),
    (|s| s.body_sims[body::UPPER].extent_max = f32::INFINITY, "body_sims", FLAGS),
    (|s| {
        let is_gone = |&body: &u32| !s.bodies.is_live(body);
        let gone = (0..s.body_sims.count()).find(is_gone).unwrap();
        s.body_sims[gone].set(flag::MASS_STALE, true);
    }, "body_sims", "a mass that is to be summed up of a body that does not live"),
    (|s| s.body_sims[body::UPPER].inverse_mass = f32::NAN, "bodies", "a mass that is not the body's"),
    (|s| s.body_sims[body::FLOOR].inverse_mass = 1.0, "bodies", "a mass that is not the body's"),
    (|s| s.bodies.live_mut(body::UPPER).mass = 0.0, "bodies", "a mass that is not the body's"),
    (|s| s.body_poses[body::UPPER].pose.position.x = f32::NAN, "body_poses", "a place that is out of range"),
    (|s| s.body_poses[body::UPPER].center.y = 3.0e38, "body_poses", "a place that is out of range"),
    (|s| s.body_poses[body::UPPER].center.y += 1.0, "body_poses", "a place that is out of range"),
    (|s| s.body_poses[body::UPPER].local_center.x = f32::INFINITY, "body_poses", "a place that is out of range"),
    (|s| s.body_poses[body::UPPER].pose.rotation.cos = 2.0, "body_poses", "a place that is out of range"),
    (|s| s.body_states[body::UPPER].delta_cos = 0.0, "body_states", "a movement that no step left"),
    (|s| s.body_states[body::UPPER].delta_position.x = 1.0, "body_states", "a movement that no step left"),
    (|s| s.body_states[body::FLOOR].linear_velocity.x = 1.0, "body_states", "a static body that moves"),
    (|s| s.body_states[body::UPPER].colors ^= 1 << 7, "body_states", "a body with other colors than its constraints"),
    // Shapes.
    (|s| s.materials[1u32].friction = f32::NAN, "shapes", FLAGS),
    (|s| s.materials[1u32].tangent_speed = f32::INFINITY, "shapes", FLAGS),
    (|s| s.materials[1u32].skin = u16::MAX, "shapes", FLAGS),
    (|s| s.materials[1u32].skin = 100, "body_sims", "no mark of a body whose shapes have skins"),
    (|s| s.shapes.value_at_mut(1).unwrap().density = -1.0, "shapes", FLAGS),
    (|s| s.shapes.value_at_mut(1).unwrap().hit_events = 7, "shapes", FLAGS),
    (|s| s.shapes.value_at_mut(1).unwrap().density = 1.0e30, "shapes", "a shape that is too heavy"),
    (|s| s.shape_links[1u32].margin = f32::NAN, "shape_links", "a margin that is out of range"),
    // Concave polygons.
    (|s| record(s).area = f64::NAN, "concave_polygon_pool", NUMBERS),
    (|s| record(s).center[0] = 1.0e200, "concave_polygon_pool", NUMBERS),
    (|s| record(s).density = f32::INFINITY, "concave_polygon_pool", NUMBERS),
    (|s| record(s).density = 1.0e-45, "concave_polygon_pool", NUMBERS),
    (|s| record(s).radius = -1.0, "concave_polygon_pool", NUMBERS),
    (|s| record(s).point_count = 0, "concave_polygon_pool", "a concave polygon that is none"),
    (|s| record(s).first_point = u32::MAX, "concave_polygon_pool", "a concave polygon that is none"),
    (|s| { let first = record(s).first_point; s.concave_polygon_pool.points[first][1] = 1.0e30; }, "concave_polygon_pool", NUMBERS),
    (|s| {
        let [first, second] = [0, 1].map(|at| *s.concave_polygon_pool.records.value_at(at).unwrap());
        let (count, all) = (first.point_count.min(second.point_count), s.concave_polygon_pool.live[0u32]);
        for at in [0, 1] {
            let end = s.concave_polygon_pool.records.value_at(at).unwrap().first_loop;
            s.concave_polygon_pool.loop_ends[end] = count;
            let record = s.concave_polygon_pool.records.value_at_mut(at).unwrap();
            (record.first_point, record.point_count) = (0, count);
        }
        s.concave_polygon_pool.live[0u32] = all + 2 * count - first.point_count - second.point_count;
    }, "concave_polygon_pool", "two concave polygons with the same corners"),
    // Fields.
    (|s| s.fields.value_at_mut(0).unwrap().numbers[0] = f32::NAN, "fields", FLAGS),
    (|s| s.fields.value_at_mut(0).unwrap().numbers[2] = -1.0, "fields", FLAGS),
    (|s| s.fields.value_at_mut(0).unwrap().angle = f32::INFINITY, "fields", FLAGS),
    (|s| s.fields.value_at_mut(0).unwrap().position.x = 1.0e9, "fields", FLAGS),
    (|s| s.fields.value_at_mut(0).unwrap().kind = 5, "fields", FLAGS),
    (|s| s.fields.value_at_mut(1).unwrap().point_count = 2, "field_points", "points of no field"),
    (|s| s.fields.value_at_mut(1).unwrap().first_point = u32::MAX, "fields", "points that are not the field's"),
    (|s| { let end = s.field_points.count() - 1; s.field_points.swap_remove(end as usize); }, "fields", "points that are not the field's"),
    (|s| { let point = s.field_points[0u32]; s.field_points.push(point); }, "field_points", "points of no field"),
    (|s| s.field_points[0u32].place.x = f32::NAN, "fields", FLAGS),
    // Rules.
    (|s| s.category_rules.push(category_rule(64, 3)), "category_rules", "a rule that is none, or out of order"),
    (|s| { s.category_rules.push(category_rule(2, 3)); s.category_rules.push(category_rule(1, 3)); }, "category_rules", "a rule that is none, or out of order"),
    (|s| s.category_rules.push(category_rule(0, 0)), "contacts", "flags that are not the shapes'"),
    // Callbacks.
    (|s| s.callbacks.push(callbacks(2, 0, 0)), "callbacks", "callbacks that no call left"),
    (|s| s.callbacks.push(callbacks(1, 0, 4)), "callbacks", "callbacks that no call left"),
    (|s| s.callbacks.push(callbacks(0, 0, 0)), "callbacks", "callbacks that no call left"),
    (|s| { s.callbacks.push(callbacks(1, 0, 0)); s.callbacks.push(callbacks(1, 0, 0)); }, "callbacks", "callbacks that no call left"),
    (|s| s.callbacks.push(callbacks(0, 1, u64::MAX)), "contacts", "flags that are not the shapes'"),
    // Extra substeps.
    (|s| s.extra_substeps.push(asking(body::UPPER, 0)), "extra_substeps", ASKING),
    (|s| s.extra_substeps.push(asking(body::UPPER, 65)), "extra_substeps", ASKING),
    (|s| s.extra_substeps.push(asking(u32::MAX, 1)), "extra_substeps", ASKING),
    (|s| { s.extra_substeps.push(asking(body::UPPER, 1)); s.extra_substeps.push(asking(body::UPPER, 2)); }, "extra_substeps", ASKING),
    // Names: invalid UTF-8, empty, bytes after the end, without a body, twice.
    (|s| s.body_names.push(NamedBody::forged(body::UPPER, b"\xFFbox", 4)), "body_names", NAMED),
    (|s| s.body_names.push(NamedBody::forged(body::UPPER, &[b'x'; 31], 32)), "body_names", NAMED),
    (|s| s.body_names.push(NamedBody::forged(body::UPPER, b"", 0)), "body_names", NAMED),
    (|s| s.body_names.push(NamedBody::forged(body::UPPER, b"box", 2)), "body_names", NAMED),
    (|s| s.body_names.push(NamedBody::forged(u32::MAX, b"box", 3)), "body_names", NAMED),
    (|s| { let named = NamedBody::forged(body::UPPER, b"box", 3); s.body_names.push(named); s.body_names.push(named); }, "body_names", NAMED),
    // Contacts: values that the narrow phase, reports and islands use without a check.
    (|s| upper(s).point_count = 3, "contacts", FLAGS),
    (|s| upper(s).point_count = u8::MAX, "contacts", FLAGS),
    (|s| upper(s).point_count = 0, "contacts", FLAGS),
    (|s| upper(s).flags ^= contact_flag::TOUCHING, "contacts", FLAGS),
    (|s| upper(s).flags |= 1 << 15, "contacts", FLAGS),
    (|s| upper(s).arm = f32::NAN, "contacts", FLAGS),
    (|s| upper(s).cached_pose.position.x = f32::INFINITY, "contacts", FLAGS),
    (|s| upper(s).flags ^= contact_flag::STATIC_A, "contacts", "flags that are not the shapes'"),
    (|s| upper(s).flags ^= contact_flag::EVENTS, "contacts", "flags that are not the shapes'"),
    (|s| upper(s).proxy_a = upper(s).proxy_b, "contacts", "two shapes that do not touch each other"),
    (|s| upper_manifold(s).points[0].present = 0.0, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).points[1].anchor_a.x = f32::NAN, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).frame.normal.x = f32::INFINITY, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).frame.rotation_b.sin = 4.0, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).surface.friction = f32::NAN, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).surface.marks |= 32, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).surface.marks ^= 1, "contacts", "points that are not the contact's"),
    (|s| upper_manifold(s).surface.both_movable = 0.0, "contacts", "a contact of other kinds of bodies than its own"),
    (|s| s.contacts.awake_count[0u32] -= 1, "contacts", "a contact that sleeps beside an awake body, or the other way round"),
    (|s| s.contacts.awake_count[0u32] = u32::MAX, "contacts", "the numbers of contacts do not fit"),
    (|s| {
        let extra = s.contacts.contacts[0u32];
        s.contacts.contacts.push(extra);
        let extra = s.contacts.cached_manifolds[0u32];
        s.contacts.cached_manifolds.push(extra);
    }, "contacts", "the numbers of contacts do not fit"),
    (|s| {
        let apart = |contact: &&mut crate::contact::Contact| contact.color == NONE;
        s.contacts.contacts.unmarked_mut().iter_mut().find(apart).unwrap().place_in_color = 0;
    }, "contacts", "a place in no color"),
    // Joints.
    (|s| s.joint_sims[0u32].flags |= 1 << 20, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].local_anchor_b.y = f32::NAN, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].track.angle = f32::NAN, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].track.drift = f32::INFINITY, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].angular.upper = -1.0, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].angular.hertz = 1.0e9, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].local_angle_a = f32::NAN, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].force_threshold = -1.0, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].torque_threshold = f32::NAN, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].kind = 99, "joint_sims", NUMBERS),
    (|s| s.joint_sims[0u32].kind = JointKind::Distance as u32, "graph", "a joint that is not in its color"),
    (|s| s.joint_sims[0u32].kind = JointKind::Filter as u32, "graph", "a joint that is not in its color"),
    (|s| {
        s.joint_sims[0u32].kind = JointKind::Distance as u32;
        s.joint_sims[0u32].linear[0].lower = 1.0;
    }, "joint_sims", NUMBERS),
    // Awake bodies.
    (|s| s.awake_bodies.push(body::OFF), "awake_bodies", "a body that sleeps"),
    (|s| {
        s.bodies.live_mut(body::OFF).awake_index = s.awake_bodies.count();
        s.awake_bodies.push(body::OFF);
    }, "awake_bodies", "a body that never is awake"),
    (|s| {
        s.bodies.live_mut(body::FLOOR).awake_index = s.awake_bodies.count();
        s.awake_bodies.push(body::FLOOR);
    }, "awake_bodies", "a body that never is awake"),
    (|s| {
        s.bodies.live_mut(body::ASLEEP).awake_index = s.awake_bodies.count();
        s.awake_bodies.push(body::ASLEEP);
    }, "islands", "a body and its island differ"),
    (|s| s.body_sims[body::LIFT].set(flag::ENABLED, false), "awake_bodies", "a body that never is awake"),
    (|s| s.islands.link(1 << 20, body::HUNG, body::CUT).map(drop).unwrap(), "islands", "a node or an edge that nothing stands for"),
    (|s| s.islands.add_node(99).map(drop).unwrap(), "islands", "a node or an edge that nothing stands for"),
    // Boxes; the checks of the trees have their own reasons.
    (|s| proxy(s, body::UPPER).tree = 0, "broad_phase", ""),
    (|s| proxy(s, body::UPPER).mask = 0, "broad_phase", ""),
    (|s| proxy(s, body::UPPER).slot = u32::MAX, "broad_phase", ""),
    (|s| s.broad_phase.boxes[1_usize].min.x = f32::NAN, "broad_phase", "a box that its shape is not in"),
    (|s| s.broad_phase.boxes[1_usize].max.x = -100.0, "broad_phase", "a box that its shape is not in"),
    (|s| s.broad_phase.free.push(1), "broad_phase", ""),
    (|s| s.broad_phase.free.clear(), "broad_phase", ""),
    // Pending events.
    (|s| s.pending_cuts[0u32].debris = 9, "pending_cuts", "a handle that no map gives out, or a flag that is none"),
    (|s| s.pending_woken.push(0), "pending_woken", "a handle that no map gives out"),
    (|s| { let twice = s.overlaps[0u32]; s.overlaps.push(twice); }, "overlaps", "shapes out of order"),
    // Lengths of arrays.
    (|s| s.body_states.push(BodyState::default()), "bodies", "not as many elements as bodies"),
    (|s| { s.materials.swap_remove(1); }, "shapes", "not as many elements as shapes"),
    (|s| s.joint_sims.push(JointSim::default()), "joints", "not as many elements as joints"),
    (|s| s.joints = PlainMap::with_tag(TypeTag::new(9).unwrap()), "handles", "handles of another kind"),
];

/// The bytes of a state, as a save with a valid checksum.
fn bytes(state: &State) -> Vec<u8> {
    save(|visitor| state.arrays(visitor))
}

#[test]
fn a_forged_number_flag_or_list_of_the_awake_is_refused_and_the_reason_is_named() {
    let world = world(IslandAlgorithm::Persistent);
    PhysicsWorld::from_save(&bytes(&world.state)).unwrap();
    for (number, (forge, group, why)) in FORGERIES.iter().enumerate() {
        let mut state = world.state.clone();
        forge(&mut state);
        match PhysicsWorld::from_save(&bytes(&state)) {
            Err(RestoreError::Mismatch {
                group: found_group,
                why: found,
                ..
            }) if why.is_empty() => assert_eq!(
                (found_group, found.is_empty()),
                (*group, false),
                "forgery {number}"
            ),
            Err(RestoreError::Mismatch {
                group: found_group,
                why: found,
                ..
            }) => assert_eq!((found_group, found.as_str()), (*group, *why), "forgery {number}"),
            other => panic!(
                "forgery {number} ({group}: {why}): {:?}",
                other.map(|_| "was restored")
            ),
        }
    }
}

/// Checks the edges of the union-find variants, which look them up by their places among the packed ones.
#[test]
fn a_place_of_an_edge_that_is_not_packed_is_refused() {
    let world = world(IslandAlgorithm::UnionFind);
    PhysicsWorld::from_save(&bytes(&world.state)).unwrap();
    let mut state = world.state.clone();
    state.islands.packed.places.push(0);
    assert!(PhysicsWorld::from_save(&bytes(&state)).is_err());
}

/// Velocities, forces and impulses may be anything, since calls and steps may produce anything: the step freezes the
/// body.
#[test]
fn velocities_that_are_not_numbers_are_let_in_and_frozen() {
    let world = world(IslandAlgorithm::Persistent);
    let mut state = world.state.clone();
    state.body_states[body::UPPER].linear_velocity.x = f32::NAN;
    upper_manifold(&mut state).points[0].normal_impulse = f32::INFINITY;
    let mut world = PhysicsWorld::from_save(&bytes(&state)).unwrap();
    for _ in 0..10 {
        world.step(DT).unwrap();
        world.validate();
    }
    assert!(world.bodies().any(|body| body.is_frozen()));
    assert!(world.bodies().all(|body| body.position().is_finite()));
}

/// An island that never rests loses more edges than its counter can hold.
#[test]
fn a_count_of_lost_edges_at_its_end_is_no_end_of_the_world() {
    let world = world(IslandAlgorithm::DepthFirst);
    let mut state = world.state.clone();
    for island in state.islands.records.islands.unmarked_mut() {
        island.lost_count = u32::MAX;
    }
    let mut world = PhysicsWorld::from_save(&bytes(&state)).unwrap();
    let bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
    for body in bodies {
        world.destroy_body(body).unwrap();
        world.step(DT).unwrap();
        world.validate();
    }
}
