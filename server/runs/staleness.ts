/**
 * Orders the events of one object: bytes of a fixed width, compared from the first byte, most significant rule first. Stored
 * with each row. An event with the same bytes as its row is stale.
 */
export type Version = Buffer;

/** Why an event did not change its object. Shown on the page of deliveries. */
export type StaleReason =
  | 'same_event'
  /** The event changed an earlier attempt, which counts in the metrics and is shown on the run page. */
  | 'earlier_attempt_updated'
  | 'older_attempt'
  | 'already_completed'
  | 'older_update'
  | 'earlier_status'
  | 'earlier_delivery'
  /** Retention has removed runs of its time. */
  | 'past_retention';

/**
 * The first byte of each rule in a version, and the reason when the event loses by this rule. A function receives the stored
 * version.
 */
export type StaleRules = readonly (readonly [
  byte: number,
  reason: StaleReason | ((stored: Version) => StaleReason),
])[];

/** The rule by which `incoming` is older than `stored`. */
export function staleReason(rules: StaleRules, stored: Version, incoming: Version): StaleReason {
  const byte = stored.findIndex((value, index) => value !== incoming[index]);
  const reason = rules.findLast(([start]) => start <= byte)?.[1] ?? 'same_event';
  return typeof reason === 'function' ? reason(stored) : reason;
}

const statusRanks = new Map([
  ['requested', 0],
  ['queued', 1],
  ['pending', 1],
  ['waiting', 1],
  ['in_progress', 2],
  ['completed', 3],
]);

/** An unknown status counts as waiting. */
const unknownRank = 1;

/** The order of statuses in a lifecycle. `completed` is 3. */
export function statusRank(status: string): number {
  return statusRanks.get(status) ?? unknownRank;
}

interface RunOrder {
  attempt: number;
  status: string;
  updatedAtMs: number | null;
  deliveredAt: bigint;
}

/** Order: attempt; completed or not, see `settledRun`; `updated_at`; status rank; delivery time. */
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

export const runStaleRules: StaleRules = [
  [0, 'older_attempt'],
  [4, 'already_completed'],
  [5, 'older_update'],
  [11, 'earlier_status'],
  [12, 'earlier_delivery'],
];

const settledRanks = { superseded: 2, timed_out: 3 } as const;

/**
 * The version of a completed run whose conclusion was found out later. It outranks whatever the forge sends about the same attempt, so
 * that a repeated or late event cannot bring the first conclusion back.
 */
export function settledRun(version: Version, as: keyof typeof settledRanks): Version {
  const settled = Buffer.from(version);
  settled.writeUInt8(settledRanks[as], 4);
  return settled;
}

export function isSettledRun(version: Version): boolean {
  return version[4]! > 1;
}

/** The same of a job. */
export function settledJob(version: Version): Version {
  const settled = Buffer.from(version);
  settled.writeUInt8(4, 0);
  return settled;
}

/** The version of a run with another attempt. */
export function withAttempt(version: Version, attempt: number): Version {
  const other = Buffer.from(version);
  other.writeUInt32BE(attempt, 0);
  return other;
}

/** The delivery time of a run's or job's event. Each version ends with it. */
export function deliveryOf(version: Version): bigint {
  return version.readBigUInt64BE(version.length - 8);
}

interface JobOrder {
  status: string;
  deploymentUpdatedAtMs: number | null;
  deliveredAt: bigint;
}

/** Order: completed, in progress, anything before; before the start also the deployment's `updated_at`; delivery time. */
export function jobVersion({ status, deploymentUpdatedAtMs, deliveredAt }: JobOrder): Version {
  const rank = Math.max(1, statusRank(status));
  const version = Buffer.allocUnsafe(15);
  version.writeUInt8(rank, 0);
  version.writeUIntBE(rank === 1 ? (deploymentUpdatedAtMs ?? 0) : 0, 1, 6);
  version.writeBigUInt64BE(deliveredAt, 7);
  return version;
}

export const jobStaleRules: StaleRules = [
  [0, (stored) => (stored[0]! >= 3 ? 'already_completed' : 'earlier_status')],
  [1, 'older_update'],
  [7, 'earlier_delivery'],
];

/** Order: `updated_at`; delivery time. */
export function updateVersion(updatedAtMs: number | null, deliveredAt: bigint): Version {
  const version = Buffer.allocUnsafe(14);
  version.writeUIntBE(updatedAtMs ?? 0, 0, 6);
  version.writeBigUInt64BE(deliveredAt, 6);
  return version;
}

export const updateStaleRules: StaleRules = [
  [0, 'older_update'],
  [6, 'earlier_delivery'],
];
