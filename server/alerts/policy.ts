/** The limits and intervals of alerts, with their reasons. */
export const alertPolicy = {
  /** After which time completions are looked at again that wait for further events. */
  evaluateAgainMs: 2_000,
  /** Completions that are evaluated in one transaction. */
  evaluateAtOnce: 200,
  /** Failures that are older than this are not notified, even if their webhook just arrived. */
  newsMs: 24 * 3_600_000,
  /**
   * How long a completed job waits while its run is unknown, and then for the messages that came within this time. Forges report a run when
   * it starts, so almost no job waits. If the webhook does not send runs, every job waits and is then evaluated with its own branch name.
   */
  awaitRunMs: 3_000,
  /**
   * How long a job waits for the names of its run. Forgejo reports a run when it completes, and its jobs without workflow or
   * branch; and a job does not say which of several workflows of one name it belongs to. This is the longest time that forges allow for a
   * job, and well within `newsMs`.
   */
  awaitNamesMs: 6 * 3_600_000,
  /** How often rules about what did not happen are evaluated for an integration. */
  watchEveryMs: 60_000,
  /** How long a notification waits for the other jobs of a matrix, so that it contains their number. */
  gatherMs: 2_000,
  /**
   * How long a notification, or a rule about failure groups, waits for the reason of a failed job, since the job was stored. Most logs are read
   * within seconds; a forge that does not answer delays nothing for longer.
   */
  awaitReasonMs: 20_000,
  /**
   * How long a rule that leaves out failures of tests in quarantine waits for the reports in artifacts: since the job ended, and again since
   * its attempt ended. Most artifacts are read within seconds.
   */
  awaitReportsMs: 20_000,
  /**
   * How long a completion waits until it is decided whether its run was superseded. That takes some seconds, or longer on a busy machine, and
   * always ends. Only a fault takes this long.
   */
  awaitConclusionMs: 10 * 60_000,
  /** How long a job that failed after a cancellation waits for the end of its run, which the forge may never send. */
  awaitEndMs: 15_000,
  /** After which time a notification looks again whether it may be sent. */
  lookAgainMs: 1_000,
  /** Notifications that are sent at once by one process; see docs/architecture/tasks.md. */
  quickPlaces: 16,
  slowPlaces: 128,
  perIntegration: 2,
  /** Longer than a mail server may take. */
  longestSendMs: 10 * 60_000,
  /** Of an integration. Further ones fail at once: a backlog of hours would tell about what is over. */
  mostWaiting: 2_000,
  /**
   * Notification mails of an integration per day; each address counts. This is enough for ten people and 50 incidents with
   * their recoveries. A team with more incidents should use a chat channel.
   */
  maxMailsPerDay: 1_000,
  /** Notification mails to an address per day: one every seven minutes is more than anyone reads. */
  maxMailsToAddressPerDay: 200,
  /** How long notifications and incidents are kept after their last change. */
  keepDays: 90,
};

export type AlertPolicy = typeof alertPolicy;
