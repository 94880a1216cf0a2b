// What color everything has, in light and in dark. Colors are [red, green, blue, alpha] from 0 to 255. Contacts lie on
// bodies of any hue, so they have none.

/** Colors of joints by how hard they are strained: from nothing over some to all that they bear. */
function strainColors(calm, some, most) {
  const mix = (from, to, share) => from.map((part, index) => Math.round(part + share * (to[index] - part)));
  const strains = [0, 1, 2, 3, 4, 5, 6, 7];
  return strains.map((strain) => (strain < 3.5 ? mix(calm, some, strain / 3.5) : mix(some, most, strain / 3.5 - 1)));
}

const PALETTES = {
  light: {
    ground: [241, 244, 246, 255],
    static: [77, 87, 102, 255],
    kinematic: [38, 38, 43, 255],
    sleeping: [190, 196, 202, 255],
    islandLightness: [0.6, 0.48],
    edge: 0.62,
    contact: [18, 18, 24, 255],
    strain: strainColors([51, 41, 107, 230], [237, 140, 13, 240], [217, 13, 26, 255]),
    box: [20, 110, 130, 110],
    velocity: [15, 90, 190, 220],
    cell: [40, 120, 90, 70],
    wall: [190, 60, 40, 48],
    path: [196, 92, 0, 255],
    fields: { wind: [60, 150, 150, 200], fluid: [40, 110, 200, 220], gravity: [130, 80, 180, 200], zone: [170, 120, 20, 200] },
    picked: [15, 108, 189, 255],
    grid: [120, 130, 145, 38],
    text: "#1b2430",
    quiet: "#5b6675",
    strip: { line: "#d9dde3", step: "#0f6cbd", islands: "#7a3e9d", awake: "#2e7d32", contacts: "#b3452c" },
  },
  dark: {
    ground: [17, 21, 26, 255],
    static: [104, 116, 132, 255],
    kinematic: [214, 220, 228, 255],
    sleeping: [72, 80, 90, 255],
    islandLightness: [0.62, 0.52],
    edge: 0.55,
    contact: [255, 252, 240, 255],
    strain: strainColors([196, 178, 240, 230], [255, 176, 66, 240], [255, 74, 74, 255]),
    box: [90, 200, 215, 110],
    velocity: [120, 190, 255, 220],
    cell: [120, 210, 170, 60],
    wall: [255, 110, 80, 56],
    path: [255, 184, 84, 255],
    fields: { wind: [110, 210, 210, 200], fluid: [110, 170, 255, 220], gravity: [195, 150, 240, 200], zone: [235, 195, 90, 200] },
    picked: [255, 255, 255, 255],
    grid: [150, 165, 185, 30],
    text: "#e7ebf0",
    quiet: "#9aa6b4",
    strip: { line: "#323b46", step: "#62b0f4", islands: "#c596e8", awake: "#7fcf86", contacts: "#f19a7f" },
  },
};

/** Neighboring island numbers lie far apart on the wheel of colors: each is a golden section further. */
const GOLDEN_SECTION = 0.6180339887498949;

/** Island colors repeat after so many; found once for each palette. */
const ISLAND_COLORS = 1024;

/** A color of the wheel: hue, saturation and lightness from 0 to 1, as in CSS. */
function fromHue(hue, saturation, lightness) {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset) => {
    const k = (offset + 12 * hue) % 12;
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(1, k - 3, 9 - k))));
  };
  return [part(0), part(8), part(4), 255];
}

for (const palette of Object.values(PALETTES)) {
  palette.islands = Array.from({ length: ISLAND_COLORS }, (_, island) =>
    fromHue((island * GOLDEN_SECTION) % 1, 0.6, palette.islandLightness[island % 2]),
  );
}

/** The number of colors of the constraint graph; the last is the overflow. */
const GRAPH_COLORS = 24;

// The first is for what is not solved; then the colors in their order, the overflow as what is about to break.
for (const palette of Object.values(PALETTES)) {
  const colors = Array.from({ length: GRAPH_COLORS - 1 }, (_, color) =>
    fromHue((color * GOLDEN_SECTION) % 1, 0.9, palette.islandLightness[color % 2] - 0.08),
  );
  palette.graphColors = [palette.sleeping, ...colors, palette.strain.at(-1)];
}

/** A body's color as it is now. */
function colorOf(timeline, body, palette) {
  const { kind } = timeline.manifest.bodies[body];
  if (kind !== "dynamic") return palette[kind];
  const island = timeline.island(body);
  if (!timeline.isAwake(body) || island < 0) return palette.sleeping;
  return palette.islands[island % ISLAND_COLORS];
}

function css([red, green, blue, alpha]) {
  return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
}
