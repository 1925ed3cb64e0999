import { hash } from 'node:crypto';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { parseEvent, type MonitoringEvent, type ReceivedEvent } from '#server/events/parsing/parse-event.ts';

/** Payloads with only what a test names and what keys and order need. Times are seconds after `epoch`. */

export const integrationId = '11111111-1111-4111-8111-111111111111';
export const epoch = Date.UTC(2026, 0, 5, 10, 0, 0);

type Extra = Record<string, unknown>;

/** A repository with an id of its own: the forge's ids tell repositories apart, not their names. */
export function repositoryOf(full_name: string) {
  const id = full_name === 'acme/site' ? 7 : 1000 + (hash('sha256', full_name, 'buffer').readUInt32BE() % 1_000_000);
  return { id, full_name, default_branch: 'main' };
}

const repository = repositoryOf('acme/site');

export function runPayload(run: Extra = {}, rest: Extra = {}) {
  return {
    action: 'any',
    repository,
    workflow_run: { id: 100, run_attempt: 1, status: 'queued', created_at: at(0), updated_at: at(0), ...run },
    ...rest,
  };
}

export function jobPayload(job: Extra = {}, rest: Extra = {}) {
  return {
    action: 'any',
    repository,
    workflow_job: {
      id: 200,
      run_id: 100,
      run_attempt: 1,
      status: 'queued',
      name: 'build',
      created_at: at(0),
      ...job,
    },
    ...rest,
  };
}

export function pullRequestPayload(pull: Extra = {}, rest: Extra = {}) {
  return {
    action: 'any',
    repository,
    number: 5,
    pull_request: { number: 5, state: 'open', title: 'One', updated_at: at(0), ...pull },
    ...rest,
  };
}

export function reviewPayload(review: Extra = {}, rest: Extra = {}) {
  return {
    action: 'any',
    repository,
    review: { id: 300, state: 'commented', submitted_at: at(0), ...review },
    pull_request: { number: 5 },
    ...rest,
  };
}

export function deploymentPayload(status: Extra = {}, deployment: Extra = {}, rest: Extra = {}) {
  return {
    action: 'any',
    repository,
    deployment_status: { id: 400, state: 'success', created_at: at(0), updated_at: at(0), ...status },
    deployment: { id: 40, sha: 'a'.repeat(40), ref: 'main', environment: 'production', ...deployment },
    ...rest,
  };
}

export function at(seconds: number): string {
  return new Date(epoch + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** A version-1 UUID as GitHub makes it, which carries the time; `node` tells two of one time apart. */
export function deliveryIdAt(seconds: number, node = 0): string {
  const ticks = (BigInt(epoch + seconds * 1000) * 10_000n + 122_192_928_000_000_000n)
    .toString(16)
    .padStart(15, '0');
  return `${ticks.slice(7)}-${ticks.slice(3, 7)}-1${ticks.slice(0, 3)}-8000-${node.toString(16).padStart(12, '0')}`;
}

/** The event, delivered `deliveredAt` seconds after `epoch`. Throws when it does not parse. */
export function eventOf(eventType: QueuedEvent, payload: unknown, deliveredAt = 0): MonitoringEvent {
  const deliveryId = deliveryIdAt(deliveredAt);
  return parsedEvent({ eventType, integrationId, deliveryId, receivedAt: epoch, payload });
}

type GivenEvent = Pick<ReceivedEvent, 'eventType' | 'integrationId' | 'payload'> & Partial<ReceivedEvent>;

/** The event of a payload, without a time of delivery unless it is given. Throws when it does not parse. */
export function parsedEvent(given: GivenEvent): MonitoringEvent {
  const result = parseEvent({ deliveryId: null, receivedAt: 0, ...given });
  if (!result.ok) throw new Error(result.detail);
  return result.event;
}
