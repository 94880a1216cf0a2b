// Tombolo for JavaScript: worlds of rigid bodies, and worlds of entities from scene files, on a WebAssembly module.
//
// `load` reads the module and returns the classes. Poses and saves are views of the module's memory: nothing is copied, and they
// are valid until the next call of anything of the same module. Other arrays are copies. tombolo.d.ts documents the interface.

import { JOINT_KINDS, jointChanges, jointOptions, jointRow } from "./joints.js";
import {
    ALL, BODY_CHANGES, BODY_FIELDS, CHAIN_FIELDS, CHARACTER_FIELDS, EXPLOSION_FIELDS,
    HEIGHTFIELD_FIELDS, KINDS, MATERIAL_FIELDS, MATERIAL_WORDS, MOVE_FIELDS, PATH_FIELDS, POLYGON_FIELDS, POSE_FIELDS,
    RULE_FIELDS, SCENE_FIELDS, SHAPE_FIELDS, SPAWN_FIELDS, TILE_GRID_FIELDS, WORLD_FIELDS, bareOutline, bodyOptions,
    bodyOptionsOf, categoryPair, cellBytes, flag, isWord, list, nameText, seedWord, word,
    filterWords, index, kindNumber, materialOf, materialPair, materialRow, materialWords, numeric, outline, pair,
    PATTERN_FIELDS, poseRow, refuseUnknown, saveBytes, settingsOf, settingsRow, tileKind, whole,
} from "./rows.js";
import { end, maySleep, open, sharedMemory, threadCount } from "./threads.js";

const EVENTS = ["spawned", "despawned", "beginTouch", "endTouch", "hit", "enter", "leave", "enterZone", "leaveZone",
    "strain", "break", "force", "meet", "part"];
const NUMBERS = 0;
const IDS = 1;
const BYTES = 2;
const ERROR = 3;
// The kind of shape that stands for a point, after those of outlines.
const POINT = 6;
const encoder = new TextEncoder();

/** The error of a call that the engine refused, or of a panic in it. */
export class TomboloError extends Error {
    name = "TomboloError";
}

/** The module's functions and its memory. */
class Module {
    constructor(instance) {
        this.exports = instance.exports;
        this.broken = null;
        this.exports.start();
    }

    // A view of the last call's output. Created anew each time: when the memory grows, old views become invalid.
    view(which) {
        const { memory, output_at, output_length } = this.exports;
        const Kind = [Float32Array, BigUint64Array, Uint8Array, Uint8Array][which];
        return new Kind(memory.buffer, output_at(which) >>> 0, output_length(which) >>> 0);
    }

    text(which) {
        // Decoders refuse views of shared memory, so a copy is decoded. The mark U+FEFF at its beginning is a letter of a name.
        return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.view(which).slice());
    }

    // Writes words, numbers and bytes one after another to the input buffer. A number that is not given is NaN.
    put(words, numbers = [], given = null) {
        // Bytes from this module, as of a save, are a view of its memory, which moves if the memory grows.
        const bytes = given?.buffer === this.exports.memory.buffer ? given.slice() : given;
        const size = words.length * 8 + Math.ceil(numbers.length / 2) * 8;
        const at = this.#run("input", size + (bytes ? bytes.length : 0)) >>> 0;
        const buffer = this.exports.memory.buffer;
        new BigUint64Array(buffer, at, words.length).set(words);
        const row = new Float32Array(buffer, at + words.length * 8, numbers.length);
        for (let place = 0; place < numbers.length; place += 1) {
            row[place] = numeric(numbers[place]);
        }
        if (bytes) {
            new Uint8Array(buffer, at + size, bytes.length).set(bytes);
        }
    }

    // Writes a save; returns its length, which a view of this module's memory no longer has once the memory has grown.
    putSave(save) {
        const bytes = saveBytes(save);
        const { length } = bytes;
        this.put([], [], bytes);
        return length;
    }

    // Runs an exported function. After a trap, as of a panic, the module's memory may be inconsistent: nothing runs any more.
    #run(name, ...parameters) {
        if (this.broken) {
            throw this.broken;
        }
        try {
            return this.exports[name](...parameters);
        } catch (error) {
            // A full stack is no trap in some engines, but a range or, in Firefox, an internal error.
            const isFullStack = error instanceof RangeError || error?.name === "InternalError";
            if (!(error instanceof WebAssembly.RuntimeError || isFullStack)) {
                throw error;
            }
            this.broken = new TomboloError(`the engine stopped: ${this.#reason(error)}`, { cause: error });
            throw this.broken;
        }
    }

    // The message of a panic, or that of a trap without one: memory ran out, or the module was built without such messages.
    #reason(error) {
        const bare = error instanceof WebAssembly.RuntimeError && error.message.includes("unreachable");
        const hint = "memory ran out, or the engine has a defect, of which modules of `./build messages` say more";
        const without = bare ? `${error.message} (${hint})` : error.message;
        try {
            return this.text(ERROR) || without;
        } catch {
            return without;
        }
    }

    // Calls an exported function; returns the count that it returns.
    call(name, ...parameters) {
        if (!(name in this.exports)) {
            throw new TomboloError(`the module of physics alone has no ${name}: use the one that load() reads`);
        }
        for (const parameter of parameters) {
            // The module would take the lowest 64 bits, which are another handle.
            if (typeof parameter === "bigint" && !isWord(parameter)) {
                throw new RangeError(`${parameter}n is no handle: they are from 0n to 2n ** 64n - 1n`);
            }
        }
        const count = this.#run(name, ...parameters);
        if (count === -1) {
            throw new TomboloError(this.text(ERROR));
        }
        return count;
    }

    // Ends the threads. No call runs any more.
    async close(threads) {
        this.broken ??= new TomboloError("the engine was closed");
        await end(threads);
    }

    // Frees a world or character. In a module that has stopped there is nothing to free.
    free(name, number) {
        if (!this.broken) {
            this.#run(name, number);
        }
    }
}

// A character, by its number in the module.
function characterClass(module) {
    const collected = new FinalizationRegistry((number) => module.free("character_free", number));

    return class Character {
        #world;
        #number;

        constructor(world, number) {
            this.#world = world;
            this.#number = number;
            collected.register(this, number, this);
        }

        #call(name) {
            if (this.#number === undefined) {
                throw new TomboloError("the character was freed");
            }
            return module.call(name, this.#number);
        }

        #numbers() {
            this.#call("character_state");
            return module.view(NUMBERS);
        }

        move(wishes = {}) {
            if (this.#number === undefined) {
                throw new TomboloError("the character was freed");
            }
            refuseUnknown(wishes, MOVE_FIELDS, "move");
            module.put([], MOVE_FIELDS.map((name) => wishes[name]));
            this.#world._call("character_move", this.#number);
        }

        get position() {
            return [...this.#numbers().subarray(0, 2)];
        }

        set position(position) {
            module.put([], pair(position).map(numeric));
            this.#call("character_teleport");
        }

        get velocity() {
            return [...this.#numbers().subarray(2, 4)];
        }

        get isGrounded() {
            return this.#numbers()[4] !== 0;
        }

        get isCrushed() {
            return this.#numbers()[5] !== 0;
        }

        get ground() {
            this.#call("character_state");
            const [body, shape] = module.view(IDS);
            return body === 0n ? null : { body, shape };
        }

        get touches() {
            this.#call("character_state");
            return module.view(IDS).slice(2);
        }

        clone(world) {
            if (world?._module !== module) {
                throw new TypeError("a character's world comes from the same load() as the character");
            }
            return new Character(world, this.#call("character_clone"));
        }

        free() {
            if (this.#number !== undefined) {
                module.free("character_free", this.#number);
                collected.unregister(this);
                this.#number = undefined;
            }
        }
    };
}

/** A world that the module has already, by its number, for the constructors below: no caller can make one of these. */
class Adopted {
    constructor(number) {
        this.number = number;
    }
}

function classes(module, withScenes) {
    // Frees the worlds whose objects were collected.
    const collected = new FinalizationRegistry((number) => module.free("world_free", number));
    const Character = characterClass(module);

    class PhysicsWorld {
        #number;

        constructor(def = {}) {
            if (def instanceof Adopted) {
                this.#number = def.number;
            } else {
                refuseUnknown(def, WORLD_FIELDS, "world");
                module.put([], settingsRow(def));
                this.#number = module.call("world_create");
            }
            collected.register(this, this.#number, this);
        }

        static fromSave(bytes) {
            const number = module.call("world_from_save", module.putSave(bytes));
            // A class that extends this one gets an object of its own, but its constructor makes new worlds and does not run.
            return Reflect.construct(PhysicsWorld, [new Adopted(number)], this);
        }

        // The module, for characters, and the class of the package that this world is of.
        get _module() {
            return module;
        }

        get _class() {
            return PhysicsWorld;
        }

        // Calls a function of this world, for the classes below.
        _call(name, ...parameters) {
            if (this.#number === undefined) {
                throw new TomboloError("the world was freed");
            }
            return module.call(name, this.#number, ...parameters);
        }

        clone() {
            return Reflect.construct(this._class, [new Adopted(this._call("world_clone"))], this.constructor);
        }

        free() {
            if (this.#number !== undefined) {
                module.free("world_free", this.#number);
                collected.unregister(this);
                this.#number = undefined;
            }
        }

        step(dt = 1 / 60) {
            this._call("world_step", numeric(dt));
        }

        get stepIndex() {
            this._call("world_step_index");
            return Number(module.view(IDS)[0]);
        }

        get lanes() {
            return this._call("world_lanes");
        }

        set lanes(lanes) {
            if (lanes !== 1 && lanes !== 4) {
                throw new RangeError(`lanes are 1 or 4, not ${String(lanes)}`);
            }
            this._call("world_set_lanes", lanes);
        }

        settings() {
            this._call("world_settings");
            return settingsOf(module.view(NUMBERS));
        }

        setSettings(changes) {
            refuseUnknown(changes, WORLD_FIELDS, "world");
            module.put([], settingsRow(changes));
            this._call("world_set");
        }

        get gravity() {
            return this.settings().gravity;
        }

        set gravity(gravity) {
            this.setSettings({ gravity });
        }

        hash() {
            this._call("world_hash");
            return module.view(IDS)[0].toString(16).padStart(16, "0");
        }

        save() {
            this._call("world_save");
            return module.view(BYTES);
        }

        restore(bytes) {
            this._call("world_restore", module.putSave(bytes));
        }

        #id(name, ...parameters) {
            this._call(name, ...parameters);
            return module.view(IDS)[0];
        }

        createBody(def = {}) {
            refuseUnknown(def, BODY_FIELDS, "body");
            const name = encoder.encode(nameText(def.name ?? ""));
            const row = [kindNumber(def.kind ?? "static"), ...pair(def.position), def.angle, ...pair(def.linearVelocity),
                def.angularVelocity, def.awake, def.enabled, ...bodyOptions(def)];
            module.put([word(def.userKey ?? 0n, "userKey")], row, name);
            return this.#id("body_create", row.length, name.length);
        }

        destroyBody(body) {
            this._call("body_destroy", body);
        }

        body(body) {
            if (this._call("body_state", body, false) === 0) {
                return null;
            }
            const numbers = module.view(NUMBERS);
            return {
                id: body,
                userKey: module.view(IDS)[0],
                name: module.text(BYTES),
                position: [numbers[0], numbers[1]],
                angle: Math.atan2(numbers[3], numbers[2]),
                linearVelocity: [numbers[4], numbers[5]],
                angularVelocity: numbers[6],
                mass: numbers[7],
                inertia: numbers[8],
                kind: KINDS[numbers[9]],
                awake: numbers[10] !== 0,
                enabled: numbers[11] !== 0,
                centerOfMass: [numbers[12], numbers[13]],
            };
        }

        bodyOptions(body) {
            if (this._call("body_state", body, true) === 0) {
                return null;
            }
            return { ...bodyOptionsOf(module.view(NUMBERS).subarray(14)), userKey: module.view(IDS)[0] };
        }

        setBody(body, changes) {
            refuseUnknown(changes, BODY_CHANGES, "change of a body");
            const row = bodyOptions(changes);
            const userKey = word(changes.userKey ?? this.body(body)?.userKey ?? 0n, "userKey");
            module.put([userKey], row);
            this._call("body_set", body, row.length);
        }

        #change(name, body, numbers) {
            module.put([], numbers);
            this._call(name, body);
        }

        teleport(body, position, angle) {
            this.#change("body_teleport", body, [...pair(position), numeric(angle)]);
        }

        setEnabled(body, enabled) {
            this.#change("body_set_enabled", body, [flag(enabled, "enabled")]);
        }

        setName(body, name) {
            const bytes = encoder.encode(nameText(name));
            module.put([], [], bytes);
            this._call("body_set_name", body, bytes.length);
        }

        setKind(body, kind) {
            this.#change("body_set_kind", body, [kindNumber(kind)]);
        }

        setLinearVelocity(body, velocity) {
            this.#change("body_set_velocity", body, pair(velocity));
        }

        setAngularVelocity(body, velocity) {
            this.#change("body_set_spin", body, [velocity]);
        }

        setTarget(body, position, angle, dt) {
            this.#change("body_set_target", body, [...pair(position), angle, dt]);
        }

        setDamping(body, linear, angular) {
            this.#change("body_set_damping", body, [linear, angular]);
        }

        setGravityScale(body, scale) {
            this.#change("body_set_gravity_scale", body, [scale]);
        }

        applyForce(body, force, point) {
            this.#change("body_apply_force", body, [...pair(force), ...pair(point)]);
        }

        applyImpulse(body, impulse, point) {
            this.#change("body_apply_impulse", body, [...pair(impulse), ...pair(point)]);
        }

        applyTorque(body, torque) {
            this.#change("body_apply_torque", body, [torque]);
        }

        applyAngularImpulse(body, impulse) {
            this.#change("body_apply_angular_impulse", body, [impulse]);
        }

        wake(body) {
            this._call("body_wake", body);
        }

        sleep(body) {
            return this._call("body_sleep", body) !== 0;
        }

        createShape(body, def) {
            refuseUnknown(def, SHAPE_FIELDS, "shape");
            const [kind, numbers] = outline(def);
            const row = [...materialRow(def), ...numbers];
            module.put(materialWords(def), row);
            return this.#id("shape_create", body, kind, row.length);
        }

        createChain(body, def) {
            refuseUnknown(def, CHAIN_FIELDS, "chain");
            const closed = flag(def.closed ?? false, "closed");
            const row = [...materialRow(def), closed, ...list(def.points, "points").flatMap(pair)];
            module.put(materialWords(def), row);
            this._call("chain_create", body, row.length);
            return module.view(IDS).slice();
        }

        createHeightfield(body, def) {
            refuseUnknown(def, HEIGHTFIELD_FIELDS, "heightfield");
            const heights = list(def.heights, "heights");
            const segments = new Array(Math.max(heights.length - 1, 0)).fill(1);
            for (const hole of def.holes ?? []) {
                if (index(hole, "a segment to leave out") >= segments.length) {
                    throw new RangeError(`there is no segment ${hole} to leave out; the last is ${segments.length - 1}`);
                }
                segments[hole] = 0;
            }
            const row = [...materialRow(def), def.spacing, ...pair(def.origin), def.before, def.after, ...heights,
                ...segments];
            module.put(materialWords(def), row);
            this._call("heightfield_create", body, row.length);
            return module.view(IDS).slice();
        }

        createTileGrid(body, def) {
            refuseUnknown(def, TILE_GRID_FIELDS, "tile grid");
            const { rows, tiles = ["full"], cellSize, origin } = def;
            const { width, cells } = cellBytes(rows);
            const kinds = list(tiles, "tiles").map(tileKind);
            const row = [cellSize, ...pair(origin), ...kinds.flatMap(([, numbers]) => numbers)];
            const words = [BigInt(width), BigInt(rows.length), ...kinds.flatMap(([words]) => words)];
            module.put(words, row, cells);
            return this.#id("tile_grid_create", body, kinds.length, row.length, cells.length);
        }

        destroyTileGrid(grid) {
            this._call("tile_grid_destroy", grid);
        }

        tileGrid(grid) {
            if (this._call("tile_grid_state", grid) === 0) {
                return null;
            }
            const [body, width, height] = module.view(IDS);
            const [cellSize, ...origin] = module.view(NUMBERS);
            return { id: grid, body, width: Number(width), height: Number(height), cellSize, origin };
        }

        tile(grid, x, y) {
            return this._call("tile_get", grid, index(x, "a column"), index(y, "a row"));
        }

        setTile(grid, x, y, tile) {
            this.fillTiles(grid, x, y, 1, 1, tile);
        }

        fillTiles(grid, x, y, width, height, tile) {
            const block = [index(x, "a column"), index(y, "a row"), index(width, "a width"), index(height, "a height")];
            this._call("tiles_fill", grid, ...block, index(tile, "a kind of tile"));
        }

        cellAt(grid, point) {
            module.put([], pair(point).map(numeric));
            return this._call("tile_cell_at", grid) === 0 ? null : Array.from(module.view(IDS), Number);
        }

        cellCenter(grid, x, y) {
            this._call("tile_cell_center", grid, index(x, "a column"), index(y, "a row"));
            return [...module.view(NUMBERS)];
        }

        #setRule(categories, pairWords, rule) {
            refuseUnknown(rule, RULE_FIELDS, "rule");
            module.put(pairWords, RULE_FIELDS.flatMap((name) => (name === "oneWay" ? pair(rule[name]) : [rule[name]])));
            this._call("rule_set", categories);
        }

        #removeRule(categories, pairWords) {
            module.put(pairWords);
            return this._call("rule_remove", categories) !== 0;
        }

        setContactRule(first, second, rule) {
            this.#setRule(0, materialPair(first, second), rule);
        }

        removeContactRule(first, second) {
            return this.#removeRule(0, materialPair(first, second));
        }

        setCategoryRule(first, second, rule) {
            this.#setRule(1, categoryPair(first, second), rule);
        }

        removeCategoryRule(first, second) {
            return this.#removeRule(1, categoryPair(first, second));
        }

        createCharacter(def = {}) {
            refuseUnknown(def, CHARACTER_FIELDS, "character");
            const { category = ALL, mask = ALL, material = 0, body = 0n } = def;
            const words = [word(category, "category"), word(mask, "mask"), whole(material, "a material"), word(body, "body")];
            module.put(words, [...pair(def.position), def.height,
                def.radius, ...pair(def.up), ...CHARACTER_FIELDS.slice(4, 14).map((name) => def[name])]);
            return new Character(this, module.call("character_create"));
        }

        destroyShape(shape) {
            this._call("shape_destroy", shape);
        }

        shape(shape) {
            if (this._call("shape_state", shape) === 0) {
                return null;
            }
            const [body, ...words] = module.view(IDS);
            return { id: shape, body, ...materialOf(words, module.view(NUMBERS)) };
        }

        setShape(shape, changes) {
            refuseUnknown(changes, MATERIAL_FIELDS, "change of a shape");
            const given = MATERIAL_WORDS.filter((name) => changes[name] !== undefined);
            const changed = Object.fromEntries(given.map((name) => [name, changes[name]]));
            const row = materialRow(changes);
            module.put(materialWords({ ...this.shape(shape), ...changed }), row);
            this._call("shape_set", shape, row.length);
        }

        setGeometry(shape, geometry) {
            const [kind, row] = bareOutline(geometry);
            module.put([], row);
            this._call("shape_set_geometry", shape, kind, row.length);
        }

        createConcavePolygon(body, def) {
            refuseUnknown(def, POLYGON_FIELDS, "concave polygon");
            const loops = [def.border, ...list(def.holes ?? [], "holes")].map((loop) => list(loop, "corners"));
            const row = [...materialRow(def), loops.length, ...loops.map((loop) => loop.length),
                ...loops.flatMap((loop) => loop.flatMap(pair))];
            module.put(materialWords(def), row);
            return this.#id("concave_polygon_create", body, row.length);
        }

        concavePolygon(polygon) {
            if (this._call("concave_polygon_state", polygon) === 0) {
                return null;
            }
            const [area, count, ...numbers] = module.view(NUMBERS);
            const points = numbers.slice(count).values();
            const next = () => points.next().value;
            const loops = numbers.slice(0, count).map((length) => Array.from({ length }, () => [next(), next()]));
            const shapes = module.view(IDS).slice(1);
            return { id: polygon, body: module.view(IDS)[0], shapes, area, border: loops[0], holes: loops.slice(1) };
        }

        destroyConcavePolygon(polygon) {
            this._call("concave_polygon_destroy", polygon);
        }

        // The cuts of the last call.
        #cuts(count) {
            const ids = module.view(IDS).values();
            const next = () => ids.next().value;
            return Array.from({ length: count }, () => {
                const [body, pieces, polygons, vanished] = [next(), Number(next()), Number(next()), Number(next())];
                return {
                    body,
                    pieces: Array.from({ length: pieces }, next),
                    concavePolygons: Array.from({ length: polygons }, () => ({ id: next(), from: next() })),
                    vanished,
                };
            });
        }

        slice(body, from, to) {
            module.put([], [...pair(from), ...pair(to)]);
            return this.#cuts(this._call("slice", body))[0] ?? null;
        }

        cutThrough(from, to, filter) {
            module.put(filterWords(filter), [...pair(from), ...pair(to)]);
            return this.#cuts(this._call("cut_through"));
        }

        shatter(body, pattern) {
            if (!Array.isArray(pattern)) {
                refuseUnknown(pattern, PATTERN_FIELDS, "pattern");
            }
            const { seed = 0n, count = 0 } = Array.isArray(pattern) ? {} : pattern;
            const row = Array.isArray(pattern) ? pattern.flatMap(pair) : [];
            module.put([seedWord(seed), whole(count, "a number of pieces")], row);
            return this.#cuts(this._call("shatter", body, row.length))[0] ?? null;
        }

        explode(def) {
            refuseUnknown(def, EXPLOSION_FIELDS, "explosion");
            module.put([word(def.mask ?? ALL, "mask")], [...pair(def.position), def.radius, def.falloff, def.impulsePerLength, def.tileRadius]);
            return this._call("explode");
        }

        createJoint(def) {
            const [kind, row] = jointRow(def);
            const { bodyA, bodyB, userKey = 0n } = def;
            module.put([word(bodyA, "bodyA"), word(bodyB, "bodyB"), word(userKey, "userKey")], row);
            return this.#id("joint_create", kind, row.length);
        }

        jointDef(joint) {
            const number = this._call("joint_def", joint);
            if (number === 0) {
                return null;
            }
            const kind = JOINT_KINDS[number - 1];
            const [bodyA, bodyB, userKey] = module.view(IDS);
            return { kind, bodyA, bodyB, userKey, ...jointOptions(kind, module.view(NUMBERS)) };
        }

        setJoint(joint, changes) {
            const present = this.joint(joint);
            // A joint that is gone has no kind; the module says that it is gone.
            const row = present === null ? [] : jointChanges(present.kind, changes);
            module.put([word(changes.userKey ?? present?.userKey ?? 0n, "userKey")], row);
            this._call("joint_set", joint, row.length);
        }

        destroyJoint(joint) {
            this._call("joint_destroy", joint);
        }

        joint(joint) {
            const number = this._call("joint_state", joint);
            if (number === 0) {
                return null;
            }
            const numbers = module.view(NUMBERS);
            const [bodyA, bodyB, userKey] = module.view(IDS);
            return {
                id: joint,
                kind: JOINT_KINDS[number - 1],
                bodyA,
                bodyB,
                userKey,
                linearImpulse: [numbers[0], numbers[1]],
                anchorA: [numbers[2], numbers[3]],
                anchorB: [numbers[4], numbers[5]],
                translation: [numbers[6], numbers[7]],
                force: [numbers[8], numbers[9]],
                angle: numbers[10],
                motorImpulse: numbers[11],
                torque: numbers[12],
                linearError: numbers[13],
                angularError: numbers[14],
            };
        }

        #switch(joint, part, enabled, numbers) {
            module.put([], [flag(enabled, "enabled"), ...numbers]);
            this._call("joint_switch", joint, part);
        }

        setLimit(joint, enabled, lower = 0, upper = 0) {
            this.#switch(joint, 0, enabled, [lower, upper, 0]);
        }

        setMotor(joint, enabled, speed = 0, max = 0) {
            this.#switch(joint, 1, enabled, [speed, max, 0]);
        }

        setSpring(joint, enabled, target = 0, hertz = 0, dampingRatio = 0) {
            this.#switch(joint, 2, enabled, [target, hertz, dampingRatio]);
        }

        #hits(count) {
            const [numbers, ids] = [module.view(NUMBERS), module.view(IDS)];
            return Array.from({ length: count }, (_, place) => ({
                shape: ids[2 * place],
                body: ids[2 * place + 1],
                fraction: numbers[5 * place],
                point: [numbers[5 * place + 1], numbers[5 * place + 2]],
                normal: [numbers[5 * place + 3], numbers[5 * place + 4]],
            }));
        }

        castRay(origin, translation, filter) {
            module.put(filterWords(filter), [...pair(origin), ...pair(translation)]);
            return this.#hits(this._call("cast_ray", 0))[0] ?? null;
        }

        castRayAll(origin, translation, filter) {
            module.put(filterWords(filter), [...pair(origin), ...pair(translation)]);
            return this.#hits(this._call("cast_ray", 1));
        }

        #castShape(all, shape, path, filter) {
            refuseUnknown(path, PATH_FIELDS, "path");
            const [kind, numbers] = bareOutline(shape);
            const row = [...poseRow(path), ...pair(path.translation ?? [0, 0]), path.turn ?? 0, ...numbers];
            module.put(filterWords(filter), row);
            return this.#hits(this._call("cast_shape", all, kind, row.length));
        }

        castShape(shape, path, filter) {
            return this.#castShape(0, shape, path, filter)[0] ?? null;
        }

        castShapeAll(shape, path, filter) {
            return this.#castShape(1, shape, path, filter);
        }

        #closest(count, kind, numbers, filter) {
            module.put(filterWords(filter), numbers);
            const found = this._call("closest", count, kind, numbers.length);
            const [rows, ids] = [module.view(NUMBERS), module.view(IDS)];
            return Array.from({ length: found }, (_, place) => {
                const [distance, x, y, fromX, fromY, normalX, normalY] = rows.subarray(7 * place);
                const [shape, body] = ids.subarray(2 * place);
                return { shape, body, distance, point: [x, y], from: [fromX, fromY], normal: [normalX, normalY] };
            });
        }

        closest(point, { distanceMax = Infinity, ...filter } = {}) {
            return this.#closest(1, POINT, [distanceMax, ...pair(point), 0], filter)[0] ?? null;
        }

        closestAll(point, count, { distanceMax = Infinity, ...filter } = {}) {
            return this.#closest(index(count, "a count"), POINT, [distanceMax, ...pair(point), 0], filter);
        }

        closestToShape(shape, pose, { distanceMax = Infinity, ...filter } = {}) {
            refuseUnknown(pose, POSE_FIELDS, "pose");
            const [kind, numbers] = bareOutline(shape);
            return this.#closest(1, kind, [distanceMax, ...poseRow(pose), ...numbers], filter)[0] ?? null;
        }

        #overlap(name, numbers, filter, ...parameters) {
            module.put(filterWords(filter), numbers);
            this._call(name, ...parameters);
            return module.view(IDS).slice();
        }

        overlapBox(least, greatest, filter) {
            return this.#overlap("overlap_box", [...pair(least), ...pair(greatest)], filter);
        }

        overlapPoint(point, filter) {
            return this.#overlap("overlap_point", pair(point), filter);
        }

        overlapCircle(center, radius, filter) {
            const [kind, numbers] = bareOutline({ circle: radius });
            const row = [...pair(center), 0, ...numbers];
            return this.#overlap("overlap_shape", row, filter, kind, row.length);
        }

        overlapShape(shape, pose, filter) {
            refuseUnknown(pose, POSE_FIELDS, "pose");
            const [kind, numbers] = bareOutline(shape);
            const row = [...poseRow(pose), ...numbers];
            return this.#overlap("overlap_shape", row, filter, kind, row.length);
        }

        #poses(moved) {
            const count = this._call("poses", moved);
            const ids = module.view(IDS);
            return { bodies: ids.subarray(0, count), userKeys: ids.subarray(count), poses: module.view(NUMBERS) };
        }

        poses() {
            return this.#poses(0);
        }

        moved() {
            return this.#poses(1);
        }

        #list(name, which) {
            this._call(name, which);
            return module.view(IDS).slice();
        }

        beganTouching() {
            return this.#list("touches", 0);
        }

        endedTouching() {
            return this.#list("touches", 1);
        }

        hits() {
            this._call("hits");
            return { ids: module.view(IDS).slice(), numbers: module.view(NUMBERS).slice() };
        }

        strains() {
            this._call("strains");
            return { ids: module.view(IDS).slice(), numbers: module.view(NUMBERS).slice() };
        }

        enteredSensors() {
            return this.#list("visits", 0);
        }

        leftSensors() {
            return this.#list("visits", 1);
        }

        fellAsleep() {
            return this.#list("sleepers", 0);
        }

        woke() {
            return this.#list("sleepers", 1);
        }
    }

    if (!withScenes) {
        return { PhysicsWorld };
    }

    class World extends PhysicsWorld {
        constructor(scene, options = {}) {
            super(scene instanceof Adopted ? scene : new Adopted(createScene(module, scene, options)));
        }

        get _class() {
            return World;
        }

        static fromSave() {
            throw new TomboloError("a world of entities is restored: make one of the same scene, then call restore");
        }

        step() {
            this._call("world_step", 0);
        }

        get stepSeconds() {
            this._call("scene_step_seconds");
            return module.view(NUMBERS)[0];
        }

        find(name) {
            const bytes = encoder.encode(name);
            module.put([], [], bytes);
            return this._call("entity_find", bytes.length) === 0 ? null : module.view(IDS)[0];
        }

        nameOf(entity) {
            return this._call("entity_name", entity) === 0 ? null : module.text(BYTES);
        }

        entity(entity) {
            this._call("entity_state", entity);
            const [numbers, body] = [module.view(NUMBERS), module.view(IDS)[0]];
            return {
                id: entity,
                body: body === 0n ? null : body,
                position: [numbers[0], numbers[1]],
                angle: Math.atan2(numbers[3], numbers[2]),
            };
        }

        tileGridOf(entity) {
            return this._call("entity_tile_grid", entity) === 0 ? null : module.view(IDS)[0];
        }

        spawn(resource, def = {}) {
            refuseUnknown(def, SPAWN_FIELDS, "spawned entity");
            const { name = "", position, angle, parent = 0n } = def;
            const { bytes, lengths } = joined(nameText(resource), nameText(name));
            module.put([word(parent, "parent")], [...pair(position), angle, 0], bytes);
            this._call("entity_spawn", ...lengths);
            return module.view(IDS)[0];
        }

        despawn(entity) {
            this._call("entity_despawn", entity);
        }

        teleportEntity(entity, position, angle) {
            module.put([], [...pair(position), angle]);
            this._call("entity_teleport", entity);
        }

        get(path, entity = 0n) {
            const bytes = encoder.encode(path);
            module.put([], [], bytes);
            this._call("property_get", entity, bytes.length);
            const revive = (_, value) => (value && value.bigint !== undefined ? BigInt(value.bigint) : value);
            return JSON.parse(module.text(BYTES), revive);
        }

        set(path, value, entity = 0n) {
            const isText = typeof value === "string";
            const { bytes, lengths } = joined(path, isText ? value : sceneText(value));
            module.put([], [], bytes);
            this._call("property_set", entity, ...lengths, isText);
        }

        #texts(name, ...parameters) {
            this._call(name, ...parameters);
            return JSON.parse(module.text(BYTES));
        }

        names() {
            const names = this.#texts("entity_names");
            const entities = module.view(IDS);
            return names.map((name, place) => ({ name, entity: entities[place] }));
        }

        components(entity) {
            const texts = this.#texts("entity_components", entity);
            const count = texts.length / 2;
            return Array.from({ length: count }, (_, place) => ({ name: texts[2 * place], kind: texts[2 * place + 1] }));
        }

        properties(entity, component) {
            const bytes = encoder.encode(component);
            module.put([], [], bytes);
            return this.#texts("component_properties", entity, bytes.length);
        }

        setAction(name, value) {
            const bytes = encoder.encode(name);
            module.put([], [value], bytes);
            this._call("action_set", bytes.length);
        }

        action(name) {
            const bytes = encoder.encode(name);
            module.put([], [], bytes);
            this._call("action_state", bytes.length);
            const [value, held, pressed, released] = module.view(NUMBERS);
            return { value, held: held !== 0, pressed: pressed !== 0, released: released !== 0 };
        }

        actions() {
            return this.#texts("action_names");
        }

        #entities(moved) {
            this._call("entity_poses", moved);
            return { entities: module.view(IDS), poses: module.view(NUMBERS) };
        }

        entities() {
            return this.#entities(0);
        }

        movedEntities() {
            return this.#entities(1);
        }

        events() {
            const count = this._call("entity_events");
            const [numbers, ids] = [module.view(NUMBERS), module.view(IDS)];
            const joints = module.text(BYTES).split("\n").values();
            return Array.from({ length: count }, (_, place) => {
                const [kind, a, b, shapeA, shapeB] = ids.subarray(5 * place, 5 * place + 5);
                const type = EVENTS[Number(kind)];
                const row = numbers.subarray(6 * place);
                switch (type) {
                    case "spawned":
                    case "despawned":
                        return { type, a };
                    case "enterZone":
                    case "leaveZone":
                        return { type, a, b };
                    case "strain":
                    case "break":
                        return { type, a, joint: joints.next().value, force: [row[0], row[1]], torque: row[2] };
                    case "meet":
                    case "part":
                        return { type, a, b, shapeB };
                    case "hit":
                    case "force": {
                        const [x, y, normalX, normalY, size, impulse] = row;
                        const contact = { point: [x, y], normal: [normalX, normalY], impulse };
                        const own = type === "hit" ? { approachSpeed: size } : { force: size };
                        return { type, a, b, shapeA, shapeB, ...contact, ...own };
                    }
                    default:
                        return { type, a, b, shapeA, shapeB };
                }
            });
        }

        faults() {
            return this.#texts("world_lines", 0);
        }

        clearFaults() {
            this._call("world_clear_lines", 0);
        }

        printed() {
            return this.#texts("world_lines", 1);
        }

        clearPrinted() {
            this._call("world_clear_lines", 1);
        }
    }

    return { PhysicsWorld, World };
}

// Texts one after another, and the length of each.
function joined(...texts) {
    const parts = texts.map((text) => encoder.encode(text));
    const lengths = parts.map((part) => part.length);
    const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return { bytes, lengths };
}

/** A value in the syntax of scene files, as `World.get` gives it, or as a typed array. */
function sceneText(value) {
    if (typeof value === "object" && typeof value?.length === "number" && !Array.isArray(value)) {
        return sceneText(Array.from(value));
    }
    if (!Array.isArray(value)) {
        return value === null ? "none" : String(value);
    }
    const escapes = { "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    const quoted = (text) => `"${text.replace(/["\\\n\r\t]/g, (letter) => escapes[letter])}"`;
    return `(${value.map((part) => (typeof part === "string" ? quoted(part) : sceneText(part))).join(", ")})`;
}

function createScene(module, scene, options) {
    refuseUnknown(options, SCENE_FIELDS, "world");
    const bytes = encoder.encode(scene);
    module.put([seedWord(options.seed ?? 0)], [], bytes);
    return module.call("scene_create", bytes.length, options.seed != null);
}

async function compile(source) {
    if (source instanceof WebAssembly.Module) {
        return source;
    }
    if (source instanceof URL || typeof source === "string") {
        const url = new URL(source, import.meta.url);
        if (url.protocol === "file:") {
            // Node's fetch does not read files. The name is composed so that no bundler resolves the module.
            const { readFile } = await import(["node", "fs/promises"].join(":"));
            return WebAssembly.compile(await readFile(url));
        }
        const response = await fetch(url);
        if (!response.ok) {
            throw new TomboloError(`${url}: ${response.status} ${response.statusText}`);
        }
        return WebAssembly.compile(await response.arrayBuffer());
    }
    return WebAssembly.compile(source);
}

// Ends the threads of an engine that nobody has any more.
const collectedThreads = new FinalizationRegistry(end);

// An engine on several threads, the calling one among them.
async function together(module, hasScenes, count, memory) {
    const compiled = await compile(module);
    const own = new Module(await WebAssembly.instantiate(compiled, { env: { memory } }));
    own.call("threads_open", count, Number(maySleep()));
    let others;
    try {
        others = await open(compiled, memory, own.exports, count);
    } catch (error) {
        throw new TomboloError(error.message, { cause: error });
    }
    collectedThreads.register(own, others);
    return { ...classes(own, hasScenes), threads: count, close: () => own.close(others) };
}

// An engine on the calling thread.
async function alone(module, hasScenes) {
    const own = new Module(await WebAssembly.instantiate(await compile(module), {}));
    return { ...classes(own, hasScenes), threads: 1, close: () => own.close([]) };
}

// An engine on several threads where there may be any, else on the calling one.
async function loaded(module, threadsModule, hasScenes, threads) {
    const count = threadCount(threads);
    const memory = count > 1 ? sharedMemory() : null;
    return memory ? together(threadsModule, hasScenes, count, memory) : alone(module, hasScenes);
}

/** Loads the engine: physics and worlds of entities. */
export async function load({
    module = new URL("./tombolo.wasm", import.meta.url),
    threadsModule = new URL("./tombolo-threads.wasm", import.meta.url),
    threads = 1,
} = {}) {
    return loaded(module, threadsModule, true, threads);
}

/** Loads physics alone, which is much smaller. */
export async function loadPhysics({
    module = new URL("./tombolo-physics.wasm", import.meta.url),
    threadsModule = new URL("./tombolo-physics-threads.wasm", import.meta.url),
    threads = 1,
} = {}) {
    return loaded(module, threadsModule, false, threads);
}
