//! Characters and casts on one-way platforms: through from below and from the side, held from above, let go of on request.
//! Numbers of tests are those of the list of cases that platform games need.

use crate::character_support::{DT, HALF, STAND, Stage};
use tombolo_physics::{
    BodyId, BodyKind, Character, CharacterInput, ContactRule, Motion, Pose, Position, QueryFilter, Shape,
    ShapeDef, ShapeId, Tile, TileGridDef, TileShape, Vec2,
};

const PLATFORM: u32 = 3;
const HERO: u32 = 1;

fn stage(x: f32, y: f32) -> Stage {
    let mut stage = Stage::new(x, y);
    stage.def.material = HERO;
    let rule = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    stage.world.set_contact_rule(PLATFORM, HERO, rule).unwrap();
    stage
}

/// A one-way shape of a body of its own.
fn platform(
    stage: &mut Stage,
    kind: BodyKind,
    x: f32,
    y: f32,
    angle: f32,
    shape: &Shape,
) -> (BodyId, ShapeId) {
    let body = stage.body(kind, x, y, angle, shape);
    let shape = stage.world.body(body).unwrap().shapes().next().unwrap().id();
    stage
        .world
        .shape_mut(shape)
        .unwrap()
        .set_material_number(PLATFORM)
        .unwrap();
    (body, shape)
}

fn plate(stage: &mut Stage, left: f32, right: f32, top: f32) -> ShapeId {
    let shape = Shape::new_box(right - left, 0.2).unwrap();
    platform(
        stage,
        BodyKind::Static,
        0.5 * (left + right),
        top - 0.1,
        0.0,
        &shape,
    )
    .1
}

fn jump(speed: f32) -> CharacterInput {
    CharacterInput {
        jump: speed,
        ..CharacterInput::default()
    }
}

fn drop() -> CharacterInput {
    CharacterInput {
        drop: true,
        ..CharacterInput::default()
    }
}

#[test]
fn pf_16_jumps_pass_from_below_without_loss_and_land() {
    for speed in [3.0_f32, 7.0, 9.0, 12.0, 20.0, 30.0] {
        let mut stage = stage(0.0, STAND);
        let mut free = Stage::new(0.0, STAND);
        for stage in [&mut stage, &mut free] {
            stage.block(-5.0, -1.0, 5.0, 0.0);
            stage.walk(0.0);
        }
        plate(&mut stage, -2.0, 2.0, 1.8);
        let feet_max = 0.5 * speed * speed / 10.0;
        for index in 0..400 {
            let input = if index == 0 {
                jump(speed)
            } else {
                CharacterInput::default()
            };
            stage.step(input);
            free.step(input);
            let is_below_top = index == 0 || free.character.velocity.y > 0.0 || free.at().y - HALF > 1.8;
            if is_below_top && !stage.character.is_grounded() {
                let lost = (stage.at() - free.at()).length();
                assert!(lost < 1.0e-4, "{speed} m/s, step {index}: {lost} m");
            }
            assert!(
                stage.character.crush_m < 0.004,
                "{speed} m/s, step {index}: {:?}",
                stage.character
            );
        }
        let top = if feet_max > 1.82 { 1.8 } else { 0.0 };
        let feet = stage.at().y - STAND;
        assert!(
            stage.character.is_grounded() && (feet - top).abs() < 2.0e-3,
            "{speed} m/s: {feet}"
        );
    }
}

#[test]
fn pf_17_from_the_side_it_is_not_in_the_way_and_seams_hold() {
    let mut stage = stage(-6.0, STAND);
    stage.block(-9.0, -1.0, 9.0, 0.0);
    for tile in 0..10 {
        let left = 0.5 * tile as f32 - 2.5;
        plate(&mut stage, left, left + 0.5, 1.0);
    }
    for _ in 0..80 {
        stage.walk(10.0);
    }
    assert!(stage.at().x > 5.0, "{}", stage.at());
    assert!((stage.at().y - STAND).abs() < 1.0e-3, "{}", stage.at());
    // Landings near edges and seams.
    for index in 0..100 {
        let x = -2.6 + 0.049 * index as f32;
        stage.character = Character::new(Position::new(x, STAND + 1.6));
        let steps = 40 + index % 7;
        for _ in 0..steps {
            stage.walk(if index % 3 == 0 { 0.2 } else { 0.0 });
        }
        // Beyond the edge its round end hangs down by so much.
        let over = (stage.at().x.abs() - 2.5).max(0.0);
        let sag = 0.3 - (0.09 - over * over).sqrt();
        let feet = stage.at().y - STAND;
        assert!((feet + sag - 1.0).abs() < 2.0e-3, "from {x}: {feet}");
    }
}

/// Ten one-way tiles: whoever comes from the side or from below passes, and near any edge or seam nobody falls through.
#[test]
fn pf_17_one_way_tiles() {
    let mut stage = stage(-6.0, STAND);
    let ground = stage.block(-9.0, -1.0, 9.0, 0.0);
    let tile = Tile {
        def: ShapeDef {
            material: PLATFORM,
            ..ShapeDef::default()
        },
        ..Tile::new(TileShape::Full)
    };
    let def = TileGridDef {
        cell_size: 0.5,
        // The ground's body has its place half a meter below its top.
        origin: Vec2::new(-2.5, 1.5),
        width: 10,
        height: 1,
        tiles: vec![tile],
        cells: vec![1; 10],
    };
    stage.world.create_tile_grid(ground, &def).unwrap();
    for _ in 0..80 {
        stage.walk(10.0);
    }
    assert!(stage.at().x > 5.0, "{}", stage.at());
    for index in 0..200 {
        let x = -2.4 + 0.024 * index as f32;
        stage.character = Character::new(Position::new(x, STAND));
        stage.walk(0.0);
        stage.step(jump(6.0 + 0.02 * index as f32));
        for _ in 0..150 {
            stage.walk(0.0);
        }
        let feet = stage.at().y - STAND;
        assert!((feet - 1.5).abs() < 2.0e-3, "from {x}: {feet}");
    }
    // Boxes likewise.
    let shape = Shape::new_box(0.3, 0.4).unwrap();
    let bodies: Vec<BodyId> = (0..7)
        .map(|index| {
            let body = stage.body(BodyKind::Dynamic, -2.1 + 0.7 * index as f32, 0.21, 0.0, &shape);
            let skin = stage.world.body(body).unwrap().shapes().next().unwrap().id();
            let mut skin = stage.world.shape_mut(skin).unwrap();
            skin.set_material_number(HERO).unwrap();
            let mut body_mut = stage.world.body_mut(body).unwrap();
            let up = Vec2::new(0.0, 6.5 + 0.3 * index as f32);
            body_mut.set_linear_velocity(up).unwrap();
            body
        })
        .collect();
    (0..240).for_each(|_| stage.world.step(crate::character_support::DT).unwrap());
    for body in bodies {
        let height = stage.world.body(body).unwrap().position().y;
        assert!((height - 1.7).abs() < 0.01, "{height}");
    }
}

#[test]
fn pf_18_lifts_and_slopes_carry() {
    let mut stage = stage(0.0, STAND);
    let (lift, _) = platform(
        &mut stage,
        BodyKind::Kinematic,
        0.0,
        -0.1,
        0.0,
        &Shape::new_box(2.0, 0.2).unwrap(),
    );
    stage
        .world
        .body_mut(lift)
        .unwrap()
        .set_linear_velocity(Vec2::new(1.0, 5.0))
        .unwrap();
    for index in 0..120 {
        stage.walk(0.0);
        let top = stage.world.body(lift).unwrap().position().y + 0.1;
        let over = stage.at().y - STAND - top;
        assert!(over.abs() < 3.0e-3, "step {index}: {over}");
    }
    assert!((stage.at().x - 2.0).abs() < 0.02, "{}", stage.at());
    // A lift that comes up to somebody who falls.
    stage.character = Character::new(Position::new(4.0, 14.0));
    for _ in 0..120 {
        stage.walk(0.0);
    }
    let mut stage = self::stage(0.0, 3.0);
    let segment = Shape::segment(Vec2::new(-4.0, -4.0), Vec2::new(4.0, 4.0)).unwrap();
    platform(&mut stage, BodyKind::Static, 0.0, 0.0, 0.0, &segment);
    stage.def.slope_max = 0.8;
    for _ in 0..90 {
        stage.walk(0.0);
    }
    assert!(
        stage.character.is_grounded() && stage.at().y > 0.5,
        "{}",
        stage.at()
    );
}

/// A one-way platform that tilts to and fro: the foot point stays where it is on it.
#[test]
fn pf_18_a_platform_that_tilts_carries() {
    let mut stage = stage(1.5, STAND);
    let shape = Shape::new_box(6.0, 0.2).unwrap();
    let (plank, id) = platform(&mut stage, BodyKind::Kinematic, 0.0, -0.1, 0.0, &shape);
    for _ in 0..10 {
        stage.walk(0.0);
    }
    let foot = |stage: &Stage| {
        let pose = stage.world.body(plank).unwrap().pose();
        pose.inverse_transform_point(stage.at() - Vec2::new(0.0, 0.5))
    };
    let start = foot(&stage);
    for step in 1..=1800 {
        let angle = 30.0_f32.to_radians() * libm::sinf(step as f32 * DT);
        let mut body = stage.world.body_mut(plank).unwrap();
        body.set_target(Vec2::new(0.0, -0.1).into(), angle, DT).unwrap();
        stage.walk(0.0);
        let off = foot(&stage) - start;
        assert!(off.length() <= 0.005, "off by {off} at step {step}");
        assert_eq!(stage.character.support.map(|support| support.shape), Some(id));
    }
}

#[test]
fn a_lift_that_rises_catches_who_falls() {
    for speed in [1.0, 5.0, 12.0] {
        let mut stage = stage(0.0, 6.0);
        let shape = Shape::new_box(2.0, 0.2).unwrap();
        let (lift, id) = platform(&mut stage, BodyKind::Kinematic, 0.0, -3.0, 0.0, &shape);
        let mut body = stage.world.body_mut(lift).unwrap();
        body.set_linear_velocity(Vec2::new(0.0, speed)).unwrap();
        for _ in 0..90 {
            stage.walk(0.0);
        }
        let support = stage.character.support.expect("it lands");
        assert_eq!(support.shape, id, "{speed} m/s");
    }
}

#[test]
fn pf_19_drops_through_one_platform_and_stands_on_the_next_though_the_key_is_held() {
    let mut stage = stage(0.0, 3.0 + STAND);
    let [upper, lower] = [3.0, 2.0].map(|top| plate(&mut stage, -2.0, 2.0, top));
    stage.block(-5.0, -1.0, 5.0, 0.0);
    stage.walk(0.0);
    assert_eq!(stage.character.support.unwrap().shape, upper);
    let mut save = None;
    for index in 0..60 {
        stage.step(drop());
        if index == 1 {
            save = Some((stage.world.save(), stage.character));
        }
        let feet = stage.at().y - STAND;
        assert!(
            index > 2 || feet < 3.0,
            "it starts with the step that asks: {feet}"
        );
    }
    assert_eq!(stage.character.support.unwrap().shape, lower);
    let end = stage.character;
    let (save, character) = save.unwrap();
    stage.world.restore(&save).unwrap();
    stage.character = character;
    (0..58).for_each(|_| stage.step(drop()));
    assert_eq!(
        stage.character, end,
        "a save in the middle of it goes on the same"
    );
    // Asked anew, it drops again, and on ground that is solid from all sides it cannot.
    stage.walk(0.0);
    (0..60).for_each(|index| {
        stage.step(if index % 2 == 0 {
            drop()
        } else {
            CharacterInput::default()
        })
    });
    assert!((stage.at().y - STAND).abs() < 2.0e-3, "{}", stage.at());
}

#[test]
fn what_a_rule_ignores_or_senses_is_not_in_its_way() {
    for (ignore, sensor) in [(true, false), (false, true), (false, false)] {
        let mut stage = stage(0.0, 2.0);
        let rule = ContactRule {
            ignore,
            sensor,
            ..ContactRule::default()
        };
        stage.world.set_contact_rule(PLATFORM, HERO, rule).unwrap();
        plate(&mut stage, -2.0, 2.0, 1.0);
        stage.block(-5.0, -1.0, 5.0, 0.0);
        (0..60).for_each(|_| stage.walk(0.0));
        let expected = if ignore || sensor { 0.0 } else { 1.0 };
        let feet = stage.at().y - STAND;
        assert!((feet - expected).abs() < 2.0e-3, "{ignore} {sensor}: {feet}");
    }
}

#[test]
fn rays_and_casts_obey_rules_when_asked_to() {
    let mut stage = stage(0.0, 9.0);
    let plate = plate(&mut stage, -2.0, 2.0, 1.0);
    let floor = stage.block(-5.0, -1.0, 5.0, 0.0);
    let floor = stage.world.body(floor).unwrap().shapes().next().unwrap().id();
    let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    let cases = [
        // From above, from below, from within, from the side below the top, over the edge from the side.
        ((0.0, 2.0), (0.0, -4.0), plate),
        ((0.0, 0.5), (0.0, 4.0), floor),
        ((0.0, 0.9), (0.0, -4.0), floor),
        ((-4.0, 0.95), (9.0, -0.5), floor),
        ((-2.5, 1.5), (1.0, -0.9), plate),
    ];
    for ((x, y), (dx, dy), first) in cases {
        let (from, way) = (Position::new(x, y), Vec2::new(dx, dy));
        let filter = QueryFilter {
            material: Some(HERO),
            ..QueryFilter::default()
        };
        let motion = Motion::line(Pose::new(Vec2::new(x, y), 0.0), way);
        let hits = [
            stage
                .world
                .cast_ray(from, way, filter)
                .unwrap()
                .map(|hit| hit.shape),
            stage
                .world
                .cast_shape(&ball, motion, filter)
                .unwrap()
                .map(|hit| hit.shape),
        ];
        let expected = (first != floor || dy < 0.0 && y + dy < 0.0).then_some(first);
        assert_eq!(hits, [expected; 2], "from ({x}, {y}) along {way}");
        let all = stage.world.cast_ray(from, way, QueryFilter::default()).unwrap();
        assert!(all.is_some(), "rules do not count unless asked for");
    }
}
