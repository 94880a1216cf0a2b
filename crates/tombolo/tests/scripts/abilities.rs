//! What scripts can read and do.

use tombolo::entity::Value;
use tombolo::physics::Vec2;
use tombolo::{Scene, World};

use super::{after, script, state_after, world};

#[test]
fn state_lasts_from_call_to_call() {
    let state = state_after(
        3,
        "fn on_spawn() { this.count = 10; this.list = [1, 2.5, 'c', true, (), \"text\", vec2(1, 2)]; this.map = #{a: #{b: 1}}; }
         fn on_tick(seconds) { this.count += 1; this.list.push(this.count); }",
    );
    let list = "[1, 2.5, 'c', true, (), \"text\", vec2(1.0, 2.0), 11, 12, 13]";
    assert_eq!(
        state,
        format!("#{{count: 13, list: {list}, map: #{{a: #{{b: 1}}}}}}")
    );
}

#[test]
fn properties_of_every_kind_are_read() {
    let state = state_after(
        1,
        "fn on_spawn() {
            let me = me();
            this.kind = me.get(\"body.kind\");
            this.bullet = me.get(\"body.bullet\");
            this.scale = me.get(\"body.gravity_scale\");
            this.place = me.get(\"transform.position\");
            this.y = me.get(\"transform.position.y\");
            this.effect = me.get(\"Fog.effect\");
            this.names = me.get(\"Fog.names\");
            this.density = me.get(\"Fog.values.0\");
            this.colour = me.get(\"Fog.colour\");
            this.parent = me.get(\"transform.parent\");
            this.has = [me.has(\"Fog\"), me.has(\"Mist\"), me.is_alive()];
            this.name = name_of(me);
            this.shown = `${me}`;
        }",
    );
    assert_eq!(
        state,
        "#{bullet: false, colour: [1.0, 0.5, 0.0, 1.0], density: 0.5, effect: \"fog\", has: [true, false, true], \
         kind: \"Dynamic\", name: \"ball\", names: [\"density\"], parent: (), place: vec2(0.0, 5.0), scale: 1.0, \
         shown: \"\\\"ball\\\"\", y: 5.0}"
    );
}

#[test]
fn properties_of_every_kind_are_set() {
    let world = after(
        1,
        "fn on_spawn() {
            let crate = find(\"crate[0]\");
            crate.set(\"body.gravity_scale\", 0);
            crate.set(\"body.linear_velocity\", vec2(1, 0.0));
            crate.set(\"body.bullet\", true);
            crate.set(\"transform.parent\", ());
            let me = me();
            me.set(\"body.kind\", \"Static\");
            me.set(\"Fog.effect\", \"mist\");
            me.set(\"Fog.values.0\", 0.75);
            me.set(\"Fog.colour\", [0, 0.25, 1, 0.5]);
            me.set(\"transform.position\", [3, 7.0]);
        }",
    );
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let get = |name: &str, path: &str| {
        world
            .get(world.find(name).expect("placed"), path)
            .expect("it has one")
    };
    assert_eq!(get("crate[0]", "body.gravity_scale"), Value::F32(0.0));
    assert_eq!(
        get("crate[0]", "body.linear_velocity"),
        Value::Vec2(Vec2::new(1.0, 0.0))
    );
    assert_eq!(get("crate[0]", "body.bullet"), Value::Bool(true));
    assert_eq!(get("ball", "body.kind"), Value::Choice(0));
    assert_eq!(get("ball", "Fog.effect"), Value::String("mist".into()));
    assert_eq!(get("ball", "Fog.values.0"), Value::F32(0.75));
    assert_eq!(
        get("ball", "transform.position"),
        Value::Vec2(Vec2::new(3.0, 7.0))
    );
}

#[test]
fn reads_show_the_world_as_the_stage_found_it() {
    let state = state_after(
        2,
        "fn on_tick(seconds) {
            if this.before == () { this.before = me().get(\"Fog.values.0\"); } else { this.later = me().get(\"Fog.values.0\"); }
            me().set(\"Fog.values.0\", 9);
            this.at_once = me().get(\"Fog.values.0\");
        }",
    );
    assert_eq!(state, "#{at_once: 9.0, before: 0.5, later: 9.0}");
    let first = state_after(
        1,
        "fn on_tick(s) { me().set(\"Fog.values.0\", 9); this.seen = me().get(\"Fog.values.0\"); }",
    );
    assert_eq!(first, "#{seen: 0.5}");
}

#[test]
fn entities_are_found_by_name_tag_box_and_ray() {
    let state = state_after(
        1,
        "fn on_spawn() {
            this.none = find(\"nobody\");
            this.tagged = tagged(\"wood\").map(|e| name_of(e));
            this.boxed = query_box(vec2(4, 0.2), vec2(6, 2)).map(|e| name_of(e));
            let hit = cast_ray(vec2(0, 0.5), vec2(10, 0.5));
            this.hit = name_of(hit.entity);
            this.where = [hit.point, hit.normal, round(hit.fraction * 100)];
            this.missed = cast_ray(vec2(0, 20), vec2(1, 20));
            this.same = hit.entity == find(\"crate[0]\");
        }",
    );
    assert_eq!(
        state,
        "#{boxed: [\"crate[0]\"], hit: \"crate[0]\", missed: (), none: (), same: true, \
         tagged: [\"crate[0]\", \"crate[1]\"], where: [vec2(4.5, 0.5), vec2(-1.0, 0.0), 45.0]}"
    );
}

/// Two names of one hash: nobody has the second.
#[test]
fn a_tag_that_nobody_has_is_found_nowhere() {
    let mut world = super::world(
        "fn on_tick(s) { this.found = tagged(\"costarring\").len(); this.liquid = tagged(\"liquid\").len(); }",
    );
    let ball = world.find("ball").expect("the scene placed it");
    world.add_component(ball, "Tag", "liquid").unwrap();
    world.step();
    assert_eq!(
        super::script(&world, "ball").state().to_string(),
        "#{found: 0, liquid: 1}"
    );
}

#[test]
fn queries_of_physics_take_options() {
    let state = state_after(
        1,
        "fn on_spawn() {
            let first = find(\"crate[0]\");
            let far = vec2(10, 0.5);
            let near = vec2(0, 0.5);
            this.through = name_of(cast_ray(near, far, #{exclude: first}).entity);
            this.none = cast_ray(near, far, #{exclude: [first, find(\"crate[1]\")]});
            this.all = cast_ray_all(near, far).map(|hit| name_of(hit.entity));
            let ball = cast_circle(near, far, 0.25);
            this.ball = [name_of(ball.entity), round(ball.fraction * 1000), ball.normal];
            let plank = cast_box(near, far, vec2(0.5, 0.5), #{turn: 1.5});
            this.plank = name_of(plank.entity);
            this.at = query_point(vec2(5, 0.5)).map(|e| name_of(e));
            this.around = query_circle(vec2(3.5, 2), 1.5).map(|e| name_of(e));
            let close = closest(vec2(5, 3), 9.0, #{exclude: me()});
            this.close = [name_of(close.entity), close.point, close.distance];
            this.too_far = closest(vec2(5, 30), 1);
        }",
    );
    assert_eq!(
        state,
        "#{all: [\"crate[0]\", \"crate[1]\"], around: [\"crate[0]\"], at: [\"crate[0]\"], \
         ball: [\"crate[0]\", 425.0, vec2(-1.0, 0.0)], close: [\"crate[0]\", vec2(5.0, 1.0), 2.0], \
         none: (), plank: \"crate[0]\", through: \"crate[1]\", too_far: ()}"
    );
}

/// Entities that are welded share a body, and are still different entities.
#[test]
fn a_query_leaves_out_an_entity_and_not_what_is_welded_to_it() {
    let text = r##"(
        settings: (gravity: (0, 0)),
        scripts: {"s": r#"fn on_tick(s) {
            let seen = |options| cast_ray_all(vec2(-5, 0), vec2(9, 0), options).map(|hit| name_of(hit.entity));
            this.me = seen.call(#{exclude: me()});
            this.other = seen.call(#{exclude: find("b")});
            this.both = seen.call(#{exclude: [me(), find("b")]});
            this.first = name_of(cast_ray(vec2(-5, 0), vec2(9, 0), #{exclude: me()}).entity);
        }"#},
        entities: {
            "a": {
                "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)), "mind": Script(name: "s"),
            },
            "b": {
                "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)),
                "weld": RigidWeld(to: Entity("a")),
            },
        },
        place: [One(name: "a", entity: "a"), One(name: "b", entity: "b", at: (3, 0))],
    )"##;
    let mut world = World::from_scene(&Scene::parse("welded.ron", text).unwrap()).unwrap();
    world.step();
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let [a, b] = ["a", "b"].map(|name| world.find(name).and_then(|entity| world.body_of(entity)));
    assert!(a.is_some() && a == b, "they share a body");
    let state = script(&world, "a").state().to_string();
    assert_eq!(state, "#{both: [], first: \"b\", me: [\"b\"], other: [\"a\"]}");
}

/// What is not said of a place is the resource's.
#[test]
fn a_spawned_entity_keeps_what_its_resource_says_of_its_place() {
    let text = r##"(
        scripts: {"s": r#"fn on_spawn() {
            spawn_entity("lamp", #{name: "as it is"});
            spawn_entity("lamp", #{name: "turned", angle: 1.0});
            spawn_entity("lamp", #{name: "moved", position: vec2(7, 8)});
            spawn_entity("lamp", #{name: "both", position: vec2(7, 8), angle: 1.0});
            spawn_entity("bulb", #{name: "heir", angle: 1.0});
            spawn_entity("mind", #{name: "nowhere", angle: 1.0});
        }"#},
        graphs: {"g": (nodes: {
            "start": On(event: "spawn", then: "more"),
            "more": Spawn(entity: "lamp", angle: 1.0, name: "of a graph"),
        })},
        entities: {
            "lamp": {"place": Transform(position: (4, 3), angle: 0.5)},
            "bulb": {"base": Inherits("lamp"), "place": Transform(position: (5, 3))},
            "mind": {"note": Tag()},
            "maker": {"mind": Script(name: "s"), "graph": Script(name: "g")},
        },
        place: [One(name: "maker", entity: "maker")],
    )"##;
    let mut world = World::from_scene(&Scene::parse("lamps.ron", text).unwrap()).unwrap();
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    for (name, place, angle) in [
        ("as it is", (4.0, 3.0), 0.5),
        ("turned", (4.0, 3.0), 1.0),
        ("moved", (7.0, 8.0), 0.5),
        ("both", (7.0, 8.0), 1.0),
        ("heir", (5.0, 3.0), 1.0),
        ("nowhere", (0.0, 0.0), 1.0),
        ("of a graph", (4.0, 3.0), 1.0),
    ] {
        let entity = world.find(name).unwrap_or_else(|| panic!("no {name:?}"));
        let pose = world.pose(entity).expect("it has a place");
        assert_eq!((pose.position.x, pose.position.y), place, "{name}");
        assert!(
            (pose.rotation.angle() - angle).abs() < 1e-6,
            "{name}: {}",
            pose.rotation.angle()
        );
    }
}

#[test]
fn entities_come_and_go() {
    let mut world = world(
        "fn on_spawn() {
            spawn_entity(\"crate\");
            spawn_entity(\"crate\", #{name: \"new\", position: vec2(-5, 3), angle: 0.5, parent: me(),
                set: #{\"body.linear_velocity\": vec2(0, 2), \"body.gravity_scale\": 0}});
            despawn(find(\"crate[1]\"));
        }",
    );
    let before = world.entity_count();
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    assert_eq!(world.entity_count(), before + 1);
    assert_eq!(world.find("crate[1]"), None);
    let new = world.find("new").expect("it was spawned");
    assert_eq!(world.children(world.find("ball").expect("placed")), [new]);
    assert_eq!(world.get(new, "body.linear_velocity.y"), Ok(Value::F32(2.0)));
    assert_eq!(world.get(new, "transform.angle"), Ok(Value::F32(0.5)));
}

#[test]
fn bodies_are_pushed() {
    let world = after(
        1,
        "fn on_spawn() {
            let me = me();
            me.set(\"body.gravity_scale\", 0);
            me.apply_impulse(vec2(1, 0));
            me.apply_impulse(vec2(1, 0), vec2(0, 5));
            me.apply_angular_impulse(0.1);
            me.apply_force(vec2(60, 0));
            me.apply_force(vec2(60, 0), vec2(0, 5));
            me.apply_torque(6.0);
        }",
    );
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let ball = world.find("ball").expect("placed");
    let mass = world
        .physics()
        .body(world.body_of(ball).expect("it has one"))
        .expect("it lives")
        .mass();
    let Ok(Value::F32(speed)) = world.get(ball, "body.linear_velocity.x") else {
        panic!("no speed")
    };
    // Two newton seconds by impulses, and two newtons of sixty each for a sixtieth of a second.
    assert!((speed * mass - 4.0).abs() < 1.0e-4, "{}", speed * mass);
    let Ok(Value::F32(spin)) = world.get(ball, "body.angular_velocity") else {
        panic!("no spin")
    };
    assert!(spin > 0.0);
}

#[test]
fn timers_run_out_in_whole_steps() {
    let state = state_after(
        12,
        "fn on_spawn() {
            this.log = [];
            this.step = 0;
            set_timer(\"once\", 0.05);
            repeat_timer(\"again\", 4.0 / 60);
            repeat_timer(\"stopped\", 1.0 / 60);
            set_timer(\"never\", 0);
            this.stopped = [stop_timer(\"never\"), stop_timer(\"never\"), has_timer(\"again\"), has_timer(\"never\")];
        }
        fn on_timer(name) {
            if name == \"stopped\" { stop_timer(name); }
            this.log.push(`${this.step} ${name}`);
        }
        fn on_tick(seconds) { this.step += 1; }",
    );
    // Set in step 0, so the first step that counts is step 1.
    let log = "log: [\"1 stopped\", \"3 once\", \"4 again\", \"8 again\"]";
    assert!(state.contains(log), "{state}");
    assert!(state.contains("stopped: [true, false, true, false]"), "{state}");
}

#[test]
fn mathematics_is_there() {
    let state = state_after(
        1,
        "fn on_spawn() {
            this.a = [sin(0), cos(0.0), sqrt(16), pow(2, 10), pow(2.0, 0.5), atan(1, 1) * 4 == PI(), hypot(3, 4)];
            this.b = [floor(1.7), ceiling(1.2), round(2.5), int(-1.5), abs(-2), min(3, 1.5), max(1, 2), clamp(5, 0, 3)];
            this.c = [to_int(3.9), to_float(2), parse_int(\" 12\"), parse_float(\"1.5\"), lerp(0.0, 10.0, 0.3)];
            let v = vec2(3, 4);
            v.x += 1; v.y = 3;
            this.d = [v, v.length(), v.dot(vec2(1, 0)), v.cross(vec2(1, 0)), -v, v * 2, 0.5 * v, v / 2, v + v, v - v, v == v];
            this.e = [vec2(0, 2).normalize(), vec2(0, 0).normalize(), vec2(1, 0).rotate(PI() / 2).y, vec2(1, 0).angle()];
        }",
    );
    assert_eq!(
        state,
        "#{a: [0.0, 1.0, 4.0, 1024.0, 1.4142135623730951, true, 5.0], \
         b: [1.0, 2.0, 3.0, -1.0, 2, 1.5, 2, 3], c: [3, 2.0, 12, 1.5, 3.0], \
         d: [vec2(4.0, 3.0), 5.0, 4.0, -3.0, vec2(-4.0, -3.0), vec2(8.0, 6.0), vec2(2.0, 1.5), vec2(2.0, 1.5), \
         vec2(8.0, 6.0), vec2(0.0, 0.0), true], e: [vec2(0.0, 1.0), vec2(0.0, 0.0), 1.0, 0.0]}"
    );
}

#[test]
fn random_numbers_are_the_worlds() {
    let text = "fn on_spawn() { this.a = random(); this.b = random(5.0, 6.0); this.c = random_int(1, 6); this.d = random_int(7, 7); }";
    let world = after(1, text);
    let state = script(&world, "ball").state().to_string();
    assert!(state.contains("d: 7"), "{state}");
    let mut other = self::world(text);
    other.random().bits();
    other.step();
    assert_ne!(script(&other, "ball").state().to_string(), state);
}

#[test]
fn constants_and_helpers_serve_all_functions() {
    let state = state_after(
        1,
        "const SPEED = 3;
         fn twice(x) { x * 2 }
         fn note(x) { this.noted = x; }
         fn on_spawn() { this.speed = twice(global::SPEED); this.note(5); }",
    );
    assert_eq!(state, "#{noted: 5, speed: 6}");
}

#[test]
fn printed_lines_are_kept() {
    let world = after(
        2,
        "fn on_spawn() { print(\"hello\"); print(me()); print(vec2(1, 2)); print([1, \"a\"]); debug(|x| x); }",
    );
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let printed: Vec<&str> = world.printed().iter().map(|line| &**line).collect();
    assert_eq!(
        printed,
        ["hello", "\"ball\"", "vec2(1.0, 2.0)", "[1, \"a\"]", "Fn"]
    );
}

#[test]
fn a_text_of_its_own_and_a_change_of_it_run() {
    let mut world = world("");
    let crate_one = world.find("crate[0]").expect("placed");
    world
        .add_component(crate_one, "Script", "mind")
        .expect("it has none");
    let text = "fn on_tick(seconds) { this.ticks = 1; }";
    world
        .set(crate_one, "mind.text", Value::String(text.into()))
        .expect("a text will do");
    world.step();
    assert_eq!(script(&world, "crate[0]").state().to_string(), "#{ticks: 1}");
    let text = "fn on_tick(seconds) { this.ticks += 10; }";
    world
        .set(crate_one, "mind.text", Value::String(text.into()))
        .expect("a text will do");
    world.step();
    assert_eq!(
        world.get(crate_one, "mind.state"),
        Ok(Value::String("#{ticks: 11}".into()))
    );
    world
        .set(crate_one, "mind.enabled", Value::Bool(false))
        .expect("it can be set");
    world.step();
    assert_eq!(script(&world, "crate[0]").state().to_string(), "#{ticks: 11}");
}

#[test]
fn bodies_are_cut() {
    let world = after(
        1,
        "fn on_spawn() {
            slice(find(\"crate[0]\"), vec2(5.1, 0), vec2(5.1, 1));
            cut_through(vec2(7, 0.7), vec2(9, 0.7));
        }",
    );
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    for name in ["crate[0].1", "crate[1].1"] {
        let piece = world.find(name).expect("it was cut off");
        assert!(world.body_of(piece).is_some() && world.entities().find(piece, "wood").is_some());
    }
}

#[test]
fn actions_are_heard_of_in_ticks_and_handlers() {
    let mut world = world(
        "fn on_spawn() { this.seen = []; }
         fn on_tick(seconds) {
             this.seen.push([has_input(), axis(\"move\"), action(\"jump\"), pressed(\"jump\"), released(\"jump\")]);
         }",
    );
    // The first tick comes after the first step's handlers.
    world.step();
    world.set_action("move", -0.5).unwrap();
    world.set_action("jump", 1.0).unwrap();
    world.step();
    world.set_action("jump", 0.0).unwrap();
    world.step();
    world.step();
    let seen = script(&world, "ball").state().to_string();
    let rows = "[true, -0.5, true, true, false], [true, -0.5, false, false, true], [true, -0.5, false, false, false]]";
    assert!(seen.contains(rows), "{seen}");
}

#[test]
fn a_timer_that_another_one_stops_in_the_same_step_is_silent() {
    let text = r#"
        fn on_spawn() { this.log = []; repeat_timer("a", 0.1); repeat_timer("b", 0.1); set_timer("c", 0.1); set_timer("d", 0.1); }
        fn on_timer(name) {
            this.log.push(name);
            if name == "a" {
                this.log.push([has_timer("b"), has_timer("c"), stop_timer("b"), stop_timer("c"), has_timer("c"), stop_timer("c")]);
                set_timer("d", 0.15);
                stop_timer("a");
            }
        }
    "#;
    assert_eq!(
        state_after(40, text),
        r#"#{log: ["a", [true, true, true, true, false, false], "d"]}"#
    );
}

#[test]
fn scripts_put_bodies_to_sleep_and_push_them_along_their_axes() {
    let world = after(
        2,
        "fn on_tick(seconds) {
            if this.done == () {
                this.done = true;
                let crate = find(\"crate[0]\");
                crate.sleep();
                let other = find(\"crate[1]\");
                other.set(\"transform.angle\", PI() / 2);
                other.set(\"body.gravity_scale\", 0);
                other.apply_local_impulse(vec2(3, 0));
            }
        }",
    );
    let body = |name: &str| world.body(world.find(name).unwrap()).unwrap();
    assert!(!body("crate[0]").is_awake());
    let velocity = body("crate[1]").linear_velocity();
    assert!(
        (velocity - tombolo::physics::Vec2::new(0.0, 3.0)).length() < 0.05,
        "{velocity}"
    );
}

/// Rust leaves the sign of the greater of 0 and -0 open, and a script can tell the two.
#[test]
fn a_clamped_zero_has_no_sign_and_a_number_that_is_none_is_no_bound() {
    for [x, least, most] in [
        ["0.0", "-0.0", "1.0"],
        ["-0.0", "0.0", "1.0"],
        ["-0.0", "-0.0", "-0.0"],
        ["-0.0", "-1", "1"],
        ["0.0", "-1.0", "-0.0"],
        ["-0.0", "-1.0", "0.0"],
        ["-3.0", "-0.0", "1"],
        ["3", "-1.0", "-0.0"],
    ] {
        let state = state_after(
            1,
            &format!("fn on_tick(seconds) {{ this.turn = atan(clamp({x}, {least}, {most}), -1.0); }}"),
        );
        assert_eq!(state, "#{turn: 3.141592653589793}", "clamp({x}, {least}, {most})");
    }
    let none = "0.0 / 0.0";
    for ([x, least, most], wanted) in [
        (["0.5", "0.0", "1.0"], "0.5"),
        (["-2.5", "-1", "1"], "-1.0"),
        (["2.5", "-1", "1"], "1.0"),
        (["0.5", "2.0", "1.0"], "1.0"),
        (["5.0", "2.0", "1.0"], "1.0"),
        (["5", "0", "3"], "3"),
        ([none, "2.0", "3.0"], "2.0"),
        (["1.0", none, "3.0"], "1.0"),
        (["4.0", "2.0", none], "4.0"),
    ] {
        let state = state_after(
            1,
            &format!("fn on_tick(seconds) {{ this.x = clamp({x}, {least}, {most}); }}"),
        );
        assert_eq!(state, format!("#{{x: {wanted}}}"), "clamp({x}, {least}, {most})");
    }
}
