import { Type, type Static } from 'typebox';
import { LogSpan } from './failure-reason.ts';
import { roles } from '../members/roles.ts';
import { nullable, strictObject } from '../base/schema.ts';

/** Longer logs are kept up to here. */
export const maxLogBytes = 100 * 1024 * 1024;
export const mostLogLines = 5_000_000;
/** Sections and error lines that are listed of one log. */
export const mostSections = 2_000;
export const mostErrorLines = 1_000;
/** Matching lines that one search lists. */
export const mostMatches = 10_000;

const lineNumber = Type.Integer({ minimum: 1, maximum: mostLogLines });

/** Lines that belong together, with both ends. */
const Section = Type.Object({
  kind: Type.Enum(['step', 'group']),
  title: Type.String(),
  from: Type.Integer(),
  to: Type.Integer(),
});
export type LogSection = Static<typeof Section>;

/** The log of a job, without its lines. */
export const JobLog = Type.Object({
  /**
   * `waiting`: the forge has no log of the job yet. `reading`: more lines arrive from the forge. `live`: all lines so far of a job that
   * runs. `complete`: all lines.
   */
  state: Type.Enum(['waiting', 'reading', 'live', 'complete']),
  /** Lines count from 1. */
  lines: Type.Integer(),
  /** As the forge sent it. */
  bytes: Type.Integer(),
  /** What is missing: the end that the forge did not send (`end`), or what is longer than 100 MiB or 5,000,000 lines (`limit`). */
  missing: nullable(Type.Enum(['end', 'limit'])),
  /** When to ask again. Null when the log does not change. */
  pollAfterMs: nullable(Type.Integer()),
  /** Steps, and the groups in them, in their order. Empty until some lines are read. */
  sections: Type.Array(Section),
  /** Numbers of lines that report an error. */
  errorLines: Type.Array(Type.Integer()),
});
export type JobLog = Static<typeof JobLog>;

const Line = Type.Object({
  /** At most 5,000 characters. */
  text: Type.String(),
  /** The same text in colours. Absent for a line without any. */
  spans: Type.Optional(Type.Array(LogSpan)),
  /** To the second, in UTC. Absent when the forge does not tell. */
  time: Type.Optional(Type.String()),
});
export type JobLogLine = Static<typeof Line>;

export const JobLogLinesQuery = strictObject({
  /** The number of the first line. */
  from: Type.Optional(Type.Integer({ ...lineNumber, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
});
export type JobLogLinesQuery = Static<typeof JobLogLinesQuery>;

/** Consecutive lines of a log with colours, and with secrets masked. */
export const JobLogLines = Type.Object({
  from: Type.Integer(),
  lines: Type.Array(Line),
  /** Of the whole log as far as it is read. */
  total: Type.Integer(),
});
export type JobLogLines = Static<typeof JobLogLines>;

export const JobLogSearchQuery = strictObject({
  /** In any case. */
  q: Type.String({ minLength: 1, maxLength: 255 }),
});

export const JobLogMatches = Type.Object({
  /** Numbers of the lines that contain the text, at most 10,000. */
  lines: Type.Array(Type.Integer()),
  /** There are more. */
  isCut: Type.Boolean(),
  /** Lines that were searched. */
  searched: Type.Integer(),
});
export type JobLogMatches = Static<typeof JobLogMatches>;

export const JobLogTextQuery = strictObject({
  from: Type.Optional(lineNumber),
  /** With the escape sequences of colours. */
  colour: Type.Optional(Type.Boolean()),
});

/** The lowest role that may read the logs of jobs. */
export const LogAccess = strictObject({ role: Type.Enum([...roles]) });
export type LogAccess = Static<typeof LogAccess>;
