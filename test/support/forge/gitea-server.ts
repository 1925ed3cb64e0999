import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import path from 'node:path';
import { artifactObject } from '#server/simulate/sample-forge/sample-artifacts.ts';
import { bodyOf, collectFaults, send } from './forge-answer.ts';
import { publishedApi, type ApiRequest } from './published-api.ts';
import { serve } from '#test/support/network/serve.ts';

type Json = Record<string, unknown>;

interface Recorded {
  event: string;
  payload: Json;
}

/** The run and the jobs that a real Gitea reported at the end of a re-run. */
const recorded = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../vectors/gitea/rerun.json'), 'utf8'),
) as Recorded[];
const lastOf = (event: string) =>
  recorded.findLast((each) => each.event === event)!.payload[event] as Json & { id: number };

export interface GiteaHook {
  id: number;
  type: string;
  active: boolean;
  events: string[];
  config: { url: string; secret: string; content_type: string };
}

export interface GiteaServer {
  url: string;
  port: number;
  token: string;
  /** When the token expires, in the header of GitHub. */
  expiry: string | undefined;
  hooks: Map<string, GiteaHook[]>;
  /** Repositories that the token sees, and whether it administers them. */
  repositories: Map<string, boolean>;
  /** What protects all branches. */
  branch: { enable_status_check: boolean; status_check_contexts: string[] };
  run: Json & { id: number };
  job: Json & { id: number };
  /** Of each job; a function answers the request for a log itself. */
  log: string | Buffer | RequestListener;
  /** Of each run: its only artifact. */
  artifact: { name: string; bytes: Buffer } | undefined;
  /** Method and path of each call. */
  calls: string[];
  /** Answers instead; undefined lets the call through. */
  interfere: ((call: string) => { status: number; headers?: Record<string, string> } | undefined) | undefined;
}

/** The part of Gitea's API that an access token uses, and the account route of GitHub, on loopback. */
export async function startGitea(): Promise<GiteaServer> {
  const { url, port } = await serve((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const self: GiteaServer = {
    url,
    port,
    token: 'secret-token-of-the-forge',
    expiry: undefined,
    hooks: new Map(),
    repositories: new Map([
      ['acme/shop', true],
      ['acme/site', true],
      ['acme/foreign', false],
    ]),
    branch: { enable_status_check: false, status_check_contexts: [] },
    run: lastOf('workflow_run'),
    job: { ...lastOf('workflow_job'), run_id: lastOf('workflow_run').id },
    log: 'building\nError: it broke\n',
    artifact: undefined,
    calls: [],
    interfere: undefined,
  };
  let ids = 40;

  const faults = collectFaults(publishedApi('gitea'));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { pathname, searchParams: query } = new URL(request.url ?? '', self.url);
    const at = pathname.replace(/^\/api\/v\d/, '');
    const asked: ApiRequest = { method, path: at, query, body: await bodyOf(request) };
    const call = `${method} ${at}`;
    self.calls.push(call);
    // GitHub's account route is checked where that forge is played, and Gitea publishes no route that cancels.
    const isPublished = pathname.startsWith('/api/v1/') && !at.endsWith('/cancel');
    if (isPublished) faults.request(asked);
    const reply = (status: number, body: unknown, more?: Record<string, string>): void => {
      if (isPublished) faults.answer(asked, status, body);
      send(response, status, body, more);
    };
    const instead = self.interfere?.(call);
    if (instead !== undefined)
      return send(response, instead.status, { message: 'interference' }, instead.headers);
    if (headers.authorization !== `token ${self.token}`)
      return send(response, 401, { message: 'user does not exist [uid: 0, name: ]' });
    if (at.startsWith('/stored-logs/') && typeof self.log === 'function') return self.log(request, response);
    const [, area, owner, name, kind, ...rest] = call.split(' ')[1]!.split('/');
    if (area === 'user' && owner === undefined)
      return reply(
        200,
        { id: 1, login: 'build-bot' },
        self.expiry === undefined ? {} : { 'github-authentication-token-expiration': self.expiry },
      );
    if (area === 'user') {
      const items = [...self.repositories].map(([full_name, admin]) => ({
        id: 1,
        full_name,
        default_branch: 'main',
        archived: false,
        disabled: false,
        has_actions: true,
        permissions: { admin, push: true, pull: true },
      }));
      return reply(200, items, { 'x-total-count': String(items.length) });
    }
    const repository = `${owner}/${name}`;
    if (kind === 'hooks') {
      const hooks = answerHooks(asked, repository, rest[0]);
      return hooks.status === 204 ? void response.writeHead(204).end() : reply(hooks.status, hooks.body);
    }
    if (kind === 'pulls') return reply(200, []);
    if (kind === 'branches')
      return reply(200, { name: rest[0], protected: true, ...self.branch, user_can_merge: true });
    if (kind !== 'actions') return reply(404, notFound);
    if (rest[0] === 'jobs' && rest[2] === 'logs')
      return typeof self.log === 'function'
        ? self.log(request, response)
        : void response.writeHead(200).end(self.log);
    if (rest[0] === 'artifacts' && rest[2] === 'zip')
      return void response.writeHead(200).end(self.artifact?.bytes);
    if (rest[0] === 'runs' && rest[2] === 'artifacts') return reply(200, artifactsOf(Number(rest[1])));
    const { status, body } = answerActions(method, repository, rest);
    reply(status, body);
  }

  function answerHooks({ method, body }: ApiRequest, repository: string, id: string | undefined) {
    const hooks = self.hooks.get(repository) ?? [];
    if (method === 'DELETE') {
      self.hooks.set(
        repository,
        hooks.filter((hook) => String(hook.id) !== id),
      );
      return { status: 204, body: undefined };
    }
    if (method === 'GET') return { status: 200, body: hooks };
    const hook = { ...(body as Omit<GiteaHook, 'id'>), id: (ids += 1) };
    self.hooks.set(repository, [...hooks, hook]);
    return { status: 201, body: hook };
  }

  function artifactsOf(runId: number) {
    const { name = '', bytes = Buffer.alloc(0) } = self.artifact ?? {};
    const run = { id: runId, headBranch: 'main', headSha: '' };
    const facts = { id: 7, name, size: bytes.length, createdAt: new Date().toISOString(), run };
    const { workflow_run: _run, ...listed } = artifactObject(`${self.url}/api/v1/repos/acme/site`, facts);
    const artifacts = self.artifact === undefined ? [] : [listed];
    return { total_count: artifacts.length, artifacts };
  }

  function answerActions(method: string, repository: string, [area, id, part]: string[]) {
    if (repository !== 'acme/shop') return { status: 200, body: { total_count: 0, workflow_runs: [] } };
    if (area === 'runs' && id === undefined)
      return { status: 200, body: { total_count: 1, workflow_runs: [self.run] } };
    if (Number(id) !== self.run.id) return { status: 404, body: notFound };
    if (method === 'GET')
      return { status: 200, body: part === 'jobs' ? { total_count: 1, jobs: [self.job] } : self.run };
    if (part === 'rerun') return { status: 201, body: self.run };
    // This version cannot cancel: the route is missing.
    return part === 'rerun-failed-jobs' ? { status: 201, body: {} } : { status: 404, body: notFound };
  }
  return self;
}

const notFound = { message: 'Not Found' };
