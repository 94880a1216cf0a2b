// Drawing with WebGL2. The outlines go to the graphics card once; each frame sends where the bodies are and their colors,
// as two small textures that the vertex program looks its body up in. Two calls draw all bodies, a third all lines.

const BODY_TEXTURE_WIDTH = 1024;

const BODY_VERTEX_PROGRAM = `#version 300 es
precision highp float;
uniform highp sampler2D places;
uniform lowp sampler2D colors;
uniform vec4 view;
uniform float shade;
in vec2 corner;
in float body;
out lowp vec4 color;
void main() {
  int index = int(body);
  ivec2 cell = ivec2(index % ${BODY_TEXTURE_WIDTH}, index / ${BODY_TEXTURE_WIDTH});
  vec4 place = texelFetch(places, cell, 0);
  vec2 turned = vec2(place.z * corner.x - place.w * corner.y, place.w * corner.x + place.z * corner.y);
  color = texelFetch(colors, cell, 0);
  // A body that is not there is put where nothing is drawn.
  gl_Position = color.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4((place.xy + turned - view.xy) * view.zw, 0.0, 1.0);
  color.rgb *= shade;
}`;

const LINE_VERTEX_PROGRAM = `#version 300 es
precision highp float;
uniform vec4 view;
in vec2 corner;
in vec4 tint;
out lowp vec4 color;
void main() {
  gl_Position = vec4((corner - view.xy) * view.zw, 0.0, 1.0);
  color = tint;
}`;

const FRAGMENT_PROGRAM = `#version 300 es
precision lowp float;
in lowp vec4 color;
out lowp vec4 shown;
void main() {
  shown = vec4(color.rgb * color.a, color.a);
}`;

const PICTURE_VERTEX_PROGRAM = `#version 300 es
precision highp float;
uniform vec4 view;
uniform vec2 size;
in vec2 corner;
in vec2 pixel;
in float opacity;
out vec2 place;
out lowp float shown_part;
void main() {
  gl_Position = vec4((corner - view.xy) * view.zw, 0.0, 1.0);
  place = pixel / size;
  shown_part = opacity;
}`;

const PICTURE_FRAGMENT_PROGRAM = `#version 300 es
precision highp float;
uniform lowp sampler2D image;
in vec2 place;
in lowp float shown_part;
out lowp vec4 shown;
void main() {
  // The image has its transparency multiplied in.
  shown = texture(image, place) * shown_part;
}`;

/** Numbers of one corner of a picture: x, y, its pixel in the image, opacity. */
const PICTURE_CORNER_NUMBERS = 5;

/** A picture's edge is so many pixels within its part, so that rounding shows nothing of the image's next part. */
const PICTURE_INSET = 0.01;

/** Bodies are appended to those that are drawn until so many more than twice those that are there are held. */
const APPENDED_MAX = 100;

/** Bytes of one corner of a line: x, y and four bytes of color. */
const LINE_CORNER_BYTES = 12;

class WebglDrawer {
  /** `null` if there is no WebGL2 here. */
  static on(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, depth: false, stencil: false });
    return gl ? new WebglDrawer(gl) : null;
  }

  /** Whether a graphics card answers. One that the processor plays draws 5,000 boxes a third as fast as Canvas2D does.
   *  Asked of a canvas of its own, since one that has given out a context of one kind gives out no other. */
  static isFast() {
    const gl = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
    if (!gl) return false;
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  }

  constructor(gl) {
    this.name = "WebGL2";
    this.gl = gl;
    this.rows = 0;
    this.places = new Float32Array(0);
    this.colors = new Uint8Array(0);
    this.lineBytes = new ArrayBuffer(0);
    this.fills = null;
    this.edges = null;
    this.prepare();
  }

  /** Draws this timeline from now on; to be called again when its manifest has grown. */
  show(timeline) {
    this.timeline = timeline;
    this.rows = Math.max(1, Math.ceil(timeline.bodyCount / BODY_TEXTURE_WIDTH));
    this.places = withRoom(this.places, 4 * BODY_TEXTURE_WIDTH * this.rows);
    this.colors = withRoom(this.colors, 4 * BODY_TEXTURE_WIDTH * this.rows);
    if (!this.append(timeline)) this.geometry = bodyGeometry(timeline);
    for (const drawn of [this.fills, this.edges]) {
      if (!drawn) continue;
      this.gl.deleteBuffer(drawn.buffer);
      this.gl.deleteVertexArray(drawn.array);
    }
    this.fills = this.bodyArray(Float32Array.from(this.geometry.fills));
    this.edges = this.bodyArray(Float32Array.from(this.geometry.edges));
  }

  /** Sends the images and the pictures that stay to the card, if they are others than before. */
  showPictures(pictures) {
    const { gl } = this;
    if (pictures !== this.pictures) {
      this.textures.forEach((texture) => gl.deleteTexture(texture));
      this.pictures = pictures;
      this.textures = pictures.bitmaps.map((bitmap) => bitmap && this.imageTexture(bitmap));
    }
    const fixed = pictures.fixed(this.timeline);
    if (fixed === this.fixed) return;
    this.fixed = fixed;
    this.fixedRuns = this.sendPictures(this.fixedArray, fixed, gl.DYNAMIC_DRAW);
  }

  imageTexture(bitmap) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE2);
    const texture = dataTexture(gl);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    return texture;
  }

  /** Fills a buffer with pictures. Returns runs of those of one image, in their order: image, first corner, corners. */
  sendPictures({ buffer }, pictures, usage) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, pictureCorners(pictures), usage);
    const runs = [];
    for (const [index, { image }] of pictures.entries()) {
      if (runs.at(-1)?.image === image) runs.at(-1).count += 6;
      else runs.push({ image, first: 6 * index, count: 6 });
    }
    return runs;
  }

  drawPictures({ array }, runs, view) {
    const { gl } = this;
    const { program, uniforms } = this.pictureProgram;
    gl.useProgram(program);
    gl.uniform4fv(uniforms.view, view);
    gl.uniform1i(uniforms.image, 2);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindVertexArray(array);
    for (const { image, first, count } of runs) {
      const { width, height } = this.pictures.bitmaps[image];
      gl.uniform2f(uniforms.size, width, height);
      gl.bindTexture(gl.TEXTURE_2D, this.textures[image]);
      gl.drawArrays(gl.TRIANGLES, first, count);
    }
  }

  /** A buffer of pictures, and how it is read. */
  pictureArray() {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const stride = 4 * PICTURE_CORNER_NUMBERS;
    attribute(gl, this.pictureProgram, "corner", 2, gl.FLOAT, stride, 0);
    attribute(gl, this.pictureProgram, "pixel", 2, gl.FLOAT, stride, 8);
    attribute(gl, this.pictureProgram, "opacity", 1, gl.FLOAT, stride, 16);
    return { array, buffer };
  }

  /** Adds the new bodies to those that are drawn, if they lie above all others and not most of these are gone. */
  append(timeline) {
    const { geometry } = this;
    const { bodies } = timeline.manifest;
    if (geometry?.timeline !== timeline || geometry.count > 2 * geometry.there + APPENDED_MAX) return false;
    if (bodies.slice(geometry.end).some(({ kind }) => kind !== "dynamic")) return false;
    for (; geometry.end < bodies.length; geometry.end++) addBody(geometry, geometry.end);
    geometry.there = timeline.isThere.reduce((sum, one) => sum + one, 0);
    return true;
  }

  /** Makes everything that lives on the card; also after the card was lost. */
  prepare() {
    const { gl } = this;
    this.bodyProgram = linkProgram(gl, BODY_VERTEX_PROGRAM, ["places", "colors", "view", "shade"]);
    this.lineProgram = linkProgram(gl, LINE_VERTEX_PROGRAM, ["view"]);
    this.pictureProgram = linkProgram(gl, PICTURE_VERTEX_PROGRAM, ["view", "size", "image"], PICTURE_FRAGMENT_PROGRAM);
    [this.fixedArray, this.attachedArray] = [this.pictureArray(), this.pictureArray()];
    [this.pictures, this.textures, this.fixed, this.fixedRuns] = [null, [], null, []];
    [this.fills, this.edges] = [null, null];
    if (this.timeline) this.show(this.timeline);
    this.lineBuffer = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    attribute(gl, this.lineProgram, "corner", 2, gl.FLOAT, LINE_CORNER_BYTES, 0);
    attribute(gl, this.lineProgram, "tint", 4, gl.UNSIGNED_BYTE, LINE_CORNER_BYTES, 8);
    this.placesTexture = dataTexture(gl);
    this.colorsTexture = dataTexture(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** A vertex array of corners, three numbers each: x, y, body. */
  bodyArray(numbers) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    attribute(gl, this.bodyProgram, "corner", 2, gl.FLOAT, 12, 0);
    attribute(gl, this.bodyProgram, "body", 1, gl.FLOAT, 12, 8);
    return { array, buffer, count: numbers.length / 3 };
  }

  draw({ camera, palette, lines, pictures }) {
    const { gl } = this;
    const view = [camera.x, camera.y, (2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height];
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...palette.ground.map((part) => part / 255));
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.sendBodies(palette);
    const all = [this.fills.count, this.edges.count];
    if (pictures) {
      const statics = this.geometry.statics;
      this.showPictures(pictures);
      this.drawBodies([0, 0], statics, palette, view);
      this.drawPictures(this.fixedArray, this.fixedRuns, view);
      this.drawBodies(statics, all, palette, view);
      const attached = this.sendPictures(this.attachedArray, pictures.attached(this.timeline), gl.STREAM_DRAW);
      this.drawPictures(this.attachedArray, attached, view);
    } else {
      this.drawBodies([0, 0], all, palette, view);
    }
    this.drawLines(lines, camera, view);
  }

  /** Draws bodies from one place among the corners of fills and edges up to another one. */
  drawBodies(from, to, palette, view) {
    const { gl } = this;
    const { program, uniforms } = this.bodyProgram;
    gl.useProgram(program);
    gl.uniform1i(uniforms.places, 0);
    gl.uniform1i(uniforms.colors, 1);
    gl.uniform4fv(uniforms.view, view);
    gl.uniform1f(uniforms.shade, 1);
    gl.bindVertexArray(this.fills.array);
    gl.drawArrays(gl.TRIANGLES, from[0], to[0] - from[0]);
    gl.uniform1f(uniforms.shade, palette.edge);
    gl.bindVertexArray(this.edges.array);
    gl.drawArrays(gl.LINES, from[1], to[1] - from[1]);
  }

  sendBodies(palette) {
    const { gl, timeline, places, colors } = this;
    for (let body = 0; body < timeline.bodyCount; body++) {
      const at = 4 * body;
      colors[at + 3] = 0;
      if (!timeline.isThere[body]) continue;
      const angle = timeline.angle(body);
      places[at] = timeline.x(body);
      places[at + 1] = timeline.y(body);
      places[at + 2] = Math.cos(angle);
      places[at + 3] = Math.sin(angle);
      const [red, green, blue, alpha] = colorOf(timeline, body, palette);
      colors[at] = red;
      colors[at + 1] = green;
      colors[at + 2] = blue;
      colors[at + 3] = alpha;
    }
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.placesTexture);
    const [width, height] = [BODY_TEXTURE_WIDTH, this.rows];
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, places);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.colorsTexture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, colors);
  }

  drawLines(lines, camera, view) {
    if (lines.count === 0) return;
    const { gl } = this;
    const bytes = this.lineCorners(lines, 1 / camera.scale);
    gl.useProgram(this.lineProgram.program);
    gl.uniform4fv(this.lineProgram.uniforms.view, view);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STREAM_DRAW);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * lines.count);
  }

  /** Each line as two triangles; the card's own lines are one pixel wide everywhere. */
  lineCorners(lines, pixel) {
    const size = 6 * LINE_CORNER_BYTES * lines.count;
    if (this.lineBytes.byteLength < size) this.lineBytes = new ArrayBuffer(2 * size);
    const floats = new Float32Array(this.lineBytes);
    const bytes = new Uint8Array(this.lineBytes);
    let at = 0;
    const corner = (x, y, color) => {
      floats[at] = x;
      floats[at + 1] = y;
      bytes.set(color, 4 * at + 8);
      at += 3;
    };
    for (let line = 0; line < lines.count; line++) {
      const [x1, y1, x2, y2, width] = lines.numbers.subarray(LINE_WIDTH * line, LINE_WIDTH * line + LINE_WIDTH);
      const length = Math.hypot(x2 - x1, y2 - y1);
      const half = 0.5 * width * pixel;
      const [along, up] = length > 0 ? [((x2 - x1) / length) * half, ((y2 - y1) / length) * half] : [half, 0];
      const color = lines.colors[line];
      const back = [x1 - along, y1 - up];
      const front = [x2 + along, y2 + up];
      corner(back[0] - up, back[1] + along, color);
      corner(back[0] + up, back[1] - along, color);
      corner(front[0] + up, front[1] - along, color);
      corner(back[0] - up, back[1] + along, color);
      corner(front[0] + up, front[1] - along, color);
      corner(front[0] - up, front[1] + along, color);
    }
    return bytes.subarray(0, size);
  }
}

/** The triangles and edges of all bodies that may be drawn, those that never move first, so that they lie below. */
function bodyGeometry(timeline) {
  const { bodies } = timeline.manifest;
  const geometry = { timeline, fills: [], edges: [], statics: [0, 0], end: bodies.length, count: 0, there: bodies.length };
  for (const kind of ["static", "kinematic", "dynamic"]) {
    for (const [body, { kind: own }] of bodies.entries()) {
      if (own === kind && !timeline.isGone(body)) addBody(geometry, body);
    }
    if (kind === "static") geometry.statics = [geometry.fills.length / 3, geometry.edges.length / 3];
  }
  return geometry;
}

function addBody(geometry, body) {
  const { timeline, fills, edges } = geometry;
  geometry.count++;
  for (const shape of timeline.manifest.bodies[body].shapes) addOutline(timeline.outlines[shape], body, fills, edges);
}

/** A fan of triangles and a loop of edges; a round shape gets a spoke, so that it is seen to turn. */
function addOutline(points, body, fills, edges) {
  const count = points.length / 2;
  const corner = (index) => [points[2 * (index % count)], points[2 * (index % count) + 1], body];
  for (let index = 1; index + 1 < count; index++) fills.push(...corner(0), ...corner(index), ...corner(index + 1));
  for (let index = 0; index < count; index++) edges.push(...corner(index), ...corner(index + 1));
  if (count === EDGES_PER_TURN) {
    const [from, across] = [corner(0), corner(count / 2)];
    edges.push((from[0] + across[0]) / 2, (from[1] + across[1]) / 2, body, ...from);
  }
}

/** Two triangles for each picture. */
function pictureCorners(pictures) {
  const numbers = new Float32Array(6 * PICTURE_CORNER_NUMBERS * pictures.length);
  let at = 0;
  for (const picture of pictures) {
    const corners = cornersOf(picture);
    const [left, top, width, height] = picture.part;
    const [right, low] = [left + width - PICTURE_INSET, top + height - PICTURE_INSET];
    const [inLeft, inTop] = [left + PICTURE_INSET, top + PICTURE_INSET];
    const pixels = [[inLeft, inTop], [right, inTop], [right, low], [inLeft, low]];
    for (const corner of [0, 3, 2, 0, 2, 1]) {
      numbers.set([...corners[corner], ...pixels[corner], picture.opacity], at);
      at += PICTURE_CORNER_NUMBERS;
    }
  }
  return numbers;
}

function linkProgram(gl, vertexSource, uniformNames, fragmentSource = FRAGMENT_PROGRAM) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexSource], [gl.FRAGMENT_SHADER, fragmentSource]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`the drawing program does not link: ${gl.getProgramInfoLog(program)}`);
  }
  const uniforms = {};
  for (const name of uniformNames) uniforms[name] = gl.getUniformLocation(program, name);
  return { program, uniforms };
}

function attribute(gl, { program }, name, size, type, stride, offset) {
  const location = gl.getAttribLocation(program, name);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, type, type === gl.UNSIGNED_BYTE, stride, offset);
}

function dataTexture(gl) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}
