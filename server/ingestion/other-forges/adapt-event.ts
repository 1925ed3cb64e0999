import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { forgejoStatusOf, runEventOfForgejo, timeOf } from '#server/forges/gitea/adapt-forgejo.ts';
import { jobFromGitea, runFromGitea } from '#server/forges/gitea/adapt-gitea.ts';
import { fields, isFields, type Fields } from '#platform/runtime/json-fields.ts';

export interface Delivery {
  /** The forge's name of the event. */
  eventName: string;
  forge: Forge | undefined;
  deliveryId: string;
  receivedAt: Date;
}

interface Adapter {
  eventType: QueuedEvent;
  adapt(payload: Fields, delivery: Delivery): Fields;
}

/** Forges that reuse GitHub's event names with different payloads. */
export type Forge = 'gitea' | 'forgejo';

/** Forgejo sends Gitea's header as well. GitHub sends neither. */
export function forgeOf(headers: IncomingHttpHeaders): Forge | undefined {
  if (headers['x-forgejo-event'] !== undefined) return 'forgejo';
  return headers['x-gitea-event'] === undefined ? undefined : 'gitea';
}

/** Events of Gitea and Forgejo that GitHub does not have (docs/other-forges.md), by event name. */
const adapters: Record<string, Adapter> = {
  action_run_success: { eventType: 'workflow_run', adapt: runFromForgejo },
  action_run_failure: { eventType: 'workflow_run', adapt: runFromForgejo },
  action_run_recover: { eventType: 'workflow_run', adapt: runFromForgejo },
  pull_request_approved: { eventType: 'pull_request_review', adapt: reviewWithState('approved') },
  pull_request_rejected: { eventType: 'pull_request_review', adapt: reviewWithState('changes_requested') },
  pull_request_comment: { eventType: 'pull_request_review', adapt: reviewWithState('commented') },
};
/** Events with GitHub's names but other payloads. */
const dialects: Record<Forge, Record<string, Adapter>> = {
  gitea: {
    workflow_run: { eventType: 'workflow_run', adapt: runFromGitea },
    workflow_job: { eventType: 'workflow_job', adapt: jobFromGitea },
  },
  forgejo: { workflow_job: { eventType: 'workflow_job', adapt: jobFromForgejo } },
};

export const adaptedEvents = Object.keys(adapters);

/** The adapter that a delivery needs. Undefined for GitHub's format. */
export function adapterOf({ eventName, forge }: Pick<Delivery, 'eventName' | 'forge'>): Adapter | undefined {
  const known = forge === undefined ? adapters : { ...adapters, ...dialects[forge] };
  return Object.hasOwn(known, eventName) ? known[eventName] : undefined;
}

/** The payload in GitHub's format. A payload that is not an object is returned unchanged; the worker rejects it. */
export function adaptPayload(adapter: Adapter, payload: unknown, delivery: Delivery): unknown {
  return isFields(payload) ? adapter.adapt(payload, delivery) : payload;
}

function runFromForgejo(payload: Fields, { eventName }: Delivery): Fields {
  return runEventOfForgejo(payload, eventName);
}

/** Forgejo's job has one status for both status and conclusion. */
function jobFromForgejo(payload: Fields): Fields {
  const job = fields(payload['workflow_job']);
  const known = forgejoStatusOf(job['status']);
  if (known === undefined) return payload;
  const conclusion = known.conclusion ?? job['conclusion'];
  return {
    ...payload,
    action: known.status,
    workflow_job: {
      ...job,
      status: known.status,
      conclusion,
      created_at: timeOf(job['created_at']),
      started_at: timeOf(job['started_at']),
      completed_at: timeOf(job['completed_at']),
    },
  };
}

/** The payload has no review id or time. Derives the id from the delivery and uses the time of receipt. */
function reviewWithState(state: string) {
  return (payload: Fields, { deliveryId, receivedAt }: Delivery): Fields => {
    const review = fields(payload['review']);
    const digest = createHash('sha256').update(`review\n${deliveryId}`).digest();
    return {
      ...payload,
      action: 'submitted',
      review: {
        // 52 bits fit a JSON number exactly. Never 0.
        id: Number(digest.readBigUInt64BE() >> 12n) + 1,
        state,
        body: review['content'],
        user: payload['sender'],
        commit_id: fields(fields(payload['pull_request'])['head'])['sha'],
        html_url: fields(payload['pull_request'])['html_url'],
        submitted_at: receivedAt.toISOString(),
      },
    };
  };
}
