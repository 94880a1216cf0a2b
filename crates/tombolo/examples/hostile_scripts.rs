//! What a call may take at most: scripts that do nothing but what is slow, at the default limits. Prints how long a step
//! took in which one of them ran; `docs/scripts.md` has the figures of one machine.
//!
//! `cargo run --release -p tombolo --features script --example hostile_scripts [PART OF A NAME]`

#![allow(clippy::print_stdout)]

use tombolo::component::{SCRIPT, Script};
use tombolo::entity::Dense;
use tombolo::{Scene, World, WorldStage};

/// A name, what stands before the loop, and what is in it.
const LOOPS: &[(&str, &str, &str)] = &[
    ("nothing", "", ""),
    ("adding", "let x = 0;", "x += 1;"),
    (
        "numbers",
        "let x = 0.5; let y = 2.0;",
        "x = x * y - (x + y) / 3.0;",
    ),
    ("own function", "", "f(1);"),
    ("vectors", "let v = vec2(1, 2);", "v = v * 0.5 + v.normalize();"),
    ("index_of", "let a = texts(900);", "a.index_of(\"aaaaaaaaaaab\");"),
    (
        "index_of by Fn",
        "let a = texts(900); let f = Fn(\"index_of\");",
        "f.call(a, \"aaaaaaaaaaab\");",
    ),
    ("contains", "let a = texts(900);", "\"aaaaaaaaaaab\" in a;"),
    ("list ==", "let a = texts(900); let b = texts(900);", "a == b;"),
    (
        "list !=",
        "let a = numbers(900); let b = numbers(900);",
        "a != b;",
    ),
    ("dedup", "let a = numbers(900);", "a.dedup();"),
    ("dedup in this", "this.a = numbers(900);", "this.a.dedup();"),
    ("to_string", "let a = texts(900);", "a.to_string();"),
    ("to_string in text", "let a = numbers(900);", "`${a}`;"),
    ("to_debug", "let a = numbers(900);", "a.to_debug();"),
    ("to_json", "let m = map_of(400);", "m.to_json();"),
    ("map ==", "let m = map_of(400); let n = map_of(400);", "m == n;"),
    ("map to_string", "let m = map_of(400);", "m.to_string();"),
    ("keys", "let m = map_of(400);", "m.keys();"),
    (
        "mixin",
        "let m = map_of(400); let n = map_of(400);",
        "m.mixin(n);",
    ),
    ("text + list", "let a = numbers(900);", "\"\" + a;"),
    ("print", "let a = numbers(900);", "print(a);"),
    ("copy a list", "let a = numbers(1000);", "let b = a;"),
    ("copy from this", "this.a = numbers(1000);", "let b = this.a;"),
    ("copy an element", "let a = [numbers(900)];", "let b = a[0];"),
    ("get an element", "let a = [numbers(900)];", "a.get(0);"),
    ("give to a function", "let a = numbers(1000);", "f(a);"),
    ("constant", "", "let b = global::BIG;"),
    ("read in a list", "let a = numbers(1000);", "a[999];"),
    ("write in a list", "let a = numbers(1000);", "a[999] = 1;"),
    ("write in this", "this.a = numbers(1000);", "this.a[999] = 1;"),
    ("len", "let a = numbers(1000);", "a.len();"),
    ("len in this", "this.a = numbers(1000);", "this.a.len();"),
    ("push and pop", "let a = numbers(990);", "a.push(1); a.pop();"),
    ("+=", "let a = numbers(990);", "a += 1; a.pop();"),
    (
        "insert at 0",
        "let a = numbers(990);",
        "a.insert(0, 1); a.remove(0);",
    ),
    (
        "list + list",
        "let a = numbers(450); let b = numbers(450);",
        "a + b;",
    ),
    ("sort", "let a = texts(900);", "a.sort();"),
    ("order", "let a = numbers(900);", "a.order();"),
    ("sort by", "let a = numbers(900);", "a.sort(|x, y| y - x);"),
    ("map", "let a = numbers(900);", "a.map(|x| x);"),
    ("map by Fn", "let a = numbers(900);", "a.map(Fn(\"abs\"));"),
    (
        "map in map",
        "let a = numbers(30);",
        "a.map(|x| [1,2,3,4,5,6,7,8,9,0].map(|y| y));",
    ),
    (
        "map of lists",
        "let a = []; for i in 0..30 { a.push(numbers(30)); }",
        "a.map(|x| 1);",
    ),
    ("filter", "let a = numbers(900);", "a.filter(|x| x > 1);"),
    ("reduce", "let a = numbers(900);", "a.reduce(Fn(\"+\"));"),
    (
        "loops in callbacks",
        "let a = numbers(900);",
        "a.for_each(|x| { for i in 0..10000 { } });",
    ),
    ("reverse", "let a = numbers(1000);", "a.reverse();"),
    ("extract", "let a = numbers(1000);", "a.extract(0, 1000);"),
    ("splice", "let a = numbers(900);", "a.splice(0, 900, a);"),
    ("pad", "", "let b = []; b.pad(1000, 0);"),
    ("pad text", "", "let b = \"\"; b.pad(16000, 'x');"),
    ("zip", "let a = numbers(900);", "a.zip(a, |x, y| x);"),
    (
        "for over a list",
        "let a = numbers(1000);",
        "for x in a { break; }",
    ),
    ("switch", "let a = numbers(1000);", "switch a { 1 => 2, _ => 3 }"),
    (
        "literal",
        "",
        "f([0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]);",
    ),
    ("text ==", "let s = text(); let t = text();", "s == t;"),
    ("text <", "let s = text(); let t = text();", "s < t;"),
    ("text +", "let s = text();", "s + \"x\";"),
    ("text of text", "let s = text();", "`${s}x`;"),
    ("text +=", "let s = text(); let t = s;", "s = t; s += 'x';"),
    (
        "text contains",
        "let s = text();",
        "s.contains(\"xxxxxxxxxxxxxxxxxxxxxxxxy\");",
    ),
    (
        "text in",
        "let s = text();",
        "\"xxxxxxxxxxxxxxxxxxxxxxxxy\" in s;",
    ),
    (
        "text index_of",
        "let s = text();",
        "s.index_of(\"xxxxxxxxxxxxxxxxxxxxxxxxy\");",
    ),
    ("text replace", "let s = text();", "s.replace(\"x\", \"x\");"),
    (
        "text split",
        "let s = text(); s.replace(\"xxxxxxxxxxxxxxxx\", \"xxxxxxxxxxxxxxx,\");",
        "s.split(',');",
    ),
    ("text split into letters", "let s = text();", "s.split(\"\");"),
    (
        "text replace, longer",
        "let s = text(); s.crop(0, 1000); let t = s; t.crop(0, 16);",
        "let r = s; r.replace(\"x\", t);",
    ),
    ("text to_upper", "let s = text();", "s.to_upper();"),
    ("text trim", "let s = text();", "s.trim();"),
    ("text len", "let s = text();", "s.len();"),
    ("text sub_string", "let s = text();", "s.sub_string(15000);"),
    ("text crop", "let s = text();", "let t = s; t.crop(1);"),
    ("letter", "let s = text();", "s[15000];"),
    ("letter from this", "this.s = text();", "this.s[15000];"),
    ("set a letter", "let s = text();", "s[15000] = 'y';"),
    ("set a letter in this", "this.s = text();", "this.s[15000] = 'y';"),
    ("for over a text", "let s = text();", "for c in s { break; }"),
    ("chars", "let s = text();", "s.chars();"),
    ("parse_int", "let s = text();", "try { parse_int(s); } catch { }"),
    ("throw", "", "try { throw 1; } catch { }"),
    ("no such function", "", "try { abs(\"\", 1, 2); } catch { }"),
    (
        "many arguments",
        "",
        "try { f2(1, 2.0, \"\", 'c', true, (), [], #{}, 1, 2.0, \"\", 'c', true, (), [], #{}); } catch { }",
    ),
    ("out of range", "let a = [];", "try { a[3]; } catch { }"),
    ("find", "let s = text();", "find(s);"),
    ("get", "", "me().get(\"body.linear_velocity.x\");"),
    ("get vector", "", "me().get(\"transform.position\");"),
    (
        "get in error",
        "",
        "try { me().get(\"body.linear_velocit\"); } catch { }",
    ),
    ("has", "", "me().has(\"body\");"),
    ("name_of", "", "name_of(me());"),
    ("to_string of me", "", "me().to_string();"),
    ("children", "", "children(me());"),
    ("tagged", "", "tagged(\"wood\");"),
    ("cast_ray", "", "cast_ray(vec2(-200, 3.3), vec2(200, 3.4));"),
    (
        "cast_ray among slanted",
        "",
        "cast_ray(vec2(-500, 100), vec2(500, 1100.0));",
    ),
    ("query_box", "", "query_box(vec2(-1, -1), vec2(8, 8));"),
    (
        "query_box of one with many",
        "",
        "query_box(vec2(-500, 90), vec2(500, 1100));",
    ),
    (
        "entities_in_box",
        "",
        "entities_in_box(vec2(-1, -1), vec2(8, 8));",
    ),
    ("entities_in_circle", "", "entities_in_circle(vec2(0, 0), 9);"),
    ("nearest", "", "nearest(vec2(0, 0), 10);"),
    ("nearest of none", "", "nearest(vec2(0, 0), 10, \"nothing\");"),
    ("find_path", "", "find_path(vec2(-50, 20), vec2(50, 30), 0.4);"),
    (
        "find_path, other clearances",
        "let c = 0.1;",
        "c += 0.01; find_path(vec2(-50, 20), vec2(50, 30), c);",
    ),
    ("random", "", "random();"),
    ("set_timer", "", "set_timer(\"x\", 1);"),
    ("set_timer of a long name", "let s = text();", "set_timer(s, 1);"),
    (
        "has_timer of a long name",
        "let s = text(); for i in 0..16 { let t = s; t += i; set_timer(t, 1); }",
        "has_timer(s);",
    ),
    ("name_of a long one", "let e = find(text());", "name_of(e);"),
    (
        "to_string of a long one",
        "let e = find(text());",
        "e.to_string();",
    ),
    (
        "error of a long one",
        "let e = find(text());",
        "try { e.get(\"body.velocit\"); } catch { }",
    ),
    (
        "error of a long path",
        "let s = text();",
        "try { me().get(s); } catch { }",
    ),
    (
        "spawn of a long name",
        "let s = text(); s.crop(1);",
        "try { spawn_entity(s); } catch { }",
    ),
    (
        "unknown option",
        "let m = #{}; m[text()] = 1;",
        "try { cast_ray(vec2(0, 0), vec2(1, 0), m); } catch { }",
    ),
    (
        "get a long text",
        "",
        "try { find(\"sage\").get(\"lore.text\"); } catch { }",
    ),
    (
        "get many points",
        "",
        "try { find(\"rail\").get(\"wire.points\"); } catch { }",
    ),
    (
        "cast_ray of nothing seen",
        "",
        "cast_ray(vec2(-200, 3.3), vec2(200, 3.4), #{category: 0});",
    ),
    (
        "cast_ray_all",
        "",
        "try { cast_ray_all(vec2(-70, 8), vec2(70, 8.1)); } catch { }",
    ),
    (
        "cast_circle",
        "",
        "cast_circle(vec2(-200, 20), vec2(200, 20), 19);",
    ),
    (
        "cast_circle beside all",
        "",
        "cast_circle(vec2(-200, 80), vec2(200, 80), 38);",
    ),
    (
        "cast_box that turns",
        "",
        "cast_box(vec2(-200, 80), vec2(200, 80), vec2(70, 1), #{turn: 3});",
    ),
    (
        "cast_circle without an entity",
        "",
        "cast_circle(vec2(-60, 20), vec2(60, 20), 19, #{exclude: find(\"fence\")});",
    ),
    ("query_point", "", "query_point(vec2(0, 0.5));"),
    (
        "query_circle",
        "",
        "try { query_circle(vec2(0, 20), 9); } catch { }",
    ),
    (
        "query_circle in a gap",
        "",
        "try { query_circle(vec2(0, 550), 440); } catch { }",
    ),
    (
        "query_box of nothing seen",
        "",
        "try { query_box(vec2(-99, -1), vec2(99, 99), #{category: 0}); } catch { }",
    ),
    (
        "query_box of a material, nothing seen",
        "",
        "try { query_box(vec2(-99, -1), vec2(99, 99), #{material: 0, category: 0}); } catch { }",
    ),
    (
        "query_box of nothing by its mask",
        "",
        "try { query_box(vec2(-99, -1), vec2(99, 99), #{mask: 0}); } catch { }",
    ),
    (
        "cast_circle of nothing by its mask",
        "",
        "cast_circle(vec2(-200, 20), vec2(200, 20), 19, #{material: 0, mask: 0});",
    ),
    ("closest", "", "closest(vec2(0, 300), 900);"),
    (
        "closest of nothing seen",
        "",
        "closest(vec2(0, 20), 900, #{category: 0});",
    ),
    (
        "several_closest",
        "",
        "try { several_closest(vec2(0, 300), 900, 900); } catch { }",
    ),
    (
        "touches_of_circle",
        "",
        "try { touches_of_circle(vec2(0, 20), 9); } catch { }",
    ),
    (
        "touches_of_box of a few",
        "",
        "try { touches_of_box(vec2(0, 0.5), vec2(2, 2)); } catch { }",
    ),
    (
        "cast_circle_all",
        "",
        "try { cast_circle_all(vec2(-200, 20), vec2(200, 20), 19); } catch { }",
    ),
    (
        "cast_rays",
        "let a = []; a.pad(300, [vec2(0, 900), vec2(1, 900)]);",
        "cast_rays(a);",
    ),
    (
        "cast_rays that hit",
        "let a = []; a.pad(120, [vec2(0, 60), vec2(0, -60)]);",
        "try { cast_rays(a); } catch { }",
    ),
    (
        "query_points",
        "let a = []; a.pad(900, vec2(0, 900));",
        "query_points(a);",
    ),
    ("zones_at", "", "zones_at(vec2(0, 500));"),
    ("zones_of", "", "zones_of(me());"),
    (
        "visitors_of",
        "",
        "try { visitors_of(find(\"land\")); } catch { }",
    ),
    ("tile", "", "tile(find(\"ground\"), 50, 50);"),
    ("cell_at", "", "cell_at(find(\"ground\"), vec2(50, -300));"),
    ("axis", "let s = text();", "axis(s);"),
    ("parent", "", "parent(me());"),
    ("retain", "let a = numbers(900);", "a.retain(|x| true);"),
    ("drain", "let a = numbers(900);", "a.drain(|x| false);"),
    ("find_map", "let a = numbers(900);", "a.find_map(|x| ());"),
    ("some", "let a = numbers(900);", "a.some(|x| false);"),
    (
        "fill_with",
        "let m = map_of(250); let n = map_of(250);",
        "m.fill_with(n);",
    ),
    ("values", "let m = map_of(400);", "m.values();"),
    (
        "append",
        "let a = []; let b = numbers(900);",
        "a.append(b); a.clear();",
    ),
    ("chop", "let a = numbers(900);", "let b = a; b.chop(1);"),
    ("map in", "let m = map_of(400);", "\"k399\" in m;"),
    (
        "map +",
        "let m = map_of(200); let n = map_of(200);",
        "try { m + n; } catch { }",
    ),
    ("text -", "let s = text();", "s - 'y';"),
    ("text split_rev", "let s = text();", "s.split_rev('y');"),
    ("text make_upper", "let s = text();", "s.make_upper();"),
    (
        "text min",
        "let s = text(); let t = text();",
        "try { min(s, t); } catch { }",
    ),
    (
        "parse_float",
        "let s = \"0.\"; s.pad(16000, '1');",
        "try { parse_float(s); } catch { }",
    ),
    ("to_blob", "let s = text();", "s.to_chars();"),
];

/// A name, and a tick's body.
const CHANGES: &[(&str, &str)] = &[
    (
        "cut_through",
        "for i in 0..100 { cut_through(vec2(-30, 0.01 * i), vec2(30, 5 - 0.1 * i)); }",
    ),
    (
        "slice",
        "for i in 0..900 { slice(me(), vec2(-3, 5 - 0.01 * i), vec2(3, 5.001 - 0.01 * i)); }",
    ),
    (
        "set the velocity",
        "for i in 0..1000 { me().set(\"body.linear_velocity\", vec2(1, i)); }",
    ),
    (
        "set the shape",
        "for i in 0..1000 { me().set(\"skin.radius\", 0.5 + i * 0.001); }",
    ),
    (
        "set the place",
        "for i in 0..1000 { me().set(\"transform.position\", vec2(1, i)); }",
    ),
    (
        "an agent's clearance",
        "for i in 0..1000 { me().set(\"walker.clearance\", 0.3 + 0.001 * i + time()); }",
    ),
    (
        "move a wall",
        "for i in 0..1000 { find(\"wall\").set(\"transform.position\", vec2(0, 40 + 0.1 * i)); }",
    ),
    (
        "move walls for many clearances",
        "/* walls */ for i in 0..16 { find_path(vec2(-50, 20), vec2(50, 30), 0.3 + 0.05 * i); } for w in tagged(\"brick\") { w.set(\"transform.position\", vec2(random(-900, 900), random(20, 900))); }",
    ),
    (
        "paths through bricks",
        "/* walls */ for i in 0..1000 { find_path(vec2(-110, 68), vec2(110, 92), 0.3); }",
    ),
    (
        "paths into a cage",
        "/* walls */ for i in 0..1000 { find_path(vec2(-110, 68), vec2(0, 220), 0.3); }",
    ),
    (
        "paths into a cage for many clearances",
        "/* walls */ for i in 0..16 { find_path(vec2(-110, 68), vec2(0, 220), 0.2 + 0.02 * i); } find(\"wall\").set(\"transform.position\", vec2(0, random(30, 40)));",
    ),
    (
        "spawn walls",
        "for i in 0..64 { spawn_entity(\"wall\", #{position: vec2(0, 60 + i), angle: 0.3}); }",
    ),
    (
        "set the place of a parent",
        "for i in 0..1000 { find(\"tower\").set(\"transform.position\", vec2(1, i)); }",
    ),
    (
        "set a text",
        "let s = \"\"; s.pad(16000, ' '); for i in 0..1000 { me().set(\"mind.text\", s); }",
    ),
    ("impulses", "for i in 0..1000 { me().apply_impulse(vec2(1, i)); }"),
    (
        "spawn",
        "for i in 0..64 { spawn_entity(\"crate\", #{position: vec2(i * 2, 60)}); }",
    ),
    (
        "spawn a tower",
        "for i in 0..64 { spawn_entity(\"tower\", #{position: vec2(i * 2, 60)}); }",
    ),
    (
        "spawn with names",
        "let s = \"\"; s.pad(16000, 'x'); for i in 0..64 { spawn_entity(\"crate\", #{name: s + i + time()}); }",
    ),
    ("despawn", "for e in nearest(vec2(0, 0), 900) { despawn(e); }"),
    (
        "set many points",
        "let a = []; for i in 0..900 { a.push(vec2(i, i % 2)); } let e = find(\"rail\"); for i in 0..20 { e.set(\"wire.points\", a); }",
    ),
    (
        "set an outline",
        "let a = [vec2(0, 9)]; for i in 0..800 { a.push(vec2(i, i % 2)); } a.push(vec2(800, 9)); let e = find(\"comb\"); for i in 0..20 { e.set(\"teeth.points\", a); }",
    ),
    (
        "turn an outline",
        "let e = find(\"comb\"); for i in 0..20 { e.set(\"teeth.angle\", 0.001 * i); }",
    ),
    (
        "spawn outlines",
        "for i in 0..16 { spawn_entity(\"comb\", #{position: vec2(i, 2000)}); }",
    ),
    (
        "spawn many points",
        "for i in 0..64 { spawn_entity(\"rail\", #{position: vec2(i, 2000)}); }",
    ),
    (
        "enable many points",
        "let e = find(\"rail\"); for i in 0..900 { e.set(\"body.enabled\", i % 2 == 0); }",
    ),
    (
        "move many points",
        "let e = find(\"rail\"); for i in 0..900 { e.set(\"transform.position\", vec2(i, -300)); }",
    ),
    (
        "friction of many points",
        "let e = find(\"rail\"); for i in 0..900 { e.set(\"wire.friction\", 0.5 + 0.0001 * i); }",
    ),
    (
        "category of many points",
        "let e = find(\"rail\"); for i in 0..900 { e.set(\"wire.category\", 1 + i % 2); }",
    ),
    (
        "kind of a body with many",
        "let e = find(\"comb\"); for i in 0..900 { e.set(\"body.kind\", if i % 2 == 0 { \"Dynamic\" } else { \"Static\" }); }",
    ),
    (
        "set_tile",
        "let e = find(\"ground\"); for i in 0..900 { set_tile(e, i % 100, 50, if i % 2 == 0 { \"/\" } else { \".\" }); }",
    ),
    (
        "fill_tiles",
        "let e = find(\"ground\"); for i in 0..900 { fill_tiles(e, 0, 0, 100, 60, if i % 2 == 0 { \".\" } else { \"/\" }); }",
    ),
    (
        "rows of tiles",
        "let e = find(\"ground\"); for i in 0..900 { e.set(\"tiles.rows\", [if i % 2 == 0 { \"80:80/\" } else { \"/\" }]); }",
    ),
    (
        "friction of tiles",
        "let e = find(\"ground\"); for i in 0..900 { e.set(\"tiles.friction\", 0.001 * i); }",
    ),
    (
        "spawn tiles",
        "for i in 0..64 { spawn_entity(\"ground\", #{set: #{\"tiles.rows\": [\"30:30/\"]}}); }",
    ),
    (
        "explode",
        "for i in 0..900 { explode(vec2(0, 20), #{radius: 90, falloff: 9, impulse_per_length: 0.001}); }",
    ),
    (
        "set_contact_rule",
        "for i in 0..900 { set_contact_rule(-1, 7, #{ignore: i % 2 == 0}); }",
    ),
    (
        "set_category_rule",
        "for i in 0..900 { set_category_rule(1, 0, #{ignore: i % 2 == 0}); }",
    ),
    ("drop_through", "for i in 0..900 { me().drop_through(); }"),
    (
        "sleep and wake",
        "for i in 0..400 { me().sleep(); me().wake_touching(); me().apply_local_impulse(vec2(0, 0.001)); }",
    ),
    (
        "slice a crowd",
        "for e in nearest(vec2(0, 20), 900, \"hull\") { slice(e, vec2(-90, 20.1), vec2(90, 20.2)); }",
    ),
    (
        "remember much",
        "if this.a == () { this.a = []; for i in 0..1000 { this.a.push(i); } for i in 0..400 { this[`k${i}`] = i; } }",
    ),
    (
        "remember long texts",
        "if this.a == () { let s = \"\"; s.pad(16000, 'x'); for i in 0..14 { this[`k${i}`] = s; } }",
    ),
    (
        "new texts for scripts",
        "let s = \"fn on_tick(s) { }\"; s.pad(3000, ' '); let t = s; for i in 0..1500 { t += \"x()+1;\"; } s = \"fn f() {\" + t.sub_string(3000) + \"} //\" + time(); for i in 0..20 { me().set(\"more.text\", s); }",
    ),
];

/// Points of a zigzag, as a scene has them.
fn zigzag(count: usize, place: impl Fn(usize) -> (f32, f32)) -> String {
    let points = (0..count).map(|i| format!("{:?}", place(i)));
    points.collect::<Vec<_>>().join(", ")
}

fn scene(script: &str, count: usize) -> String {
    let fence_points = zigzag(4000, |i| ((i as f32 - 2000.0) * 0.2, [100.0, 1000.0][i % 2]));
    let points = zigzag(900, |i| (i as f32, (i % 2) as f32));
    let rows = ["\"100#\""; 60].join(", ");
    let (long, lore) = ("x".repeat(16_000), " ".repeat(15_000));
    // The free space of these takes seconds: those who need some for each clearance do without them.
    let has_walkers = script.contains("walker") || script.contains("wall");
    let fence = if has_walkers {
        r#"One(name: "cage", entity: "cage", at: (0, 220)),"#
    } else {
        r#"One(name: "fence", entity: "fence"), One(name: "ground", entity: "ground"),
        One(name: "rail", entity: "rail", at: (0, -300)), One(name: "comb", entity: "comb", at: (0, -330)),"#
    };
    let walker = if has_walkers {
        "\"walker\": Agent(goal: (50, 60)),"
    } else {
        ""
    };
    let parts: String = (0..30)
        .map(|i| format!("\"b{i}\": Child(entity: \"crate\", at: (0, {i})), "))
        .collect();
    format!(
        r##"(
    settings: (seed: 3),
    scripts: {{"s": r#"{script}"#}},
    entities: {{
        "floor": {{"body": Body(), "top": Collider(shape: Box(width: 400, height: 2), position: (0, -1))}},
        "wall": {{"body": Body(), "stone": Collider(shape: Box(width: 100, height: 1))}},
        "cage": {{
            "body": Body(),
            "a": Collider(shape: Box(width: 40, height: 1), position: (0, -20)),
            "b": Collider(shape: Box(width: 40, height: 1), position: (0, 20)),
            "c": Collider(shape: Box(width: 1, height: 41), position: (-20, 0)),
            "d": Collider(shape: Box(width: 1, height: 41), position: (20, 0)),
        }},
        "brick": {{"body": Body(), "stone": Collider(shape: Box(width: 1, height: 1)), "brick": Tag()}},
        "fence": {{"body": Body(), "wire": Collider(shape: Chain(points: [{fence_points}]))}},
        "sage": {{"lore": Script(text: "fn f() {{ }}{lore}")}},
        "rail": {{"body": Body(), "wire": Collider(shape: Chain(points: [{points}]))}},
        "comb": {{"body": Body(), "teeth": Collider(shape: Outline(points: [(0, 9), {points}, (900, 9)]))}},
        "ground": {{
            "body": Body(),
            "tiles": Tiles(origin: (0, -400), legend: ["# Full", "/ SlopeUp"], rows: [{rows}]),
        }},
        "land": {{"area": Zone(shape: Box(width: 2000, height: 2000))}},
        "crate": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)), "wood": Tag()}},
        "tower": {{"core": Sprite(), {parts}}},
        "ball": {{
            "body": Body(kind: Dynamic),
            "skin": Collider(shape: Circle(radius: 0.5)),
            "mind": Script(name: "s"),
            "more": Script(text: "fn f() {{ }}"),
            {walker}
        }},
    }},
    place: [
        One(name: "floor", entity: "floor"),
        {fence}
        One(name: "tower", entity: "tower", at: (30, 2)),
        One(name: "{long}", entity: "crate", at: (0, -500)),
        One(name: "sage", entity: "sage"),
        One(name: "land", entity: "land"),
        One(name: "wall", entity: "wall", at: (0, 60), angle: 0.5),
        Grid(name: "brick", entity: "brick", at: (-100, 70), columns: 100, rows: 10, column_step: (2, 0), row_step: (0, 2)),
        Grid(name: "ball", entity: "ball", at: (-30, 5), columns: {count}, rows: 1, column_step: (1.5, 0)),
        Grid(name: "crate", entity: "crate", at: (-60, 0.5), columns: 60, rows: 40, column_step: (2, 0), row_step: (0, 1.02)),
    ],
)"##
    )
}

const HELPERS: &str = "
const BIG = numbers(900);
fn numbers(n) { let a = []; a.pad(n, 0); let i = 0; while i < n { a[i] = i; i += 1; } a }
fn texts(n) { let a = []; a.pad(n, \"aaaaaaaaaaaa\"); a }
fn map_of(n) { let m = #{}; for i in 0..n { m[`k${i}`] = i; } m }
fn text() { let s = \"\"; s.pad(16000, 'x'); s }
fn f(x) { x; 1 }
";

/// The longest of the steps, in milliseconds, and the first fault.
fn run(script: &str, count: usize, steps: usize) -> (f64, String) {
    run_with(100_000, script, count, steps)
}

fn run_with(limit: u64, script: &str, count: usize, steps: usize) -> (f64, String) {
    let limits = format!(
        "script_limits: (operations_per_call: {}), seed: 3",
        limit.max(100)
    );
    let mut text = scene(script, count).replacen("seed: 3", &limits, 1);
    if limit != 100_000 {
        // Only the count is wanted.
        text = text.replacen("columns: 60, rows: 40", "columns: 1, rows: 1", 1);
    }
    let scene = Scene::parse("hostile.ron", &text);
    let scene = match scene {
        Ok(scene) => scene,
        Err(error) => return (0.0, error.to_string()),
    };
    let mut world = match World::from_scene(&scene) {
        Ok(world) => world,
        Err(error) => return (0.0, error.to_string()),
    };
    let mut longest: f64 = 0.0;
    for _ in 0..steps {
        // Pieces of a ball have its script too: with them, one call is many.
        if scripted(&world) > count {
            break;
        }
        world.step();
        let profile = world.profile();
        let stages = [
            WorldStage::Scripts,
            WorldStage::Handlers,
            WorldStage::Agents,
            WorldStage::Space,
        ];
        let seconds: f64 = stages.into_iter().map(|stage| profile.seconds(stage)).sum();
        longest = longest.max(seconds * 1e3);
    }
    let faults = world.faults();
    (
        longest,
        faults.first().map(|fault| fault.to_string()).unwrap_or_default(),
    )
}

/// How many entities run the script.
fn scripted(world: &World) -> usize {
    let scripts: Option<&Dense<Script>> = world.manager(SCRIPT);
    scripts.map_or(0, |scripts| {
        scripts
            .values()
            .iter()
            .filter(|script| &*script.name == "s")
            .count()
    })
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    if let Some(body) = std::env::args().nth(2) {
        // How many operations it makes: the least limit that it stays within.
        let fits = |limit: u64| {
            run_with(limit, &format!("{HELPERS}fn on_tick(seconds) {{ {body} }}"), 1, 1)
                .1
                .is_empty()
        };
        let (mut less, mut enough) = (0_u64, 10_000_000_u64);
        while enough - less > 1 {
            let limit = less.midpoint(enough);
            if fits(limit) { enough = limit } else { less = limit }
        }
        println!("{enough} operations");
        let (took, fault) = run(&format!("{HELPERS}fn on_tick(seconds) {{ {body} }}"), 1, 1);
        println!("{took:.1} ms {fault}");
        return;
    }
    println!("{:32} {:>9} {:>9}", "", "one call", "30 calls");
    let print = |name: &str, script: &str, steps: usize| {
        if !name.contains(&part) {
            return;
        }
        let (one, fault) = run(script, 1, steps);
        let (many, _) = run(script, 30, steps);
        let fault: String = fault.chars().take(90).collect();
        println!("{name:32} {one:6.1} ms {many:6.1} ms  {fault}");
    };
    for (name, before, body) in LOOPS {
        let big = if name == &"constant" {
            HELPERS.to_string()
        } else {
            HELPERS.replacen("const BIG = numbers(900);\n", "", 1)
        };
        print(
            name,
            &format!("{big}fn on_tick(seconds) {{ {before}\nloop {{ {body} }} }}"),
            1,
        );
    }
    for (name, body) in CHANGES {
        print(name, &format!("fn on_tick(seconds) {{ {body} }}"), 3);
    }
}
