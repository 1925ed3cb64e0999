import { gunzipSync, gzipSync } from 'node:zlib';
import { readFile, writeFile } from 'node:fs/promises';
import type { OwnerClient } from '#test/support/identity/owner-client.ts';

/** What the API answers, by path after the integration. */
export type Answers = Record<string, unknown>;

/** Of the events that `test/releases/upgrade.test.ts` posts. None of these answers depends on the time at which it is asked for. */
const period = 'from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z';
const lists = [
  '',
  '/members',
  '/workflows?limit=100',
  '/jobs?limit=100',
  '/pull-requests?limit=100',
  '/failure-groups',
  '/incidents',
  '/deliveries?limit=100',
  '/event-log',
  '/notification-rules',
  '/saved-views',
  '/share-links',
  '/hidden-workflows',
  '/workflow-owners',
  '/minute-prices',
  '/deployment-sources',
  '/webhook-subscriptions',
  '/tests',
  `/metrics?${period}&granularity=day`,
];

/** Addresses of the server are the same in all answers. */
export async function readAnswers(
  { read }: Pick<OwnerClient, 'read'>,
  publicUrl: string,
  integrationId: string,
): Promise<Answers> {
  const ask = async (path: string): Promise<unknown> =>
    JSON.parse(
      JSON.stringify(await read(integrationId, path)).replaceAll(publicUrl, 'https://forgewatch.example'),
    );
  const answers: Answers = {};
  for (const path of lists) answers[path] = await ask(path);
  const { items } = answers['/workflows?limit=100'] as { items: { runId: string }[] };
  for (const { runId } of items.slice(0, 20))
    answers[`/workflows/${runId}/failures`] = await ask(`/workflows/${runId}/failures`);
  return answers;
}

export async function writeAnswers(file: string, answers: Answers): Promise<void> {
  await writeFile(file, gzipSync(JSON.stringify(answers)));
}

export async function loadAnswers(file: string): Promise<Answers> {
  return JSON.parse(gunzipSync(await readFile(file)).toString()) as Answers;
}
