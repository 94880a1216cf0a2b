// The definitions of the package as the words and numbers that the module takes, and back: lists of fields in the order of
// `crates/web`, and checks of what a definition may have.

export const KINDS = ["static", "kinematic", "dynamic"];
export const ALL = 0xffff_ffff_ffff_ffffn;

// A field of a definition as a number for the input.
export function numeric(value) {
    if (value === undefined) {
        return Number.NaN;
    }
    if (typeof value === "boolean") {
        return value ? 1 : 0;
    }
    if (typeof value !== "number" || Number.isNaN(value)) {
        throw new TypeError(`expected a number, got ${String(value)}`);
    }
    return value;
}

// The two numbers of a point; none of them given if it is not.
export function pair(point) {
    if (point === undefined) {
        return [undefined, undefined];
    }
    if (point?.length !== 2 || point[0] === undefined || point[1] === undefined) {
        throw new TypeError(`expected a point as two numbers, got ${String(point)}`);
    }
    return [point[0], point[1]];
}

// Whether a word of 64 bits can be this bigint.
export function isWord(value) {
    return value >= 0n && value <= ALL;
}

// A handle, a set of bits or a key, as a word of the input.
export function word(value, what) {
    if (typeof value !== "bigint") {
        throw new TypeError(`${what} is a bigint, as 1n, not ${String(value)}`);
    }
    if (!isWord(value)) {
        throw new RangeError(`${what} is from 0n to 2n ** 64n - 1n, not ${value}n`);
    }
    return value;
}

// A seed, which may be a number too.
export function seedWord(seed) {
    return word(Number.isSafeInteger(seed) ? BigInt(seed) : seed, "a seed");
}

// A flag that has to be given.
export function flag(value, what) {
    if (typeof value !== "boolean") {
        throw new TypeError(`${what} is true or false, not ${String(value)}`);
    }
    return value;
}

// A name, which may be empty.
export function nameText(name) {
    if (typeof name !== "string") {
        throw new TypeError(`a name is a text, not ${String(name)}`);
    }
    return name;
}

// The items of an array, typed ones included.
export function list(value, what) {
    if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && "length" in value)) {
        throw new TypeError(`${what}: expected an array, got ${String(value)}`);
    }
    return Array.from(value);
}

// The words of a list of handles, which is anything that can be iterated.
function handles(ids, what) {
    if (typeof ids?.[Symbol.iterator] !== "function") {
        throw new TypeError(`${what} is a list of handles, not ${String(ids)}`);
    }
    return Array.from(ids, (id) => word(id, `a handle of ${what}`));
}

// A save as bytes, which may be any view of a buffer, or a buffer.
export function saveBytes(save) {
    if (ArrayBuffer.isView(save)) {
        return new Uint8Array(save.buffer, save.byteOffset, save.byteLength);
    }
    // By name, as a buffer may come from another frame of the page, with classes of its own.
    const kind = Object.prototype.toString.call(save);
    if (kind.endsWith("ArrayBuffer]")) {
        return new Uint8Array(save);
    }
    throw new TypeError(`a save is an ArrayBuffer or a view of one, as a Uint8Array, not ${kind}`);
}

// Refuses what is no object.
export function refuseBare(definition, what) {
    if (typeof definition !== "object" || definition === null) {
        throw new TypeError(`a ${what} is given as an object, not ${String(definition)}`);
    }
}

export function refuseUnknown(definition, known, what) {
    refuseBare(definition, what);
    for (const name of Object.keys(definition)) {
        if (!known.includes(name)) {
            throw new TypeError(`a ${what} has no ${name}; it may have ${known.join(", ")}`);
        }
    }
}

// The words of a filter for a query.
export function filterWords(filter = {}) {
    refuseUnknown(filter, FILTER_FIELDS, "filter");
    const { category = ALL, mask = ALL, excludeBodies = [], excludeShapes = [], sensors, oneSided, material } = filter;
    const options = (sensors ? 1n : 0n) | (oneSided ? 2n : 0n) | (material == null ? 0n : 4n);
    const [bodies, shapes] = [handles(excludeBodies, "excludeBodies"), handles(excludeShapes, "excludeShapes")];
    return [word(category, "category"), word(mask, "mask"), options, whole(material ?? 0, "a material"),
        BigInt(bodies.length), BigInt(shapes.length), ...bodies, ...shapes];
}

export function kindNumber(kind) {
    const number = KINDS.indexOf(kind);
    if (number < 0) {
        throw new TypeError(`a body is static, kinematic or dynamic, not ${String(kind)}`);
    }
    return number;
}

export const WORLD_FIELDS = ["gravity", "substeps", "sleeping", "continuous", "restitutionThreshold", "hitThreshold",
    "contactHertz", "contactDampingRatio", "pushSpeedMax", "speedMax"];
// Options of bodies that can be changed, in the order of the module; a vector is two numbers, `ownMass` four.
const BODY_OPTIONS = ["linearDamping", "angularDamping", "gravityScale", "sleepThreshold", "allowSleep", "fixedRotation",
    "bullet", "fastRotation", "fixedX", "fixedY", "addedMass", "dominance", "extraSubsteps", "speedMax", "spinMax",
    "lastingForce", "lastingTorque", "ownMass"];
export const BODY_FIELDS = ["kind", "position", "angle", "linearVelocity", "angularVelocity", "awake", "enabled",
    ...BODY_OPTIONS, "userKey", "name"];
export const BODY_CHANGES = [...BODY_OPTIONS, "userKey"];
const OWN_MASS_FIELDS = ["mass", "inertia", "center"];
// The numbers of a material, in the order of the module, then what is passed as words.
const MATERIAL_NUMBERS = ["density", "friction", "restitution", "rollingResistance", "tangentSpeed", "contactEvents",
    "hitEvents", "sensor", "contactSkin", "forceThreshold", "seesSensors", "seesFixed", "frictionRule",
    "restitutionRule"];
export const MATERIAL_WORDS = ["category", "mask", "userKey", "group", "material"];
export const MATERIAL_FIELDS = [...MATERIAL_NUMBERS, ...MATERIAL_WORDS];
// In the order of the engine's CombineRule::ALL.
const COMBINE_RULES = ["usual", "mean", "geometricMean", "min", "product", "max"];
// The outlines of shapes, in the order of their numbers in the module, with the fields that each has.
const OUTLINES = { circle: ["center"], capsule: ["radius"], segment: [], polygon: ["radius"], box: ["center", "angle"],
    halfSpace: [] };
const OUTLINE_FIELDS = ["radius", "center", "angle"];
export const SHAPE_FIELDS = [...Object.keys(OUTLINES), ...OUTLINE_FIELDS, ...MATERIAL_FIELDS];
export const CHAIN_FIELDS = ["points", "closed", ...MATERIAL_FIELDS];
export const HEIGHTFIELD_FIELDS = ["heights", "spacing", "origin", "before", "after", "holes", ...MATERIAL_FIELDS];
export const TILE_GRID_FIELDS = ["rows", "tiles", "cellSize", "origin"];
const TILE_FIELDS = ["shape", ...MATERIAL_FIELDS];
// In the order of the engine's TileShape::NAMED.
const TILE_SHAPES = ["full", "bottomHalf", "topHalf", "leftHalf", "rightHalf", "slopeUp", "slopeDown", "ceilingUp",
    "ceilingDown", "gentleUpLow", "gentleUpHigh", "gentleDownHigh", "gentleDownLow"];
export const RULE_FIELDS = ["friction", "restitution", "surfaceSpeed", "oneWay", "ignore", "sensor", "hitThreshold"];
const ANY_MATERIAL = 0xffff_ffff;
const ANY_CATEGORY = 0n;
export const CHARACTER_FIELDS = ["position", "height", "radius", "up", "slopeMax", "stepHeight", "snapDistance", "acceleration",
    "airAcceleration", "speedMax", "inheritVelocity", "mass", "pushForceMax", "pushOutSpeed", "category", "mask",
    "material", "body"];
export const MOVE_FIELDS = ["dt", "walk", "climb", "jump", "drop", "climbing", "lift", "drag"];
const FILTER_FIELDS = ["category", "mask", "excludeBodies", "excludeShapes", "sensors", "oneSided", "material"];
export const PATH_FIELDS = ["position", "angle", "translation", "turn"];
export const POSE_FIELDS = ["position", "angle"];
export const POLYGON_FIELDS = ["border", "holes", ...MATERIAL_FIELDS];
export const SPAWN_FIELDS = ["name", "position", "angle", "parent"];
export const SCENE_FIELDS = ["seed"];
export const PATTERN_FIELDS = ["seed", "count"];
export const EXPLOSION_FIELDS = ["position", "radius", "falloff", "impulsePerLength", "tileRadius", "mask"];

export function materialWords({ category = 1n, mask = ALL, userKey = 0n, group = 0, material = 0 }) {
    return [word(category, "category"), word(mask, "mask"), word(userKey, "userKey"),
        groupWord(group), whole(material, "a material")];
}

function groupWord(group) {
    if (!Number.isInteger(group) || group < -(2 ** 31) || group >= 2 ** 31) {
        throw new RangeError(`a group is a whole number from -2147483648 to 2147483647, not ${String(group)}`);
    }
    return BigInt.asUintN(64, BigInt(group));
}

export function materialRow(def) {
    return MATERIAL_NUMBERS.map((name) => (name.endsWith("Rule") ? ruleNumber(def[name]) : def[name]));
}

// The number of a rule that combines two coefficients.
function ruleNumber(rule) {
    const number = COMBINE_RULES.indexOf(rule);
    if (rule !== undefined && number < 0) {
        throw new TypeError(`a rule is one of ${COMBINE_RULES.join(", ")}, not ${String(rule)}`);
    }
    return rule === undefined ? undefined : number;
}

// A material of the module's output, from the number at which it begins.
export function materialOf(words, numbers) {
    const [category, mask, userKey, group, material] = words;
    const named = MATERIAL_NUMBERS.map((name, place) => {
        const isFlag = name.endsWith("Events") || name.startsWith("sees") || name === "sensor";
        const number = numbers[place];
        return [name, name.endsWith("Rule") ? COMBINE_RULES[number] : isFlag ? number !== 0 : number];
    });
    return { ...Object.fromEntries(named), category, mask, userKey, group: Number(BigInt.asIntN(64, group)),
        material: Number(material) };
}

// The numbers of a body's options.
export function bodyOptions(def) {
    return BODY_OPTIONS.flatMap((name) => {
        if (name === "lastingForce") {
            return pair(def.lastingForce);
        }
        if (name === "ownMass") {
            refuseUnknown(def.ownMass ?? {}, OWN_MASS_FIELDS, "mass");
            return [def.ownMass?.mass, def.ownMass?.inertia, ...pair(def.ownMass?.center)];
        }
        return [def[name]];
    });
}

// The options of a body of the module's output.
export function bodyOptionsOf(numbers) {
    const rest = numbers.values();
    const next = () => rest.next().value;
    return Object.fromEntries(BODY_OPTIONS.map((name) => {
        if (name === "lastingForce") {
            return [name, [next(), next()]];
        }
        if (name === "ownMass") {
            return [name, { mass: next(), inertia: next(), center: [next(), next()] }];
        }
        const isFlag = /^(allow|bullet|fast|fixed)/.test(name);
        return [name, isFlag ? next() !== 0 : next()];
    }));
}

// The settings of a world as numbers, and of the module's output.
export function settingsRow(def) {
    return [...pair(def.gravity), ...WORLD_FIELDS.slice(1).map((name) => def[name])];
}

export function settingsOf(numbers) {
    const [x, y, ...rest] = numbers;
    const named = WORLD_FIELDS.slice(1).map((name, place) => {
        const isFlag = name === "sleeping" || name === "continuous";
        return [name, isFlag ? rest[place] !== 0 : rest[place]];
    });
    return { gravity: [x, y], ...Object.fromEntries(named) };
}

// The position and angle of a pose; both zero if they are not given.
export function poseRow({ position = [0, 0], angle = 0 }) {
    return [...pair(position), angle];
}

// A whole number as a word of the input.
export function whole(value, what) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
        throw new RangeError(`${what} is a whole number from 0 to 4294967295, not ${String(value)}`);
    }
    return BigInt(value);
}

// A whole number as a parameter of a call.
export function index(value, what) {
    return Number(whole(value, what));
}

// The two materials of a rule, null for all.
export function materialPair(first, second) {
    return [first, second].map((material) => whole(material ?? ANY_MATERIAL, "a material"));
}

// The two categories of a rule, null for all.
export function categoryPair(first, second) {
    return [first, second].map((category) => word(category ?? ANY_CATEGORY, "a category"));
}

// The words and numbers of a kind of tile.
export function tileKind(tile, place) {
    const def = typeof tile === "string" || Array.isArray(tile) ? { shape: tile } : tile;
    const what = `kind of tile ${place + 1}`;
    refuseUnknown(def, TILE_FIELDS, what);
    const shape = def.shape ?? "full";
    const corners = Array.isArray(shape) ? shape.flatMap(pair) : [];
    const named = Array.isArray(shape) ? TILE_SHAPES.length : TILE_SHAPES.indexOf(shape);
    if (named < 0) {
        throw new TypeError(`${what}: a shape is corners or one of ${TILE_SHAPES.join(", ")}, not ${String(shape)}`);
    }
    return [materialWords(def), [...materialRow(def), named, corners.length, ...corners]];
}

// The cells of rows, one after another.
export function cellBytes(given) {
    const rows = list(given, "rows");
    const width = rows[0]?.length ?? 0;
    const cells = new Uint8Array(width * rows.length);
    for (const [y, row] of rows.entries()) {
        if (row.length !== width) {
            throw new RangeError(`row ${y} of the tiles has ${row.length} cells, and row 0 has ${width}`);
        }
        for (const [x, tile] of Array.from(row).entries()) {
            if (!Number.isInteger(tile) || tile < 0 || tile > 255) {
                throw new RangeError(`cell ${x}, ${y}: a kind of tile is a number from 0 to 255, not ${String(tile)}`);
            }
            cells[y * width + x] = tile;
        }
    }
    return { width, cells };
}

// The number of a shape's kind, its radius, and its points.
export function outline(def) {
    const kinds = Object.keys(OUTLINES);
    const given = kinds.filter((kind) => def[kind] !== undefined);
    if (given.length !== 1) {
        throw new TypeError(`a shape has exactly one of ${kinds.join(", ")}, and this one ${given.join(", ") || "none"}`);
    }
    const [kind] = given;
    for (const name of OUTLINE_FIELDS) {
        if (def[name] !== undefined && !OUTLINES[kind].includes(name)) {
            throw new TypeError(`a ${kind} has no ${name}`);
        }
    }
    return [kinds.indexOf(kind), outlineNumbers(kind, def)];
}

// The same for a shape without a body: a geometry or a query.
export function bareOutline(shape) {
    refuseUnknown(shape, [...Object.keys(OUTLINES), ...OUTLINE_FIELDS], "geometry");
    return outline(shape);
}

// The radius of a shape, and its points.
function outlineNumbers(kind, def) {
    const center = () => pair(def.center ?? [0, 0]);
    switch (kind) {
        case "circle":
            return [def.circle, ...center()];
        case "box":
            return [0, ...pair(def.box), ...center(), def.angle ?? 0, 0];
        case "capsule":
            return [def.radius, ...list(def.capsule, kind).flatMap(pair)];
        default:
            return [def.radius ?? 0, ...list(def[kind], kind).flatMap(pair)];
    }
}
