/**
 * How well a line explains a failure. The error line of a step is the first one of the highest rank.
 * - `cause`: a tool names what is wrong, for example a failed test or a compiler error.
 * - `message`: a general error message.
 * - `hint`: names what failed, but not why.
 * - `summary`: reports that something before it failed.
 */
export const ranks = { summary: 1, hint: 2, message: 3, cause: 4 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

/** Recognizes an error line of a tool. Expressions are applied to the trimmed line and anchored at its start where possible. */
export interface ErrorRule {
  pattern: RegExp;
  rank: Rank;
  /** Names what failed. The first following line that `detail` matches tells why, within `detailLines`. */
  detail?: RegExp;
  /** Between both in the error line, `: ` unless given. */
  join?: string;
  /** Finds the rest of the error line in the lines before: what failed, or why if no detail follows. */
  before?: { pattern: RegExp; is: 'subject' | 'detail' };
}

/** Lines after a rule's line in which its detail is expected, without empty lines. */
export const detailLines = 6;
