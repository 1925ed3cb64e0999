import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { jwtVerify } from 'jose';
import { send, type SchemaName } from './forge-answer.ts';
import {
  installationOf,
  membershipOf,
  tokenOf,
  userOf,
  type ForgeAccount,
  type ForgeInstallation,
} from './forge-api-payloads.ts';
import type { ForgeRepositoryState } from './forge-repositories.ts';
import { answerRepositories, type ForgeAnswer } from './forge-repository-routes.ts';

interface Interference {
  status: number;
  message?: string;
  headers?: Record<string, string>;
}

export interface ForgeApiServer {
  url: string;
  appId: number;
  /** As a forge hands it out. */
  privateKey: string;
  organization: ForgeAccount;
  /** In the order in which they are listed. */
  members: ForgeAccount[];
  admins: Set<number>;
  /** Asked to be of the organization, and not there yet. */
  invited: Set<number>;
  installations: Map<number, ForgeInstallation>;
  /** What each installation may see. */
  repositories: Map<number, ForgeRepositoryState[]>;
  /** Where people come back to from installing the application. */
  setupUrl: string | undefined;
  /** Method and path of each call, with the page. */
  calls: string[];
  /** Called before a page is answered, to change what the next one holds. */
  beforePage: ((page: number) => void) | undefined;
  /** Answers instead; undefined lets the call through. */
  interfere: ((call: string) => Interference | undefined | Promise<Interference | undefined>) | undefined;
}

/** What makes the product talk to this forge as its application. */
export function forgeAppEnv({ url, appId, privateKey }: ForgeApiServer): NodeJS.ProcessEnv {
  return {
    FORGE_URL: url,
    FORGE_API_URL: url,
    FORGE_APP_ID: String(appId),
    FORGE_APP_PRIVATE_KEY: privateKey,
    FORGE_APP_SLUG: 'forgewatch-test',
  };
}

/** The part of a forge's REST API that the application uses, checked against the forge's own published schemas. */
export async function startForgeApi(): Promise<ForgeApiServer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const self: ForgeApiServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    appId: 12345,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    organization: { id: 9001, login: 'octo-org' },
    members: [],
    admins: new Set(),
    invited: new Set(),
    installations: new Map([[77, { id: 9001, login: 'octo-org', type: 'Organization' }]]),
    repositories: new Map(),
    setupUrl: undefined,
    calls: [],
    beforePage: undefined,
    interfere: undefined,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', self.url);
    const call = `${request.method} ${url.pathname}${url.searchParams.has('page') ? ` page ${url.searchParams.get('page')}` : ''}`;
    self.calls.push(call);
    const instead = await self.interfere?.(call);
    if (instead !== undefined)
      return send(response, instead.status, { message: instead.message ?? 'no' }, undefined, instead.headers);
    const credential = (request.headers.authorization ?? '').replace(/^(bearer|token) /i, '');
    const [, first, second, id, rest] = url.pathname.split('/');
    if (first === 'apps' && id === 'installations') return comeBack(url, response);
    if (first === 'app') {
      const { payload } = await jwtVerify(credential, publicKey, { algorithms: ['RS256'] });
      if (String(payload.iss) !== String(self.appId))
        return send(response, 401, { message: 'Bad credentials' });
      const account = second === 'installations' ? self.installations.get(Number(id)) : undefined;
      if (account === undefined) return send(response, 404, { message: 'Not Found' });
      if (rest === 'access_tokens' && account.suspendedAt)
        return send(response, 403, { message: 'This installation has been suspended' });
      if (rest === 'access_tokens') return send(response, 201, tokenOf(Number(id)), 'installation-token');
      return send(response, 200, installationOf(self, Number(id), account), 'installation');
    }
    if (!credential.startsWith('installation-')) return send(response, 401, { message: 'Bad credentials' });
    if (first === 'installation' || first === 'repos') {
      const seen = self.repositories.get(Number(credential.slice('installation-'.length))) ?? [];
      return sendPage(url, response, await answerRepositories(seen, request, url));
    }
    if (first !== 'orgs' || second !== self.organization.login)
      return send(response, 404, { message: 'Not Found' });
    if (id === 'members' && rest === undefined) return page(url, response);
    const member = self.members.find(({ login }) => login === rest);
    if (id === 'members') return void response.writeHead(member === undefined ? 404 : 204).end();
    if (member === undefined) return send(response, 404, { message: 'Not Found' });
    send(response, 200, membershipOf(self, member), 'organization-membership');
  }

  /** Opening the page of the application installs it as number 77. */
  function comeBack(url: URL, response: ServerResponse): void {
    const back = new URL(self.setupUrl ?? '');
    back.searchParams.set('installation_id', '77');
    back.searchParams.set('setup_action', 'install');
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  function page(url: URL, response: ServerResponse): void {
    const number = Number(url.searchParams.get('page') ?? 1);
    self.beforePage?.(number);
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const items = self.members
      .slice((number - 1) * size, number * size)
      .map((each) => userOf(self.url, each));
    const hasNext = self.members.length > number * size;
    sendPage(url, response, { status: 200, body: items, schema: 'organization-members', hasNext });
  }

  function sendPage(
    url: URL,
    response: ServerResponse,
    { status, body, schema, text, hasNext = false }: Omit<ForgeAnswer, 'schema'> & { schema?: SchemaName },
  ): void {
    if (status === 204) return void response.writeHead(status).end();
    if (text !== undefined) return void response.writeHead(status).end(text);
    const next = new URL(url);
    next.searchParams.set('page', String(Number(url.searchParams.get('page') ?? 1) + 1));
    send(
      response,
      status,
      body ?? { message: 'no' },
      schema,
      hasNext ? { link: `<${next.href}>; rel="next"` } : {},
    );
  }
  return self;
}
