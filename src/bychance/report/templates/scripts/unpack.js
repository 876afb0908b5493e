// The page's own data: base 64 → gzip → a JSON header and typed arrays (see pack.py).

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};

/** The bytes that the element's text stands for. */
async function bytesOf(id) {
  const text = document.getElementById(id).textContent;
  const packed = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The summary, its arrays in place; one of two dimensions is a list of its rows. */
async function unpack(id) {
  const buffer = await bytesOf(id);
  const length = new DataView(buffer).getUint32(0, true);
  const header = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const start = Math.ceil((4 + length) / 8) * 8;
  return JSON.parse(header, (key, value) => (value?.$array ? arrayAt(buffer, start, value.$array) : value));
}

function arrayAt(buffer, start, [type, offset, length, width]) {
  const array = new ARRAYS[type](buffer, start + offset, length);
  if (!width) return array;
  return Array.from({ length: length / width }, (_, k) => array.subarray(k * width, (k + 1) * width));
}
