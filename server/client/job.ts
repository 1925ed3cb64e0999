import { readFile, stat } from 'node:fs/promises';
import { reportMaxBytes } from '#contract/tests/tests.ts';
import { UsageError, type Command, type OptionValues } from '#server/commands/command.ts';
import { apiOf, ApiError, openIntegration, type Api } from './api.ts';

/** What a job reports about. */
export interface Job {
  run: number;
  attempt: number;
  /** The address of the forge. */
  forge: string | undefined;
  job: string;
  suite: string | undefined;
}

const text = { type: 'string', value: 'TEXT' } as const;
const number = { type: 'string', value: 'N' } as const;

export const suiteOption = {
  ...text,
  help: 'tells equal names of different suites apart, such as unit and e2e',
} as const;

export const jobOptions: Command['options'] = {
  suite: suiteOption,
  job: { ...text, help: 'the id of the job or a name for it; legs of a matrix need different ones' },
  run: { ...number, help: 'the id of the run at the forge (default: from the job)' },
  attempt: { ...number, help: 'the attempt of the run (default: from the job, or 1)' },
};

/** Forgejo and Gitea set the names of GitHub, and some versions their own ones besides. */
const prefixes = ['FORGEJO', 'GITEA', 'GITHUB'];

export function fromJob(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return prefixes.map((prefix) => env[`${prefix}_${name}`]).find(Boolean);
}

/** Reads run, attempt and job from the options, or else from what the forge tells its jobs. @throws UsageError */
export function jobOf(env: NodeJS.ProcessEnv, values: OptionValues): Job {
  const run = values['run'] ?? fromJob(env, 'RUN_ID');
  if (run === undefined)
    throw new UsageError('GITHUB_RUN_ID is not set, so this is no job of a forge. Pass --run ID.');
  return {
    run: wholeNumber('run', run),
    attempt: wholeNumber('attempt', values['attempt'] ?? fromJob(env, 'RUN_ATTEMPT') ?? '1'),
    forge: fromJob(env, 'SERVER_URL'),
    job: String(values['job'] ?? fromJob(env, 'JOB') ?? ''),
    suite: typeof values['suite'] === 'string' ? values['suite'] : undefined,
  };
}

function wholeNumber(name: string, value: string | boolean): number {
  const found = Number(value);
  if (Number.isSafeInteger(found) && found > 0) return found;
  throw new UsageError(`--${name} takes a number above 0`);
}

/**
 * The API for a job: with the token of `FORGEWATCH_TOKEN` or a login, or else with the OpenID token that the forge gives to the job.
 * @throws Error with what to do
 */
export async function openForJob(
  env: NodeJS.ProcessEnv,
  values: OptionValues,
): Promise<{ api: Api; path: string }> {
  const { FORGEWATCH_URL: url, FORGEWATCH_TOKEN: token } = env;
  if (!url || token) return openIntegration(env, values);
  const jobToken = await requestJobToken(env, url.replace(/\/+$/, ''));
  if (jobToken === undefined)
    throw new Error(
      `FORGEWATCH_TOKEN is empty. ${tokenAdvice} Or allow the job to get an OpenID token: permissions: id-token: write on GitHub, enable-openid-connect: true on Forgejo. Forges give neither to workflows of forks.`,
    );
  const integrationId = values['integration'] ?? env['FORGEWATCH_INTEGRATION'];
  if (typeof integrationId !== 'string' || integrationId === '') throw new Error(integrationAdvice);
  return {
    api: apiOf({ url: url.replace(/\/+$/, ''), token: jobToken }),
    path: `/api/job/${encodeURIComponent(integrationId)}`,
  };
}

/** As GitHub and Forgejo offer it to their jobs. Undefined if they do not. */
async function requestJobToken(env: NodeJS.ProcessEnv, audience: string): Promise<string | undefined> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = env;
  if (!address || !secret) return undefined;
  const { origin, pathname, searchParams } = new URL(address);
  const forge = apiOf({ url: origin, token: secret });
  const query = { ...Object.fromEntries(searchParams), audience };
  const { value } = await forge.get<{ value?: unknown }>(pathname, query);
  if (typeof value !== 'string') throw new Error(`${origin} gives the job no OpenID token.`);
  return value;
}

const integrationAdvice =
  'Set FORGEWATCH_INTEGRATION to the id of the integration, which is in the address of its pages.';

const tokenAdvice =
  'Create an API token with the role reports in the settings of the integration, and store it as a secret at the forge.';

const advice: Readonly<Record<string, string>> = {
  invalid_token: `The API token is not valid. ${tokenAdvice}`,
  // A token for reports reads no list of integrations.
  insufficient_scope: `The API token does not allow this. ${integrationAdvice} Use a token with the role reports.`,
  insufficient_role:
    'The API token is not for this integration. Check FORGEWATCH_INTEGRATION, or create a token there.',
};

/** The message of an error in a job, with what to do. */
export function adviceOf(error: unknown): string {
  const code = error instanceof ApiError ? error.code : undefined;
  return (code === undefined ? undefined : advice[code]) ?? (error as Error).message;
}

/** @throws Error with what to do */
export async function readReport(file: string): Promise<Buffer<ArrayBuffer>> {
  const { size, isDirectory } = await stat(file).then(
    (found) => ({ size: found.size, isDirectory: found.isDirectory() }),
    (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      throw new Error(isMissing ? missing : `The file cannot be read: ${error.code}.`, { cause: error });
    },
  );
  if (isDirectory) throw new Error('This is a directory. Pass files, such as reports/*.xml.');
  if (size > reportMaxBytes)
    throw new Error(`The file has more than ${reportMaxBytes / 1024 / 1024} MiB. Split it by suite.`);
  return readFile(file);
}

const missing = 'There is no such file. Check that the tests ran and where they write their report.';
