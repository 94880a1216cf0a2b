//! Any scene as an environment: properties are set, seen and rewarded; seeds, starts, saves; the same bits in every batch.
#![allow(clippy::disallowed_methods)]

use std::sync::Arc;
use tombolo::entity::Value;
use tombolo::{Scene, World};
use tombolo_environments::{
    Action, Actions, Autoreset, Batch, Environment, EnvironmentError, PictureView, Reset, SceneAct,
    SceneEnvironment, SceneTask, draw_world,
};
use tombolo_threads::{Executor, Inline, Pool};

/// A cart that a gust of the seed's turns, among balls that it pushes about; a script counts how near it is to x = 2.
const SCENE: &str = r#"(
    settings: (seed: 1),
    scripts: {
        "gust": "fn on_spawn() { me().set(\"body.angular_velocity\", random(-3.0, 3.0)); }",
        "judge": "
            fn on_spawn() { this.reward = 0.0; this.done = false; }
            fn on_tick(seconds) {
                let x = find(\"cart\").get(\"transform.position.x\");
                this.reward = -abs(x - 2.0);
                this.done = x > 4.0;
            }
        ",
    },
    entities: {
        "cart": {
            "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "gust"),
        },
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.3))},
        "referee": {"transform": Transform(), "rules": Script(name: "judge")},
    },
    place: [
        One(name: "floor", entity: "floor"), One(name: "cart", entity: "cart", at: (0, 0.5)),
        One(name: "b", entity: "ball", at: (1.5, 0.3)), One(name: "c", entity: "ball", at: (1.6, 1.2)),
        One(name: "referee", entity: "referee", at: (0, 9)),
    ],
)"#;

fn task() -> SceneTask {
    SceneTask {
        observe: [
            "cart.transform.position",
            "cart.body.angular_velocity",
            "b.transform.position",
        ]
        .map(str::to_string)
        .to_vec(),
        act: vec![SceneAct::new("cart.body.linear_velocity.x", -3.0, 3.0)],
        reward: "referee.rules".into(),
        steps: 4,
        ..SceneTask::new(Arc::new(
            Scene::parse("cart.ron", SCENE).expect("the scene is valid"),
        ))
    }
}

/// The action of a world in a step, whatever batch it is in.
fn action(world: usize, step: usize) -> f32 {
    ((world * 7 + step * step) % 13 + world % 3 * 2) as f32 - 5.0
}

/// All that each world gave in each step, by world.
fn run(first: usize, count: usize, executor: &dyn Executor) -> Vec<Vec<u64>> {
    let task = SceneTask {
        new_seeds: true,
        ..task()
    };
    let mut batch =
        Batch::<SceneEnvironment>::new(count, &task, Autoreset::NextStep, Some(40)).expect("a valid task");
    let seeds: Vec<u128> = (first..first + count).map(|world| world as u128).collect();
    batch.reset(&seeds).expect("as many seeds as worlds");
    let mut seen = vec![Vec::new(); count];
    for step in 0..80 {
        let actions: Vec<f32> = (first..first + count).map(|world| action(world, step)).collect();
        batch
            .step(Actions::Continuous(&actions), executor)
            .expect("numbers");
        for (world, seen) in seen.iter_mut().enumerate() {
            seen.push(batch.rewards()[world].to_bits());
            seen.push(u64::from(batch.terminated()[world]) + 2 * u64::from(batch.truncated()[world]));
            let row = &batch.observations()[world * 5..][..5];
            seen.extend(row.iter().map(|number| u64::from(number.to_bits())));
        }
    }
    seen
}

#[test]
fn a_scene_gives_the_same_bits_in_every_batch_and_on_any_number_of_threads() {
    const WORLDS: usize = 24;
    let alone: Vec<Vec<u64>> = (0..WORLDS).flat_map(|world| run(world, 1, &Inline)).collect();
    let ends = |world: &Vec<u64>| world.chunks(7).map(|row| row[1]).fold(0, |all, end| all | end);
    assert_eq!(
        alone.iter().map(ends).fold(0, |all, end| all | end),
        3,
        "both ways to end occur"
    );
    assert!(alone.iter().skip(1).all(|other| *other != alone[0]));
    for (size, threads) in [(WORLDS, 1), (WORLDS, 3), (8, 2), (5, 8)] {
        let pool = Pool::new(threads).expect("threads can be had");
        for first in (0..WORLDS).step_by(size) {
            let count = size.min(WORLDS - first);
            let batch = run(first, count, &pool);
            assert_eq!(
                batch,
                alone[first..first + count],
                "batch of {count}, {threads} threads"
            );
        }
    }
}

#[test]
fn properties_are_set_within_their_range_seen_and_rewarded() {
    let text = SCENE.replace(
        "\"skin\": Collider(shape: Circle(radius: 0.3))",
        "\"skin\": Collider(shape: Circle(radius: 0.3)), \"glow\": Sprite(image: \"a.png\")",
    );
    let task = SceneTask {
        scene: Arc::new(Scene::parse("cart.ron", &text).expect("the scene is valid")),
        observe: vec![
            "cart.body.linear_velocity".into(),
            "b.skin.sensor".into(),
            "b.glow.layer".into(),
        ],
        act: vec![
            SceneAct::new("cart.body.linear_velocity.x", -3.0, 3.0),
            SceneAct::new("b.skin.sensor", 0.0, 1.0),
            SceneAct::new("b.glow.layer", -2.0, 4.0),
        ],
        reward: "cart.transform.position.x".into(),
        done: Some("b.skin.sensor".into()),
        steps: 1,
        ..task()
    };
    let mut environment = SceneEnvironment::new(&task).expect("a valid task");
    assert_eq!(environment.actions(), tombolo_environments::Space::Continuous(3));
    let refused = environment.step(Action::Continuous(&[0.0; 3]));
    assert!(matches!(refused, Err(EnvironmentError::NotReset { .. })));
    environment.reset(None).expect("the scene stands");
    let outcome = environment
        .step(Action::Continuous(&[9.0, 0.5, 2.5]))
        .expect("three numbers");
    assert_eq!(
        environment.observation()[2..],
        [0.0, 2.0],
        "a flag from above the middle, the even number"
    );
    assert!((environment.observation()[0] - 3.0).abs() < 0.2 && !outcome.terminated);
    assert!((outcome.reward - 0.05).abs() < 0.01);
    let outcome = environment
        .step(Action::Continuous(&[0.0, 0.6, 9.0]))
        .expect("three numbers");
    assert_eq!(environment.observation()[2..], [1.0, 4.0]);
    assert!(outcome.terminated);
    for wrong in [&[0.0; 2][..], &[0.0, 0.0, f32::NAN]] {
        let before = environment.save();
        assert!(environment.step(Action::Continuous(wrong)).is_err());
        assert_eq!(environment.save(), before);
    }
}

#[test]
fn an_episode_without_a_seed_is_the_last_one_again_or_the_next() {
    let turn = |environment: &SceneEnvironment| environment.observation()[2];
    let mut again = SceneEnvironment::new(&task()).expect("a valid task");
    let mut first_turns = |seed: Option<u128>| {
        again.reset(seed).expect("the scene stands");
        again.step(Action::Continuous(&[0.0])).expect("a number");
        turn(&again)
    };
    let own = first_turns(None);
    assert_eq!(first_turns(Some(1)), own, "the scene has the seed 1");
    let other = first_turns(Some(7));
    assert_ne!(other, own);
    assert_eq!(first_turns(None), other);
    assert_eq!(first_turns(Some(u128::from(u64::MAX))), first_turns(None));
    let mut fresh = SceneEnvironment::new(&SceneTask {
        new_seeds: true,
        ..task()
    })
    .expect("a valid task");
    let mut turns = Vec::new();
    for seed in [Some(7), None, None, Some(7), None, None] {
        fresh.reset(seed).expect("the scene stands");
        fresh.step(Action::Continuous(&[0.0])).expect("a number");
        turns.push(turn(&fresh));
    }
    assert_eq!(turns[0], other);
    assert_eq!(turns[..3], turns[3..]);
    assert!(turns[0] != turns[1] && turns[1] != turns[2] && turns[0] != turns[2]);
    let large = fresh.reset(Some(u128::from(u64::MAX) + 1));
    assert!(large.is_err_and(|error| error.to_string().contains("64 bits")));
}

#[test]
fn episodes_begin_from_saves_by_their_seed() {
    let scene = task().scene;
    let mut world = World::from_scene(&scene).expect("the scene stands");
    let saves = [0, 30, 60].map(|steps| {
        (0..steps).for_each(|_| world.step());
        world.save()
    });
    let mut task = task();
    task.start_from(&saves.each_ref().map(Vec::as_slice))
        .expect("saves of the scene");
    let mut environment = SceneEnvironment::new(&task).expect("a valid task");
    for (seed, save) in [(None, 0), (Some(1), 1), (Some(5), 2), (None, 2), (Some(3), 0)] {
        environment.reset(seed).expect("there are saves");
        assert_eq!(environment.world().save(), saves[save], "seed {seed:?}");
        environment.step(Action::Continuous(&[1.0])).expect("a number");
    }
    let wrong = task.start_from(&[&saves[0], b"nonsense"]);
    assert!(wrong.is_err_and(|error| error.to_string().starts_with("the save 1: ")));
}

#[test]
fn worlds_are_changed_before_their_first_observation_or_no_episode_begins() {
    let height = |place: usize| 2.0 + place as f32;
    let raise = |place: usize, world: &mut World| {
        let ball = world.find("b").expect("it is placed");
        let done = world.set(ball, "transform.position.y", Value::F32(height(place)));
        done.map_err(|error| EnvironmentError::Task {
            what: "b".into(),
            why: error.to_string().into(),
        })
    };
    let resets: Vec<Option<Reset>> = (0..9)
        .map(|world| {
            (world != 4).then_some(Reset {
                seed: Some(world),
                ..Reset::default()
            })
        })
        .collect();
    let mut batches = [1, 3].map(|workers| {
        let mut batch =
            Batch::<SceneEnvironment>::new(9, &task(), Autoreset::NextStep, None).expect("a valid task");
        batch.reset(&[7; 9]).expect("as many seeds as worlds");
        let pool = Pool::new(workers).expect("a few threads");
        batch
            .reset_worlds_with(&resets, &pool, &raise)
            .expect("the ball has a height");
        batch
    });
    let mut plain = SceneEnvironment::new(&task()).expect("a valid task");
    for (world, row) in batches[0].observations().chunks(5).enumerate() {
        let seed = if world == 4 { 7 } else { world as u128 };
        plain.reset(Some(seed)).expect("a seed");
        let mut expected = plain.observation().to_vec();
        if world != 4 {
            expected[4] = height(world);
        }
        assert_eq!(row, expected, "world {world}");
    }
    assert_eq!(batches[0].observations(), batches[1].observations());

    let saves = |batch: &Batch<SceneEnvironment>| -> Vec<Vec<u8>> {
        (0..9)
            .map(|world| batch.save(world).expect("there is one"))
            .collect()
    };
    let before = saves(&batches[0]);
    let refuse_some = |place: usize, world: &mut World| match place {
        5 | 7 => Err(EnvironmentError::NotReset { world: place }),
        _ => raise(place, world),
    };
    let refused = batches[0].reset_worlds_with(&resets, &Inline, &refuse_some);
    assert!(matches!(refused, Err(EnvironmentError::InWorld { world: 5, .. })));
    assert!(
        batches[0]
            .reset_worlds_with(&resets[..8], &Inline, &raise)
            .is_err()
    );
    assert!(saves(&batches[0]) == before, "no episode has begun");
}

#[test]
fn a_save_from_before_the_first_reset_is_one_still() {
    let task = SceneTask {
        new_seeds: true,
        ..task()
    };
    let mut environment = SceneEnvironment::new(&task).expect("a valid task");
    let empty = environment.save();
    environment.reset(None).expect("the scene's own seed");
    let first = environment.observation().to_vec();
    environment.reset(Some(5)).expect("a seed");
    environment.restore(&empty).expect("its own save");
    assert!(!environment.has_begun() && environment.step(Action::Continuous(&[0.0])).is_err());
    environment.reset(None).expect("the scene's own seed");
    assert_eq!(environment.observation(), first);
}

#[test]
fn saves_and_forks_in_the_middle_have_the_same_future_and_begin_the_same_episodes() {
    let future = |environment: &mut SceneEnvironment| {
        let mut seen = Vec::new();
        for step in 0..60 {
            if step % 20 == 19 {
                environment.reset(None).expect("the scene stands");
            }
            let outcome = environment
                .step(Action::Continuous(&[action(3, step)]))
                .expect("a number");
            seen.push(outcome.reward.to_bits());
            seen.extend(
                environment
                    .observation()
                    .iter()
                    .map(|number| u64::from(number.to_bits())),
            );
        }
        seen
    };
    for new_seeds in [false, true] {
        let task = SceneTask { new_seeds, ..task() };
        let mut environment = SceneEnvironment::new(&task).expect("a valid task");
        environment.reset(Some(9)).expect("the scene stands");
        (0..17).for_each(|step| drop(environment.step(Action::Continuous(&[action(0, step)]))));
        let (save, mut fork) = (environment.save(), environment.clone());
        let mut restored = SceneEnvironment::new(&task).expect("a valid task");
        restored.restore(&save).expect("it is a save");
        assert_eq!(restored.observation(), environment.observation());
        let whole = future(&mut environment);
        assert_eq!(future(&mut fork), whole);
        assert_eq!(future(&mut restored), whole);
        let mut other = SceneEnvironment::new(&SceneTask { steps: 3, ..task }).expect("a valid task");
        let before = other.save();
        assert!(matches!(
            other.restore(&save),
            Err(EnvironmentError::OtherOptions)
        ));
        for cut in [0, 8, 24, 100, save.len() - 1] {
            assert!(restored.restore(&save[..cut]).is_err());
        }
        assert_eq!(other.save(), before);
    }
}

#[test]
fn what_a_task_names_must_exist_and_fit() {
    let refusal = |task: SceneTask| SceneEnvironment::new(&task).expect_err("it is wrong").to_string();
    let base = task();
    for (task, why) in [
        (
            SceneTask {
                observe: vec!["bell.body.mass".into()],
                ..base.clone()
            },
            "no entity is called \"bell\"",
        ),
        (
            SceneTask {
                observe: vec!["cart.body.kind".into()],
                ..base.clone()
            },
            "no number, flag or vector",
        ),
        (
            SceneTask {
                act: vec![SceneAct::new("cart.body.linear_velocity", -1.0, 1.0)],
                ..base.clone()
            },
            "one part",
        ),
        (
            SceneTask {
                act: vec![SceneAct::new("cart.body.gravity_scale", 1.0, 1.0)],
                ..base.clone()
            },
            "lower one first",
        ),
        (
            SceneTask {
                reward: "cart.transform.position".into(),
                ..base.clone()
            },
            "not a single number",
        ),
        (
            SceneTask {
                reward: "referee.nothing".into(),
                ..base.clone()
            },
            "nothing",
        ),
        (
            SceneTask {
                done: Some("cart.body.mess".into()),
                ..base.clone()
            },
            "mess",
        ),
        (
            SceneTask {
                steps: 0,
                ..base.clone()
            },
            "1 or more",
        ),
    ] {
        let got = refusal(task);
        assert!(got.contains(why), "{got:?} has no {why:?}");
    }
}

/// The task of a scene whose cart ends in the ninth step, after which a script calls `then`.
fn losing(then: &str) -> SceneTask {
    let judge = format!(
        "fn on_spawn() {{ this.reward = 0.0; this.ticks = 0; }}
        fn on_tick(seconds) {{
            this.ticks += 1;
            if this.ticks == 9 {{ despawn(find(\\\"cart\\\")); {then} }}
        }}"
    );
    let text = SCENE.replace(
        "\"judge\": \"",
        &format!("\"judge\": \"{judge}\", \"unused\": \""),
    );
    SceneTask {
        scene: Arc::new(Scene::parse("cart.ron", &text).expect("the scene is valid")),
        observe: vec!["cart.transform.position".into()],
        ..task()
    }
}

#[test]
fn a_lost_property_fails_in_its_world_and_the_others_go_on() {
    let mut batch =
        Batch::<SceneEnvironment>::new(2, &losing(""), Autoreset::NextStep, None).expect("a valid task");
    batch.reset(&[0, 1]).expect("two seeds");
    batch.reset_world(1, None).expect("there are two worlds");
    for step in 0..4 {
        let stepped = batch.step(Actions::Continuous(&[1.0, 1.0]), &Inline);
        assert_eq!(stepped.is_err(), step > 1, "step {step}");
    }
    let error = batch
        .step(Actions::Continuous(&[1.0, 1.0]), &Inline)
        .expect_err("the cart is gone");
    assert!(error.to_string().starts_with("in world 0: cart."), "{error}");
    batch.reset(&[0, 1]).expect("two seeds");
    assert!(batch.step(Actions::Continuous(&[1.0, 1.0]), &Inline).is_ok());
}

#[test]
fn another_entity_of_the_same_name_takes_over() {
    let then = "spawn_entity(\\\"cart\\\", #{name: \\\"cart\\\", position: vec2(-7.0, 5.0)});";
    let mut environment = SceneEnvironment::new(&losing(then)).expect("a valid task");
    environment.reset(None).expect("the scene stands");
    for _ in 0..4 {
        environment
            .step(Action::Continuous(&[1.0]))
            .expect("there is always a cart");
    }
    let seen = environment.observation();
    assert!((-7.0..-6.0).contains(&seen[0]) && seen[1] > 3.0, "{seen:?}");
}

#[test]
fn a_picture_has_the_bodies_where_they_are() {
    let mut environment = SceneEnvironment::new(&task()).expect("a valid task");
    environment.reset(None).expect("the scene stands");
    let physics = environment.world().physics();
    let view = PictureView {
        center: tombolo_physics::Vec2::new(0.0, 1.0),
        pixels_per_meter: 20.0,
        size: [120, 80],
    };
    let rgb = draw_world(physics, &view).to_rgb();
    let pixel = |x: f32, y: f32| {
        let column = (60.0 + 20.0 * x) as usize;
        let row = (40.0 - 20.0 * (y - 1.0)) as usize;
        &rgb[3 * (row * 120 + column)..][..3]
    };
    let sky = pixel(-2.5, 2.5);
    assert_eq!(pixel(2.5, 2.5), sky);
    assert_ne!(pixel(0.0, 0.7), sky, "the cart");
    assert_ne!(pixel(-2.0, -0.5), sky, "the floor");
    assert_ne!(pixel(0.0, 0.7), pixel(-2.0, -0.5), "what moves has another color");
    assert_eq!(pixel(0.7, 0.7), sky, "beside the cart");
    let whole = environment.picture();
    assert_eq!((whole.width(), whole.height()), (600, 400));
    let empty = PictureView {
        pixels_per_meter: f32::NAN,
        ..view
    };
    assert!(
        draw_world(physics, &empty)
            .to_rgb()
            .chunks(3)
            .all(|color| color == sky)
    );
}

#[test]
fn a_half_space_alone_is_in_view_and_beside_others_it_does_not_count() {
    use tombolo_physics::{BodyDef, PhysicsWorld, Position, Shape, ShapeDef, Vec2, WorldDef};
    let mut world = PhysicsWorld::new(&WorldDef::default()).expect("the defaults are valid");
    let size = [60, 40];
    assert_eq!(PictureView::around(&world, size).center, Vec2::ZERO);
    let def = BodyDef {
        position: Position::new(100.0, 40.0),
        ..BodyDef::default()
    };
    let body = world.create_body(&def).expect("a valid body");
    let ground = Shape::half_space(Vec2::new(0.0, 10.0), Vec2::Y).expect("a valid shape");
    let def = ShapeDef::default();
    world.create_shape(body, &def, &ground).expect("a valid shape");
    let alone = PictureView::around(&world, size);
    assert_eq!(alone.center, Vec2::new(100.0, 50.0));
    let rgb = draw_world(&world, &alone).to_rgb();
    assert_ne!(rgb[..3], rgb[rgb.len() - 3..], "sky above, ground below");
    let ball = world.create_body(&BodyDef::default()).expect("a valid body");
    let circle = Shape::circle(Vec2::ZERO, 0.5).expect("a valid shape");
    world.create_shape(ball, &def, &circle).expect("a valid shape");
    assert_eq!(PictureView::around(&world, size).center, Vec2::ZERO);
}
