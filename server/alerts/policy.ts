/** Every number of alerts, with its reason. */
export interface AlertPolicy {
  /** Outcomes of a batch wake the evaluation at once; this finds what was held back, and what a process that died left. */
  sweepEveryMs: number;
  /** Runs and jobs held against the rules in one transaction. */
  evaluateAtOnce: number;
  /** Integrations evaluated at once in one process. */
  evaluationLanes: number;
  /** What a backfill, a reconciliation or a replay brings and ended longer ago is history: nobody is notified of it. */
  newsMs: number;
  /**
   * A job that ended is held back so long while its run is not known. Forges tell of a run as it begins, so that almost
   * none waits; where runs are not subscribed to, all do, and are then taken for what their branch is called.
   */
  awaitRunMs: number;
  /**
   * Where forges tell of a run when it ends, as Forgejo does, and of its jobs without workflow or branch, a job is held back
   * until then: as long as forges let a job take, and well within `newsMs`.
   */
  awaitNamesMs: number;
  /** A message waits so long for the rest of its matrix, to tell the count. */
  gatherMs: number;
  sendEveryMs: number;
  /** Messages under way at once in one process, and of one integration, so that a slow receiver holds up only its own. */
  sendAtOnce: number;
  sendAtOncePerIntegration: number;
  /** Kept while a message is under way; when its process is gone for so long, another one takes the message over. */
  sendLeaseMs: number;
  /**
   * Mails of an integration in a day; each address counts. Enough for ten people and 50 incidents with their recoveries; a
   * team that breaks more often is better served by a chat.
   */
  maxMailsPerDay: number;
  /** Notification mails to an address in a day: one every seven minutes, more than anybody reads. */
  maxMailsToAddressPerDay: number;
  /** Notifications and incidents are kept so long after the last that was heard of them. */
  keepDays: number;
}

export const alertPolicy: AlertPolicy = {
  sweepEveryMs: 2_000,
  evaluateAtOnce: 200,
  evaluationLanes: 2,
  newsMs: 24 * 3_600_000,
  awaitRunMs: 3_000,
  awaitNamesMs: 6 * 3_600_000,
  gatherMs: 2_000,
  sendEveryMs: 1_000,
  sendAtOnce: 16,
  sendAtOncePerIntegration: 2,
  sendLeaseMs: 60_000,
  maxMailsPerDay: 1_000,
  maxMailsToAddressPerDay: 200,
  keepDays: 90,
};
