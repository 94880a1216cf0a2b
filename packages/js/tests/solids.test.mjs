// The package in Node: queries with shapes and filters, concave polygons, cuts and explosions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, loadPhysics, TomboloError } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
// Only this module has cuts.
const { PhysicsWorld: CutWorld, World } = await load();

/** Boxes of width 1 at places on the x axis; bodies and shapes. */
function row(world, places, def = {}) {
    const bodies = places.map((x) => world.createBody({ kind: "dynamic", position: [x, 0] }));
    return [bodies, bodies.map((body) => world.createShape(body, { box: [1, 1], ...def }))];
}

function near(value, expected, tolerance = 1e-4) {
    assert.ok(Math.abs(value - expected) <= tolerance, `${value}, not ${expected}`);
}

test("a moving shape meets what is on its path, and turns on the way", () => {
    const world = new PhysicsWorld();
    const [bodies, shapes] = row(world, [5, 10]);
    const path = { translation: [20, 0] };
    const hit = world.castShape({ circle: 0.5 }, path);
    assert.deepEqual([hit.shape, hit.body], [shapes[0], bodies[0]]);
    near(hit.fraction, 4 / 20);
    near(hit.point[0], 4.5);
    assert.deepEqual(hit.normal.map((each) => Math.round(each)), [1, 0]);
    assert.deepEqual(world.castShapeAll({ box: [1, 0.5] }, path).map((each) => each.body), bodies);
    assert.equal(world.castShape({ circle: 0.5 }, { position: [0, 3], translation: [20, 0] }), null);
    // A plank beside the box that is too short until it has turned.
    const plank = { box: [4, 0.1] };
    assert.equal(world.castShape(plank, { position: [5, 1], angle: 0 }), null);
    assert.equal(world.castShape(plank, { position: [5, 1], turn: Math.PI / 2 }).body, bodies[0]);
    assert.throws(() => world.castShape(plank, { turn: 7 }), /turn/);
    assert.throws(() => world.castShape(plank, { tarnslation: [1, 0] }), /a path has no tarnslation/);
});

test("filters leave out bodies, shapes and categories, and find sensors", () => {
    const world = new PhysicsWorld();
    const [bodies, shapes] = row(world, [5, 10]);
    const [[eye]] = row(world, [2], { sensor: true, category: 2n });
    const first = (filter) => world.castRay([0, 0], [20, 0], filter)?.body;
    assert.equal(first(), bodies[0]);
    assert.equal(first({ excludeBodies: [bodies[0]] }), bodies[1]);
    assert.equal(first({ excludeShapes: [shapes[0]] }), bodies[1]);
    assert.equal(first({ excludeBodies: [bodies[1]], excludeShapes: [shapes[0]] }), undefined);
    assert.equal(first({ sensors: true }), eye);
    assert.equal(first({ sensors: true, mask: 1n }), bodies[0]);
    assert.deepEqual([...world.overlapShape({ box: [30, 1] }, {}, { excludeBodies: [bodies[0]] })], [shapes[1]]);
    assert.equal(world.castShape({ circle: 0.5 }, { translation: [20, 0] }, { excludeBodies: bodies }), null);
    world.setContactRule(3, 4, { ignore: true });
    world.setShape(shapes[0], { material: 4 });
    assert.equal(first({ material: 3 }), bodies[1]);
    assert.equal(first({ material: 4 }), bodies[0]);
    assert.throws(() => first({ exclude: [] }), /a filter has no exclude/);
    assert.throws(() => first({ excludeBodies: [0n] }), /no id of a body/);
});

test("what is nearest to a point and to a shape", () => {
    const world = new PhysicsWorld();
    const [bodies, shapes] = row(world, [5, 10]);
    const closest = world.closest([1, 0]);
    assert.deepEqual({ ...closest, normal: closest.normal.map((each) => Math.round(each)) },
        { shape: shapes[0], body: bodies[0], distance: 3.5, point: [4.5, 0], from: [1, 0], normal: [1, 0] });
    assert.equal(world.closest([1, 0], { distanceMax: 3 }), null);
    assert.equal(world.closest([1, 0], { excludeBodies: [bodies[0]] }).body, bodies[1]);
    assert.deepEqual(world.closestAll([8.5, 0], 5).map((each) => each.body), [bodies[1], bodies[0]]);
    assert.equal(world.closestAll([8.5, 0], 1).length, 1);
    near(world.closestToShape({ circle: 1 }, { position: [1, 0] }).distance, 2.5);
    assert.deepEqual([...world.overlapShape({ box: [4, 0.2] }, { position: [5, 2], angle: Math.PI / 2 })], [shapes[0]]);
    assert.equal(world.overlapShape({ box: [4, 0.2] }, { position: [5, 2] }).length, 0);
});

const L_SHAPE = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]];

test("a concave polygon has the area of its border without its holes", () => {
    const world = new PhysicsWorld();
    const body = world.createBody({ kind: "dynamic" });
    const hole = [[0.25, 0.25], [0.25, 0.75], [0.75, 0.75], [0.75, 0.25]];
    const polygon = world.createConcavePolygon(body, { border: L_SHAPE, holes: [hole], density: 2, friction: 0.25 });
    const state = world.concavePolygon(polygon);
    assert.deepEqual([state.body, state.area, state.border, state.holes], [body, 3.75, L_SHAPE, [hole]]);
    near(world.body(body).mass, 7.5);
    assert.ok(state.shapes.length >= 2 && [...state.shapes].every((shape) => world.shape(shape).friction === 0.25));
    assert.equal(world.overlapPoint([0.5, 0.5]).length, 0);
    assert.equal(world.overlapPoint([1.5, 0.5]).length, 1);
    world.destroyConcavePolygon(polygon);
    assert.equal(world.concavePolygon(polygon), null);
    const before = world.hash();
    for (const [def, why] of [
        [{ border: [[0, 0], [1, 0]] }, /at least three/],
        [{ border: [...L_SHAPE].reverse() }, /the wrong way/],
        [{ border: L_SHAPE, holes: [[[9, 9], [9, 10], [10, 10]]] }, /not inside/],
        [{ border: L_SHAPE, friction: -1 }, /friction/],
        [{ points: L_SHAPE }, /a concave polygon has no points/],
    ]) {
        assert.throws(() => world.createConcavePolygon(body, def), why);
        assert.equal(world.hash(), before);
    }
});

test("cuts part a body by area, and tell what came of it", () => {
    const world = new CutWorld({ gravity: [0, 0] });
    const plank = world.createBody({ kind: "dynamic" });
    const hull = world.createShape(plank, { box: [4, 0.5] });
    assert.equal(world.slice(plank, [9, 0], [9, 1]), null);
    const cut = world.slice(plank, [1, 0], [1, 1]);
    assert.deepEqual([cut.body, cut.pieces.length, cut.vanished], [plank, 1, 0]);
    assert.deepEqual(cut.concavePolygons.map(({ from }) => from), [hull, hull]);
    assert.deepEqual(cut.concavePolygons.map(({ id }) => world.concavePolygon(id).body), [plank, cut.pieces[0]]);
    near(world.body(plank).mass, 1.5);
    near(world.body(cut.pieces[0]).mass, 0.5);
    assert.equal(world.shape(hull), null);
    const both = world.cutThrough([-3, 0], [3, 0]);
    assert.deepEqual(both.map(({ body }) => body), [plank, cut.pieces[0]]);
    assert.deepEqual(world.cutThrough([-3, 0.1], [3, 0.1], { excludeBodies: world.poses().bodies.slice() }), []);
    assert.throws(() => world.slice(plank, [1, 1], [1, 1]), TomboloError);
});

test("a pane shatters by a seed and around sites, the same each time", () => {
    const panes = [0, 1].map(() => {
        const world = new CutWorld();
        const pane = world.createBody({ kind: "dynamic" });
        world.createShape(pane, { box: [2, 2] });
        const { pieces } = world.shatter(pane, { seed: 7, count: 12 });
        assert.equal(pieces.length, 11);
        const masses = [pane, ...pieces].map((piece) => world.body(piece).mass);
        near(masses.reduce((sum, mass) => sum + mass), 4);
        return world.hash();
    });
    assert.equal(panes[0], panes[1]);
    const world = new CutWorld();
    const pane = world.createBody({ kind: "dynamic" });
    world.createShape(pane, { box: [2, 2] });
    assert.equal(world.shatter(pane, [[-1, 0], [1, 0]]).pieces.length, 1);
    near(world.body(pane).mass, 2);
    assert.throws(() => world.shatter(pane, [[0, 0]]), TomboloError);
});

test("the module of physics alone says that it has no cuts", () => {
    const world = new PhysicsWorld();
    const [body] = row(world, [0])[0];
    const before = world.hash();
    for (const cut of [() => world.slice(body, [0, -1], [0, 1]), () => world.cutThrough([0, -1], [0, 1]),
        () => world.shatter(body, { count: 4 })]) {
        assert.throws(cut, { name: "TomboloError", message: /physics alone has no .*: use the one that load\(\) reads/ });
    }
    assert.equal(world.hash(), before);
});

test("an explosion pushes what is within reach away, by its width", () => {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const [bodies] = row(world, [-2, 2, 30]);
    assert.equal(world.explode({ position: [0, 0], radius: 5, impulsePerLength: 3 }), 2);
    const speeds = bodies.map((body) => world.body(body).linearVelocity[0]);
    near(speeds[0], -3);
    near(speeds[1], 3);
    assert.equal(speeds[2], 0);
    assert.equal(world.explode({ position: [0, 0], radius: 5, impulsePerLength: 3, mask: 2n }), 0);
    assert.throws(() => world.explode({ position: [0, 0], radius: -1 }), /radius/);
});

test("in a world of entities the pieces are entities", () => {
    const world = new World(`(
        entities: {"plank": {"body": Body(kind: Dynamic), "wood": Collider(shape: Box(width: 4, height: 1))}},
        place: [One(name: "plank", entity: "plank", at: (0, 3)), One(name: "board", entity: "plank", at: (0, 9))],
    )`);
    const plank = world.find("plank");
    const cut = world.slice(world.entity(plank).body, [0.5, 0], [0.5, 1]);
    assert.equal(cut.body, world.entity(plank).body);
    const piece = world.find("plank.1");
    assert.deepEqual(cut.pieces, [world.entity(piece).body]);
    const [other] = world.cutThrough([1, 8], [1, 10]);
    assert.deepEqual(other.pieces, [world.entity(world.find("board.1")).body]);
    const broken = world.shatter(world.entity(plank).body, { seed: 3, count: 3 });
    assert.ok(broken.pieces.length > 0 && world.find("plank.2") !== null);
    assert.throws(() => world.shatter(world.entity(plank).body, { seed: 3, pieces: 3 }), /a pattern has no pieces/);
    assert.throws(() => world.setBody(cut.body, { userKey: 7n }), /names the entity/);
    world.setBody(cut.body, { linearDamping: 1 });
    world.despawn(piece);
    assert.equal(world.body(cut.pieces[0]), null);
});

test("numbers that are none of the engine's are refused", () => {
    const world = new PhysicsWorld();
    const body = world.createBody({});
    assert.throws(() => world.createShape(body, { circle: 1, group: 2 ** 31 }), /a group is a whole number from -2147483648/);
    assert.throws(() => world.setSettings({ substeps: 4.7 }), TomboloError);
    assert.throws(() => world.overlapCircle(undefined, 1), /position is NaN/);
});
