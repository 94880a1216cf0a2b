//! What follows from a cut: the ids of the pieces, joints, islands, sleep, debris, errors, the same for every number of workers.

use crate::cut_support::{add_concave_polygon, points, ring_polygon, slice, u_polygon};
use crate::feature_support::{DT, add, plain, run, same_everywhere, weightless, world};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ConcavePolygon, DVec2, Debris, DebrisFate, Filter, PhysicsError, PhysicsWorld,
    Position, QueryFilter, RevoluteDef, Shape, ShapeDef, Shatter, Vec2, WorldDef,
};

#[test]
fn the_greatest_piece_goes_on_as_the_body_and_pieces_inherit() {
    let mut world = world(&weightless());
    let def = BodyDef {
        user_key: 7,
        gravity_scale: 0.5,
        linear_damping: 0.25,
        ..BodyDef::dynamic(1.0, 2.0)
    };
    let shape = ShapeDef {
        user_key: 9,
        density: 3.0,
        friction: 0.125,
        restitution: 0.5,
        rolling_resistance: 0.0625,
        contact_skin: 0.03,
        filter: Filter {
            category: 4,
            mask: 12,
            group: 0,
        },
        hit_events: true,
        ..Default::default()
    };
    let plank = add(&mut world, &def, &shape, &Shape::new_box(4.0, 1.0).unwrap());
    let cut = slice(&mut world, plank, (2.0, 0.0), (2.0, 1.0)).unwrap();
    assert_eq!(cut.body, plank);
    assert_eq!(cut.segments.len(), 1);
    let piece = world.body(cut.pieces[0]).unwrap();
    let kept = world.body(plank).unwrap();
    assert!((kept.mass() - 9.0).abs() < 1e-5 && (piece.mass() - 3.0).abs() < 1e-5);
    assert_eq!(piece.pose(), kept.pose());
    assert_eq!(piece.center_of_mass(), Position::new(2.5, 2.0));
    assert_eq!((piece.user_key(), piece.kind()), (7, BodyKind::Dynamic));
    for body in [kept, piece] {
        let shape = body.shapes().next().unwrap();
        assert_eq!(
            (
                shape.user_key(),
                shape.density(),
                shape.friction(),
                shape.contact_skin()
            ),
            (9, 3.0, 0.125, 0.03)
        );
        assert_eq!((shape.restitution(), shape.filter().category), (0.5, 4));
    }
    world.step(DT).unwrap();
    let told = world.events().cut();
    assert_eq!(
        (told.len(), told[0].body, told[0].piece),
        (1, plank, cut.pieces[0])
    );
    world.step(DT).unwrap();
    assert!(world.events().cut().is_empty());
}

#[test]
fn holes_and_legs_part_where_the_line_leaves_nothing_between() {
    let mut world = world(&weightless());
    let ring = add_concave_polygon(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &ShapeDef::default(),
        &ring_polygon(),
    );
    let cut = slice(&mut world, ring, (0.0, 0.0), (1.0, 0.0)).unwrap();
    assert_eq!((cut.pieces.len(), cut.segments.len()), (1, 2));
    let u = add_concave_polygon(
        &mut world,
        &BodyDef::dynamic(20.0, 0.0),
        &ShapeDef::default(),
        &u_polygon(),
    );
    let cut = slice(&mut world, u, (0.0, 1.5), (1.0, 1.5)).unwrap();
    assert_eq!(cut.pieces.len(), 2);
    assert!((world.body(u).unwrap().mass() - 4.0).abs() < 1e-5);
}

#[test]
fn shapes_of_a_body_stay_together_by_the_stated_rules() {
    let mut world = world(&weightless());
    // An H: two posts and a bar, and on the left post a sensor and a hook (a segment).
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let mut part = |w: f32, h: f32, x, y| {
        let shape = Shape::box_at(2.0 * w, 2.0 * h, Vec2::new(x, y), 0.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &shape).unwrap()
    };
    let left = part(0.5, 3.0, -2.0, 0.0);
    let right = part(0.5, 3.0, 2.0, 0.0);
    part(1.5, 0.5, 0.0, 0.0);
    let sensor_def = ShapeDef {
        sensor: true,
        ..Default::default()
    };
    let eye = Shape::circle(Vec2::new(-2.0, 2.0), 0.25).unwrap();
    let eye = world.create_shape(body, &sensor_def, &eye).unwrap();
    let hook = Shape::segment(Vec2::new(-2.5, 3.0), Vec2::new(-2.5, 3.5)).unwrap();
    let hook = world.create_shape(body, &ShapeDef::default(), &hook).unwrap();
    let whole = world.clone();

    // Through the bar, nearer to the right post: the left half is greater. Uncut shapes keep their ids.
    let cut = slice(&mut world, body, (0.5, 0.0), (0.5, 1.0)).unwrap();
    let of = |world: &PhysicsWorld, shape| world.shape(shape).map(|shape| shape.body().id());
    assert_eq!(cut.pieces.len(), 1);
    assert_eq!(of(&world, left), Some(body));
    assert_eq!(of(&world, right), Some(cut.pieces[0]));
    assert_eq!([of(&world, eye), of(&world, hook)], [Some(body); 2]);

    // Across both posts above the bar: two ends part from each other, too.
    let mut world = whole;
    let cut = slice(&mut world, body, (0.0, 1.5), (1.0, 1.5)).unwrap();
    assert_eq!(cut.pieces.len(), 2);
    assert_eq!(of(&world, eye), of(&world, hook));
    assert!(cut.pieces.contains(&of(&world, eye).unwrap()));

    // Between shapes that touch nothing: the body parts although nothing of it was cut.
    let pair = world.create_body(&BodyDef::dynamic(20.0, 0.0)).unwrap();
    for x in [-2.0, 2.0] {
        let disc = Shape::circle(Vec2::new(x, 0.0), 1.0).unwrap();
        world.create_shape(pair, &ShapeDef::default(), &disc).unwrap();
    }
    let cut = slice(&mut world, pair, (20.0, 0.0), (20.0, 1.0)).unwrap();
    // Four pieces of the posts, and nothing of the discs.
    assert_eq!((cut.pieces.len(), world.concave_polygons().len()), (1, 4));
}

#[test]
fn joints_follow_their_anchors_and_what_hung_falls() {
    let mut world = world(&WorldDef::default());
    let branch = plain(
        &mut world,
        &BodyDef::fixed(0.0, 10.0),
        &Shape::new_box(6.0, 0.5).unwrap(),
    );
    let rope = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 8.0),
        &Shape::new_box(0.2, 2.0).unwrap(),
    );
    let fruit = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 6.5),
        &Shape::circle(Vec2::ZERO, 0.5).unwrap(),
    );
    let upper = RevoluteDef::new(branch, Vec2::new(0.0, -0.5), rope, Vec2::new(0.0, 1.5));
    let upper = world.create_joint(upper).unwrap();
    let lower = RevoluteDef::new(rope, Vec2::new(0.0, -1.0), fruit, Vec2::new(0.0, 0.5));
    let lower = world.create_joint(lower).unwrap();
    run(&mut world, 120);
    assert!(!world.body(fruit).unwrap().is_awake(), "it hangs and sleeps");

    let cut = slice(&mut world, rope, (-1.0, 8.25), (1.0, 8.25)).unwrap();
    let [hung, fallen] = [upper, lower].map(|joint| world.joint(joint).unwrap().bodies().map(|b| b.id()));
    assert_eq!(fallen, [rope, fruit], "the greater piece is the lower one");
    assert_eq!(hung, [branch, cut.pieces[0]]);
    assert!(world.body(fruit).unwrap().is_awake(), "the cut island wakes");
    run(&mut world, 60);
    let [stump, fruit] = [cut.pieces[0], fruit].map(|id| world.body(id).unwrap());
    assert!(fruit.position().y < 3.0, "what hung falls");
    assert!(stump.center_of_mass().y > 8.0, "the stump hangs on");
    assert_ne!(stump.island(), fruit.island());
}

#[test]
fn what_rests_sleeps_again() {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(40.0, 2.0).unwrap(),
    );
    let crates: Vec<BodyId> = (0..3)
        .map(|i| {
            let crate_ = Shape::new_box(1.0, 1.0).unwrap();
            plain(&mut world, &BodyDef::dynamic(0.0, 0.5 + i as f32), &crate_)
        })
        .collect();
    run(&mut world, 120);
    assert_eq!(world.counters().awake_bodies, 0);
    let cut = slice(&mut world, crates[0], (-1.0, 0.4), (1.0, 0.4)).unwrap();
    assert_eq!(cut.pieces.len(), 1);
    assert_eq!(world.counters().awake_bodies, 4, "the whole pile wakes");
    run(&mut world, 200);
    assert_eq!(world.counters().awake_bodies, 0, "and sleeps again");
    let top = world.body(crates[2]).unwrap().center_of_mass();
    assert!((top.y - 2.5).abs() < 0.02, "nothing sank or jumped: {top:?}");
}

#[test]
fn a_segment_cut_cuts_what_it_crosses_and_nothing_else() {
    let mut world = world(&weightless());
    let boxes: Vec<BodyId> = (0..4)
        .map(|i| {
            let def = BodyDef::dynamic(2.0 * i as f32, 0.0);
            plain(&mut world, &def, &Shape::new_box(1.0, 1.0).unwrap())
        })
        .collect();
    // From before the first into the middle of the third.
    let (from, to) = (Position::new(-1.0, 0.1), Position::new(4.0, 0.1));
    let cuts = world.cut_through(from, to, QueryFilter::default()).unwrap();
    assert_eq!(cuts.iter().map(|cut| cut.body).collect::<Vec<_>>(), boxes[..2]);
    world.validate();
    let filter = QueryFilter {
        mask: 2,
        ..Default::default()
    };
    let across = (Position::new(-1.0, -0.1), Position::new(8.0, -0.1));
    assert!(world.cut_through(across.0, across.1, filter).unwrap().is_empty());
    // A segment from the hole of a ring outwards parts nothing.
    let ring = add_concave_polygon(
        &mut world,
        &BodyDef::dynamic(0.0, 20.0),
        &ShapeDef::default(),
        &ring_polygon(),
    );
    let (hole, out) = (Position::new(0.0, 20.0), Position::new(5.0, 20.0));
    assert!(
        world
            .cut_through(hole, out, QueryFilter::default())
            .unwrap()
            .is_empty()
    );
    assert_eq!(world.body(ring).unwrap().shapes().count(), 4);
}

#[test]
fn debris_vanishes_or_stays_as_the_setting_says() {
    let mut world = world(&weightless());
    let def = BodyDef {
        linear_velocity: Vec2::X,
        angular_velocity: 2.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut world, &def, &Shape::new_box(2.0, 2.0).unwrap());
    let area_max = 2.5e-3;
    let debris = Debris {
        area_max,
        ..Debris::default()
    };
    world.set_debris(debris).unwrap();
    let shaved = slice(&mut world, body, (0.999, 0.0), (0.999, 1.0)).unwrap();
    assert!(shaved.pieces.is_empty());
    let event = shaved.vanished[0];
    assert!((event.area - 2e-3).abs() < 1e-6 && event.mass == event.area);
    assert!(
        (event.velocity - Vec2::new(1.0, 2.0)).length() < 2e-3,
        "{event:?}"
    );
    world.step(DT).unwrap();
    assert_eq!(world.events().vanished(), [event]);

    let filter = Filter {
        category: 64,
        mask: 0,
        group: 0,
    };
    let debris = Debris {
        area_max: 0.5,
        fate: DebrisFate::Stay(filter),
    };
    world.set_debris(debris).unwrap();
    assert_eq!(world.debris(), debris);
    let center = world.body(body).unwrap().center_of_mass();
    let beside = center + world.body(body).unwrap().rotation().rotate(Vec2::new(0.8, 0.0));
    let up = world.body(body).unwrap().rotation().rotate(Vec2::Y);
    let cut = world.slice(body, beside, beside + up).unwrap().unwrap();
    let chip = world.body(cut.pieces[0]).unwrap();
    assert!(chip.is_debris() && !world.body(body).unwrap().is_debris());
    assert!(chip.shapes().all(|shape| shape.filter() == filter));
    world.step(DT).unwrap();
    assert!(world.events().cut()[0].debris);
    assert!(
        world
            .set_debris(Debris {
                area_max: f32::NAN,
                ..debris
            })
            .is_err()
    );
}

#[test]
fn bad_calls_change_nothing() {
    let mut world = world(&weightless());
    let body = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::new_box(2.0, 2.0).unwrap(),
    );
    let gone = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    world.destroy_body(gone).unwrap();
    let before = world.state_hash();
    let [at, nan] = [0.0, f32::NAN].map(|x| Position::new(x, 0.0));
    let stale = world.slice(gone, at, Position::new(1.0, 0.0));
    assert_eq!(stale, Err(PhysicsError::StaleHandle { what: "body" }));
    assert!(matches!(world.slice(body, at, at), Err(PhysicsError::Line(_))));
    assert!(world.slice(body, at, nan).is_err());
    assert!(world.cut_through(nan, at, QueryFilter::default()).is_err());
    for pattern in [
        Shatter::Seeded { seed: 1, count: 1 },
        Shatter::Seeded { seed: 1, count: 1025 },
        Shatter::Sites(vec![at, at]),
        Shatter::Sites(vec![at, nan]),
    ] {
        assert!(world.shatter(body, &pattern).is_err(), "{pattern:?}");
    }
    let sliver = ConcavePolygon::new(&points(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1e-5)])).unwrap();
    assert_eq!(
        world.create_concave_polygon(body, &ShapeDef::default(), &sliver),
        Err(PhysicsError::TooThin)
    );
    let heavy = ShapeDef {
        density: 1e25,
        ..Default::default()
    };
    assert!(world.create_concave_polygon(body, &heavy, &u_polygon()).is_err());
    // A line beside the body, and one along its side.
    assert_eq!(slice(&mut world, body, (3.0, 0.0), (3.0, 1.0)), None);
    assert_eq!(slice(&mut world, body, (1.0, 0.0), (1.0, 1.0)), None);
    assert_eq!(world.state_hash(), before);
}

#[test]
fn parts_of_a_concave_polygon_act_as_one() {
    let mut world = world(&weightless());
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let id = world
        .create_concave_polygon(body, &ShapeDef::default(), &u_polygon())
        .unwrap();
    let parts: Vec<_> = world
        .concave_polygon(id)
        .unwrap()
        .parts()
        .map(|part| part.id())
        .collect();
    assert!(parts.len() >= 3);
    assert_eq!(world.concave_polygon(id).unwrap().body().id(), body);
    let filter = Filter {
        category: 2,
        mask: 4,
        group: 0,
    };
    world.shape_mut(parts[1]).unwrap().set_filter(filter);
    world
        .shape_mut(parts[1])
        .unwrap()
        .set_material(0.25, 0.75)
        .unwrap();
    for &part in &parts {
        let part = world.shape(part).unwrap();
        assert_eq!(
            (part.filter(), part.friction(), part.part_of()),
            (filter, 0.25, Some(id))
        );
    }
    world.validate();
    world.destroy_shape(parts[0]).unwrap();
    world.validate();
    assert!(world.concave_polygon(id).is_none());
    assert!(parts.iter().all(|&part| world.shape(part).is_none()));
    assert_eq!(
        world.destroy_concave_polygon(id),
        Err(PhysicsError::StaleHandle {
            what: "concave polygon"
        })
    );
}

/// A box that slides along the straight top of a comb-like concave polygon whose top carries straight corners moves as
/// over one plain box.
#[test]
fn what_slides_along_a_straight_side_meets_no_seams() {
    let slide = |concave_polygon: bool| {
        let mut world = world(&WorldDef::default());
        let mut teeth = vec![DVec2::new(-20.0, -3.0)];
        for i in -10..10 {
            let x = 2.0 * f64::from(i);
            teeth.extend(points(&[
                (x, -1.0),
                (x + 1.0, -1.0),
                (x + 1.0, -3.0),
                (x + 2.0, -3.0),
            ]));
        }
        teeth.remove(1);
        teeth.remove(0);
        teeth.insert(0, DVec2::new(-20.0, -1.0));
        teeth.extend((0..=80).map(|i| DVec2::new(20.0 - 0.5 * f64::from(i), 0.0)));
        let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        if concave_polygon {
            let concave_polygon = ConcavePolygon::new(&teeth).unwrap();
            world
                .create_concave_polygon(ground, &ShapeDef::default(), &concave_polygon)
                .unwrap();
        } else {
            let plain = Shape::box_at(40.0, 3.0, Vec2::new(0.0, -1.5), 0.0).unwrap();
            world.create_shape(ground, &ShapeDef::default(), &plain).unwrap();
        }
        let def = BodyDef {
            linear_velocity: Vec2::new(9.0, 0.0),
            ..BodyDef::dynamic(-15.0, 0.5)
        };
        let crate_ = plain(&mut world, &def, &Shape::new_box(1.0, 1.0).unwrap());
        run(&mut world, 60);
        let body = world.body(crate_).unwrap();
        (body.position(), body.linear_velocity().x)
    };
    let (place, speed) = slide(true);
    let (plain_place, plain_speed) = slide(false);
    assert!((place - plain_place).length() < 1e-3, "{place:?} {plain_place:?}");
    assert!((speed - plain_speed).abs() < 1e-3);
}

/// A pile of concave polygons and shapes that is cut again and again while it falls.
fn busy_world() -> PhysicsWorld {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(60.0, 2.0).unwrap(),
    );
    for i in 0..6 {
        let x = 5.0 * i as f32 - 12.0;
        add_concave_polygon(
            &mut world,
            &BodyDef::dynamic(x, 1.0),
            &ShapeDef::default(),
            &u_polygon(),
        );
        add_concave_polygon(
            &mut world,
            &BodyDef::dynamic(x, 7.0),
            &ShapeDef::default(),
            &ring_polygon(),
        );
        plain(
            &mut world,
            &BodyDef::dynamic(x, 11.0),
            &Shape::circle(Vec2::ZERO, 0.8).unwrap(),
        );
    }
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    let across = [(-20.0, 2.0), (20.0, 4.0), (-20.0, 9.0), (20.0, 7.5)].map(|(x, y)| Position::new(x, y));
    for ends in across.windows(2) {
        world
            .cut_through(ends[0], ends[1], QueryFilter::default())
            .unwrap();
        world.validate();
        world.step(DT).unwrap();
    }
    world
}

#[test]
fn workers_and_saves_change_nothing() {
    let world = same_everywhere(busy_world, 120, |world| {
        format!("{:?} {:?}", world.events().cut(), world.events().begin_touch())
    });
    assert!(world.bodies().len() > 28, "{}", world.bodies().len());
    // A save with cuts that the next step will tell of.
    let mut fresh = busy_world();
    let body = fresh.bodies().nth(3).unwrap().id();
    let center = fresh.body(body).unwrap().center_of_mass();
    fresh.slice(body, center, center + Vec2::X).unwrap().unwrap();
    let mut restored = PhysicsWorld::from_save(&fresh.save()).unwrap();
    for world in [&mut fresh, &mut restored] {
        world.step(DT).unwrap();
    }
    assert_eq!(fresh.events().cut(), restored.events().cut());
    assert!(!fresh.events().cut().is_empty());
    assert_eq!(fresh.state_hash(), restored.state_hash());
}

#[test]
fn debris_that_was_not_cut_has_the_filter_of_debris() {
    let mut w = world(&weightless());
    let debris = Debris {
        area_max: 0.1,
        fate: DebrisFate::Stay(Debris::FILTER),
    };
    w.set_debris(debris).unwrap();
    let wall = plain(
        &mut w,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::new_box(2.0, 2.0).unwrap(),
    );
    let own = ShapeDef {
        filter: Filter {
            category: 4,
            ..Filter::default()
        },
        ..ShapeDef::default()
    };
    // A stone, and what goes with it: a line and a sensor.
    let stone = Shape::box_at(0.2, 0.2, Vec2::new(3.0, 0.0), 0.0).unwrap();
    let line = Shape::segment(Vec2::new(3.1, 0.0), Vec2::new(3.5, 0.0)).unwrap();
    let eye = ShapeDef {
        sensor: true,
        ..own.clone()
    };
    w.create_shape(wall, &own, &stone).unwrap();
    w.create_shape(wall, &own, &line).unwrap();
    w.create_shape(wall, &eye, &stone).unwrap();
    let rest = w.body(wall).unwrap().shapes().last().unwrap().filter();
    let cut = slice(&mut w, wall, (2.0, 0.0), (2.0, 1.0)).unwrap();
    let piece = w.body(cut.pieces[0]).unwrap();
    assert!(piece.is_debris());
    let filters: Vec<Filter> = piece.shapes().map(|shape| shape.filter()).collect();
    assert_eq!(filters, [Debris::FILTER; 3]);
    assert!(w.body(wall).unwrap().shapes().all(|shape| shape.filter() == rest));
    // Two pieces of debris do not collide: the trees know the filter too.
    let other = ShapeDef {
        filter: Debris::FILTER,
        ..ShapeDef::default()
    };
    let near = BodyDef {
        linear_velocity: Vec2::new(-1.0, 0.0),
        ..BodyDef::dynamic(4.0, 0.0)
    };
    let near = add(&mut w, &near, &other, &Shape::new_box(0.2, 0.2).unwrap());
    run(&mut w, 90);
    assert_eq!(w.body(near).unwrap().contacts().count(), 0);
    assert_eq!(w.body(near).unwrap().linear_velocity().x, -1.0);
}

/// Two boxes that overlap and are ignored as a pair: wherever the line goes, no piece is thrown out of the other box.
#[test]
fn pieces_ignore_what_the_shape_that_was_cut_ignored() {
    let mut world = world(&weightless());
    let box_of = |world: &mut PhysicsWorld, x| {
        let body = plain(
            world,
            &BodyDef::dynamic(x, 0.0),
            &Shape::new_box(2.0, 2.0).unwrap(),
        );
        (body, world.body(body).unwrap().shapes().next().unwrap().id())
    };
    let (cut, whole, other) = (
        box_of(&mut world, 0.0),
        box_of(&mut world, 0.5),
        box_of(&mut world, 9.0),
    );
    world.set_pair_ignored(cut.1, whole.1, true).unwrap();
    world.set_pair_ignored(whole.1, other.1, true).unwrap();
    let pieces = slice(&mut world, cut.0, (-2.0, 0.0), (2.0, 0.0)).unwrap().pieces;
    run(&mut world, 30);
    for body in [cut.0, whole.0, pieces[0]] {
        assert_eq!(world.body(body).unwrap().linear_velocity(), Vec2::ZERO);
    }
    // The pieces of a piece do so too, until the pair is told otherwise.
    let halves = slice(&mut world, pieces[0], (0.0, -2.0), (0.0, 2.0))
        .unwrap()
        .pieces;
    run(&mut world, 30);
    assert_eq!(world.body(halves[0]).unwrap().linear_velocity(), Vec2::ZERO);
    let half = world.body(halves[0]).unwrap().shapes().next().unwrap().id();
    world.set_pair_ignored(half, whole.1, false).unwrap();
    run(&mut world, 30);
    assert_ne!(world.body(halves[0]).unwrap().linear_velocity(), Vec2::ZERO);
    world.validate();
}
