import { createHash } from 'node:crypto';

/**
 * Ids of traces and spans, as `githubreceiver` of the OpenTelemetry collector derives them since version 0.151, so that a program that runs
 * in a job can compute them and add its own spans to the trace:
 * https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/receiver/githubreceiver
 */

/** The first 16 bytes of the hash, in hex. */
export function traceIdOf(runId: number, attempt: number): string {
  return hashOf(`${runId}${attempt}t`).slice(0, 32);
}

export function runSpanId(runId: number, attempt: number): string {
  return spanId(`${runId}${attempt}s`);
}

/** The id of a job is unique, and `job.check_run_id` within a job of GitHub. */
export function jobSpanId(jobId: number): string {
  return spanId(`${jobId}-j`);
}

export function queueSpanId(jobId: number): string {
  return spanId(`${jobId}-q`);
}

/**
 * One id for each step, by its name. The collector gives equal ids to steps with equal names. Here only the first of them has that id, so that a
 * trace never has two spans with one id.
 */
export function stepSpanIds(jobId: number, names: readonly string[]): string[] {
  const known = new Set(names);
  const counts = new Map<string, number>();
  return names.map((name) => {
    let count = counts.get(name) ?? 0;
    let unique = name;
    while (count > 0 && known.has(unique)) {
      unique = `${name}-${count}`;
      count += 1;
    }
    counts.set(name, Math.max(count, 1));
    known.add(unique);
    return spanId(`${jobId}-${unique}-s`);
  });
}

/** The second 8 bytes of the hash, in hex. */
function spanId(input: string): string {
  return hashOf(input).slice(16, 32);
}

function hashOf(input: string): string {
  return createHash('sha256').update(input).digest('hex');
}
