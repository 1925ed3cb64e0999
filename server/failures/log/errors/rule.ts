/**
 * How well a line explains a failure. The error line of a step is the first one of the highest rank.
 * - `cause`: a tool names the test, package or target that failed.
 * - `place`: names a file and what is wrong there.
 * - `message`: a general error message.
 * - `hint`: names what failed, but not why.
 * - `summary`: reports that something before it failed.
 */
export const ranks = { summary: 1, hint: 2, message: 3, place: 4, cause: 5 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

/**
 * Recognizes an error line of a tool. Expressions are applied to the trimmed line and anchored at its start where possible. The group
 * `subject` is what failed: a test, file, package or target; the group `file` precedes it in its name. The group `message` is what the line says, by default all of it.
 */
export interface ErrorRule {
  pattern: RegExp;
  rank: Rank;
  /** The first following line that it matches tells why. Its group `subject` names what failed. */
  detail?: RegExp;
  /** Following lines in which the detail is expected, without empty lines. Default: `detailLines`. */
  within?: number;
  /** Between both in the error line, `: ` unless given. */
  join?: string;
  /** The rank until the detail is found, where a line is no report without it. */
  alone?: Rank;
  /** More deeply indented lines that follow at once and end with a colon belong to the subject. */
  nested?: true;
  /** Finds the rest of the error line in the lines before. */
  before?: Before;
}

interface Before {
  pattern: RegExp;
  /** The line before it must match. */
  after?: RegExp;
  /** What failed, a part of its name, or why if no detail follows. */
  is: 'subject' | 'file' | 'detail';
}

/** Lines after a rule's line in which its detail is expected, without empty lines. */
export const detailLines = 6;
