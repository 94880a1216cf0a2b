//! Rules for contacts by categories of filters: which rule counts, and that they do what rules for materials do.

use crate::world_support::Random;
use tombolo_physics::{
    ANY_CATEGORY, ANY_MATERIAL, BodyDef, BodyId, ContactRule, Filter, PhysicsWorld, QueryFilter, Shape,
    ShapeDef, ShapeId, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn add(
    world: &mut PhysicsWorld,
    def: &BodyDef,
    [material, category]: [u64; 2],
    shape: &Shape,
) -> (BodyId, ShapeId) {
    let body = world.create_body(def).unwrap();
    let def = ShapeDef {
        material: material as u32,
        filter: Filter {
            category,
            ..Filter::default()
        },
        ..ShapeDef::default()
    };
    (body, world.create_shape(body, &def, shape).unwrap())
}

fn rect(width: f32, height: f32) -> Shape {
    Shape::new_box(width, height).unwrap()
}

fn marked(mark: f32) -> ContactRule {
    ContactRule {
        friction: Some(mark),
        ..ContactRule::default()
    }
}

/// Rules of both kinds with the order in which they were listed, and their marks.
type Table = Vec<([u64; 2], f32)>;

/// The rule that counts, by the words of the document: all rules in the order in which they count, the first that fits.
fn expected(materials: &Table, categories: &Table, sides: [[u64; 2]; 2]) -> Option<f32> {
    let any = u64::from(ANY_MATERIAL);
    let fits_materials = |pair: [u64; 2]| {
        [[0, 1], [1, 0]]
            .into_iter()
            .any(|[a, b]| (0..2).all(|i| pair[i] == any || pair[i] == sides[[a, b][i]][0]))
    };
    let fits_categories = |pair: [u64; 2]| {
        [[0, 1], [1, 0]]
            .into_iter()
            .any(|[a, b]| (0..2).all(|i| pair[i] == ANY_CATEGORY || pair[i] & sides[[a, b][i]][1] != 0))
    };
    let sorted = |table: &Table, all: u64, of_all: bool| -> Table {
        let is_of_all = |pair: &[u64; 2]| pair.contains(&all);
        let mut rules: Table = table
            .iter()
            .copied()
            .filter(|(pair, _)| is_of_all(pair) == of_all)
            .collect();
        let key = |[a, b]: [u64; 2]| {
            let place = |x: u64| if x == all { u64::MAX } else { x };
            [place(a).min(place(b)), place(a).max(place(b))]
        };
        rules.sort_by_key(|(pair, _)| key(*pair));
        rules
    };
    let in_order = [(materials, any, false), (materials, any, true)]
        .into_iter()
        .flat_map(|(table, all, of_all)| sorted(table, all, of_all))
        .filter(|(pair, _)| fits_materials(*pair));
    let then = [(categories, false), (categories, true)]
        .into_iter()
        .flat_map(|(table, of_all)| sorted(table, ANY_CATEGORY, of_all))
        .filter(|(pair, _)| fits_categories(*pair));
    in_order.chain(then).map(|(_, mark)| mark).next()
}

#[test]
fn the_rule_that_counts_is_the_first_in_the_stated_order() {
    let mut random = Random(11);
    let (mut by_material, mut by_category, mut none) = (0, 0, 0);
    for _ in 0..300 {
        let mut world = world();
        let (mut materials, mut categories): (Table, Table) = (Vec::new(), Vec::new());
        for mark in 0..random.below(9) {
            let mark = mark as f32;
            if random.chance(3) {
                let pick = |random: &mut Random| match random.below(4) {
                    3 => u64::from(ANY_MATERIAL),
                    number => number as u64,
                };
                let pair = [pick(&mut random), pick(&mut random)];
                let set = world.set_contact_rule(pair[0] as u32, pair[1] as u32, marked(mark));
                if set.is_ok() {
                    materials.retain(|(other, _)| *other != pair && *other != [pair[1], pair[0]]);
                    materials.push((pair, mark));
                }
            } else {
                let pick = |random: &mut Random| match random.below(5) {
                    4 => ANY_CATEGORY,
                    bit => 1 << (bit * 21),
                };
                let pair = [pick(&mut random), pick(&mut random)];
                if world.set_category_rule(pair[0], pair[1], marked(mark)).is_ok() {
                    categories.retain(|(other, _)| *other != pair && *other != [pair[1], pair[0]]);
                    categories.push((pair, 100.0 + mark));
                    world
                        .set_category_rule(pair[0], pair[1], marked(100.0 + mark))
                        .unwrap();
                } else {
                    assert_eq!(pair, [ANY_CATEGORY; 2]);
                }
            }
        }
        assert_eq!(world.category_rules().len(), categories.len());
        for _ in 0..20 {
            let side = |random: &mut Random| {
                let bits = random.next() & (1 | 1 << 21 | 1 << 42 | 1 << 63);
                [random.below(5) as u64, bits]
            };
            let sides = [side(&mut random), side(&mut random)];
            let [a, b] =
                sides.map(|side| add(&mut world, &BodyDef::dynamic(0.0, 0.0), side, &rect(1.0, 1.0)).1);
            let expected = expected(&materials, &categories, sides);
            let found = world.rule_between(a, b).map(|rule| rule.friction.unwrap());
            assert_eq!(found, expected, "{sides:?} of {materials:?} and {categories:?}");
            assert_eq!(world.rule_between(b, a), world.rule_between(a, b));
            match expected {
                Some(mark) if mark >= 100.0 => by_category += 1,
                Some(_) => by_material += 1,
                None => none += 1,
            }
        }
    }
    assert!(
        by_material > 200 && by_category > 500 && none > 100,
        "{by_material} {by_category} {none}"
    );
}

const PLATE: u64 = 1 << 4;
const JUMPER: u64 = 1 << 5;

/// A jump through a plate from below, and back.
fn jump(world: &mut PhysicsWorld, plate: u64, jumper: u64) -> f32 {
    add(world, &BodyDef::fixed(0.0, 0.0), [0, plate], &rect(4.0, 0.2));
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 9.0),
        ..BodyDef::dynamic(0.0, -1.0)
    };
    let body = add(world, &def, [0, jumper], &rect(0.5, 0.5)).0;
    for index in 0..150 {
        if index == 20 {
            *world = PhysicsWorld::from_save(&world.save()).unwrap();
        }
        world.step(DT).unwrap();
        world.validate();
    }
    world.body(body).unwrap().position().y
}

#[test]
fn platforms_are_one_way_for_a_category_whichever_shape_was_made_first() {
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    for (plate, jumper, lands) in [
        (PLATE, JUMPER, true),
        (PLATE | 1, JUMPER | 2, true),
        (PLATE, 2, false),
    ] {
        for swapped in [false, true] {
            let mut world = world();
            if swapped {
                // The visitor has the lower index.
                let gone = add(&mut world, &BodyDef::fixed(50.0, 0.0), [0, 1], &rect(1.0, 1.0)).0;
                world.destroy_body(gone).unwrap();
            }
            world.set_category_rule(PLATE, JUMPER, up).unwrap();
            let height = jump(&mut world, plate, jumper);
            assert_eq!((height - 0.35).abs() < 0.02, lands, "{plate} {jumper}: {height}");
        }
    }
    for any_first in [false, true] {
        let mut world = world();
        // The platform is named first; what is named second leaves it, or lands on it from below.
        let (first, second) = if any_first {
            (ANY_CATEGORY, PLATE)
        } else {
            (PLATE, ANY_CATEGORY)
        };
        world.set_category_rule(first, second, up).unwrap();
        let height = jump(&mut world, PLATE, 1);
        assert_eq!((height - 0.35).abs() < 0.02, !any_first, "{height}");
    }
}

#[test]
fn rules_come_go_and_follow_the_filter() {
    let mut world = world();
    add(
        &mut world,
        &BodyDef::fixed(0.0, -1.0),
        [0, PLATE],
        &rect(20.0, 2.0),
    );
    let (body, shape) = add(
        &mut world,
        &BodyDef::dynamic(0.0, 0.5),
        [0, JUMPER],
        &rect(1.0, 1.0),
    );
    let is_awake = |world: &PhysicsWorld| world.body(body).unwrap().is_awake();
    let rest = |world: &mut PhysicsWorld| {
        for _ in 0..200 {
            world.step(DT).unwrap();
        }
        assert!(!world.body(body).unwrap().is_awake());
    };
    rest(&mut world);
    world.set_category_rule(PLATE, 1 << 9, marked(0.3)).unwrap();
    assert!(
        is_awake(&world) && world.rule_between(shape, shape).is_none(),
        "the floor is named"
    );
    rest(&mut world);
    world.set_category_rule(PLATE, JUMPER, marked(0.3)).unwrap();
    assert!(is_awake(&world));
    world.validate();
    let rule = |world: &PhysicsWorld| world.body(body).unwrap().contacts().next().unwrap().rule();
    assert_eq!(rule(&world), Some(marked(0.3)));
    rest(&mut world);
    let filter = Filter {
        category: 2,
        ..Filter::default()
    };
    world.shape_mut(shape).unwrap().set_filter(filter);
    world.validate();
    assert_eq!(rule(&world), None, "it is of another category now");
    let ignore = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    world.set_category_rule(2, ANY_CATEGORY, ignore).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.events().end_touch().len(), 1);
    assert_eq!(world.remove_category_rule(ANY_CATEGORY, 2), Some(ignore));
    world.step(DT).unwrap();
    assert_eq!(world.events().begin_touch().len(), 1);
    world.validate();
}

#[test]
fn queries_of_a_material_and_a_category_obey_rules_for_categories() {
    let mut world = world();
    add(&mut world, &BodyDef::fixed(0.0, 0.0), [0, PLATE], &rect(4.0, 0.2));
    let ignore = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    world.set_category_rule(PLATE, JUMPER, ignore).unwrap();
    let hits = |material: Option<u32>, category: u64| {
        let filter = QueryFilter {
            material,
            category,
            ..QueryFilter::default()
        };
        let (origin, way) = (Vec2::new(0.0, 5.0).into(), Vec2::new(0.0, -10.0));
        world.cast_ray(origin, way, filter).unwrap().is_some()
    };
    assert!(hits(None, JUMPER) && hits(Some(0), 2) && hits(Some(0), u64::MAX));
    assert!(!hits(Some(0), JUMPER));
}

#[test]
fn what_no_rule_can_be_about_is_refused() {
    let mut world = world();
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    for (first, second, rule, word) in [
        (3, 4, marked(0.5), "one bit"),
        (1, u64::MAX, marked(0.5), "one bit"),
        (ANY_CATEGORY, ANY_CATEGORY, marked(0.5), "a category"),
        (4, 4, up, "two different"),
        (4, 8, marked(-1.0), "friction"),
    ] {
        let error = world
            .set_category_rule(first, second, rule)
            .unwrap_err()
            .to_string();
        assert!(error.contains(word), "{error}");
    }
    assert_eq!(world.category_rules().len(), 0);
}

#[test]
fn a_category_rule_sets_the_speed_of_hits_of_its_pairs_and_of_no_others() {
    // Category, threshold of its rule with the floor, height of the fall, and whether that is a hit.
    let cases = [
        (2, 100.0, 2.0, false),
        (2, 0.01, 0.02, true),
        (4, 0.01, 0.02, false),
        (4, 100.0, 2.0, true),
    ];
    for (category, threshold, height, hits) in cases {
        let mut w = world();
        let floor = add(&mut w, &BodyDef::fixed(0.0, -0.5), [0, 1], &rect(9.0, 1.0));
        let def = BodyDef::dynamic(0.0, 0.5 + height);
        let (_, ball) = add(&mut w, &def, [0, 2], &Shape::circle(Vec2::ZERO, 0.5).unwrap());
        w.shape_mut(ball).unwrap().set_events(true, true);
        let rule = ContactRule {
            hit_threshold: Some(threshold),
            ..ContactRule::default()
        };
        w.set_category_rule(category, 1, rule).unwrap();
        let mut count = 0;
        for _ in 0..120 {
            w.step(DT).unwrap();
            count += w.events().hit().len();
        }
        assert_eq!(
            count > 0,
            hits,
            "category {category}, threshold {threshold}, {floor:?}"
        );
    }
}
