// Getting the engine's module and programs out of the page: text of seven bits a letter, and LZMA (pages/dense.rs). A browser
// inflates by itself, but a module is a quarter smaller this way.

/** The bytes of a text; two bytes of UTF-8 hold fourteen bits where seven would make a letter that HTML does not keep. */
function bytesOfText(text) {
  const unsafe = [0, 13, 60];
  const bytes = new Uint8Array(2 * text.length);
  let [length, bits, held] = [0, 0, 0];
  const take = (seven) => {
    bits = (bits << 7) | seven;
    held += 7;
    if (held < 8) return;
    held -= 8;
    bytes[length++] = bits >> held;
    bits &= (1 << held) - 1;
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter >= 0x100) take(unsafe[(letter >> 7) - 2]);
    take(letter & 0x7f);
  }
  return bytes.subarray(0, length);
}

/** The range coder: bits whose probabilities follow from the bits before them. */
class Bits {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.code = ((bytes[at + 1] << 24) | (bytes[at + 2] << 16) | (bytes[at + 3] << 8) | bytes[at + 4]) >>> 0;
    this.at = at + 5;
    this.range = 0xffffffff;
  }

  normalize() {
    if (this.range >= 0x1000000) return;
    this.range = (this.range << 8) >>> 0;
    this.code = ((this.code << 8) | this.bytes[this.at++]) >>> 0;
  }

  /** A bit by the probability that it is 0, which it changes. */
  bit(odds, place) {
    const bound = (this.range >>> 11) * odds[place];
    const isSet = this.code >= bound;
    if (isSet) {
      this.range -= bound;
      this.code -= bound;
      odds[place] -= odds[place] >> 5;
    } else {
      this.range = bound;
      odds[place] += (2048 - odds[place]) >> 5;
    }
    this.normalize();
    return isSet ? 1 : 0;
  }

  /** A number of so many bits, the high ones first. */
  tree(odds, from, count) {
    let node = 1;
    while (node < 1 << count) node = 2 * node + this.bit(odds, from + node);
    return node - (1 << count);
  }

  /** The same with the low ones first. */
  reverseTree(odds, from, count) {
    let [node, number] = [1, 0];
    for (let place = 0; place < count; place++) {
      const bit = this.bit(odds, from + node);
      node = 2 * node + bit;
      number |= bit << place;
    }
    return number;
  }

  /** So many bits that are 0 as often as 1. */
  plain(count) {
    let number = 0;
    for (; count > 0; count--) {
      this.range >>>= 1;
      const isSet = this.code >= this.range;
      if (isSet) this.code -= this.range;
      number = 2 * number + (isSet ? 1 : 0);
      this.normalize();
    }
    return number;
  }
}

const evenOdds = (count) => new Uint16Array(count).fill(1024);

/** The length of a match: 2 to 273. */
class Lengths {
  constructor() {
    this.odds = evenOdds(2 + 8 + 8 + 256);
  }

  next(bits) {
    if (!bits.bit(this.odds, 0)) return 2 + bits.tree(this.odds, 2, 3);
    if (!bits.bit(this.odds, 1)) return 10 + bits.tree(this.odds, 10, 3);
    return 18 + bits.tree(this.odds, 18, 8);
  }
}

/** How far back a new match lies, less one. */
class Distances {
  constructor() {
    this.slots = evenOdds(4 * 64);
    this.middle = evenOdds(128);
    this.low = evenOdds(16);
  }

  next(bits, length) {
    const slot = bits.tree(this.slots, 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << count;
    if (slot < 14) return base + bits.reverseTree(this.middle, base - slot, count);
    return base + 16 * bits.plain(count - 4) + bits.reverseTree(this.low, 0, 4);
  }
}

/** A byte that is no part of a match. After a match, the byte that would have continued it helps to foretell it. */
function literal(bits, odds, before, continued) {
  const from = 0x300 * (before >> 5);
  let node = 1;
  while (continued >= 0 && node < 0x100) {
    const expected = (continued >> 7) & 1;
    continued <<= 1;
    const bit = bits.bit(odds, from + 0x100 * (1 + expected) + node);
    node = 2 * node + bit;
    if (bit !== expected) break;
  }
  while (node < 0x100) node = 2 * node + bits.bit(odds, from + node);
  return node;
}

/** Which of the last four distances is meant; it becomes the first of them. False for a match of a single byte. */
function repeat(bits, odds, state, last) {
  if (!bits.bit(odds.isSecond, state)) return bits.bit(odds.isLong, state) === 1;
  const which = !bits.bit(odds.isThird, state) ? 1 : 2 + bits.bit(odds.isFourth, state);
  last.unshift(...last.splice(which, 1));
  return true;
}

/** The bytes that four bytes of their number and an LZMA stream with three bits of context stand for. */
function unpacked(packed) {
  const out = new Uint8Array(new DataView(packed.buffer, packed.byteOffset).getUint32(0, true));
  const bits = new Bits(packed, 4);
  const names = ["isMatch", "isRepeat", "isSecond", "isLong", "isThird", "isFourth"];
  const odds = Object.fromEntries(names.map((name) => [name, evenOdds(12)]));
  const [literals, fresh, repeated, distances] = [evenOdds(8 * 0x300), new Lengths(), new Lengths(), new Distances()];
  const last = [0, 0, 0, 0];
  let [state, at] = [0, 0];
  while (at < out.length) {
    if (!bits.bit(odds.isMatch, state)) {
      out[at] = literal(bits, literals, at > 0 ? out[at - 1] : 0, state < 7 ? -1 : out[at - last[0] - 1]);
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      at += 1;
      continue;
    }
    let length = 1;
    const wasLiteral = state < 7;
    if (!bits.bit(odds.isRepeat, state)) {
      length = fresh.next(bits);
      last.pop();
      last.unshift(distances.next(bits, length));
      state = wasLiteral ? 7 : 10;
    } else if (repeat(bits, odds, state, last)) {
      length = repeated.next(bits);
      state = wasLiteral ? 8 : 11;
    } else {
      state = wasLiteral ? 9 : 11;
    }
    if (last[0] >= at) throw new Error("the engine in this page is damaged");
    for (const end = Math.min(at + length, out.length); at < end; at++) out[at] = out[at - last[0] - 1];
  }
  return out;
}
