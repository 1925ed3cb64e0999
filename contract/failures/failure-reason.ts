import { Type, type Static } from 'typebox';

/** Colours of a log. Black and white are the colours of the page, because it has a light and a dark theme. */
const logColours = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'grey'] as const;
export type LogColour = (typeof logColours)[number];

/** A part of a line in one colour. The text of a line is the texts of its spans together. */
export const LogSpan = Type.Object({
  text: Type.String(),
  colour: Type.Optional(Type.Enum([...logColours])),
  bold: Type.Optional(Type.Literal(true)),
});
export type LogSpan = Static<typeof LogSpan>;

const Line = Type.Object({
  spans: Type.Array(LogSpan),
  /** The line reports an error. Other lines are the context of one. */
  isError: Type.Optional(Type.Literal(true)),
});
export type LogLine = Static<typeof Line>;

/** A failed step. */
const Step = Type.Object({ number: Type.Integer(), name: Type.String() });
export type FailedStep = Static<typeof Step>;

/** Consecutive lines of a log, without timestamps and with secrets masked. */
const Excerpt = Type.Object({
  /** Null when the log does not show to which step the lines belong. */
  step: Type.Union([Step, Type.Null()]),
  /** Number of the first line in the log of the job. Lines count from 1. */
  firstLine: Type.Integer(),
  /** Number of the first line in the log of the step, for a link to the forge. Null when the start of the step is unknown. */
  firstLineOfStep: Type.Union([Type.Integer(), Type.Null()]),
  lines: Type.Array(Line),
});
export type LogExcerpt = Static<typeof Excerpt>;

export const mostOtherSubjects = 20;

const infrastructureFaults = [
  'runner_lost',
  'no_runner',
  'action_download',
  'payment',
  'timeout',
  'disk_full',
  'rate_limit',
  'registry',
  'network',
] as const;
export type InfrastructureFault = (typeof infrastructureFaults)[number];

/** Why a job failed, as its log and annotations tell. */
export const FailureReason = Type.Object({
  /** The first failed step. */
  step: Type.Union([Step, Type.Null()]),
  /** The line that represents the failure: plain text, secrets masked, at most 500 characters. Null when nothing tells. */
  errorLine: Type.Union([Type.String(), Type.Null()]),
  /** The test, file, package, target or annotation that the error line names. Null when it names none. */
  subject: Type.Union([Type.String(), Type.Null()]),
  /** What else failed in the job, in the form of the subject: at most `mostOtherSubjects`. */
  otherSubjects: Type.Array(Type.String()),
  /** In the order of the log, at most 64 KiB as JSON. */
  excerpts: Type.Array(Excerpt),
  /** The failure is caused by the machine, the network or a registry, and not by the code. */
  infrastructure: Type.Union([Type.Enum([...infrastructureFaults]), Type.Null()]),
  /** The part of the log that was not read: `start` of a large log, `end` when the forge did not send all of it. */
  missing: Type.Union([Type.Enum(['start', 'end']), Type.Null()]),
});
export type FailureReason = Static<typeof FailureReason>;
