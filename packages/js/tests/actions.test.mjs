// The package in Node: the inputs of players, and what a world of entities consists of.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, TomboloError } from "../tombolo.js";

const { World } = await load();
const PLATFORMER = readFileSync(new URL("../../../crates/cli/scenes/platformer.ron", import.meta.url), "utf8");

/** A world of the platformer, and its hero's place after steps. */
function platformer() {
    const world = new World(PLATFORMER);
    const hero = world.find("hero");
    const run = (steps) => {
        for (let step = 0; step < steps; step += 1) {
            world.step();
        }
        return world.entity(hero).position;
    };
    return { world, hero, run };
}

test("the platformer is played by its actions", () => {
    const { world, run } = platformer();
    world.setAction("move", 0);
    const [start, floor] = run(30);
    assert.ok(Math.abs(start + 20) < 0.05, "with an input that is at rest the hero stands");
    world.setAction("move", -1);
    const [left] = run(30);
    assert.ok(left < start - 1.5 && left > start - 2.6, `${left - start} m in half a second at up to 5 m/s`);
    world.setAction("move", 1);
    assert.ok(run(60)[0] > left + 3);
    world.setAction("move", 0);
    run(20);
    assert.ok(Math.abs(run(1)[1] - floor) < 0.05, "on the ground again");
    world.setAction("jump", 1);
    // 6 m/s against 10 m/s²: at the top after 0.6 s, 1.8 m up.
    const top = run(36)[1];
    assert.ok(Math.abs(top - floor - 1.8) < 0.15, `${top - floor} m`);
    world.setAction("jump", 0);
    assert.ok(Math.abs(run(60)[1] - floor) < 0.05);
    assert.deepEqual(world.faults(), []);
});

test("without an action the hero's script plays, and the same actions give the same bits", () => {
    assert.ok(platformer().run(60)[0] > -19, "it walks to the right by itself");
    const play = () => {
        const { world, run } = platformer();
        for (const [name, value, steps] of [["move", 0.5, 40], ["jump", 1, 20], ["jump", 0, 1], ["crouch", 1, 30]]) {
            world.setAction(name, value);
            run(steps);
        }
        return world.hash();
    };
    assert.equal(play(), play());
});

test("an action tells that it is held, and that it was pressed and released", () => {
    const { world } = platformer();
    assert.deepEqual(world.action("jump"), { value: 0, held: false, pressed: false, released: false });
    assert.deepEqual(world.actions(), []);
    world.setAction("jump", 1);
    assert.deepEqual(world.action("jump"), { value: 1, held: true, pressed: true, released: false });
    world.step();
    assert.deepEqual(world.action("jump"), { value: 1, held: true, pressed: false, released: false });
    world.setAction("jump", 0.25);
    world.setAction("Bewegung ←", -1);
    assert.deepEqual(world.action("jump"), { value: 0.25, held: false, pressed: false, released: true });
    assert.deepEqual(world.actions(), ["Bewegung ←", "jump"]);
    const before = world.hash();
    assert.throws(() => world.setAction("", 1), TomboloError);
    assert.throws(() => world.setAction("jump", Infinity), TomboloError);
    assert.throws(() => world.setAction("jump", "1"), TypeError);
    assert.equal(world.hash(), before);
});

test("names, components and properties are listed", () => {
    const { world, hero } = platformer();
    const names = world.names();
    assert.equal(names.length, new Set(names.map(({ name }) => name)).size);
    assert.deepEqual(names.map(({ name }) => name), names.map(({ name }) => name).sort());
    for (const { name, entity } of names) {
        assert.equal(world.find(name), entity);
        assert.equal(world.nameOf(entity), name);
    }
    assert.ok(names.some(({ entity }) => entity === hero));
    const own = world.components(hero).filter(({ name }) => name !== "transform");
    assert.deepEqual(own, [{ name: "body", kind: "Body" }, { name: "skin", kind: "Collider" },
        { name: "legs", kind: "Character" }, { name: "mind", kind: "Script" }]);
    for (const { name } of world.components(hero)) {
        const properties = world.properties(hero, name);
        assert.equal(properties.length, new Set(properties).size);
        properties.forEach((property) => assert.notEqual(world.get(`${name}.${property}`, hero), undefined));
    }
    assert.ok(["grounded", "jump", "move"].every((name) => world.properties(hero, "legs").includes(name)));
    assert.throws(() => world.properties(hero, "wings"), /no component that is called "wings"/);
    world.despawn(hero);
    assert.throws(() => world.components(hero), /entity does not exist/);
});
