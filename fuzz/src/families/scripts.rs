//! Family `scripts`: programs over all functions available to scripts, at the default limits, on values of every
//! kind and size. A script runs, ends with an error or is cut off; a call ends within its time whatever it does; the
//! world has the same future on a clone and from a save.

use tombolo::{Scene, World};
use tombolo_threads::Stopwatch;

use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct Scripts;

/// A line of a handler.
#[derive(Debug, Clone)]
pub(crate) struct Line(String);

/// The time that a stage of one script may take here, in milliseconds: 20 on an idle machine, with a margin for others.
const MILLISECONDS_MAX: f64 = 1000.0;

/// Functions with one argument beside their receiver, by the receiver's type.
const OF_LIST: &[&str] = &[
    "len()",
    "is_empty()",
    "push(X)",
    "append(X)",
    "insert(X, Y)",
    "pad(X, Y)",
    "pop()",
    "shift()",
    "remove(X)",
    "clear()",
    "truncate(X)",
    "chop(X)",
    "reverse()",
    "splice(X, Y, Z)",
    "extract(X, Y)",
    "extract(X)",
    "split(X)",
    "for_each(F)",
    "map(F)",
    "filter(F)",
    "contains(X)",
    "index_of(X)",
    "index_of(X, Y)",
    "index_of(F)",
    "find(F)",
    "find_map(F)",
    "some(F)",
    "all(F)",
    "dedup()",
    "dedup(G)",
    "reduce(G)",
    "reduce(G, X)",
    "reduce_rev(G)",
    "zip(X, G)",
    "sort()",
    "sort_desc()",
    "sort(G)",
    "order()",
    "order(G)",
    "order_by(G)",
    "drain(F)",
    "drain(X, Y)",
    "retain(F)",
    "retain(X, Y)",
    "get(X)",
    "set(X, Y)",
    "to_string()",
    "to_debug()",
    "keys()",
    "values()",
    "mixin(X)",
    "fill_with(X)",
    "to_json()",
    "bytes()",
    "chars()",
    "to_upper()",
    "to_lower()",
    "make_upper()",
    "trim()",
    "crop(X, Y)",
    "sub_string(X, Y)",
    "replace(X, Y)",
    "split(X, Y)",
    "split_rev(X)",
    "starts_with(X)",
    "ends_with(X)",
    "to_chars()",
    "to_int()",
    "to_float()",
    "type_of()",
    "call(X)",
    "call(X, Y)",
    "start()",
    "end()",
    "x",
    "y",
    "length()",
    "normalize()",
    "rotate(X)",
    "to_blob()",
    "bits()",
];

const FREE: &[&str] = &[
    "me()",
    "find(X)",
    "tagged(X)",
    "name_of(X)",
    "is_alive(X)",
    "has(me(), X)",
    "parent(me())",
    "children(me())",
    "get(me(), P)",
    "set(me(), P, X)",
    "spawn_entity(\"crate\")",
    "spawn_entity(\"crate\", X)",
    "spawn_entity(\"crate\", #{name: X, position: Y})",
    "despawn(X)",
    "apply_impulse(me(), X)",
    "apply_force(me(), X, Y)",
    "apply_torque(me(), X)",
    "cast_ray(X, Y)",
    "query_box(X, Y)",
    "cast_ray_all(X, Y, #{exclude: X, sensors: true, mask: Y})",
    "cast_box(X, Y, X, #{turn: Y, angle: X})",
    "cast_circle(X, Y, X)",
    "query_circle(X, Y)",
    "closest(X, Y)",
    "cast_circle_all(X, Y, X)",
    "cast_box_all(X, Y, X, #{turn: Y})",
    "several_closest(X, Y, Z)",
    "touches_of_circle(X, Y, #{margin: X})",
    "touches_of_box(X, Y, #{margin: Y, angle: X})",
    "cast_rays([[X, Y], [Y, X]])",
    "cast_circles([[X, Y, X]], #{sensors: true})",
    "cast_boxes([[X, Y, X], Y], #{turn: Y})",
    "query_points([X, Y])",
    "query_circles([[X, Y]])",
    "query_boxes([[X, Y]])",
    "cut_tiles(X, Y, Z)",
    "cut_tiles(X, Y, Z, X)",
    "explode(X, #{radius: Y, tile_radius: Y, impulse_per_length: Y})",
    "slice(me(), X, Y)",
    "cut_through(X, Y)",
    "entities_in_box(X, Y)",
    "entities_in_circle(X, Y)",
    "nearest(X, Y)",
    "find_path(X, Y, Z)",
    "time()",
    "set_timer(X, Y)",
    "repeat_timer(X, Y)",
    "stop_timer(X)",
    "random()",
    "random(X, Y)",
    "random_int(X, Y)",
    "print(X)",
    "debug(X)",
    "abs(X)",
    "min(X, Y)",
    "max(X, Y)",
    "pow(X, Y)",
    "sqrt(X)",
    "vec2(X, Y)",
    "dot(X, Y)",
    "parse_int(X)",
    "parse_float(X)",
    "to_int(X)",
    "to_string(X)",
    "range(X, Y, Z)",
    "range(X, Y)",
    "type_of(X)",
    "is_def_var(X)",
    "Fn(\"len\")",
    "f(X)",
    "g(X, Y)",
    "call(F, X)",
    "call(G, X, Y)",
];

const PATHS: &[&str] = &[
    "\"body.linear_velocity\"",
    "\"transform.position\"",
    "\"transform.angle\"",
    "\"skin.radius\"",
    "\"body.kind\"",
    "\"mind.text\"",
    "\"mind.enabled\"",
    "\"Fog.values\"",
    "\"Fog.values.0\"",
    "\"body\"",
    "\"\"",
    "\"a.b.c.d\"",
];

/// An expression of at most `depth` further levels.
fn expression(random: &mut Random, depth: usize) -> String {
    let leaf = depth == 0 || random.one_in(3);
    if leaf {
        return match random.below(14) {
            0 => random
                .pick(&["0", "1", "-1", "7", "999", "1000", "16384", "9223372036854775807"])
                .into(),
            1 => random
                .pick(&["0.5", "-0.0", "1e300", "(0.0/0.0)", "1e-300"])
                .into(),
            2 => random
                .pick(&[
                    "\"\"",
                    "\"a\"",
                    "\"aaaaaaaaaaab\"",
                    "\"\\u001b[2J\"",
                    "'c'",
                    "\"body.mass\"",
                ])
                .into(),
            3 => random
                .pick(&[
                    "true",
                    "()",
                    "vec2(1, 2)",
                    "vec2(-3.5, 0.1)",
                    "me()",
                    "1..9",
                    "0..=3",
                ])
                .into(),
            4 => "this".into(),
            5 => "this.a".into(),
            6 => "global::BIG".into(),
            7 => random.pick(PATHS).into(),
            _ => random.pick(&["a", "b", "c", "i", "s", "m"]).into(),
        };
    }
    let depth = depth - 1;
    match random.below(12) {
        0 | 1 => {
            let operator = random.pick(&[
                "+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in", "??", "<<", "^",
            ]);
            format!(
                "({} {operator} {})",
                expression(random, depth),
                expression(random, depth)
            )
        }
        2 => format!("[{}, {}]", expression(random, depth), expression(random, depth)),
        3 => format!(
            "#{{k: {}, l: {}}}",
            expression(random, depth),
            expression(random, depth)
        ),
        4 => format!("{}[{}]", variable(random), expression(random, depth)),
        5 => format!("`x${{{}}}`", expression(random, depth)),
        6 => format!(
            "if {} == () {{ {} }} else {{ {} }}",
            expression(random, 0),
            expression(random, depth),
            expression(random, depth)
        ),
        7 | 8 => filled(random, FREE, depth),
        _ => format!("{}.{}", variable(random), filled(random, OF_LIST, depth)),
    }
}

fn variable(random: &mut Random) -> String {
    random
        .pick(&[
            "a", "b", "c", "s", "m", "this", "this.a", "m.k", "a[0]", "this.b.k",
        ])
        .into()
}

/// A pattern with its letters replaced.
fn filled(random: &mut Random, patterns: &[&str], depth: usize) -> String {
    let pattern = random.pick(patterns);
    let mut text = String::new();
    let letters: Vec<char> = pattern.chars().collect();
    for (place, letter) in letters.iter().enumerate() {
        let is_word = |at: Option<&char>| at.is_some_and(|letter| letter.is_alphanumeric() || *letter == '_');
        let alone = !is_word(place.checked_sub(1).and_then(|before| letters.get(before)))
            && !is_word(letters.get(place + 1));
        match letter {
            'X' | 'Y' | 'Z' if alone => text += &expression(random, depth),
            'P' if alone => text += random.pick(PATHS),
            'F' if alone => {
                text += random.pick(&[
                    "|x| x",
                    "|x| x > 3",
                    "Fn(\"len\")",
                    "Fn(\"f\")",
                    "|x, i| i",
                    "|x| { loop { } }",
                ])
            }
            'G' if alone => {
                text += random.pick(&[
                    "|x, y| x",
                    "|x, y| y - x",
                    "Fn(\"+\")",
                    "Fn(\"g\")",
                    "|x, y| x == y",
                ])
            }
            letter => text.push(*letter),
        }
    }
    text
}

fn statement(random: &mut Random, depth: usize) -> String {
    match random.below(14) {
        0 | 1 => format!(
            "{} = {};",
            random.pick(&["a", "b", "c", "i", "s", "m", "this.a", "this.b", "this.k"]),
            expression(random, 2)
        ),
        2 => format!(
            "{}[{}] = {};",
            random.pick(&["a", "b", "m", "this", "this.a", "s"]),
            expression(random, 1),
            expression(random, 2)
        ),
        3 => format!(
            "{} {} {};",
            random.pick(&["a", "b", "i", "s", "m", "this.a"]),
            random.pick(&["+=", "-=", "*="]),
            expression(random, 1)
        ),
        4 if depth > 0 => format!(
            "for x in {} {{ {} }}",
            expression(random, 1),
            statement(random, depth - 1)
        ),
        5 if depth > 0 => format!("loop {{ {} }}", statement(random, depth - 1)),
        6 if depth > 0 => format!(
            "try {{ {} }} catch {{ {} }}",
            statement(random, depth - 1),
            statement(random, depth - 1)
        ),
        7 if depth > 0 => format!(
            "while i < {} {{ i += 1; {} }}",
            random.below(2000),
            statement(random, depth - 1)
        ),
        8 => format!(
            "switch {} {{ 1 => {{ {} }} _ => {{ }} }}",
            expression(random, 1),
            statement(random, 0)
        ),
        9 => format!("let c = {};", expression(random, 3)),
        10 => "a.pad(900, 3); b = a; s.pad(16000, 'x');".into(),
        11 => "for k in 0..200 { m[`k${k}`] = k; }".into(),
        _ => format!("{};", expression(random, 3)),
    }
}

fn world_of(lines: &[Line]) -> Result<World, String> {
    let body: String = lines.iter().map(|line| format!("        {}\n", line.0)).collect();
    let script = format!(
        "const BIG = [1, 2, [3, \"x\"]];\n    fn f(x) {{ x }}\n    fn g(x, y) {{ [x, y] }}\n    fn on_tick(t) {{\n        \
         let a = [1, 2, 3]; let b = [a, \"b\"]; let c = (); let i = 0; let s = \"text\"; let m = #{{k: 1}};\n{body}    }}\n    \
         fn on_begin_touch(other) {{ this.seen = other; }}"
    );
    let text = format!(
        r####"(
    settings: (seed: 3),
    scripts: {{"s": r###"{script}"###}},
    entities: {{
        "floor": {{"body": Body(), "top": Collider(shape: Box(width: 60, height: 2), position: (0, -1))}},
        "crate": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)), "wood": Tag()}},
        "ball": {{
            "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "mind": Script(name: "s"),
            "Fog": RenderData(effect: "fog", values: {{"density": 0.5}}),
        }},
    }},
    place: [
        One(name: "floor", entity: "floor"), One(name: "ball", entity: "ball", at: (0, 1)),
        Row(name: "crate", entity: "crate", at: (5, 0.5), count: 2, step: (3, 0)),
    ],
)"####
    );
    let scene = Scene::parse("fuzz.ron", &text).map_err(|error| error.to_string())?;
    World::from_scene(&scene).map_err(|error| format!("not built: {error}"))
}

impl Family for Scripts {
    const NAME: &'static str = "scripts";
    const ABOUT: &'static str = "programs over all functions at the default limits: within their time, the same on a clone and from a save";
    const CASES: u64 = 3000;
    type Operation = Line;

    fn generate(random: &mut Random) -> Vec<Line> {
        (0..random.within(1..8))
            .map(|_| Line(statement(random, 3)))
            .collect()
    }

    fn run(lines: &[Line]) -> Result<(), String> {
        // A text that is not a script is refused with its line, which counts as a pass.
        let Ok(mut world) = world_of(lines) else {
            return Ok(());
        };
        let mut copy = world.clone();
        for step in 0..4 {
            let watch = Stopwatch::start();
            world.step();
            let took = watch.elapsed_seconds() * 1e3;
            hold!(took < MILLISECONDS_MAX, "step {step} took {took:.0} ms");
            copy.step();
            same!(copy.state_hash(), world.state_hash(), "a clone after step {step}");
            if step == 1 {
                let save = world.save();
                let mut again = world_of(lines)?;
                again
                    .restore(&save)
                    .map_err(|error| format!("its own save is refused: {error}"))?;
                copy = again;
                same!(copy.state_hash(), world.state_hash(), "after a restore");
            }
        }
        for fault in world.faults() {
            hold!(fault.len() < 800, "a fault of {} bytes", fault.len());
        }
        Ok(())
    }
}
