/** Limits for untrusted JSON. Nesting costs stack, and a parsed value takes many times its bytes. */
export interface JsonLimits {
  depth: number;
  /** Objects, arrays and scalars together, without field names. */
  values: number;
}

/** Limits for webhooks. The largest events of a forge stay far below them. */
export const jsonLimits: JsonLimits = { depth: 64, values: 250_000 };

/** Larger JSON is parsed in a thread. Up to this size parsing blocks the event loop for a few milliseconds at most. */
export const inlineJsonBytes = 256 * 1024;

export type JsonVerdict = 'ok' | 'invalid' | 'too_deep' | 'too_many_values';

// Expected next token.
const value = 0;
const valueOrEnd = 1;
const nameOrEnd = 2;
const name = 3;
const commaOrEnd = 4;

/**
 * Checks whether `JSON.parse` accepts the bytes and whether the result stays within the limits. One pass without
 * recursion, up to the first fault. Invalid UTF-8 inside strings is accepted, because decoders replace it.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits = jsonLimits): JsonVerdict {
  const closers = new Uint8Array(limits.depth);
  let depth = 0;
  let values = 0;
  let expected = value;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    if (isWhiteSpace(byte)) {
      at += 1;
      continue;
    }
    if (expected === commaOrEnd) {
      if (byte === 0x2c && depth > 0) expected = closers[depth - 1] === 0x7d ? name : value;
      else if (depth > 0 && byte === closers[depth - 1]) depth -= 1;
      else return 'invalid';
      at += 1;
    } else if (byte === 0x22) {
      at = endOfString(bytes, at);
      if (expected === name || expected === nameOrEnd) {
        while (at < bytes.length && at > 0 && isWhiteSpace(bytes[at]!)) at += 1;
        if (bytes[at] !== 0x3a) return 'invalid';
        at += 1;
        expected = value;
      } else {
        values += 1;
        expected = commaOrEnd;
      }
    } else if ((byte === 0x5d && expected === valueOrEnd) || (byte === 0x7d && expected === nameOrEnd)) {
      depth -= 1;
      at += 1;
      expected = commaOrEnd;
    } else if (expected > valueOrEnd) {
      return 'invalid';
    } else {
      values += 1;
      if (byte === 0x7b || byte === 0x5b) {
        if (depth === limits.depth) return 'too_deep';
        // In ASCII the closing bracket is two after the opening one, for both kinds.
        closers[depth] = byte + 2;
        depth += 1;
        at += 1;
        expected = byte === 0x7b ? nameOrEnd : valueOrEnd;
      } else {
        at =
          byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? endOfNumber(bytes, at) : endOfLiteral(bytes, at);
        expected = commaOrEnd;
      }
    }
    if (at < 0) return 'invalid';
    if (values > limits.values) return 'too_many_values';
  }
  return depth === 0 && expected === commaOrEnd ? 'ok' : 'invalid';
}

// Tokens of JSON (RFC 8259). Each function returns the index after the token at `at`, or -1 if it is invalid.

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A string, starting at its opening quote. */
function endOfString(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  for (let next = at + 1; next < end; next += 1) {
    const byte = bytes[next]!;
    if (byte === 0x22) return next + 1;
    if (byte < 0x20) return -1;
    if (byte === 0x5c) {
      const escaped = bytes[++next];
      if (escaped === 0x75) {
        for (let digit = 0; digit < 4; digit += 1) if (!isHexDigit(bytes[++next])) return -1;
      } else if (!isEscape(escaped)) {
        return -1;
      }
    }
  }
  return -1;
}

/** Characters allowed after a backslash, except `u`: `"\/bfnrt`. */
function isEscape(byte: number | undefined): boolean {
  switch (byte) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

function isHexDigit(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** A number: no leading zeros, digits on both sides of the point, no plus sign. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let next = at;
  if (bytes[next] === 0x2d) next += 1;
  const integer = next;
  next = afterDigits(bytes, next);
  if (next === integer || (bytes[integer] === 0x30 && next > integer + 1)) return -1;
  if (bytes[next] === 0x2e) {
    const fraction = next + 1;
    next = afterDigits(bytes, fraction);
    if (next === fraction) return -1;
  }
  if (bytes[next] === 0x65 || bytes[next] === 0x45) {
    next += 1;
    if (bytes[next] === 0x2b || bytes[next] === 0x2d) next += 1;
    const exponent = next;
    next = afterDigits(bytes, exponent);
    if (next === exponent) return -1;
  }
  return next;
}

function afterDigits(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length && isDigit(bytes[next])) next += 1;
  return next;
}

const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word));

function endOfLiteral(bytes: Uint8Array, at: number): number {
  const word = literals.find(([first]) => first === bytes[at]);
  if (word === undefined) return -1;
  for (let index = 1; index < word.length; index += 1) if (bytes[at + index] !== word[index]) return -1;
  return at + word.length;
}
