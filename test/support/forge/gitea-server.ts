import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';

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
  run: Json & { id: number };
  job: Json & { id: number };
  log: string;
  /** Method and path of each call. */
  calls: string[];
  /** Answers instead; undefined lets the call through. */
  interfere: ((call: string) => { status: number; headers?: Record<string, string> } | undefined) | undefined;
}

/** The part of Gitea's API that an access token uses, and the account route of GitHub, on loopback. */
export async function startGitea(): Promise<GiteaServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const self: GiteaServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    token: 'secret-token-of-the-forge',
    expiry: undefined,
    hooks: new Map(),
    repositories: new Map([
      ['acme/shop', true],
      ['acme/site', true],
      ['acme/foreign', false],
    ]),
    run: lastOf('workflow_run'),
    job: { ...lastOf('workflow_job'), run_id: lastOf('workflow_run').id },
    log: 'building\nError: it broke\n',
    calls: [],
    interfere: undefined,
  };
  let ids = 40;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { pathname } = new URL(request.url ?? '', self.url);
    const call = `${method} ${pathname.replace(/^\/api\/v\d/, '')}`;
    self.calls.push(call);
    const instead = self.interfere?.(call);
    if (instead !== undefined)
      return send(response, instead.status, { message: 'interference' }, instead.headers);
    if (headers.authorization !== `token ${self.token}`)
      return send(response, 401, { message: 'user does not exist [uid: 0, name: ]' });
    const [, area, owner, name, kind, ...rest] = call.split(' ')[1]!.split('/');
    if (area === 'user' && owner === undefined)
      return send(
        response,
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
      return send(response, 200, items, { 'x-total-count': String(items.length) });
    }
    const repository = `${owner}/${name}`;
    if (kind === 'hooks') return answerHooks(request, response, repository, rest[0]);
    if (kind === 'pulls') return send(response, 200, []);
    if (kind === 'actions') return answerActions(method, response, repository, rest);
    send(response, 404, { message: 'Not Found' });
  }

  async function answerHooks(
    request: IncomingMessage,
    response: ServerResponse,
    repository: string,
    id: string | undefined,
  ): Promise<void> {
    const hooks = self.hooks.get(repository) ?? [];
    if (request.method === 'DELETE') {
      self.hooks.set(
        repository,
        hooks.filter((hook) => String(hook.id) !== id),
      );
      return void response.writeHead(204).end();
    }
    if (request.method === 'GET') return send(response, 200, hooks);
    const hook = { ...((await json(request)) as Omit<GiteaHook, 'id'>), id: (ids += 1) };
    self.hooks.set(repository, [...hooks, hook]);
    send(response, 201, hook);
  }

  function answerActions(method: string, response: ServerResponse, repository: string, rest: string[]): void {
    const [area, id, part] = rest;
    if (repository !== 'acme/shop') return send(response, 200, { total_count: 0, workflow_runs: [] });
    if (area === 'jobs' && part === 'logs') return void response.writeHead(200).end(self.log);
    if (area === 'runs' && id === undefined)
      return send(response, 200, { total_count: 1, workflow_runs: [self.run] });
    if (Number(id) !== self.run.id) return send(response, 404, { message: 'Not Found' });
    if (method === 'GET' && part === 'jobs') return send(response, 200, { total_count: 1, jobs: [self.job] });
    if (method === 'GET') return send(response, 200, self.run);
    if (part === 'rerun' || part === 'rerun-failed-jobs') return send(response, 201, {});
    // This version cannot cancel: the route is missing.
    send(response, 404, { message: 'Not Found' });
  }
  return self;
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
