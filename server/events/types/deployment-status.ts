import {
  bigint,
  boolean,
  integer,
  nullable,
  text,
  timestamptz,
  uuid,
} from '#platform/database/rows/column-types.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import { key, newest, version, type RowOf } from '#server/runs/objects/columns.ts';
import { storedObject } from '#server/runs/objects/stored-object.ts';
import type { StaleRules, Version } from '#server/runs/staleness.ts';
import { ticksToMs } from '../parsing/delivery-time.ts';
import {
  id,
  login,
  maxLengths,
  requireFields,
  requireId,
  requireText,
  type Origin,
} from '../parsing/payload-fields.ts';
import { eventType } from './event-type.ts';

const columns = {
  integrationId: key(uuid),
  deploymentId: key(bigint),
  version,
  repository: newest(text),
  environment: newest(nullable(text)),
  isProduction: newest(nullable(boolean)),
  sha: newest(nullable(text)),
  ref: newest(nullable(text)),
  creator: newest(nullable(text)),
  state: newest(nullable(text)),
  updatedAt: newest(timestamptz),
  url: newest(nullable(text)),
  runId: newest(nullable(bigint)),
  attempt: newest(nullable(integer)),
};

/** Each status contains its deployment, and its run if a workflow deploys. */
function parseDeploymentStatus(
  payload: Fields,
  { integrationId, deliveredAt }: Origin,
): RowOf<typeof columns> {
  const status = requireFields(payload['deployment_status'], 'deployment_status');
  const deployment = requireFields(payload['deployment'], 'deployment');
  const repository = requireFields(payload['repository'], 'repository');
  const run = fields(payload['workflow_run']);
  const { production_environment: isProduction } = deployment;
  const statusId = requireId(status['id'], 'deployment_status.id');
  const state = storableText(status['state'], maxLengths.conclusion);
  const updatedAt = timeMs(status['updated_at']) ?? timeMs(status['created_at']);
  return {
    integrationId,
    deploymentId: requireId(deployment['id'], 'deployment.id'),
    version: statusVersion(state, updatedAt, statusId, deliveredAt),
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    // A status may move the deployment to another environment.
    environment:
      storableText(status['environment'], maxLengths.name) ??
      storableText(deployment['environment'], maxLengths.name),
    isProduction: typeof isProduction === 'boolean' ? isProduction : null,
    sha: storableText(deployment['sha'], maxLengths.name),
    ref: storableText(deployment['ref'], maxLengths.name),
    creator: login(deployment['creator']),
    state,
    updatedAt: updatedAt ?? ticksToMs(deliveredAt),
    url:
      storableText(status['log_url'], maxLengths.url) ?? storableText(status['target_url'], maxLengths.url),
    runId: id(run['id']),
    attempt: attemptOf(run),
  };
}

function attemptOf(run: Fields): number | null {
  const attempt = id(run['run_attempt']);
  return attempt === null || attempt > 2 ** 31 - 1 ? null : attempt;
}

/**
 * Order: `inactive` before all others, because it says that a newer deployment took the place of this one and nothing about its success;
 * `updated_at`; id of the status, which forges count up; delivery time.
 */
function statusVersion(
  state: string | null,
  updatedAtMs: number | null,
  statusId: number,
  deliveredAt: bigint,
): Version {
  const bytes = Buffer.allocUnsafe(23);
  bytes.writeUInt8(state === 'inactive' ? 0 : 1, 0);
  bytes.writeUIntBE(updatedAtMs ?? 0, 1, 6);
  bytes.writeBigUInt64BE(BigInt(statusId), 7);
  bytes.writeBigUInt64BE(deliveredAt, 15);
  return bytes;
}

const staleRules: StaleRules = [
  [0, 'already_completed'],
  [1, 'older_update'],
  [7, 'earlier_status'],
  [15, 'earlier_delivery'],
];

export const deploymentStatus = eventType({
  code: 4,
  object: storedObject('deployments', columns),
  parse: parseDeploymentStatus,
  staleRules,
});
