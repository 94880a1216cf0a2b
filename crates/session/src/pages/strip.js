// The strip over time: a row each for step time, islands, awake bodies and contacts, and a line where the film stands.
// The rows are drawn once for each size and theme; a frame draws them as one picture and the line over it.

const STRIP_ROWS = [
  { name: "step", column: "step_us", label: "step", show: (value) => `${(value / 1000).toFixed(2)} ms` },
  { name: "islands", column: "islands", label: "islands", show: String },
  { name: "awake", column: "awake", label: "awake", show: String },
  { name: "contacts", column: "contacts", label: "contacts", show: String },
];

/** A phone's strip leaves less room for words. */
const STRIP_LABEL_WIDTH = 118;
const STRIP_LABEL_WIDTH_SMALL = 96;

class Strip {
  constructor(canvas, figures, rows = STRIP_ROWS) {
    this.rows = rows;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.figures = figures;
    this.picture = document.createElement("canvas");
    /** The number of the first frame that the columns tell of. */
    this.first = 0;
    this.width = 1;
    this.height = 1;
  }

  get frameCount() {
    return this.figures.step_us.length;
  }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.labelWidth = width < 600 ? STRIP_LABEL_WIDTH_SMALL : STRIP_LABEL_WIDTH;
    // The slider above begins where the rows do.
    document.documentElement.style.setProperty("--label-width", `${this.labelWidth}px`);
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
  }

  /** The row of the columns at a place of the strip, from its left edge in pixels. */
  rowAt(left) {
    const share = (left - this.labelWidth) / Math.max(1, this.width - this.labelWidth);
    return Math.round(Math.max(0, Math.min(1, share)) * (this.frameCount - 1));
  }

  frameAt(left) {
    return this.first + this.rowAt(left);
  }

  leftOf(frame) {
    return this.labelWidth + ((this.width - this.labelWidth) * (frame - this.first)) / Math.max(1, this.frameCount - 1);
  }

  /** Draws the rows anew. */
  paint(palette) {
    this.palette = palette;
    const context = this.picture.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (this.frameCount === 0) return;
    const height = this.height / this.rows.length;
    for (const [index, row] of this.rows.entries()) {
      this.paintRow(context, this.figures[row.column], palette.strip[row.name], index * height, height);
    }
  }

  /** One row: the largest value of each column of pixels, as an area. */
  paintRow(context, values, color, top, height) {
    // One very long step would flatten all others: what is above the 99.5th percentile is cut off.
    const sorted = Uint32Array.from(values).sort();
    const most = Math.max(1, sorted[Math.floor(0.995 * (sorted.length - 1))]);
    const base = top + height - 2;
    const room = height - 5;
    context.strokeStyle = this.palette.strip.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(this.labelWidth, base + 0.5);
    context.lineTo(this.width, base + 0.5);
    context.stroke();
    context.beginPath();
    context.moveTo(this.labelWidth, base);
    for (let left = this.labelWidth; left <= this.width; left++) {
      const [from, to] = [this.rowAt(left - 0.5), this.rowAt(left + 0.5)];
      let value = 0;
      for (let frame = from; frame <= to; frame++) value = Math.max(value, values[frame]);
      context.lineTo(left, base - room * Math.min(1, value / most));
    }
    context.lineTo(this.width, base);
    context.closePath();
    context.globalAlpha = 0.3;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.stroke();
  }

  draw(frame) {
    const { context, palette } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const height = this.height / this.rows.length;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [index, row] of this.rows.entries()) {
      const middle = (index + 0.5) * height;
      context.textAlign = "left";
      context.fillStyle = palette.quiet;
      context.fillText(row.label, 0, middle);
      context.textAlign = "right";
      context.fillStyle = palette.text;
      context.fillText(row.show(this.figures[row.column][frame - this.first] ?? 0), this.labelWidth - 8, middle);
    }
    context.fillStyle = palette.text;
    context.fillRect(this.leftOf(frame) - 0.75, 0, 1.5, this.height);
  }
}
