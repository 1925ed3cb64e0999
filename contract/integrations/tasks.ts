import { Type, type Static } from 'typebox';
import { nullable, pageOf, pageQuery, strictObject, Time, Uuid } from '../base/schema.ts';

/** The kinds of background tasks. */
export const taskKinds = {
  'forge-webhooks': { title: 'Update webhooks at the forge' },
  'forge-history': { title: 'Read past runs' },
  'forge-unfinished': { title: 'Check unfinished runs' },
  'forge-logs': {
    title: 'Read logs of failed jobs',
    drop: 'The logs are read with those of the next failed job.',
  },
  'forge-commits': {
    title: 'Read the commits before failures',
    drop: 'The commits are read when somebody opens the failure again.',
  },
  'forge-artifacts': {
    title: 'Read reports of tests in artifacts',
    drop: 'The artifacts are read with those of the next run that completes.',
  },
  'forge-checks': {
    title: 'Read the required checks of branches',
    drop: 'They are read when the next run of a pull request ends.',
  },
  'failure-reasons': { title: 'Find the reasons of failed jobs' },
  'rule-evaluation': { title: 'Evaluate rules about completed runs' },
  'rule-watches': { title: 'Evaluate rules about what did not happen' },
  'weekly-digests': { title: 'Send a weekly digest' },
  'test-durations': { title: 'Compare the durations of tests' },
  'personal-notifications': { title: 'Mail a person about a run' },
  notifications: { title: 'Send a notification' },
  'trace-export': { title: 'Export finished runs as traces' },
  'metric-export': { title: 'Export metrics' },
  'outgoing-webhooks': { title: 'Send webhooks to a receiver' },
} as const satisfies Record<string, TaskKindText>;
export type TaskKindName = keyof typeof taskKinds;

interface TaskKindText {
  /** What a task does. */
  title: string;
  /** What follows when a task is dropped. A kind without it cannot be dropped, because nothing would request the work again. */
  drop?: string;
}

/** Undefined for a kind of a newer version. */
export function textOfKind(kind: string): TaskKindText | undefined {
  return Object.hasOwn(taskKinds, kind) ? taskKinds[kind as TaskKindName] : undefined;
}

const taskStates = ['running', 'waiting', 'scheduled'] as const;
/** `running` has a turn, `waiting` is due and waits for a place, `scheduled` is due later. */
export type TaskState = (typeof taskStates)[number];

/** `failing`: the last turn failed. Such a task is also in one of the states. */
export const taskFilters = ['failing', ...taskStates] as const;
export type TaskFilter = (typeof taskFilters)[number];

export const BackgroundTask = Type.Object({
  taskId: Uuid,
  kind: Type.String(),
  /** What it does, in words. */
  title: Type.String(),
  /** The account or receiver that it works on; null when it is gone. */
  subject: nullable(Type.String()),
  /** A running task can neither be retried nor dropped. */
  state: Type.Enum([...taskStates]),
  requestedAt: Time,
  /** Since when it fails, or waits for a place. Null for others. */
  since: nullable(Time),
  /** When its next turn is due. Null while it runs. */
  nextAt: nullable(Time),
  /** Failed turns in a row. */
  failures: Type.Integer(),
  /** Why the last turn failed, in words. */
  error: nullable(Type.String()),
  /** What follows when it is dropped; null when it cannot be dropped. */
  dropNote: nullable(Type.String()),
});
export type BackgroundTask = Static<typeof BackgroundTask>;

export const BackgroundTaskPage = pageOf(BackgroundTask);
export type BackgroundTaskPage = Static<typeof BackgroundTaskPage>;

const list = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));

export const TaskQuery = strictObject({
  ...pageQuery,
  /** One or more kinds, comma-separated. */
  kind: list,
  /** One or more of `failing`, `running`, `waiting` and `scheduled`, comma-separated. */
  state: list,
});
export type TaskQuery = Static<typeof TaskQuery>;

/** Without `taskIds`, all failing tasks of the integration. */
export const RetryTasksBody = strictObject({
  taskIds: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 1000 })),
});

export const TasksRetried = Type.Object({ retried: Type.Integer() });
export type TasksRetried = Static<typeof TasksRetried>;
