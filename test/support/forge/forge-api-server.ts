import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jwtVerify } from 'jose';
import {
  installationOf,
  membershipOf,
  tokenOf,
  userOf,
  type ForgeAccount,
  type ForgeInstallation,
} from './forge-api-payloads.ts';
import type { ForgeRepositoryState } from './forge-repositories.ts';
import { bodyOf, collectFaults, send } from './forge-answer.ts';
import { answerRepositories, type ForgeAnswer } from './forge-repository-routes.ts';
import { publishedApi } from './published-api.ts';
import { serve } from '#test/support/network/serve.ts';

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
  /** Of the answers of the API to a call. */
  headers: (call: string) => Record<string, string>;
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
  const { url } = await serve((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const self: ForgeApiServer = {
    url,
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
    headers: () => ({}),
    beforePage: undefined,
    interfere: undefined,
  };

  const api = publishedApi('github-rest');
  const faults = collectFaults(api);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', self.url);
    const method = request.method ?? '';
    const call = `${method} ${url.pathname}${url.searchParams.has('page') ? ` page ${url.searchParams.get('page')}` : ''}`;
    self.calls.push(call);
    const [, first, second, id, rest] = url.pathname.split('/');
    const body = await bodyOf(request);
    const isApi = first !== 'apps' && first !== 'stored-logs';
    const asked = { method, path: url.pathname, query: url.searchParams, body };
    if (isApi) faults.request(asked);
    const instead = await self.interfere?.(call);
    if (instead !== undefined)
      return send(response, instead.status, { message: instead.message ?? 'no' }, instead.headers);
    const reply = ({ status, body: sent = { message: 'no' }, log, location, hasNext }: ForgeAnswer): void => {
      if (isApi) faults.answer(asked, status, sent);
      if (status === 204) return void response.writeHead(status).end();
      if (location !== undefined) return void response.writeHead(status, { location }).end();
      if (typeof log === 'function') return log(request, response);
      if (log !== undefined) return void response.writeHead(status).end(log);
      send(response, status, sent, {
        ...self.headers(call),
        ...(hasNext === true ? { link: nextPage(url) } : {}),
      });
    };
    if (first === 'apps' && id === 'installations') return comeBack(url, response);
    const credential = (request.headers.authorization ?? '').replace(/^(bearer|token) /i, '');
    if (first === 'app') return reply(await answerApplication(credential, Number(id), rest));
    if (!credential.startsWith('installation-'))
      return reply({ status: 401, body: { message: 'Bad credentials' } });
    if (first === 'installation' || first === 'repos' || first === 'stored-logs') {
      const seen = self.repositories.get(Number(credential.slice('installation-'.length))) ?? [];
      return reply(answerRepositories(seen, asked));
    }
    if (first !== 'orgs' || second !== self.organization.login) return reply(notFound);
    if (id === 'members' && rest === undefined) return reply(membersPage(url));
    const member = self.members.find(({ login }) => login === rest);
    if (id === 'members') return reply({ status: member === undefined ? 404 : 204 });
    reply(member === undefined ? notFound : { status: 200, body: membershipOf(self, member) });
  }

  async function answerApplication(
    credential: string,
    id: number,
    rest: string | undefined,
  ): Promise<ForgeAnswer> {
    const { payload } = await jwtVerify(credential, publicKey, { algorithms: ['RS256'] });
    if (String(payload.iss) !== String(self.appId))
      return { status: 401, body: { message: 'Bad credentials' } };
    const account = self.installations.get(id);
    if (account === undefined) return notFound;
    if (rest !== 'access_tokens') return { status: 200, body: installationOf(self, id, account) };
    return account.suspendedAt
      ? { status: 403, body: { message: 'This installation has been suspended' } }
      : { status: 201, body: tokenOf(id) };
  }

  /** Opening the page of the application installs it as number 77. */
  function comeBack(url: URL, response: ServerResponse): void {
    const back = new URL(self.setupUrl ?? '');
    back.searchParams.set('installation_id', '77');
    back.searchParams.set('setup_action', 'install');
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  function membersPage(url: URL): ForgeAnswer {
    const number = Number(url.searchParams.get('page') ?? 1);
    self.beforePage?.(number);
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const body = self.members.slice((number - 1) * size, number * size).map((each) => userOf(self.url, each));
    return { status: 200, body, hasNext: self.members.length > number * size };
  }
  return self;
}

const notFound: ForgeAnswer = { status: 404, body: { message: 'Not Found' } };

function nextPage(url: URL): string {
  const next = new URL(url);
  next.searchParams.set('page', String(Number(url.searchParams.get('page') ?? 1) + 1));
  return `<${next.href}>; rel="next"`;
}
