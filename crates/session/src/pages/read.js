// Getting the recording out of the page: base64, DEFLATE, and the numbers that the recorder writes (frames/bytes.rs).

/** The bytes that a script element holds as base64 of a DEFLATE stream. */
async function bytesOf(id) {
  const text = document.getElementById(id).textContent.trim();
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads numbers from bytes, one after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get isAtEnd() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Seven bits a byte, the low ones first; the high bit says that more follow. */
  number() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = this.bytes[this.at++];
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }

  /** 0, 1, 2, 3 stand for 0, -1, 1, -2. */
  signed() {
    const value = this.number();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Calls back with each number of an ascending list, which is written as gaps. */
  ascending(visit) {
    let least = 0;
    for (let count = this.number(); count > 0; count--) {
      const value = least + this.number();
      visit(value);
      least = value + 1;
    }
  }
}
