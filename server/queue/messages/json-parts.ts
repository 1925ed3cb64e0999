/**
 * Finds parts of JSON text without parsing the rest, in one pass over the bytes at any nesting depth. The text must be
 * valid JSON. For other text the parts are arbitrary, but lie within it.
 */
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The index behind the value that begins at `at`. */
export function endOfValue(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let next = at; next < bytes.length; next += 1) {
    const byte = bytes[next]!;
    if (byte === quote) {
      next = endOfString(bytes, next) - 1;
      if (depth === 0) return next + 1;
    } else if (byte === openBrace || byte === 0x5b) {
      depth += 1;
    } else if (byte === closeBrace || byte === 0x5d) {
      depth -= 1;
      if (depth <= 0) return depth < 0 ? next : next + 1;
    } else if (depth === 0 && (byte === comma || isSpace(byte))) {
      return next;
    }
  }
  return bytes.length;
}

/** The values of the named fields of an object. The last of several fields with one name wins, as in `JSON.parse`. */
export function fieldsOf(bytes: Buffer, names: readonly string[]): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== openBrace) return found;
  do {
    at = afterSpace(bytes, at + 1);
    if (bytes[at] !== quote) return found;
    const end = endOfString(bytes, at);
    const name = names.find((each) => isName(bytes, at, end, each));
    at = afterSpace(bytes, end);
    if (bytes[at] !== colon) return found;
    const start = afterSpace(bytes, at + 1);
    at = endOfValue(bytes, start);
    if (name !== undefined) found[name] = bytes.subarray(start, at);
    at = afterSpace(bytes, at);
  } while (bytes[at] === comma);
  return found;
}

/** The index behind the string whose opening quote is at `at`. */
function endOfString(bytes: Buffer, at: number): number {
  for (let next = at + 1; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (byte === backslash) next += 1;
    else if (byte === quote) return next + 1;
  }
  return bytes.length;
}

function isName(bytes: Buffer, start: number, end: number, name: string): boolean {
  return end - start === name.length + 2 && bytes.toString('latin1', start + 1, end - 1) === name;
}

function afterSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (isSpace(bytes[next])) next += 1;
  return next;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
