import { Gauge, type Registry } from 'prom-client';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { askOnce } from '#platform/runtime/metrics.ts';
import { alarmEveryMs, alarmRepeatMs } from './policy.ts';
import {
  raiseAlarm,
  countDeadLetters,
  deadOrRaised,
  takeNewDeadLetters,
  type DeadLetterCount,
} from './postgres/dead-letters/dead-letter-store.ts';
import type { Queue } from './queue.ts';
import type { DeadLetterAlarm, OperatorChannel } from './operator-channels.ts';

const gauges = [
  { kind: 'ready', name: 'forgewatch_queue_ready', help: 'Messages that wait to be processed' },
  { kind: 'inFlight', name: 'forgewatch_queue_in_flight', help: 'Messages that are being processed' },
  {
    kind: 'oldestSeconds',
    name: 'forgewatch_queue_oldest_seconds',
    help: 'Age of the oldest message in Postgres that was not processed',
  },
  { kind: 'dead', name: 'forgewatch_dead_letters', help: 'Messages that could not be processed' },
] as const;

/** Reads the depth once per scrape. A second registration has no effect: a process may have both roles. */
function registerQueueGauges(metrics: Registry, queue: Pick<Queue, 'depth'>): void {
  if (metrics.getSingleMetric(gauges[0].name) !== undefined) return;
  const read = askOnce(() => queue.depth());
  for (const { kind, name, help } of gauges) {
    const collect = async (): Promise<void> => {
      const depth = await read();
      if (depth !== undefined) gauge.set(depth[kind]);
    };
    const gauge = new Gauge({ name, help, registers: [metrics], collect });
  }
}

export interface AlarmDeps extends Pick<SharedDeps, 'db' | 'log' | 'metrics'> {
  queue: Pick<Queue, 'depth'>;
  channels: readonly OperatorChannel[];
  everyMs?: number;
  /** Called once for each new dead letter, and again when it rejects. Writes to the event logs of the integrations. */
  onNewDeadLetters(added: DeadLetterAlarm): Promise<void>;
}

/**
 * Raises an alarm while dead letters exist, and repeats it hourly: log, metric and the operator's channels.
 * `onNewDeadLetters` receives new dead letters only. Several processes raise one alarm together.
 */
export function makeDeadLetterAlarm(deps: AlarmDeps): Service {
  registerQueueGauges(deps.metrics, deps.queue);
  return repeat(deps.log, 'dead-letter alarm', deps.everyMs ?? alarmEveryMs, async () => {
    if (!(await deps.db.hasRow(deadOrRaised))) return;
    await reportNewDeadLetters(deps);
    const due = await deps.db.withScope('service', (tx) => raiseAlarm(tx, alarmRepeatMs));
    if (due === false) deps.log.info('the dead letters are empty again');
    if (due === true) await raise(deps);
  });
}

async function reportNewDeadLetters({ db, log, onNewDeadLetters }: AlarmDeps): Promise<void> {
  const reported = db.withScope('service', async (tx) => {
    const news = await takeNewDeadLetters(tx);
    if (news.length === 0) return;
    const added = summarise(news);
    log.error({ added }, 'messages went to the dead letters');
    await onNewDeadLetters(added);
  });
  await reported.catch((error: unknown) =>
    log.warn({ err: error }, 'the event log does not know of dead letters yet'),
  );
}

async function raise({ db, log, channels }: AlarmDeps): Promise<void> {
  const alarm = summarise(await db.withScope('service', countDeadLetters));
  log.error({ alarm }, 'messages are in the dead letters: see forgewatch dead-letters list');
  await Promise.all(
    channels.map(({ setting, notify }) =>
      notify(alarm).catch((error: unknown) =>
        log.warn({ err: error }, `${setting} did not take the dead-letter alarm`),
      ),
    ),
  );
}

function summarise(counts: readonly DeadLetterCount[]): DeadLetterAlarm {
  const alarm: DeadLetterAlarm = { count: 0, byReason: {}, byGroup: {} };
  for (const { groupId, reason, count } of counts) {
    alarm.count += count;
    alarm.byReason[reason] = (alarm.byReason[reason] ?? 0) + count;
    alarm.byGroup[groupId] = (alarm.byGroup[groupId] ?? 0) + count;
  }
  return alarm;
}
