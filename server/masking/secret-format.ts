/** A form of secrets. */
export interface SecretFormat {
  name: string;
  /** Every match contains one of these literals, of at least three characters, at this distance from its start. */
  anchors: readonly string[];
  offset?: number;
  /** The anchors are in lower case and stand for any. */
  ignoresCase?: boolean;
  /**
   * Sticky: tried only where an anchor is. It compares a bounded number of characters there before it fails: an unbounded class is
   * last. With a group, only the group is the secret.
   */
  pattern: RegExp;
  /** Rejects most places in less time. Formats with the same test are tested once. */
  mayMatch?: (text: string, at: number) => boolean;
  /** False for what a match found and is an ordinary word. */
  isSecret?: (text: string) => boolean;
}

/** Not inside a longer word, or after an escaped character. */
export const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\(?:[nrt]|u[0-9a-fA-F]{4})))`;

/** Longest name with what is around it in an element of XML. */
const longestName = 80;

/** True when the first character after a name can stand between a name and its value. */
export function endsBefore(name: RegExp, separator: RegExp): (text: string, at: number) => boolean {
  const charsOf = (chars: RegExp): Uint8Array =>
    Uint8Array.from({ length: 128 }, (_, code) => Number(chars.test(String.fromCharCode(code))));
  const [ofName, ofSeparator] = [charsOf(name), charsOf(separator)];
  return (text, at) => {
    const end = Math.min(text.length, at + longestName);
    let index = at;
    while (index < end && ofName[text.charCodeAt(index)] === 1) index++;
    return ofSeparator[text.charCodeAt(index)] === 1;
  };
}
