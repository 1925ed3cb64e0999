import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SimulatedEvent } from '../event.ts';
import { annotationsOf, logOf } from './job-log.ts';
import type { RerunKind } from './rerun.ts';
import { sampleAccountObject, sampleRepositoryObjects, sampleWebhook } from './sample-objects.ts';
import type { SampleRuns } from './sample-runs.ts';

/** What the bearer of a token sees and does. */
export interface SampleAccount {
  runs: SampleRuns;
  /** Remembers what the event shows, and uploads the report of a job that completed. */
  note(event: SimulatedEvent): void;
  /** Starts a new attempt. Returns why not, in the words of GitHub; undefined when it was started. */
  rerun(kind: RerunKind, id: number): string | undefined;
  /** Connects the integration of the account to this forge, in the name of a member. */
  connect(actorId: string): Promise<void>;
}

interface Ids {
  Params: { id: string };
}

const root = '/api/v3';
const ofRepository = `${root}/repos/:owner/:repo`;

/** The part of GitHub's REST API that a connection uses. */
export function addForgeRoutes(
  http: FastifyInstance,
  accountOf: (authorization: string | undefined) => SampleAccount | undefined,
): void {
  const accounts = new WeakMap<object, SampleAccount>();
  http.addHook('onRequest', async (request, reply) => {
    const account = accountOf(request.headers.authorization);
    if (account === undefined) return reply.code(401).send({ message: 'Bad credentials' });
    accounts.set(request, account);
  });
  const of = (request: object): SampleAccount => accounts.get(request)!;

  http.get(`${root}/user`, sampleAccountObject);
  http.get(`${root}/user/repos`, () => sampleRepositoryObjects);
  addWebhookRoutes(http);
  http.get<Ids>(`${ofRepository}/actions/jobs/:id/logs`, (request, reply) =>
    of(request).runs.job(Number(request.params.id)) === undefined
      ? missing(reply)
      : reply.redirect(`${root}/stored-logs/${request.params.id}`),
  );
  http.get<Ids>(`${root}/stored-logs/:id`, (request, reply) => {
    const job = of(request).runs.job(Number(request.params.id));
    return job === undefined ? missing(reply) : reply.type('text/plain').send(logOf(job));
  });
  http.get<Ids>(`${ofRepository}/check-runs/:id/annotations`, (request, reply) => {
    const job = of(request).runs.job(Number(request.params.id));
    return job === undefined ? missing(reply) : reply.send(annotationsOf(job));
  });
  addRunRoutes(http, of);
  addSampleRoutes(http, of);
}

function addWebhookRoutes(http: FastifyInstance): void {
  const hooks = `${ofRepository}/hooks`;
  const hookOf = ({ protocol, host, url }: FastifyRequest) =>
    sampleWebhook(`${protocol}://${host}${url.replace(/\/hooks.*$/, '/hooks/1')}`);
  http.get(hooks, () => []);
  http.post(hooks, (request, reply) => reply.code(201).send(hookOf(request)));
  http.patch(`${hooks}/:id`, (request) => hookOf(request));
  http.delete(`${hooks}/:id`, (_, reply) => reply.code(204).send());
}

function addRunRoutes(http: FastifyInstance, of: (request: object) => SampleAccount): void {
  const run = `${ofRepository}/actions/runs/:id`;
  http.get(`${ofRepository}/actions/runs`, () => ({ total_count: 0, workflow_runs: [] }));
  http.get(`${ofRepository}/pulls`, () => []);
  for (const path of [run, `${run}/attempts/:attempt`])
    http.get<Ids>(path, (request, reply) => {
      const found = of(request).runs.run(Number(request.params.id));
      return found === undefined ? missing(reply) : reply.send(found.workflow_run);
    });
  http.get<Ids>(`${run}/jobs`, (request) => {
    const jobs = of(request).runs.jobsOf(Number(request.params.id));
    return { total_count: jobs.length, jobs: jobs.map((job) => job.workflow_job) };
  });
  const reruns: readonly [string, RerunKind][] = [
    [`${run}/rerun-failed-jobs`, 'failed'],
    [`${run}/rerun`, 'all'],
    [`${ofRepository}/actions/jobs/:id/rerun`, 'job'],
  ];
  for (const [path, kind] of reruns)
    http.post<Ids>(path, (request, reply) => {
      const refusal = of(request).rerun(kind, Number(request.params.id));
      return refusal === undefined ? reply.code(201).send({}) : reply.code(403).send({ message: refusal });
    });
  http.post<Ids>(`${run}/cancel`, (_, reply) =>
    reply.code(409).send({ message: 'A sample run ends within seconds and cannot be cancelled.' }),
  );
}

/** For `forgewatch simulate`, which sends its webhooks from another process. Only holders of the encryption key have a token. */
function addSampleRoutes(http: FastifyInstance, of: (request: FastifyRequest) => SampleAccount): void {
  http.post<{ Body: { actorId: string } }>('/samples/connection', async (request, reply) => {
    await of(request).connect(String(request.body.actorId));
    return reply.code(204).send();
  });
  http.post<{ Body: SimulatedEvent }>('/samples/events', async (request, reply) => {
    of(request).note(request.body);
    return reply.code(204).send();
  });
}

function missing(reply: FastifyReply) {
  return reply.code(404).send({ message: 'Not Found' });
}
