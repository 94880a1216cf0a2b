//! The table of `docs/controls.md`, line by line: who wakes, whether touches end, and whether contacts stay.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyMut, CombineRule, ContactId, ContactRule, Filter, MassProperties,
    PhysicsWorld, Shape, ShapeDef, ShapeId, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

/// The document, which is not part of the crate's package.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/controls.md");

/// A floor, a box on it and one on top, all at rest, once asleep.
struct Stack {
    world: PhysicsWorld,
    floor: BodyId,
    lower: BodyId,
    upper: BodyId,
}

impl Stack {
    fn new() -> Self {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let mut add = |def: BodyDef, size: Vec2| {
            let body = world.create_body(&def).unwrap();
            let shape = Shape::new_box(size.x, size.y).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
            body
        };
        let floor = add(BodyDef::fixed(0.0, -1.0), Vec2::new(20.0, 2.0));
        let lower = add(BodyDef::dynamic(0.0, 0.5), Vec2::ONE);
        let upper = add(BodyDef::dynamic(0.0, 1.5), Vec2::ONE);
        let mut stack = Self {
            world,
            floor,
            lower,
            upper,
        };
        for _ in 0..200 {
            stack.world.step(DT).unwrap();
        }
        assert!(!stack.is_awake(lower), "it came to rest");
        stack
    }

    fn is_awake(&self, body: BodyId) -> bool {
        self.world.body(body).unwrap().is_awake()
    }

    fn shape(&self, body: BodyId) -> ShapeId {
        self.world.body(body).unwrap().shapes().next().unwrap().id()
    }

    /// The contact of the lower box with the floor.
    fn contact(&self) -> ContactId {
        let floor = self.shape(self.floor);
        let mut contacts = self.world.body(self.lower).unwrap().contacts();
        contacts
            .find(|contact| contact.shapes().iter().any(|shape| shape.id() == floor))
            .unwrap()
            .id()
    }
}

/// What a call of one body may be.
enum Call {
    Body(fn(&mut BodyMut<'_>)),
    Shape(fn(&mut PhysicsWorld, ShapeId)),
}

fn own() -> MassProperties {
    MassProperties {
        mass: 2.0,
        inertia: 0.5,
        center: Vec2::ZERO,
    }
}

/// The call of a line.
fn call(name: &str) -> Call {
    Call::Body(match name {
        "wake" => |body| body.wake(),
        "wake_touching" => |body| body.wake_touching(),
        "sleep" => |body| assert!(body.sleep()),
        "apply_force" => |body| body.apply_force(Vec2::ZERO).unwrap(),
        "apply_local_force" => |body| body.apply_local_force(Vec2::ZERO).unwrap(),
        "apply_torque" => |body| body.apply_torque(0.0).unwrap(),
        "set_lasting_force" => |body| body.set_lasting_force(Vec2::ZERO).unwrap(),
        "set_lasting_torque" => |body| body.set_lasting_torque(0.0).unwrap(),
        "set_fixed_axes" => |body| body.set_fixed_axes(true, false),
        "set_fixed_rotation" => |body| body.set_fixed_rotation(true),
        "set_own_mass" => |body| body.set_own_mass(own()).unwrap(),
        "set_added_mass" => |body| body.set_added_mass(2.0).unwrap(),
        "set_dominance" => |body| body.set_dominance(3).unwrap(),
        "set_extra_substeps" => |body| body.set_extra_substeps(3).unwrap(),
        "set_speed_limits" => |body| body.set_speed_limits(10.0, 10.0).unwrap(),
        "drop_through" => |body| body.drop_through(),
        "set_contact_recycling" => |body| body.set_contact_recycling(false),
        "set_damping" => |body| body.set_damping(0.1, 0.1).unwrap(),
        "set_name" => |body| body.set_name("box").unwrap(),
        "set_bullet" => |body| body.set_bullet(true),
        "set_sleep_threshold" => |body| body.set_sleep_threshold(0.1).unwrap(),
        "set_gravity_scale" => |body| body.set_gravity_scale(1.0).unwrap(),
        "set_may_sleep" => |body| body.set_may_sleep(false),
        "set_enabled" => |body| {
            body.set_enabled(false);
            body.set_enabled(true);
        },
        "teleport" => |body| {
            let pose = body.view().pose();
            body.teleport(pose).unwrap();
        },
        "set_pose" => |body| {
            let pose = body.view().pose();
            body.set_pose(pose).unwrap();
        },
        "set_kind" => |body| {
            let kind = body.view().kind();
            body.set_kind(BodyKind::Kinematic);
            body.set_kind(kind);
        },
        _ => return shape_call(name),
    })
}

/// Calls of shapes.
fn shape_call(name: &str) -> Call {
    Call::Shape(match name {
        "set_user_key" => |world, shape| world.shape_mut(shape).unwrap().set_user_key(7),
        "set_material" => |world, shape| world.shape_mut(shape).unwrap().set_material(0.5, 0.0).unwrap(),
        "set_surface" => |world, shape| world.shape_mut(shape).unwrap().set_surface(0.0, 0.0).unwrap(),
        "set_filter" => |world, shape| {
            let filter = Filter {
                mask: 0b11,
                ..Filter::default()
            };
            world.shape_mut(shape).unwrap().set_filter(filter);
        },
        "set_events" => |world, shape| {
            world.shape_mut(shape).unwrap().set_events(false, false);
            world.shape_mut(shape).unwrap().set_events(true, true);
        },
        "set_sensor" => |world, shape| {
            world.shape_mut(shape).unwrap().set_sensor(true);
            world.shape_mut(shape).unwrap().set_sensor(false);
        },
        "set_density" => |world, shape| world.shape_mut(shape).unwrap().set_density(2.0).unwrap(),
        "set_geometry" => |world, shape| {
            let geometry = *world.shape(shape).unwrap().geometry();
            world.shape_mut(shape).unwrap().set_geometry(&geometry).unwrap();
        },
        "set_combine_rules" => |world, shape| {
            let mut shape = world.shape_mut(shape).unwrap();
            shape.set_combine_rules(CombineRule::Min, CombineRule::Max);
        },
        "set_material_number" => |world, shape| {
            world.shape_mut(shape).unwrap().set_material_number(4).unwrap();
        },
        "set_contact_skin" => |world, shape| {
            world.shape_mut(shape).unwrap().set_contact_skin(0.01).unwrap();
        },
        "set_contact_rule" => |world, shape| {
            let rule = ContactRule {
                friction: Some(0.5),
                ..ContactRule::default()
            };
            // All shapes are of material 0, and so all of them are meant.
            assert_eq!(world.shape(shape).unwrap().material_number(), 0);
            world.set_contact_rule(0, 0, rule).unwrap();
        },
        "set_category_rule" => |world, _| {
            let rule = ContactRule {
                friction: Some(0.5),
                ..ContactRule::default()
            };
            world
                .set_category_rule(1, tombolo_physics::ANY_CATEGORY, rule)
                .unwrap();
        },
        "set_custom_filter" => |world, _| world.set_custom_filter(|_| true),
        "set_pre_solve" => |world, _| {
            world.set_pre_solve(u64::MAX, |pair| pair.touch.unwrap().usual);
        },
        _ => panic!("the document names a call that this test does not know: {name}"),
    })
}

fn make(stack: &mut Stack, name: &str, of: fn(&Stack) -> BodyId) {
    let of = of(stack);
    let shape = stack.shape(of);
    match call(name) {
        Call::Body(call) => call(&mut stack.world.body_mut(of).unwrap()),
        Call::Shape(call) => call(&mut stack.world, shape),
    }
}

/// What is seen of a call: the cells of its line.
fn seen(name: &str) -> [&'static str; 5] {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let mut stack = Stack::new();
    let contact = stack.contact();
    make(&mut stack, name, |stack| stack.lower);
    let island = [stack.lower, stack.upper].map(|body| stack.is_awake(body));
    assert_eq!(island[0], island[1], "{name}: an island wakes as a whole");
    stack.world.validate();
    // Whatever slept until now: what is computed in the next step?
    let upper = stack.upper;
    stack.world.body_mut(upper).unwrap().wake();
    stack.world.step(DT).unwrap();
    let events = stack.world.events();
    let ends = events.end_touch().iter().any(|end| end.contact == contact);
    assert_eq!(
        ends,
        !events.begin_touch().is_empty(),
        "{name}: what still holds begins again"
    );
    let anew = stack.world.counters().recycled_contacts < 2;
    let stays = stack.world.contact(contact).is_some();

    let mut stack = Stack::new();
    make(&mut stack, name, |stack| stack.floor);
    let around = stack.is_awake(stack.lower);
    [
        yes(island[0]),
        yes(around),
        yes(ends),
        if stays { "stays" } else { "goes" },
        yes(anew),
    ]
}

#[test]
fn the_table_of_the_document_says_what_each_call_does() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (_, section) = document
        .split_once("| call | wakes its island |")
        .expect("the table");
    let mut lines = 0;
    let mut wrong = Vec::new();
    for line in section.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        let seen = seen(name);
        if cells[1..] != seen {
            wrong.push(format!("| `{name}` | {} |", seen.join(" | ")));
        }
        lines += 1;
    }
    assert!(lines >= 20, "{lines} lines");
    assert!(wrong.is_empty(), "what was seen:\n{}", wrong.join("\n"));
}
