import type { Integration } from '#contract/integrations/integrations.ts';
import type { Problem } from '#contract/base/errors.ts';
import { visibleText } from '#contract/base/plain-text.ts';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import { readRetryAfterMs } from '#platform/http/outgoing/retry-after.ts';
import type { OptionValues } from '#server/commands/command.ts';
import { readCredentials, type Credentials } from './credentials.ts';

/** The API of a server, with an API token. */
export interface Api {
  url: string;
  /** @throws ApiError with the reason and what to do */
  get<T>(path: string, query?: Query): Promise<T>;
  /** A text, such as a log. @throws ApiError with the reason and what to do */
  text(path: string, query?: Query): Promise<string>;
  /** Sends bytes. @throws ApiError with the reason and what to do */
  post<T>(path: string, query: Query, body: Uint8Array<ArrayBuffer>): Promise<T>;
  /** Sends JSON. Undefined for an answer without a body. @throws ApiError with the reason and what to do */
  change<T>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T | undefined>;
}

type Query = Record<string, string | undefined>;

export class ApiError extends Error {
  /** Undefined if there was no answer, or one without a code. */
  readonly code: string | undefined;
  /** Whether the same request may succeed later, and when. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    { code, retryAfterSeconds, cause }: { code?: string; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** More than any list. */
const answerMaxBytes = 16 * 1024 * 1024;
const answerWithinMs = 60_000;
/** More than any log. Masked text can be longer than what the forge sent. */
const textMaxBytes = 200 * 1024 * 1024;
/** The server sends a log as it arrives from the forge. */
const textWithinMs = 600_000;

export function apiOf({ url, token }: Credentials): Api {
  const request = async (
    path: string,
    query: Query,
    init: RequestInit,
    isText = false,
  ): Promise<Response> => {
    const fetch = boundedFetch(isText ? textMaxBytes : answerMaxBytes);
    const target = new URL(url + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, value);
    const answer = await fetch(target, {
      ...init,
      headers: {
        ...init.headers,
        accept: isText ? 'text/plain, application/json' : 'application/json',
        authorization: `Bearer ${token}`,
      },
      // A token is never sent to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(isText ? textWithinMs : answerWithinMs),
    }).catch((error: unknown) => {
      throw new ApiError(`${target.origin} does not answer: ${reasonOf(error)}`, {
        cause: error,
        retryAfterSeconds: 2,
      });
    });
    if (!answer.ok) throw await problemOf(answer);
    return answer;
  };
  const send = async <T>(path: string, query: Query, init: RequestInit): Promise<T> => {
    const answer = await request(path, query, init);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
  return {
    url,
    get: (path, query = {}) => send(path, query, {}),
    text: async (path, query = {}) => (await request(path, query, {}, true)).text(),
    post: (path, query, body) =>
      send(path, query, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body,
      }),
    change: (method, path, body) =>
      send(
        path,
        {},
        {
          method,
          ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        },
      ),
  };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

async function problemOf(answer: Response): Promise<ApiError> {
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  const { detail = `The server answered ${answer.status}`, errors = [], requestId, code } = problem;
  const faults = errors.map(({ field, message }) => `${field} ${message}`).join(', ');
  const parts = [detail, faults].filter((part) => part !== '');
  const text = parts.map((part) => visibleText(part).replace(/\.$/, '')).join('. ');
  const request = requestId === undefined ? '' : ` Request ${visibleText(requestId)}.`;
  return new ApiError(
    code === 'invalid_token' || code === 'unauthenticated'
      ? `${text}. Run: forgewatch login --url URL`
      : `${text}.${request}`,
    {
      ...(code === undefined ? {} : { code }),
      ...(isPassing.has(answer.status) ? { retryAfterSeconds: retryAfterOf(answer) } : {}),
    },
  );
}

/** The same request may succeed later. */
const isPassing = new Set([429, 502, 503, 504]);

function retryAfterOf({ headers }: Response): number {
  return Math.ceil((readRetryAfterMs(headers.get('retry-after') ?? undefined, Date.now()) ?? 2000) / 1000);
}

/** Options of all commands that read an integration. */
export const clientOptions = {
  integration: {
    type: 'string',
    value: 'ID',
    help: 'the integration (default: FORGEWATCH_INTEGRATION, or your only one)',
  },
  json: { type: 'boolean', help: 'print JSON' },
} as const;

/** The API and the path of the chosen integration. */
export async function openIntegration(
  env: NodeJS.ProcessEnv,
  values: OptionValues,
): Promise<{ api: Api; integrationId: string; path: string }> {
  const api = apiOf(await readCredentials(env));
  const given = values['integration'] ?? env['FORGEWATCH_INTEGRATION'];
  const integrationId = typeof given === 'string' && given !== '' ? given : await onlyIntegration(api);
  return { api, integrationId, path: `/api/integrations/${encodeURIComponent(integrationId)}` };
}

async function onlyIntegration(api: Api): Promise<string> {
  const { items } = await api.get<{ items: Integration[] }>('/api/integrations', { limit: '100' });
  const [only, ...others] = items;
  if (only === undefined) throw new Error('The API token reaches no integration.');
  if (others.length === 0) return only.integrationId;
  const lines = items.map(({ integrationId, label }) => `  ${integrationId}  ${visibleText(label)}`);
  throw new Error(['Choose one with --integration ID:', ...lines].join('\n'));
}
