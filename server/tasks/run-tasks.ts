import type { Database } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { coalesce } from '#platform/runtime/tasks/coalesce.ts';
import { makeFailureLog, type FailureLog } from '#platform/runtime/tasks/failure-log.ts';
import { keepRenewed } from '#platform/runtime/tasks/keep-renewed.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import {
  claimTasks,
  finishTask,
  renewTasks,
  rescheduleTask,
  type FreePlaces,
  type LeasedTask,
} from './store.ts';
import { TurnEnded, type Task, type TaskKind, type Turn, type TurnEnd } from './task.ts';

type OfKind = Pick<Task, 'integrationId' | 'kind'>;

interface SlowList {
  add(task: OfKind): void;
  entries(): OfKind[];
}

const keptMs = minuteMs;
/** Beyond it the oldest are forgotten: their next turn begins in a quick place again. */
const mostEntries = 1_000;

/** The integrations whose turns were slow lately, as this process saw it. Each process learns it with one turn. */
function makeSlowList(now: () => number = () => performance.now()): SlowList {
  const until = new Map<string, OfKind & { at: number }>();
  return {
    add: ({ integrationId, kind }) => {
      const id = `${kind} ${integrationId}`;
      until.delete(id);
      until.set(id, { integrationId, kind, at: now() + keptMs });
      const [oldest] = until.keys();
      if (until.size > mostEntries && oldest !== undefined) until.delete(oldest);
    },
    entries: () => {
      // The oldest come first.
      for (const [id, { at }] of until) {
        if (at > now()) break;
        until.delete(id);
      }
      return [...until.values()];
    },
  };
}

/** If a process dies, another one continues after this time. */
const usualLease = { ms: minuteMs, renewEveryMs: 20_000 };

export interface TaskRunnerDeps extends Pick<SharedDeps, 'db' | 'log' | 'listener'> {
  lease?: typeof usualLease;
}

/** Finds tasks whose time has come, and those whose notification was lost. */
const pollMs = 1_000;
const leastPauseMs = 20;
const defaultQuickMs = 1_000;

interface Running {
  task: LeasedTask;
  kind: TaskKind;
  isSlow: boolean;
  ending: AbortController;
  done: Promise<void>;
}

/**
 * Runs the tasks of all integrations. Any number of processes share the work. A turn begins in a quick place and moves to a slow one
 * when it takes long, so a stranger waits at most for the quick part of other turns, however many servers hang.
 */
export function makeTaskRunner(deps: TaskRunnerDeps, kinds: readonly TaskKind[]): Service {
  const { db, log, listener, lease = usualLease } = deps;
  const running = new Set<Running>();
  const slow = makeSlowList();
  const stopping = new AbortController();
  const failures = makeFailureLog(log, { message: 'tasks not claimed' });
  const turnLogs = makeTurnLogs(log);
  const claims = coalesce(leastPauseMs, () => failures.watch(claim(), stopping.signal));
  listener.on('task_due', claims.request);
  listener.onConnect(claims.request);
  const poll = repeat(log, 'tasks', pollMs, async () => claims.request());
  let endRenewals = async (): Promise<void> => {};

  async function claim(): Promise<void> {
    while (!stopping.signal.aborted) {
      const free = kinds
        .map((kind) => freePlaces(kind, running))
        .filter(({ quick, slow: more }) => quick > 0 || more > 0);
      if (free.length === 0) return;
      const claimed = await db.withScope('service', (tx) =>
        claimTasks(tx, free, { busy: tasksOf(running), slow: slow.entries(), leaseMs: lease.ms }),
      );
      if (claimed.length === 0) return;
      claimed.forEach(start);
    }
  }

  function start(task: LeasedTask): void {
    const one = beginTurn(
      { db, log, turnLogs },
      kinds.find(({ name }) => name === task.kind)!,
      task,
      {
        slow: () => {
          slow.add(one.task);
          if (moveToSlow(one, running)) claims.request();
        },
        done: () => {
          running.delete(one);
          claims.request();
        },
      },
    );
    running.add(one);
  }

  return {
    name: 'tasks',
    start: async () => {
      endRenewals = keepRenewed(lease.renewEveryMs, () => renewLeases(db, running, lease.ms));
      await poll.start();
    },
    stop: async () => {
      stopping.abort();
      await poll.stop();
      await claims.idle();
      await endTurns(running);
      await endRenewals();
    },
  };
}

/** True when a quick place became free. */
function moveToSlow(one: Running, running: Iterable<Running>): boolean {
  if (one.isSlow) return false;
  const { givesWay, slowPlaces } = one.kind;
  // A request to another server that is on its way must not be repeated. What is claimed never uses the places beyond.
  const most = givesWay ? slowPlaces : 2 * slowPlaces;
  if (freePlaces({ ...one.kind, slowPlaces: most }, running).slow > 0) return (one.isSlow = true);
  if (givesWay) one.ending.abort(new TurnEnded('gave-way'));
  return false;
}

async function endTurns(running: ReadonlySet<Running>): Promise<void> {
  for (const { ending } of running) ending.abort(new TurnEnded('stopping'));
  await Promise.all([...running].map(({ done }) => done));
}

function tasksOf(running: Iterable<Running>): LeasedTask[] {
  return [...running].map(({ task }) => task);
}

async function renewLeases(db: Database, running: Iterable<Running>, leaseMs: number): Promise<void> {
  const tasks = tasksOf(running);
  if (tasks.length > 0) await db.withScope('service', (tx) => renewTasks(tx, tasks, leaseMs));
}

function freePlaces(
  { name, quickPlaces, slowPlaces, perIntegration }: TaskKind,
  running: Iterable<Running>,
): FreePlaces {
  const own = [...running].filter(({ kind }) => kind.name === name);
  const slowTurns = own.filter(({ isSlow }) => isSlow).length;
  return {
    kind: name,
    quick: Math.max(0, quickPlaces - (own.length - slowTurns)),
    slow: Math.max(0, slowPlaces - slowTurns),
    perIntegration,
  };
}

interface TurnDeps extends Pick<TaskRunnerDeps, 'db' | 'log'> {
  turnLogs: TurnLogs;
}

function beginTurn(
  deps: TurnDeps,
  kind: TaskKind,
  task: LeasedTask,
  on: { slow(): void; done(): void },
): Running {
  const ending = new AbortController();
  const quickMs = kind.quickMs ?? defaultQuickMs;
  const startedAt = performance.now();
  const quickTimer = setTimeout(on.slow, quickMs);
  const longTimer = setTimeout(() => ending.abort(new TurnEnded('too-long')), kind.longestMs);
  const turn: Turn = { signal: ending.signal, isLong: () => performance.now() - startedAt > quickMs / 2 };
  const done = runTurn(deps, kind, task, turn)
    .catch((error: unknown) => deps.log.warn({ err: error, kind: kind.name }, 'task not rescheduled'))
    .finally(() => {
      clearTimeout(quickTimer);
      clearTimeout(longTimer);
      on.done();
    });
  return { task, kind, isSlow: task.isSlow, ending, done };
}

async function runTurn(
  { db, turnLogs }: TurnDeps,
  kind: TaskKind,
  task: LeasedTask,
  turn: Turn,
): Promise<void> {
  const { integrationId } = task;
  let end: TurnEnd;
  try {
    end = await kind.handle(task, turn);
  } catch (error) {
    const reason = endOf(turn.signal);
    // The next turn continues: in a slow place, or in another process.
    if (reason === 'gave-way' || reason === 'stopping') return settle(db, task, { again: 0 });
    const { waitMs, error: text } = kind.planRetry(error, task.failures);
    turnLogs.failed(task, error, waitMs);
    return db.withScope({ integrationId }, (tx) => rescheduleTask(tx, task, waitMs, text));
  }
  // A turn that was ended early reports no success.
  const wasEnded = endOf(turn.signal) !== undefined;
  if (!wasEnded) turnLogs.succeeded(task);
  const error = typeof end === 'object' ? end.error : null;
  await settle(db, task, end, error ?? (wasEnded ? undefined : null));
}

function endOf({ aborted, reason }: AbortSignal): TurnEnded['reason'] | undefined {
  return aborted && reason instanceof TurnEnded ? reason.reason : undefined;
}

async function settle(db: Database, task: LeasedTask, end: TurnEnd, error?: string | null): Promise<void> {
  if (end === 'settled') return;
  await db.withScope({ integrationId: task.integrationId }, (tx) =>
    end === 'done' ? finishTask(tx, task) : rescheduleTask(tx, task, end.again, error),
  );
}

interface TurnLogs {
  failed(task: Task, error: unknown, waitMs: number): void;
  succeeded(task: Task): void;
}

/** Beyond it the log that was used longest ago is forgotten, and its next failure begins a new series. */
const mostLogs = 1_000;

/** One log of failures for each kind and integration, so that neither many tasks nor many attempts fill the log. */
function makeTurnLogs(log: Log): TurnLogs {
  const logs = new Map<string, FailureLog>();
  const idOf = ({ kind, integrationId }: Task): string => `${kind} ${integrationId}`;
  return {
    failed: (task, error, waitMs) => {
      const { kind, integrationId, key } = task;
      const id = idOf(task);
      const known =
        logs.get(id) ??
        makeFailureLog(log, { message: 'task failed, will retry', facts: { kind, integrationId } });
      logs.delete(id);
      logs.set(id, known);
      const [oldest] = logs.keys();
      if (logs.size > mostLogs && oldest !== undefined) logs.delete(oldest);
      known.failed(error, { key, waitMs });
    },
    succeeded: (task) => logs.get(idOf(task))?.succeeded(),
  };
}
