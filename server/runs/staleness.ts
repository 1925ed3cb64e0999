/**
 * Which of two events about one object is newer, as bytes of a fixed width that compare like the rules of the table in
 * the design: most significant rule first. Stored with each row; an event with the same bytes as its row is stale.
 */
export type Version = Buffer;

const statusRanks = new Map([
  ['requested', 0],
  ['queued', 1],
  ['pending', 1],
  ['waiting', 1],
  ['in_progress', 2],
  ['completed', 3],
]);

/** A status nobody has told us of waits, as far as we know. */
const unknownRank = 1;

/** Where a status stands in a life; `completed` is 3. */
export function statusRank(status: string): number {
  return statusRanks.get(status) ?? unknownRank;
}

const reviewRanks = new Map([
  ['pending', 0],
  ['dismissed', 2],
]);

interface RunOrder {
  attempt: number;
  status: string;
  updatedAtMs: number | null;
  deliveredAt: bigint;
}

/** Attempt; completed or not; `updated_at`; status rank; delivery time. */
export function runVersion({ attempt, status, updatedAtMs, deliveredAt }: RunOrder): Version {
  const rank = statusRank(status);
  const version = Buffer.allocUnsafe(20);
  version.writeUInt32BE(attempt, 0);
  version.writeUInt8(rank === 3 ? 1 : 0, 4);
  version.writeUIntBE(updatedAtMs ?? 0, 5, 6);
  version.writeUInt8(rank, 11);
  version.writeBigUInt64BE(deliveredAt, 12);
  return version;
}

/** The version of a run as it would be in another attempt. */
export function withAttempt(version: Version, attempt: number): Version {
  const other = Buffer.from(version);
  other.writeUInt32BE(attempt, 0);
  return other;
}

/** When the event of a run or job was delivered; every version ends with it. */
export function deliveryOf(version: Version): bigint {
  return version.readBigUInt64BE(version.length - 8);
}

interface JobOrder {
  status: string;
  deploymentUpdatedAtMs: number | null;
  deliveredAt: bigint;
}

/** Completed, in progress, everything before; before: the deployment's `updated_at`; delivery time. */
export function jobVersion({ status, deploymentUpdatedAtMs, deliveredAt }: JobOrder): Version {
  const rank = Math.max(1, statusRank(status));
  const version = Buffer.allocUnsafe(15);
  version.writeUInt8(rank, 0);
  version.writeUIntBE(rank === 1 ? (deploymentUpdatedAtMs ?? 0) : 0, 1, 6);
  version.writeBigUInt64BE(deliveredAt, 7);
  return version;
}

/** `updated_at`; delivery time. */
export function pullRequestVersion(updatedAtMs: number | null, deliveredAt: bigint): Version {
  const version = Buffer.allocUnsafe(14);
  version.writeUIntBE(updatedAtMs ?? 0, 0, 6);
  version.writeBigUInt64BE(deliveredAt, 6);
  return version;
}

/** `updated_at`, else `submitted_at`; state rank; delivery time. */
export function reviewVersion(
  changedAtMs: number | null,
  state: string | null,
  deliveredAt: bigint,
): Version {
  const version = Buffer.allocUnsafe(15);
  version.writeUIntBE(changedAtMs ?? 0, 0, 6);
  version.writeUInt8(reviewRanks.get(state ?? '') ?? 1, 6);
  version.writeBigUInt64BE(deliveredAt, 7);
  return version;
}

/** Why an event changed nothing that lists show; shown to people who look for it. */
export type StaleReason =
  | 'same_event'
  /** It changed an earlier attempt of its run, which counts and is shown with the run. */
  | 'earlier_attempt_updated'
  | 'older_attempt'
  | 'already_completed'
  | 'older_update'
  | 'earlier_status'
  | 'earlier_delivery';

/** Where each rule begins in a version, and what it means to lose by it. */
const runRules: [number, StaleReason][] = [
  [0, 'older_attempt'],
  [4, 'already_completed'],
  [5, 'older_update'],
  [11, 'earlier_status'],
  [12, 'earlier_delivery'],
];
const jobRules: [number, StaleReason][] = [
  [0, 'earlier_status'],
  [1, 'older_update'],
  [7, 'earlier_delivery'],
];
const pullRequestRules: [number, StaleReason][] = [
  [0, 'older_update'],
  [6, 'earlier_delivery'],
];
const reviewRules: [number, StaleReason][] = [
  [0, 'older_update'],
  [6, 'earlier_status'],
  [7, 'earlier_delivery'],
];
const rules = {
  workflow_run: runRules,
  workflow_job: jobRules,
  pull_request: pullRequestRules,
  pull_request_review: reviewRules,
};

/** The rule by which `incoming` lost to `stored`. */
export function staleReason(type: keyof typeof rules, stored: Version, incoming: Version): StaleReason {
  const byte = stored.findIndex((value, index) => value !== incoming[index]);
  if (byte < 0) return 'same_event';
  if (type === 'workflow_job' && byte === 0 && stored[0] === 3) return 'already_completed';
  return rules[type].findLast(([start]) => start <= byte)?.[1] ?? 'same_event';
}
