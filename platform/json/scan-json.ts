import { endOfLiteral, endOfNumber, endOfString, isWhiteSpace } from './json-tokens.ts';

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
