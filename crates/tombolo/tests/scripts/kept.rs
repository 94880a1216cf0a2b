//! A script keeps what its calls have resolved, for its next call, by any entity and in any world. No call may see what
//! another left.

use tombolo::entity::Value;
use tombolo::{Scene, World};

use super::{script, state_after, world};

#[test]
fn a_name_means_each_scripts_own_function() {
    let text = r##"(
        scripts: {
            "one": "const STEP = 1; fn gain(n) { n + global::STEP } fn on_tick(seconds) { this.n = gain(this.n ?? 0); }",
            "ten": "const STEP = 10; fn gain(n) { n + global::STEP } fn on_tick(seconds) { this.n = gain(this.n ?? 0); }",
            "text": "fn gain(n) { n + \"x\" } fn on_tick(seconds) { this.n = gain(this.n ?? \"\"); }",
        },
        entities: {
            "a": {"mind": Script(name: "one")},
            "b": {"mind": Script(name: "ten")},
            "c": {"mind": Script(name: "text")},
        },
        place: [
            One(name: "a", entity: "a"), One(name: "b", entity: "b"), One(name: "c", entity: "c"),
            One(name: "d", entity: "a"), One(name: "e", entity: "b"), One(name: "f", entity: "c"),
        ],
    )"##;
    let scene = Scene::parse("test.ron", text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    for _ in 0..5 {
        world.step();
    }
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let states = ["a", "b", "c", "d", "e", "f"].map(|name| script(&world, name).state().to_string());
    let expected = ["#{n: 5}", "#{n: 50}", "#{n: \"xxxxx\"}"];
    assert_eq!(states, [expected, expected].concat()[..]);
}

#[test]
fn a_call_with_other_types_calls_another_function() {
    let state = state_after(
        9,
        "fn on_tick(seconds) {
            this.n = (this.n ?? 0) + 1;
            let given = switch this.n % 3 { 0 => -2, 1 => -2.5, _ => [1, 2, 3, 4] };
            let found = if given.type_of() == \"array\" { len(given) } else { abs(given) };
            let both = given + given;
            this.all = (this.all ?? \"\") + `${found},${both} `;
        }",
    );
    let round = ["2.5,-5.0 ", "4,[1, 2, 3, 4, 1, 2, 3, 4] ", "2,-4 "].concat();
    assert_eq!(state, format!("#{{all: {:?}, n: 9}}", round.repeat(3)));
}

#[test]
fn names_that_are_made_up_in_each_call_are_found_and_forgotten() {
    let state = state_after(
        4,
        "fn f7(x) { x * 7 }
        fn on_tick(seconds) {
            this.tick = (this.tick ?? 0) + 1;
            for n in 0..300 {
                try {
                    this.sum = (this.sum ?? 0) + Fn(`f${n}`).call(this.tick);
                } catch {
                    this.missed = (this.missed ?? 0) + 1;
                }
            }
        }",
    );
    assert_eq!(state, "#{missed: 1196, sum: 70, tick: 4}");
}

#[test]
fn a_call_that_failed_leaves_nothing_to_the_next() {
    let mut world = world(
        "fn on_tick(seconds) {
            let n = (this.n ?? 0) + 1;
            if random() >= 0.0 && me().get(\"body.bullet\") { let gone = 5; deeper(n); }
            this.n = n;
        }
        fn deeper(n) { let inner = n; inner.nothing(); }",
    );
    let ball = world.find("ball").expect("it is there");
    for round in 1..=3 {
        world.step();
        world.set(ball, "body.bullet", Value::Bool(true)).unwrap();
        world.step();
        assert_eq!(world.faults().len(), round, "{:?}", world.faults());
        assert!(!script(&world, "ball").enabled);
        world.set(ball, "body.bullet", Value::Bool(false)).unwrap();
        world.set(ball, "mind.enabled", Value::Bool(true)).unwrap();
        assert_eq!(
            script(&world, "ball").state().to_string(),
            format!("#{{n: {round}}}")
        );
    }
}

#[test]
fn worlds_that_share_a_script_step_at_the_same_time() {
    let start = world(
        "fn twice(x) { x * 2.0 }
        fn on_tick(seconds) {
            this.n = (this.n ?? 0) + 1;
            this.sum = twice(sin(this.n)) + random();
            me().set(\"body.linear_velocity\", vec2(this.sum, 0));
        }",
    );
    let run = |mut world: World| {
        for _ in 0..200 {
            world.step();
        }
        assert_eq!(world.faults(), &[] as &[Box<str>]);
        world.state_hash()
    };
    let alone = run(start.clone());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| run(start.clone()))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}
