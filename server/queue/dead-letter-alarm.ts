import { Gauge, type Registry } from 'prom-client';
import { request } from 'undici';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { summariseDeadLetters, type DeadLetterCount } from './postgres/dead-letter-store.ts';
import type { Queue } from './queue.ts';

/** What stands in the dead letters. */
export interface DeadLetterAlarm {
  count: number;
  byReason: Record<string, number>;
  byGroup: Record<string, number>;
}

export interface AlarmDeps {
  db: Database;
  queue: Pick<Queue, 'depth'>;
  metrics: Registry;
  log: Log;
  clock: Clock;
  alarmWebhookUrl: string | undefined;
  everyMs?: number;
  /** Told when letters were added, for the event log of the integrations they belong to. */
  onAlarm(alarm: DeadLetterAlarm): Promise<void>;
}

const lookEveryMs = 2_000;
/** While it stands, the alarm is repeated this often. */
const repeatEveryMs = 3_600_000;
const webhookTimeoutMs = 10_000;

/**
 * Raises the alarm when anything is in the dead letters (specification 6.4): log, metric, event log and
 * ALARM_WEBHOOK_URL; again when more is added, and hourly while it stands.
 */
export function makeDeadLetterAlarm(deps: AlarmDeps): Service {
  const gauges = registerGauges(deps.metrics);
  let known = 0;
  let raisedAt = 0;
  return repeat(deps.log, 'dead-letter alarm', deps.everyMs ?? lookEveryMs, async () => {
    const depth = await deps.queue.depth();
    gauges.ready.set(depth.ready);
    gauges.inFlight.set(depth.inFlight);
    gauges.dead.set(depth.dead);
    const isDue = depth.dead > known || (depth.dead > 0 && deps.clock() - raisedAt >= repeatEveryMs);
    if (known > 0 && depth.dead === 0) deps.log.info('the dead letters are empty again');
    known = depth.dead;
    if (!isDue) return;
    raisedAt = deps.clock();
    await raise(deps, summarise(await deps.db.withScope('service', summariseDeadLetters)));
  });
}

async function raise(deps: AlarmDeps, alarm: DeadLetterAlarm): Promise<void> {
  deps.log.error({ alarm }, 'messages are in the dead letters: see forgewatch dead-letters list');
  const told = [
    deps.onAlarm(alarm),
    ...(deps.alarmWebhookUrl === undefined ? [] : [post(deps.alarmWebhookUrl, alarm)]),
  ];
  for (const result of await Promise.allSettled(told)) {
    if (result.status === 'rejected')
      deps.log.warn({ err: result.reason as unknown }, 'the dead-letter alarm did not reach everybody');
  }
}

async function post(url: string, alarm: DeadLetterAlarm): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'dead_letters', ...alarm }),
    headersTimeout: webhookTimeoutMs,
    bodyTimeout: webhookTimeoutMs,
    signal: AbortSignal.timeout(webhookTimeoutMs),
  });
  await body.dump();
  if (statusCode >= 300) throw new Error(`ALARM_WEBHOOK_URL answered ${statusCode}`);
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

function registerGauges(metrics: Registry): Record<'ready' | 'inFlight' | 'dead', Gauge> {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [metrics] });
  return {
    ready: gauge('forgewatch_queue_ready', 'Messages that wait to be processed'),
    inFlight: gauge('forgewatch_queue_in_flight', 'Messages that are being processed'),
    dead: gauge('forgewatch_dead_letters', 'Messages that could not be processed'),
  };
}
