//! Queries of physics in the hands of scripts give what the same queries of the library give, one by one and in batches.

use std::fmt::Write;

use proptest::prelude::*;
use tombolo::physics::{
    Aabb, Closest, Motion, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, RayHit, Shape, ShapeHit,
    ShapeId, Touch, Vec2,
};
use tombolo::{Scene, World};

use super::{fault, script};

/// A circle, or a turned box, that does not move.
type Block = (bool, [f32; 2], f32);
/// From, to, and a size.
type Question = ([f32; 2], [f32; 2], [f32; 2]);

const DISTANCE: f32 = 2.0;
const COUNT: usize = 3;
const MARGIN: f32 = 0.25;
const ANGLE: f32 = 0.5;
const TURN: f32 = 1.5;

fn world_of(blocks: &[Block], questions: &[Question]) -> World {
    let mut place = String::new();
    for (number, (is_circle, [x, y], angle)) in blocks.iter().enumerate() {
        let entity = if *is_circle { "disk" } else { "block" };
        let _ = writeln!(
            place,
            "One(name: \"{number}\", entity: \"{entity}\", at: ({x:?}, {y:?}), angle: {angle:?}),"
        );
    }
    let mut list = String::new();
    for ([a, b], [c, d], [w, h]) in questions {
        let _ = write!(
            list,
            "[vec2({a:?}, {b:?}), vec2({c:?}, {d:?}), vec2({w:?}, {h:?})], "
        );
    }
    let text = format!(
        r##"(
        settings: (gravity: (0, 0), script_limits: (map_length: 100000, list_length: 100000)),
        scripts: {{"s": r#"fn on_tick(seconds) {{
            let all = [{list}];
            let line = |q| [q[0], q[1]];
            let ball = |q| [q[0], q[1], q[2].x];
            let disk = |q| [q[0], q[2].x];
            let area = |q| [vec2(min(q[0].x, q[1].x), min(q[0].y, q[1].y)), vec2(max(q[0].x, q[1].x), max(q[0].y, q[1].y))];
            let moved = #{{angle: {ANGLE:?}, turn: {TURN:?}}};
            this.rays = cast_rays(all.map(line));
            this.circles = cast_circles(all.map(ball));
            this.boxes = cast_boxes(all, moved);
            this.at = query_points(all.map(|q| q[0]));
            this.around = query_circles(all.map(disk));
            this.within = query_boxes(all.map(area));
            this.all_circles = all.map(|q| cast_circle_all(q[0], q[1], q[2].x));
            this.all_boxes = [];
            this.touched_boxes = [];
            for q in all {{
                this.all_boxes.push(cast_box_all(q[0], q[1], q[2], moved));
                this.touched_boxes.push(touches_of_box(q[0], q[2], #{{angle: {ANGLE:?}, margin: {MARGIN:?}}}));
            }}
            this.touched_circles = all.map(|q| touches_of_circle(q[0], q[2].x));
            this.near = all.map(|q| several_closest(q[0], {DISTANCE:?}, {COUNT}));
        }}"#}},
        entities: {{
            "disk": {{"body": Body(), "skin": Collider(shape: Circle(radius: 0.6))}},
            "block": {{"body": Body(), "skin": Collider(shape: Box(width: 1.5, height: 1))}},
            "ball": {{"mind": Script(name: "s")}},
        }},
        place: [{place} One(name: "ball", entity: "ball")],
    )"##
    );
    let scene = Scene::parse("queries.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

/// The answers of the library's single queries, as a script's state shows them.
struct Expected<'w> {
    world: &'w World,
    physics: &'w PhysicsWorld,
}

impl Expected<'_> {
    fn entity(&self, shape: ShapeId) -> String {
        let body = self.physics.shape(shape).expect("it was just found").body().id();
        format!("{:?}", self.world.entity_of(body).expect("bodies have entities"))
    }

    fn hit(&self, shape: ShapeId, fraction: f32, normal: Vec2, point: Position) -> String {
        let (entity, fraction) = (self.entity(shape), number(fraction));
        let (normal, point) = (vector(normal), vector(point.into()));
        format!("#{{entity: {entity}, fraction: {fraction}, normal: {normal}, point: {point}}}")
    }

    fn ray(&self, hit: &RayHit) -> String {
        self.hit(hit.shape, hit.fraction, hit.normal, hit.point)
    }

    fn cast(&self, hit: &ShapeHit) -> String {
        self.hit(hit.shape, hit.fraction, -hit.normal, hit.point)
    }

    fn closest(&self, found: &Closest) -> String {
        let (distance, entity) = (number(found.distance), self.entity(found.shape));
        let point = vector(found.point.into());
        format!("#{{distance: {distance}, entity: {entity}, point: {point}}}")
    }

    fn touch(&self, touch: &Touch) -> String {
        let (entity, normal) = (self.entity(touch.shape), vector(-touch.normal));
        let points = list(touch.points(), |touched| {
            let (point, separation) = (vector(touched.point.into()), number(touched.separation));
            format!("#{{point: {point}, separation: {separation}}}")
        });
        let separation = number(touch.separation());
        format!("#{{entity: {entity}, normal: {normal}, points: {points}, separation: {separation}}}")
    }

    /// Each entity has one shape, and entities and shapes were made in one order.
    fn owners(&self, shapes: &[ShapeId]) -> String {
        list(shapes, |&shape| self.entity(shape))
    }

    fn state(&self, questions: &[Question]) -> Result<String, PhysicsError> {
        let (physics, filter) = (self.physics, QueryFilter::default());
        let mut parts: [Vec<String>; 11] = Default::default();
        for &(from, to, size) in questions {
            let [from, to, size] = [from, to, size].map(Vec2::from);
            let (start, way) = (Position::from(from), to - from);
            let (circle, plank) = (
                Shape::circle(Vec2::ZERO, size.x)?,
                Shape::new_box(size.x, size.y)?,
            );
            let (level, tilted) = (Pose::new(from, 0.0), Pose::new(from, ANGLE));
            let (line, turn) = (
                Motion::line(level, way),
                Motion {
                    turn: TURN,
                    ..Motion::line(tilted, way)
                },
            );
            let optional = |hit: Option<String>| hit.unwrap_or_else(|| "()".into());
            let cast = |hit: &ShapeHit| self.cast(hit);
            let answers = [
                list(&physics.cast_shape_all(&plank, turn, filter)?, cast),
                list(&physics.cast_shape_all(&circle, line, filter)?, cast),
                self.owners(&physics.overlap_shape(&circle, level, filter)?),
                self.owners(&physics.overlap_point(start, filter)?),
                optional(physics.cast_shape(&plank, turn, filter)?.as_ref().map(cast)),
                optional(physics.cast_shape(&circle, line, filter)?.as_ref().map(cast)),
                list(
                    &physics.several_closest_to_point(start, COUNT, DISTANCE, filter)?,
                    |found| self.closest(found),
                ),
                optional(physics.cast_ray(start, way, filter)?.map(|hit| self.ray(&hit))),
                list(&physics.touches(&plank, tilted, MARGIN, filter)?, |touch| {
                    self.touch(touch)
                }),
                list(&physics.touches(&circle, level, 0.0, filter)?, |touch| {
                    self.touch(touch)
                }),
                self.owners(&physics.overlap_box(Aabb::new(from.min(to), from.max(to)), filter)?),
            ];
            for (part, answer) in parts.iter_mut().zip(answers) {
                part.push(answer);
            }
        }
        let names = [
            "all_boxes",
            "all_circles",
            "around",
            "at",
            "boxes",
            "circles",
            "near",
            "rays",
            "touched_boxes",
            "touched_circles",
            "within",
        ];
        let entries: Vec<String> = names
            .iter()
            .zip(&parts)
            .map(|(name, part)| format!("{name}: {}", list(part, String::clone)))
            .collect();
        Ok(format!("#{{{}}}", entries.join(", ")))
    }
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
}

fn number(value: f32) -> String {
    format!("{:?}", f64::from(value) + 0.0)
}

fn vector(value: Vec2) -> String {
    let value = value + Vec2::ZERO;
    format!("vec2({:?}, {:?})", value.x, value.y)
}

fn place() -> impl Strategy<Value = [f32; 2]> {
    // Also on a grid, where edges touch and shapes coincide.
    let on_grid = [(-4i8..5), (-4i8..5)].prop_map(|[x, y]| [f32::from(x), f32::from(y)]);
    prop_oneof![[-4.0f32..4.0, -4.0f32..4.0], on_grid]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn scripts_get_what_the_library_gives(
        blocks in prop::collection::vec((any::<bool>(), place(), prop_oneof![Just(0.0f32), -3.0f32..3.0]), 0..10),
        questions in prop::collection::vec((place(), place(), [0.1f32..2.0, 0.1f32..2.0]), 0..4),
    ) {
        let mut world = world_of(&blocks, &questions);
        let expected = Expected { world: &world, physics: world.physics() };
        let expected = expected.state(&questions).expect("the questions are sound");
        world.step();
        prop_assert_eq!(world.faults(), &[] as &[Box<str>]);
        prop_assert_eq!(script(&world, "ball").state().to_string(), expected);
    }
}

#[test]
fn a_batch_names_the_question_that_is_none() {
    for (call, wanted) in [
        (
            "cast_rays([[vec2(0, 0), vec2(1, 1)], 3]);",
            "cast_rays: [1] is a whole number, not a list [from, to]",
        ),
        (
            "cast_rays([[vec2(0, 0)]]);",
            "cast_rays: [0] is a list, not a list [from, to]",
        ),
        (
            "cast_circles([[vec2(0, 0), vec2(1, 1), \"a\"]]);",
            "cast_circles: [0] is a list, not a list [from, to, radius]",
        ),
        ("cast_circles([[vec2(0, 0), vec2(1, 1), -1]]);", "cast_circles: "),
        (
            "cast_boxes([[vec2(0, 0), vec2(1, 1), vec2(1, 1)]], #{turn: 7.0});",
            "cast_boxes: turn is 7",
        ),
        (
            "query_points([vec2(0, 0), ()]);",
            "query_points: [1] is nothing, not a point",
        ),
        (
            "query_circles([[vec2(0, 0), 1]], #{turn: 1});",
            "query_circles: unknown \"turn\"",
        ),
        ("query_boxes([[vec2(1, 1), vec2(0, 0)]]);", "query_boxes: "),
        (
            "several_closest(vec2(0, 0), 1, -1);",
            "several_closest: the count is from 0 to 1000",
        ),
        (
            "several_closest(vec2(0, 0), -1, 1);",
            "several_closest: distance is -1",
        ),
        (
            "touches_of_circle(vec2(0, 0), 1, #{margin: -1});",
            "touches_of_circle: margin is -1",
        ),
        (
            "touches_of_circle(vec2(0, 0), 1, #{angle: 1});",
            "touches_of_circle: unknown \"angle\"",
        ),
        (
            "touches_of_box(vec2(0.0 / 0.0, 0), vec2(1, 1));",
            "touches_of_box: box is NaN",
        ),
        ("touches_of_box(vec2(0, 0), vec2(0, 1));", "touches_of_box: "),
        (
            "touches_of_circle(vec2(1e38, 0), 1, #{margin: 3.4e38});",
            "touches_of_circle: ",
        ),
    ] {
        let got = fault(&format!("fn on_tick(seconds) {{ {call} }}"));
        assert!(got.contains(wanted), "{call}\n{got}");
    }
}

/// Many shapes at one place: each query that looks at them pays for it, and one that compares them pairwise before it does.
#[test]
fn queries_pay_for_what_they_come_upon() {
    let used_up = "made more than 100000 operations in one call";
    let mut cheap = Vec::new();
    for (count, times, call) in [
        (
            200,
            100,
            "cast_circle_all(vec2(-9, 0), vec2(9, 0), 1, #{category: 0})",
        ),
        (
            200,
            100,
            "cast_box_all(vec2(-9, 0), vec2(9, 0), vec2(1, 1), #{category: 0})",
        ),
        (
            200,
            50,
            "cast_box_all(vec2(-9, 0), vec2(9, 0), vec2(1, 1), #{category: 0, turn: 1})",
        ),
        (200, 60, "several_closest(vec2(0, 0), 99, 900, #{category: 0})"),
        (200, 10, "touches_of_box(vec2(0, 0), vec2(2, 2), #{category: 0})"),
        (900, 1, "touches_of_circle(vec2(0, 0), 2, #{category: 0})"),
        (0, 3000, "cast_rays([])"),
        (0, 20, "cast_rays(many([vec2(0, 90), vec2(1, 90)], 330))"),
        (
            900,
            1,
            "cast_rays(many([vec2(0, 0), vec2(1, 0)], 40), #{category: 0})",
        ),
        (900, 1, "query_points(many(vec2(0, 0), 40), #{category: 0})"),
        (900, 1, "query_circles(many([vec2(0, 0), 1], 15), #{category: 0})"),
        (
            900,
            1,
            "query_boxes(many([vec2(0, 0), vec2(1, 1)], 40), #{category: 0})",
        ),
        (
            900,
            1,
            "cast_circles(many([vec2(0, 0), vec2(1, 0), 1], 15), #{category: 0})",
        ),
        (
            900,
            1,
            "cast_boxes(many([vec2(0, 0), vec2(1, 0), vec2(1, 1)], 15), #{category: 0})",
        ),
    ] {
        let text = super::scene_text(&format!(
            "fn many(q, n) {{ let a = []; a.pad(n, q); a }}
             fn on_tick(seconds) {{ for again in 0..{times} {{ {call}; }} }}"
        ));
        let pile = format!("place: [Row(name: \"pile\", entity: \"block\", count: {count}, step: (0, 0)),");
        let text = text
            .replacen("place: [", if count > 0 { &pile } else { "place: [" }, 1)
            .replacen(
                "entities: {",
                r#"entities: {"block": {"body": Body(), "stone": Collider(shape: Box(width: 2, height: 1))},"#,
                1,
            );
        let scene = Scene::parse("pile.ron", &text).unwrap_or_else(|error| panic!("{error}"));
        let mut world = World::from_scene(&scene).expect("the scene is sound");
        world.step();
        let is_dear = world.faults().iter().any(|line| line.ends_with(used_up));
        if !is_dear {
            cheap.push(format!("{call}: {:?}", world.faults()));
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
}

/// A list is copied for the call that is given it, also if that refuses its options or its first question.
#[test]
fn a_list_is_paid_for_even_if_nothing_is_asked() {
    for call in ["cast_rays(a, #{x: 1})", "cast_rays(a)", "query_points(this.a)"] {
        let got = fault(&format!(
            "fn on_tick(seconds) {{
                let a = [1];
                a.pad(300, [vec2(0, 90), vec2(1, 90)]);
                this.a = a;
                for again in 0..300 {{ try {{ {call}; }} catch {{ }} }}
            }}"
        ));
        assert!(
            got.ends_with("made more than 100000 operations in one call"),
            "{call}: {got}"
        );
    }
}

/// Each sensor of the world is looked at, and only those near by cost what a touch costs.
#[test]
fn far_sensors_cost_queries_of_touches_little() {
    let text = super::scene_text(
        "fn on_tick(seconds) {
            this.none = touches_of_circle(vec2(0, 90), 1, #{sensors: true}).len();
            this.some = touches_of_circle(vec2(500, 500), 1, #{sensors: true, margin: 0.1}).len();
        }",
    );
    let text = text
        .replacen(
            "place: [",
            "place: [Row(name: \"eye\", entity: \"eye\", at: (500, 500), count: 900, step: (3, 0)),",
            1,
        )
        .replacen(
            "entities: {",
            r#"entities: {"eye": {"body": Body(), "lens": Collider(shape: Circle(radius: 1), sensor: true)},"#,
            1,
        );
    let scene = Scene::parse("eyes.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    assert_eq!(script(&world, "ball").state().to_string(), "#{none: 0, some: 1}");
}

/// A batch of nothing is no question, and one of misses has an answer for each.
#[test]
fn a_batch_is_as_long_as_its_questions() {
    let state = super::state_after(
        2,
        "fn on_tick(seconds) {
            let none = [];
            this.none = [cast_rays(none), cast_circles(none), cast_boxes(none), query_points(none), query_boxes(none)];
            let rays = [];
            for x in 0..100 { rays.push([vec2(x, 9), vec2(x, 8)]); }
            this.misses = cast_rays(rays).filter(|hit| hit == ()).len();
        }",
    );
    assert_eq!(state, "#{misses: 100, none: [[], [], [], [], []]}");
}
