/** The limits and intervals of alerts, with their reasons. */
export interface AlertPolicy {
  /** A batch starts the evaluation immediately. This sweep finds waiting jobs and completions of a process that died. */
  sweepEveryMs: number;
  /** Completions that are evaluated in one transaction. */
  evaluateAtOnce: number;
  /** Integrations that one process evaluates at the same time. */
  evaluationLanes: number;
  /** Completions of a reconciliation or a replay that are older than this are not notified. */
  newsMs: number;
  /**
   * How long a completed job waits while its run is unknown. Forges report a run when it starts, so almost no job waits. If
   * the webhook does not send runs, every job waits and is then evaluated with its own branch name.
   */
  awaitRunMs: number;
  /**
   * How long a job waits for the names of its run. Forgejo reports a run when it completes, and its jobs without workflow or
   * branch. This is the longest time that forges allow for a job, and well within `newsMs`.
   */
  awaitNamesMs: number;
  /** How often rules about what did not happen are evaluated for an integration. */
  watchEveryMs: number;
  /** How often a process looks for integrations that are due. */
  claimWatchesEveryMs: number;
  /** How long a notification waits for the other jobs of a matrix, so that it contains their number. */
  gatherMs: number;
  /**
   * How long a notification, or a rule about failure groups, waits for the reason of a failed job, since the job was stored. Most logs are read
   * within seconds; a forge that does not answer delays nothing for longer.
   */
  awaitReasonMs: number;
  sendEveryMs: number;
  /** Notifications that are sent at once by one process, and for one integration, so that a slow receiver delays only its own. */
  sendAtOnce: number;
  sendAtOncePerIntegration: number;
  /** The lease is extended while a notification is sent. When its process dies, another one sends it after this time. */
  sendLeaseMs: number;
  /**
   * Notification mails of an integration per day; each address counts. This is enough for ten people and 50 incidents with
   * their recoveries. A team with more incidents should use a chat channel.
   */
  maxMailsPerDay: number;
  /** Notification mails to an address per day: one every seven minutes is more than anyone reads. */
  maxMailsToAddressPerDay: number;
  /** How long notifications and incidents are kept after their last change. */
  keepDays: number;
}

export const alertPolicy: AlertPolicy = {
  sweepEveryMs: 2_000,
  evaluateAtOnce: 200,
  evaluationLanes: 2,
  newsMs: 24 * 3_600_000,
  awaitRunMs: 3_000,
  awaitNamesMs: 6 * 3_600_000,
  watchEveryMs: 60_000,
  claimWatchesEveryMs: 5_000,
  gatherMs: 2_000,
  awaitReasonMs: 20_000,
  sendEveryMs: 1_000,
  sendAtOnce: 16,
  sendAtOncePerIntegration: 2,
  sendLeaseMs: 60_000,
  maxMailsPerDay: 1_000,
  maxMailsToAddressPerDay: 200,
  keepDays: 90,
};
