// The painted mask, at the resolution of the picture: one bit per pixel, in the rows of a 1-bit gray PNG. So it
// does not suffer from smoothing or from the noise that some browsers add to canvas data, and 8192 by 8192 pixels
// take 8 MiB.

export class Mask {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.stride = (width + 7) >> 3;
    this.bits = new Uint8Array(this.stride * height);
    this.before = null; // rows as they were before the change that is under way
    this.extent = null; // nothing beyond it is set
    this.version = 0; // another one after each change
  }

  row(y) {
    return this.bits.subarray(y * this.stride, (y + 1) * this.stride);
  }

  get(x, y) {
    return (this.bits[y * this.stride + (x >> 3)] >> (7 - (x & 7))) & 1;
  }

  get empty() {
    return this.extent === null || this.bits.every((b) => b === 0);
  }

  // begin starts a change; end returns the changed rows as they were before.
  begin() {
    this.before = new Map();
  }

  end() {
    const rows = this.before ?? new Map();
    this.before = null;
    for (const [y, old] of rows) {
      if (old.every((b, i) => b === this.bits[y * this.stride + i])) rows.delete(y);
    }
    return rows;
  }

  // swap exchanges the rows with those in the map.
  swap(rows) {
    this.version++;
    for (const [y, old] of rows) {
      rows.set(y, this.row(y).slice());
      this.row(y).set(old);
      this.grow(0, y, this.width, y + 1);
    }
  }

  clear() {
    for (let y = 0; y < this.height; y++) this.keep(y);
    this.bits.fill(0);
    this.extent = null;
    this.version++;
  }

  // stroke draws with a round brush from the centre of one pixel to that of another; both may be outside.
  stroke(from, to, diameter, on) {
    const r = diameter / 2;
    const [ax, ay, bx, by] = [from.x + 0.5, from.y + 0.5, to.x + 0.5, to.y + 0.5];
    const first = Math.max(0, Math.ceil(Math.min(ay, by) - r - 0.5));
    const last = Math.min(this.height - 1, Math.floor(Math.max(ay, by) + r - 0.5));
    for (let y = first; y <= last; y++) {
      const [low, high] = across(ax, ay, bx, by, r, y + 0.5);
      this.span(y, Math.ceil(low - 0.5), Math.floor(high - 0.5) + 1, on);
    }
  }

  // span sets the pixels of a row in a half-open range.
  span(y, start, end, on) {
    start = Math.max(0, start);
    end = Math.min(this.width, end);
    if (start >= end) return;
    this.keep(y);
    this.version++;
    if (on) this.grow(start, y, end, y + 1);
    const row = this.row(y);
    const [first, last] = [start >> 3, (end - 1) >> 3];
    const head = 0xff >> (start & 7);
    const tail = (0xff << (7 - ((end - 1) & 7))) & 0xff;
    const put = (i, bits) => (row[i] = on ? row[i] | bits : row[i] & ~bits);
    if (first === last) {
      put(first, head & tail);
      return;
    }
    put(first, head);
    row.fill(on ? 0xff : 0, first + 1, last);
    put(last, tail);
  }

  keep(y) {
    if (this.before && !this.before.has(y)) this.before.set(y, this.row(y).slice());
  }

  grow(xmin, ymin, xmax, ymax) {
    const e = (this.extent ??= { xmin, ymin, xmax, ymax });
    e.xmin = Math.min(e.xmin, xmin);
    e.ymin = Math.min(e.ymin, ymin);
    e.xmax = Math.max(e.xmax, xmax);
    e.ymax = Math.max(e.ymax, ymax);
  }

  // png returns the mask as a PNG of the picture's size: opaque, white is marked, black is not.
  async png() {
    const raw = new Uint8Array((this.stride + 1) * this.height); // each row after its filter, 0
    for (let y = 0; y < this.height; y++) raw.set(this.row(y), y * (this.stride + 1) + 1);
    const packed = new Blob([raw]).stream().pipeThrough(new CompressionStream("deflate"));
    const header = new DataView(new ArrayBuffer(13));
    header.setUint32(0, this.width);
    header.setUint32(4, this.height);
    header.setUint8(8, 1); // bit a pixel, gray, the only ways to pack and filter, not interlaced
    return new Blob(
      [
        new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        chunk("IHDR", new Uint8Array(header.buffer)),
        chunk("IDAT", new Uint8Array(await new Response(packed).arrayBuffer())),
        chunk("IEND", new Uint8Array(0)),
      ],
      { type: "image/png" },
    );
  }

  // load adds the white pixels of a picture of the same size.
  async load(blob) {
    const picture = await createImageBitmap(blob);
    try {
      if (picture.width !== this.width || picture.height !== this.height) {
        throw new RangeError("the mask is not of the picture's size");
      }
      const strip = document.createElement("canvas"); // some browsers have no canvas as large as the whole
      strip.width = this.width;
      strip.height = Math.min(128, this.height);
      const context = strip.getContext("2d", { willReadFrequently: true });
      for (let top = 0; top < this.height; top += strip.height) {
        context.clearRect(0, 0, strip.width, strip.height);
        context.drawImage(picture, 0, -top);
        this.add(context.getImageData(0, 0, strip.width, strip.height).data, top, strip.height);
      }
    } finally {
      picture.close();
    }
  }

  add(pixels, top, rows) {
    for (let y = 0; y < rows && top + y < this.height; y++) {
      let start = -1;
      for (let x = 0; x <= this.width; x++) {
        const white = x < this.width && pixels[4 * (y * this.width + x)] > 127;
        if (white && start < 0) start = x;
        if (!white && start >= 0) {
          this.span(top + y, start, x, true);
          start = -1;
        }
      }
    }
  }
}

// across returns the part of a horizontal line within r of the line from a to b; the area is convex, so it is one
// piece.
function across(ax, ay, bx, by, r, y) {
  let [low, high] = [Infinity, -Infinity];
  for (const [x, dy] of [[ax, y - ay], [bx, y - by]]) {
    if (Math.abs(dy) > r) continue;
    const half = Math.sqrt(r * r - dy * dy);
    low = Math.min(low, x - half);
    high = Math.max(high, x + half);
  }
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) return [low, high];
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  // Between the ends: along the line from 0 to its length, and off it by at most r.
  const along = within(ux, (y - ay) * uy, 0, length);
  const off = within(-uy, (y - ay) * ux, -r, r);
  const [from, to] = [Math.max(along[0], off[0]) + ax, Math.min(along[1], off[1]) + ax];
  return from <= to ? [Math.min(low, from), Math.max(high, to)] : [low, high];
}

// within returns the range of x for which a·x + b lies between two values.
function within(a, b, least, most) {
  if (Math.abs(a) < 1e-12) return b >= least && b <= most ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const ends = [(least - b) / a, (most - b) / a];
  return [Math.min(...ends), Math.max(...ends)];
}

// chunk is a part of a PNG.
function chunk(name, data) {
  const all = new Uint8Array(12 + data.length);
  const view = new DataView(all.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) all[4 + i] = name.charCodeAt(i);
  all.set(data, 8);
  view.setUint32(8 + data.length, checksum(all.subarray(4, 8 + data.length)));
  return all;
}

const table = new Uint32Array(256).map((_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

// checksum is the CRC-32 of a PNG's parts.
function checksum(bytes) {
  let sum = 0xffffffff;
  for (const b of bytes) sum = table[(sum ^ b) & 0xff] ^ (sum >>> 8);
  return ~sum >>> 0;
}
