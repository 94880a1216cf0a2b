// The package in Node: worlds of entities, and the golden file of the scenes that ship with the engine.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { load, TomboloError } from "../tombolo.js";

const { World } = await load();
const scenes = new URL("../../../crates/cli/scenes/", import.meta.url);
const text = (name) => readFileSync(new URL(`${name}.ron`, scenes), "utf8");
const golden = readFileSync(new URL("golden.txt", scenes), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(/\s+/))
    .map(([name, hash, steps]) => ({ name, hash, steps: Number(steps) }))
    .filter(({ name }) => existsSync(new URL(`${name}.ron`, scenes)));

const SMALL = `(
    entities: {
        "ground": { "body": Body(kind: Static), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1)) },
        "crate": { "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), hit_events: true) },
    },
    place: [One(name: "ground", entity: "ground"), One(name: "first", entity: "crate", at: (0, 3))],
)`;

test("the golden file has scenes", () => assert.ok(golden.length >= 4));

for (const { name, hash, steps } of golden) {
    for (const lanes of process.env.TOMBOLO_SCALAR ? [1] : [1, 4]) {
        test(`${name} comes to the hash of the golden file with ${lanes} lanes`, () => {
            const world = new World(text(name));
            world.lanes = lanes;
            for (let step = 0; step < steps; step += 1) {
                world.step();
            }
            assert.deepEqual(world.faults(), []);
            assert.equal(world.hash(), hash, `after ${steps} steps`);
            world.free();
        });
    }
}

test("a save of a scene goes on to the same hash in another world", () => {
    const [first, second] = [new World(text("workshop")), new World(text("workshop"))];
    for (let step = 0; step < 100; step += 1) {
        first.step();
    }
    second.restore(first.save().slice());
    for (let step = 0; step < 50; step += 1) {
        first.step();
        second.step();
    }
    assert.equal(second.hash(), first.hash());
});

test("entities are found, read, changed, spawned and destroyed by name", () => {
    const world = new World(SMALL);
    const first = world.find("first");
    assert.equal(world.nameOf(first), "first");
    assert.equal(world.find("second"), null);
    assert.deepEqual(world.get("first.body.linear_velocity"), [0, 0]);
    world.set("first.body.linear_velocity", [3, 0]);
    assert.deepEqual(world.get("body.linear_velocity", first), [3, 0]);
    assert.deepEqual(world.entity(first).position, [0, 3]);
    const second = world.spawn("crate", { name: "second", position: [5, 2] });
    world.step();
    assert.deepEqual(world.events().filter(({ type }) => type === "spawned").map(({ a }) => a).includes(second), true);
    const moved = world.movedEntities();
    assert.ok(moved.entities.includes(first) && moved.entities.includes(second));
    assert.equal(moved.poses.length, 4 * moved.entities.length);
    assert.equal(world.entities().entities.length, 3);
    const types = new Set();
    for (let step = 0; step < 90; step += 1) {
        world.step();
        world.events().forEach((event) => types.add(event.type));
    }
    assert.deepEqual([...types].sort(), ["beginTouch", "endTouch", "hit"].filter((type) => types.has(type)));
    assert.ok(types.has("beginTouch") && types.has("hit"));
    assert.equal(world.castRay([5, 10], [0, -20]).body, world.entity(second).body);
    world.despawn(second);
    assert.throws(() => world.despawn(second), TomboloError);
    assert.throws(() => world.entity(second), TomboloError);
});

test("a joint that is strained says so, and one that breaks", () => {
    const hinge = (breaks) => `Joint(to: Entity("post"), kind: Revolute(force_threshold: 5, breaks: ${breaks}))`;
    const world = new World(`(
        entities: {
            "post": { "body": Body(kind: Static) },
            "held": { "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)), "hinge": ${hinge(false)} },
            "lost": { "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)), "thread": ${hinge(true)} },
        },
        place: [
            One(name: "post", entity: "post"),
            One(name: "held", entity: "held", at: (3, 0)),
            One(name: "lost", entity: "lost", at: (-3, 0)),
        ],
    )`);
    world.step();
    const strains = world.events().filter(({ type }) => type === "strain" || type === "break");
    assert.deepEqual(strains.map(({ type, a, joint }) => [type, world.nameOf(a), joint]),
        [["strain", "held", "hinge"], ["break", "lost", "thread"]]);
    for (const { force } of strains) {
        assert.ok(Math.hypot(...force) > 5);
    }
    assert.equal(world.get("lost.thread.broken"), true);
});

test("a wrong scene says where, and a wrong property what", () => {
    assert.throws(() => new World("(entities: {\"a\": {\"b\": Bodi()}})"), /Bod/);
    const world = new World(SMALL);
    assert.throws(() => world.set("first.body.linear_velocty", [1, 0]), TomboloError);
    assert.throws(() => world.get("frist.body.linear_velocity"), /did you mean "first"/);
    assert.throws(() => world.spawn("barrel"), TomboloError);
});

/** A world with every kind of components, and lists of all sorts. */
const ALL_KINDS = `(
    entities: {
        "post": { "body": Body(kind: Static), "top": Collider(shape: Box(width: 2, height: 1)) },
        "all": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Polygon(points: [(0, 0), (2, 0), (1, 1)])),
            "hinge": Joint(to: Entity("post")), "eye": Trigger(shape: Circle(radius: 2)), "look": Sprite(image: "a.png"),
            "mark": Tag(), "mind": Script(text: "fn on_tick(seconds) {}"), "area": Zone(shape: Box(width: 3, height: 3)),
            "wind": Field(shape: Box(width: 3, height: 3)), "tap": Spawner(resource: "post", enabled: false),
            "fog": RenderData(effect: "fog", values: {"density": 0.5}),
        },
        "hero": { "legs": Character(), "walk": Agent() },
    },
    place: [
        One(name: "post", entity: "post"),
        One(name: "all", entity: "all", at: (0, 3)),
        One(name: "hero", entity: "hero", at: (9, 3)),
    ],
)`;

test("every property can be set to what was read, and choices are words", () => {
    const world = new World(ALL_KINDS);
    assert.equal(world.get("post.body.kind"), "Static");
    const register = readFileSync(new URL("../../../docs/scene.md", import.meta.url), "utf8");
    const names = new Set([...register.matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name));
    let [count, words] = [0, 0];
    for (const path of ["post.body", "all.transform", "all.body", "all.hull", "all.hinge", "all.eye", "all.look", "all.mark",
        "all.mind", "all.area", "all.wind", "all.tap", "all.fog", "hero.legs", "hero.walk"]) {
        for (const name of names) {
            let value;
            try {
                value = world.get(`${path}.${name}`);
            } catch {
                continue;
            }
            count += 1;
            words += typeof value === "string" ? 1 : 0;
            try {
                world.set(`${path}.${name}`, value);
            } catch (error) {
                // What can only be read stays so, a resting body is woken only, a joint has what its kind has, and JSON has no
                // infinities.
                assert.ok(/read only|falls asleep by itself|joint has no|joint of this kind has no/.test(error.message) || value === null, `${path}.${name}: ${error.message}`);
                continue;
            }
            assert.deepEqual(world.get(`${path}.${name}`), value, `${path}.${name}`);
        }
    }
    assert.ok(count > 100 && words > 8, `${count} properties, ${words} texts`);
    assert.equal(world.get("all.hinge.to"), world.find("post"));
});

test("an angle alone is refused, and with a position it is taken", () => {
    const world = new World(SMALL);
    assert.throws(() => world.spawn("crate", { angle: 1 }), /an angle needs a position/);
    assert.ok(Math.abs(world.entity(world.spawn("crate", { position: [9, 9], angle: 1 })).angle - 1) < 1e-6);
    assert.equal(world.entity(world.spawn("crate", { position: [15, 9] })).angle, 0);
    assert.deepEqual(world.entity(world.spawn("crate")).position, [0, 0]);
});

test("characters tell what they meet, and touches how hard they press", () => {
    const world = new World(`(
        entities: {
            "ground": { "body": Body(), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1)) },
            "wall": { "body": Body(), "side": Collider(shape: Box(width: 1, height: 4)) },
            "hero": { "legs": Character(height: 2, width: 0.8, move: 3) },
            "weight": { "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), force_threshold: 1) },
        },
        place: [
            One(name: "ground", entity: "ground"),
            One(name: "wall", entity: "wall", at: (4, 2)),
            One(name: "hero", entity: "hero", at: (0, 1)),
            One(name: "weight", entity: "weight", at: (-6, 0.5)),
        ],
    )`);
    const seen = [];
    for (let step = 0; step < 120; step += 1) {
        world.step();
        seen.push(...world.events());
    }
    const [hero, wall, weight] = ["hero", "wall", "weight"].map((name) => world.find(name));
    const met = seen.find(({ type, b }) => type === "meet" && b === wall);
    assert.equal(met.a, hero);
    assert.ok(met.shapeB > 0n && met.shapeA === undefined);
    const pressed = seen.find(({ type }) => type === "force");
    assert.ok([pressed.a, pressed.b].includes(weight) && pressed.force > 1 && pressed.impulse > 0);
    assert.ok(Math.abs(Math.hypot(...pressed.normal) - 1) < 1e-5 && pressed.approachSpeed === undefined);
});

test("texts are set as they are, and entities by any name", () => {
    const world = new World(ALL_KINDS.replaceAll('"post"', '" a=b"'));
    for (const text of ["\nfn on_tick(seconds) {}\n", "\"a\" b", "\"a\"", "  two blanks  ", "", "a\\b\t", "(1, 2)"]) {
        world.set("all.look.image", text);
        assert.equal(world.get("all.look.image"), text);
    }
    world.set(" a=b.body.kind", "Kinematic");
    assert.equal(world.get(" a=b.body.kind"), "Kinematic");
    world.set("all.hinge.to", " a=b");
    assert.equal(world.get("all.hinge.to"), world.find(" a=b"));
});

test("a fault is one text, whatever its lines", () => {
    const world = new World(`(
        entities: { "a": { "mind": Script(text: r#"fn on_tick(seconds) { throw "two\\nlines  "; }"#) } },
        place: [One(name: "a", entity: "a")],
    )`);
    assert.deepEqual(world.faults(), []);
    world.step();
    const faults = world.faults();
    assert.equal(faults.length, 1);
    assert.match(faults[0], /two\nlines {2}/);
});

test("tiles of an entity are edited as the entity's: who lay on one that goes is told, and the entity has changed", () => {
    const world = new World(`(
        entities: {
            "ground": { "body": Body(), "tiles": Tiles(legend: ["# Full", "/ SlopeUp"], rows: ["###"]) },
            "crate": { "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.5, height: 0.5)) },
        },
        place: [One(name: "ground", entity: "ground"), One(name: "crate", entity: "crate", at: (1.5, 1.25))],
    )`);
    const [ground, crate] = ["ground", "crate"].map((name) => world.find(name));
    const grid = world.tileGridOf(ground);
    assert.deepEqual([world.tileGrid(grid).body, world.tileGridOf(crate)], [world.entity(ground).body, null]);
    const touches = () => world.events().filter(({ type }) => type.endsWith("Touch"))
        .map(({ type, a, b }) => [type, ...[a, b].map((entity) => world.nameOf(entity)).sort()]);
    const seen = [];
    for (let step = 0; step < 30; step += 1) {
        world.step();
        seen.push(...touches());
    }
    assert.deepEqual(seen, [["beginTouch", "crate", "ground"]]);
    assert.ok(!world.movedEntities().entities.includes(ground));
    world.fillTiles(grid, 0, 0, 3, 1, 0);
    assert.ok(world.movedEntities().entities.includes(ground));
    world.step();
    assert.deepEqual(touches(), [["endTouch", "crate", "ground"]]);
    world.setTile(grid, 2, 0, 2);
    assert.equal(world.tile(grid, 2, 0), 2);
    assert.throws(() => world.setTile(grid, 2, 0, 3), TomboloError, "the legend has two");
    assert.throws(() => world.setTile(grid, 3, 0, 1), TomboloError);

    // A grid that was created here is none of an entity, nor is it edited as one.
    const other = world.createTileGrid(world.entity(ground).body, { rows: [[1, 1]], origin: [0, 5] });
    world.fillTiles(other, 0, 0, 2, 1, 0);
    assert.deepEqual([world.tile(other, 1, 0), world.tile(grid, 2, 0)], [0, 2]);
});

test("the user key of an entity's shape, trigger or joint stays, and that of another shape on its body does not", () => {
    const world = new World(`(
        entities: {
            "post": { "body": Body() },
            "held": {
                "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)),
                "hinge": Joint(to: Entity("post"), kind: Revolute(force_threshold: 1)),
            },
            "eye": { "sight": Trigger(shape: Circle(radius: 1)) },
        },
        place: [
            One(name: "post", entity: "post"),
            One(name: "held", entity: "held", at: (3, 0)),
            One(name: "eye", entity: "eye", at: (-9, 0)),
        ],
    )`);
    const [held, eye, post] = ["held", "eye", "post"].map((name) => world.find(name));
    world.step();
    const joint = world.strains().ids[0];
    assert.equal(world.joint(joint).userKey, held);
    const at = (x, y) => world.overlapPoint([x, y], { sensors: true })[0];
    for (const [entity, shape] of [[held, at(3, 0)], [eye, at(-9, 0)]]) {
        for (const userKey of [0n, 7n, entity === held ? eye : held]) {
            assert.throws(() => world.setShape(shape, { friction: 0.25, userKey }), /names the entity/);
        }
        assert.notEqual(world.shape(shape).friction, 0.25);
        world.setShape(shape, { friction: 0.25, userKey: entity });
        assert.deepEqual([world.shape(shape).friction, world.shape(shape).userKey], [0.25, entity]);
    }
    assert.throws(() => world.setJoint(joint, { forceThreshold: 2, userKey: eye }), /names the entity/);
    world.setJoint(joint, { forceThreshold: 2 });
    assert.deepEqual([world.jointDef(joint).forceThreshold, world.joint(joint).userKey], [2, held]);

    // What the caller created has the caller's keys.
    const { body } = world.entity(held);
    const mark = world.createShape(body, { circle: 0.25 });
    world.setShape(mark, { userKey: 7n });
    const rope = world.createJoint({ kind: "filter", bodyA: body, bodyB: world.entity(post).body });
    world.setJoint(rope, { userKey: 8n });
    assert.deepEqual([world.shape(mark).userKey, world.joint(rope).userKey], [7n, 8n]);
});

test("faults and printed lines that were read make room for others", () => {
    const world = new World(`(
        settings: (script_limits: (printed_lines: 2)),
        entities: {
            "a": { "mind": Script(text: r#"fn on_tick(seconds) { print("tick"); if time() > 0.1 { throw "late"; } }"#) },
        },
        place: [One(name: "a", entity: "a")],
    )`);
    world.step();
    assert.deepEqual(world.printed(), ["tick"]);
    const state = world.hash();
    world.clearPrinted();
    world.clearFaults();
    assert.deepEqual([world.printed(), world.hash()], [[], state]);
    for (let step = 0; step < 12; step += 1) {
        world.step();
    }
    assert.deepEqual([world.printed(), world.faults().length], [["tick", "tick"], 1]);
    world.clearFaults();
    assert.deepEqual([world.printed().length, world.faults()], [2, []]);
    world.clearPrinted();
    // The fault disabled the script; enabled again it has the same.
    world.set("a.mind.enabled", true);
    world.step();
    assert.deepEqual([world.printed(), world.faults().length], [["tick"], 1]);
});

test("a class that extends World clones as itself", () => {
    class Level extends World {
        constructor() {
            super(SMALL);
            this.score = 3;
        }

        first() {
            return this.find("first");
        }
    }
    const level = new Level();
    level.step();
    const copy = level.clone();
    assert.ok(copy instanceof Level && copy.constructor === Level && copy.score === undefined);
    assert.deepEqual([copy.hash(), copy.first(), copy.faults()], [level.hash(), level.first(), []]);
    const before = level.hash();
    copy.step();
    assert.equal(level.hash(), before, "it is a world of its own");
    assert.throws(() => new World(0), TomboloError);
});
