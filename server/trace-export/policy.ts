import { minuteMs } from '#platform/runtime/time-units.ts';
/** The limits and intervals of the export, with their reasons. */
export interface ExportPolicy {
  /** Metrics are sent this long after the last request: as often as exporters of OpenTelemetry do. */
  metricsEveryMs: number;
  /** How long a run waits for events that the forge sends at the same time. Webhooks have no order. */
  settleMs: number;
  /**
   * How long a run waits for jobs that are known and not completed. Forges report the end of a run within seconds of its last job. A job that
   * completes later makes its run due again.
   */
  awaitJobsMs: number;
  checkJobsEveryMs: number;
  runsPerRequest: number;
  jobsPerRequest: number;
  /** Of steps as they are stored. A request is up to five times as large: collectors accept 20 MiB. */
  stepBytesPerRequest: number;
  /** OTLP exporters of OpenTelemetry wait as long. */
  requestMs: number;
  /** Doubles with each failure. */
  minBackOffMs: number;
  maxBackOffMs: number;
  /** A `Retry-After` beyond it is not believed. */
  maxRetryAfterMs: number;
  /** Failures in a row that the event log shows. One alone is often a restart of the target. */
  failuresUntilEntry: number;
  /**
   * Refusals of a request with one run, after which that run is dropped. Until then the settings may be wrong and not the run. A target that has
   * just accepted another run is believed at once.
   */
  refusalsUntilDrop: number;
  /** How long a run waits for a target that does not accept it, and how old a run from history may be. */
  keepMs: number;
  /** Runs of an integration that wait. The oldest are dropped. */
  maxWaiting: number;
}

export const exportPolicy: ExportPolicy = {
  metricsEveryMs: minuteMs,
  settleMs: 5_000,
  awaitJobsMs: 2 * minuteMs,
  checkJobsEveryMs: 10_000,
  runsPerRequest: 100,
  jobsPerRequest: 500,
  stepBytesPerRequest: 1024 * 1024,
  requestMs: 10_000,
  minBackOffMs: 5_000,
  maxBackOffMs: 10 * minuteMs,
  maxRetryAfterMs: 60 * minuteMs,
  failuresUntilEntry: 3,
  refusalsUntilDrop: 8,
  keepMs: 48 * 60 * minuteMs,
  maxWaiting: 200_000,
};
