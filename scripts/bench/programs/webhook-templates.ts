import { createHmac } from 'node:crypto';
import { createDeliveryIds } from '#server/simulate/delivery-id.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { createSimulator } from '#server/simulate/simulator.ts';

export interface Target {
  integrationId: string;
  webhookSecret: string;
}

/** A prepared request. Only the bytes that must differ are overwritten before it is sent again. */
export interface Template {
  integrationId: string;
  secret: string;
  bytes: Buffer;
  body: Buffer;
  deliveryIdAt: number;
  signatureAt: number;
  /** Offsets of the run id and the job id in the body. */
  idsAt: readonly number[];
  jobId: string;
  /** The job's first event. */
  isFirst: boolean;
  isInFlight: boolean;
}

type JobEvent = Extract<SimulatedEvent, { eventType: 'workflow_job' }>;

const wantedTemplates = 2000;
const distinctJobs = 100;
const eventsOfJob = 3;
/** The size of real bodies with about twenty steps. */
const bodyBytes = 10_000;

/** Lifecycles of jobs (queued, in progress, completed), the same number for each integration, interleaved as they arrive. */
export function makeTemplates(targets: readonly Target[]): Template[] {
  const lives = jobLives();
  const livesOfEach = Math.ceil(wantedTemplates / (eventsOfJob * targets.length));
  const nextDeliveryId = createDeliveryIds('b1e55ed0b1e5');
  return Array.from({ length: livesOfEach * eventsOfJob }, (_, turn) =>
    targets.map((target, index) => {
      const life = lives[(index * livesOfEach + Math.floor(turn / eventsOfJob)) % lives.length];
      const { ids, bodies } = life as JobLife;
      const step = turn % eventsOfJob;
      return template(target, ids, bodies[step] as Buffer, nextDeliveryId(Date.now()), step === 0);
    }),
  ).flat();
}

interface JobLife {
  ids: [jobId: string, runId: string];
  bodies: Buffer[];
}

function jobLives(): JobLife[] {
  const open = new Map<number, JobEvent[]>();
  const lives: JobLife[] = [];
  for (const event of createSimulator({ seed: 'bench', startAt: new Date() }).stream({ rate: 5 })) {
    if (event.eventType !== 'workflow_job') continue;
    const { id, run_id: runId } = event.payload.workflow_job;
    const events = [...(open.get(id) ?? []), event];
    open.set(id, events);
    const isComplete = event.payload.workflow_job.status === 'completed';
    if (isComplete && events.length === eventsOfJob)
      lives.push({ ids: [String(id), String(runId)], bodies: events.map(({ payload }) => padded(payload)) });
    if (lives.length === distinctJobs) break;
  }
  return lives;
}

/** Adds steps to a body until it has the size of a real one. */
function padded(payload: JobEvent['payload']): Buffer {
  const { workflow_job: job, ...rest } = payload;
  const steps: object[] = [...job.steps];
  const text = (): string => JSON.stringify({ ...rest, workflow_job: { ...job, steps } });
  while (text().length < bodyBytes) {
    const number = steps.length + 1;
    const times = { started_at: job.started_at, completed_at: job.completed_at };
    steps.push({
      name: `Run check ${number * 7919}`,
      status: job.status,
      conclusion: job.conclusion,
      number,
      ...times,
    });
  }
  return Buffer.from(text());
}

function template(
  { integrationId, webhookSecret: secret }: Target,
  ids: JobLife['ids'],
  body: Buffer,
  deliveryId: string,
  isFirst: boolean,
): Template {
  const signature = sign(secret, body);
  const head = Buffer.from(
    [
      `POST /api/import/${integrationId} HTTP/1.1`,
      'host: localhost',
      'user-agent: GitHub-Hookshot/0000000',
      'content-type: application/json',
      'x-github-event: workflow_job',
      `x-github-delivery: ${deliveryId}`,
      `x-hub-signature-256: sha256=${signature}`,
      `content-length: ${body.length}`,
      '\r\n',
    ].join('\r\n'),
  );
  const bytes = Buffer.concat([head, body]);
  return {
    integrationId,
    secret,
    bytes,
    body: bytes.subarray(head.length),
    deliveryIdAt: head.indexOf(deliveryId),
    signatureAt: head.indexOf(signature),
    idsAt: ids.flatMap((id) => placesOf(id, body)),
    jobId: ids[0],
    isFirst,
    isInFlight: false,
  };
}

function placesOf(id: string, body: Buffer): number[] {
  const places: number[] = [];
  for (let at = body.indexOf(id); at !== -1; at = body.indexOf(id, at + id.length)) places.push(at);
  return places;
}

export function sign(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
