import type { Integration } from '#contract/integrations/integrations.ts';
import type { Problem } from '#contract/base/errors.ts';
import { visibleText } from '#contract/base/plain-text.ts';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { OptionValues } from '#server/commands/command.ts';
import { readCredentials, type Credentials } from './credentials.ts';

/** The API of a server, with an API token. */
export interface Api {
  url: string;
  /** @throws Error with the reason and what to do */
  get<T>(path: string, query?: Record<string, string | undefined>): Promise<T>;
}

/** More than any list. */
const answerMaxBytes = 16 * 1024 * 1024;
const answerWithinMs = 60_000;

export function apiOf({ url, token }: Credentials): Api {
  const fetch = boundedFetch(answerMaxBytes);
  return {
    url,
    get: async <T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> => {
      const target = new URL(url + path);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) target.searchParams.set(name, value);
      const answer = await fetch(target, {
        headers: { accept: 'application/json', authorization: `Bearer ${token}` },
        // A token is never sent to another server.
        redirect: 'error',
        signal: AbortSignal.timeout(answerWithinMs),
      }).catch((error: unknown) => {
        throw new Error(`${target.origin} does not answer: ${reasonOf(error)}`, { cause: error });
      });
      if (!answer.ok) throw new Error(await problemOf(answer));
      return (await answer.json()) as T;
    },
  };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

async function problemOf(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  const { detail = `The server answered ${answer.status}`, errors = [], requestId } = problem;
  const faults = errors.map(({ field, message }) => `${field} ${message}`).join(', ');
  const parts = [detail, faults].filter((part) => part !== '');
  const text = parts.map((part) => visibleText(part).replace(/\.$/, '')).join('. ');
  const request = requestId === undefined ? '' : ` Request ${visibleText(requestId)}.`;
  return answer.status === 401 ? `${text}. Run: forgewatch login --url URL` : `${text}.${request}`;
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
