import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SimulatedEvent } from '../event.ts';
import { annotationsOf, failureOfJob, logOf } from './job-log.ts';
import { artifactObject, artifactOf } from './sample-artifacts.ts';
import { branchObject, branchRules } from './sample-branches.ts';
import { commitObject, comparisonObject, pushedCommits, type SampleCommit } from './sample-commits.ts';
import type { RerunKind } from './rerun.ts';
import { sampleAccountObject, sampleRepositoryObjects, sampleWebhook } from './sample-objects.ts';
import type { JobPayload, SampleRuns } from './sample-runs.ts';

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

/** Jobs of the workflows that run for sample pull requests. */
const requiredChecks = ['build', 'test (ubuntu-24.04, 24)', 'test (ubuntu-24.04, 26)', 'format'];

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
  addArtifactRoutes(http, of);
  addCommitRoutes(http, of);
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
  http.get(`${ofRepository}/rules/branches/:branch`, () => branchRules(requiredChecks));
  http.get<{ Params: { owner: string; repo: string; branch: string } }>(
    `${ofRepository}/branches/:branch`,
    ({ protocol, host, params: { owner, repo, branch } }) =>
      branchObject(`${protocol}://${host}${root}`, `${owner}/${repo}`, branch, []),
  );
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

function addArtifactRoutes(http: FastifyInstance, of: (request: object) => SampleAccount): void {
  http.get<Ids>(`${ofRepository}/actions/runs/:id/artifacts`, (request) => {
    const { protocol, host, url, params } = request;
    const api = `${protocol}://${host}${url.replace(/\/actions\/.*$/, '')}`;
    const artifacts = of(request)
      .runs.jobsOf(Number(params.id))
      .flatMap((job) => {
        const artifact = artifactOf(job);
        if (artifact === undefined) return [];
        const { id, run_id: runId, head_branch: headBranch, head_sha: headSha } = job.workflow_job;
        return artifactObject(api, {
          id,
          name: artifact.name,
          size: artifact.archive.length,
          createdAt: job.workflow_job.completed_at ?? job.workflow_job.created_at,
          run: { id: runId, headBranch, headSha },
        });
      });
    return { total_count: artifacts.length, artifacts };
  });
  http.get<Ids>(`${ofRepository}/actions/artifacts/:id/zip`, (request, reply) =>
    of(request).runs.job(Number(request.params.id)) === undefined
      ? missing(reply)
      : reply.redirect(`${root}/stored-artifacts/${request.params.id}`),
  );
  http.get<Ids>(`${root}/stored-artifacts/:id`, (request, reply) => {
    const job = of(request).runs.job(Number(request.params.id));
    const artifact = job && artifactOf(job);
    return artifact === undefined ? missing(reply) : reply.type('application/zip').send(artifact.archive);
  });
}

/** The commits of the sample repositories exist only where a comparison or a page of a commit asks for them. */
function addCommitRoutes(http: FastifyInstance, of: (request: object) => SampleAccount): void {
  const apiUrlOf = ({ protocol, host }: FastifyRequest) => `${protocol}://${host}${root}`;
  http.get<{ Params: { owner: string; repo: string; range: string } }>(
    `${ofRepository}/compare/:range`,
    (request, reply) => {
      const { owner, repo, range } = request.params;
      const [base = '', head = ''] = range.split('...');
      const pushed = pushedCommit(of(request).runs, head);
      if (pushed === undefined) return missing(reply);
      const start = { ...pushed, sha: base, parents: [], files: [] };
      return reply.send(
        comparisonObject(apiUrlOf(request), `${owner}/${repo}`, start, pushedCommits(base, pushed)),
      );
    },
  );
  http.get<{ Params: { owner: string; repo: string; sha: string } }>(
    `${ofRepository}/commits/:sha`,
    (request, reply) => {
      const { owner, repo, sha } = request.params;
      const { runs } = of(request);
      // Commits that were pushed with others share all but the first digit with the pushed one.
      const pushed =
        pushedCommit(runs, sha) ??
        [...'0123456789abcdef'].flatMap((digit) => pushedCommit(runs, digit + sha.slice(1)) ?? [])[0];
      const commit = pushed && pushedCommits(sha, pushed).find((each) => each.sha === sha);
      return commit === undefined
        ? missing(reply)
        : reply.send(commitObject(apiUrlOf(request), `${owner}/${repo}`, commit));
    },
  );
}

/** The commit of a run, which changes the file that its failure names. */
function pushedCommit(runs: SampleRuns, sha: string): Omit<SampleCommit, 'parents'> | undefined {
  const run = runs.runOfCommit(sha)?.workflow_run;
  if (run === undefined) return undefined;
  const failed = runs.jobsOf(run.id).flatMap(failedFiles);
  return {
    sha,
    message: run.display_title,
    author: run.actor.login,
    at: run.created_at,
    files: failed.length > 0 ? failed : ['README.md'],
  };
}

function failedFiles(job: JobPayload): string[] {
  const path = failureOfJob(job)?.annotation?.path;
  return path === undefined ? [] : [path];
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
