//! Rounded shapes in cells: what lies in a cell narrower than two radii goes to its neighbors, and only the new round corners
//! are lost.

use crate::feature_support::{plain, weightless, world};
use tombolo_physics::{
    BodyDef, BodyId, Cut, Debris, DebrisFate, PhysicsWorld, Position, Shape, Shatter, Vec2,
};

/// A body of a rounded box, in a world where next to nothing vanishes.
fn pane(width: f32, height: f32, radius: f32) -> (PhysicsWorld, BodyId) {
    let mut world = world(&weightless());
    let shape = Shape::rounded_box(width, height, radius).unwrap();
    let body = plain(&mut world, &BodyDef::dynamic(0.0, 0.0), &shape);
    let debris = Debris {
        area_max: 1e-4,
        fate: DebrisFate::Vanish,
    };
    world.set_debris(debris).unwrap();
    (world, body)
}

/// The bodies of a cut.
fn bodies(cut: &Cut) -> impl Iterator<Item = BodyId> {
    [cut.body].into_iter().chain(cut.pieces.iter().copied())
}

/// The area of all shapes, and their mass.
fn area_and_mass(world: &PhysicsWorld, cut: &Cut) -> [f32; 2] {
    let mut sums = [0.0; 2];
    for body in bodies(cut).map(|body| world.body(body).unwrap()) {
        let areas = body
            .shapes()
            .map(|shape| shape.geometry().mass_properties(1.0).mass);
        sums[0] += areas.sum::<f32>();
        sums[1] += body.mass();
    }
    sums
}

/// Sites in a row cut a bar across: the width of each slab and the corners that it lacks are known.
#[test]
fn slabs_narrower_than_two_radii_are_joined() {
    let radius = 0.1_f32;
    let whole = 1.2 * 1.2 - (4.0 - core::f32::consts::PI) * radius * radius;
    let corner = (1.0 - core::f32::consts::FRAC_PI_4) * radius * radius;
    for (count, gap) in [(4, 0.3), (11, 0.1), (12, 0.1), (23, 0.05), (110, 0.01)] {
        let (mut world, body) = pane(1.0, 1.0, radius);
        let first = -0.5 * gap * (count - 1) as f32;
        let sites = (0..count).map(|i| Position::new(first + gap * i as f32, 0.0));
        let cut = world.shatter(body, &Shatter::Sites(sites.collect())).unwrap();
        world.validate();
        let cut = cut.unwrap_or_else(|| panic!("{count} sites {gap} m apart"));
        assert!(cut.vanished.is_empty());
        let pieces = cut.pieces.len() + 1;
        assert!((3..=6).contains(&pieces), "{count} sites: {pieces} pieces");
        let [area, mass] = area_and_mass(&world, &cut);
        let lacking = 4.0 * corner * (pieces - 1) as f32;
        assert!(
            (whole - area - lacking).abs() < 1e-4,
            "{count} sites, {pieces} pieces: {area} of {whole} m², {lacking} lacking"
        );
        assert!((mass - whole).abs() < 1e-4, "{mass} of {whole} kg");
    }
}

/// A corner of a cell lacks the more the sharper it is; of a pane with a radius of 0.1 m and 30 cells pieces of 43% were left.
#[test]
fn rounded_panes_lose_their_new_corners_only() {
    for (side, radius, count) in [
        (1.0, 0.02, 30),
        (1.0, 0.05, 30),
        (1.0, 0.1, 30),
        (1.0, 0.1, 300),
        (1.0, 0.3, 8),
        (2.0, 0.1, 60),
    ] {
        for seed in 0..10 {
            let (mut world, body) = pane(side, side, radius);
            let before = world.body(body).unwrap().mass();
            let cut = world.shatter(body, &Shatter::Seeded { seed, count }).unwrap();
            world.validate();
            let cut = cut.unwrap_or_else(|| panic!("{side} m, radius {radius} m, seed {seed}"));
            let [area, mass] = area_and_mass(&world, &cut);
            assert!(cut.vanished.is_empty());
            assert!(
                area > 0.75 * before,
                "{side} m, radius {radius} m, seed {seed}: {} pieces of {area} of {before} m²",
                cut.pieces.len() + 1
            );
            assert!((mass - before).abs() < 1e-4 * before, "{mass} of {before} kg");
        }
    }
}

#[test]
fn pieces_of_a_rounded_pane_do_not_overlap() {
    for seed in 0..20 {
        let (mut world, body) = pane(1.0, 1.0, 0.07);
        let cut = world
            .shatter(body, &Shatter::Seeded { seed, count: 40 })
            .unwrap()
            .unwrap();
        let shapes: Vec<Shape> = bodies(&cut)
            .flat_map(|body| {
                let body = world.body(body).unwrap();
                body.shapes().map(|shape| *shape.geometry()).collect::<Vec<_>>()
            })
            .collect();
        for x in -60..=60 {
            for y in -60..=60 {
                let point = Vec2::new(x as f32, y as f32) * 0.01;
                let holders = shapes.iter().filter(|shape| shape.contains_point(point));
                assert!(holders.count() <= 1, "{seed}: {point}");
            }
        }
    }
}
