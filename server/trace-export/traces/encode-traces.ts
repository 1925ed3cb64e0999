import { isFailed } from '#contract/runs/conclusions.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import type { TracePart, FinishedJob, FinishedRun } from './finished-run.ts';
import { type Span, makeSpanFactory, type NewSpan } from './span.ts';
import { jobAttributes, resourceAttributes, runAttributes, taskAttributes } from './attributes.ts';
import { jobSpanId, queueSpanId, runSpanId, stepSpanIds, traceIdOf } from './trace-ids.ts';

/** The body of an OTLP request with these traces. */
export function encodeTraces(parts: readonly TracePart[]): Promise<Buffer> {
  return encodeSpans(parts.flatMap(buildSpans));
}

/** The library takes 20 MiB of memory and is loaded by the first request. */
export async function encodeSpans(spans: Span[]): Promise<Buffer> {
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  const body = ProtobufTraceSerializer.serializeRequest(spans);
  if (body === undefined) throw new Error('spans could not be serialized');
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** The spans of a run, its jobs, their time in the queue and their steps. The run is the root. */
function buildSpans({ run, hasRunSpan, jobs }: TracePart): Span[] {
  const make = makeSpanFactory(traceIdOf(run.runId, run.attempt), resourceAttributes(run));
  const root = runSpanId(run.runId, run.attempt);
  const spans = hasRunSpan && run.completedAt !== null ? [runSpan(run, root, run.completedAt)] : [];
  for (const job of jobs) addJob(spans, job, root);
  return spans.map(make);
}

function runSpan(run: FinishedRun, id: string, end: Date): NewSpan {
  const { runId, attempt, workflow, conclusion } = run;
  return {
    id,
    name: workflow ?? 'workflow run',
    isServer: true,
    start: (run.startedAt ?? run.createdAt).getTime(),
    end: end.getTime(),
    conclusion,
    isError: isFailed(conclusion),
    attributes: runAttributes(run),
    ...(attempt < 2
      ? {}
      : { link: { traceId: traceIdOf(runId, attempt - 1), spanId: runSpanId(runId, attempt - 1) } }),
  };
}

function addJob(spans: NewSpan[], job: FinishedJob, root: string): void {
  const { jobId, name, conclusion, createdAt, startedAt, completedAt } = job;
  const id = jobSpanId(jobId);
  const start = (createdAt ?? startedAt ?? completedAt).getTime();
  spans.push({
    id,
    parent: root,
    name,
    start,
    end: completedAt.getTime(),
    conclusion,
    isError: isFailed(conclusion),
    attributes: jobAttributes(job),
  });
  if (createdAt !== null && startedAt !== null && conclusion !== 'skipped')
    spans.push(queueSpan(job, id, createdAt.getTime(), startedAt.getTime()));
  const ids = stepSpanIds(
    jobId,
    job.steps.map((step) => step.name),
  );
  job.steps.forEach((step, index) => addStep(spans, job, step, ids[index]!));
}

/** The collector gives the time in nanoseconds. */
function queueSpan({ jobId, name }: FinishedJob, parent: string, start: number, end: number): NewSpan {
  return {
    id: queueSpanId(jobId),
    parent,
    name: `queue-${name}`,
    start,
    end,
    conclusion: null,
    isError: false,
    attributes: { 'cicd.pipeline.run.queue.duration': Math.max(0, end - start) * 1e6 },
  };
}

/** A step without a time did not run. */
function addStep(spans: NewSpan[], { jobId }: FinishedJob, step: JobStep, id: string): void {
  const end = Date.parse(step.completedAt ?? step.startedAt ?? '');
  if (Number.isNaN(end)) return;
  const start = Date.parse(step.startedAt ?? '');
  spans.push({
    id,
    parent: jobSpanId(jobId),
    name: step.name,
    start: Number.isNaN(start) ? end : start,
    end,
    conclusion: step.conclusion,
    isError: isFailed(step.conclusion),
    attributes: taskAttributes(`${jobId}/${step.number}`, step.name, step.conclusion),
  });
}
