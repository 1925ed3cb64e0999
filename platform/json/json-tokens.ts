/** Tokens of JSON (RFC 8259). Each function returns the index after the token at `at`, or -1 if it is invalid. */

export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A string, starting at its opening quote. */
export function endOfString(bytes: Uint8Array, at: number): number {
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
export function endOfNumber(bytes: Uint8Array, at: number): number {
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

export function endOfLiteral(bytes: Uint8Array, at: number): number {
  const word = literals.find(([first]) => first === bytes[at]);
  if (word === undefined) return -1;
  for (let index = 1; index < word.length; index += 1) if (bytes[at + index] !== word[index]) return -1;
  return at + word.length;
}
