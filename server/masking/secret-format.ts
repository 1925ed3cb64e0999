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
  /** Without one, the secret is a word. */
  hasDigit?: boolean;
}

/** Not inside a longer word, or after an escaped character. */
export const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\(?:[nrt]|u[0-9a-fA-F]{4})))`;
