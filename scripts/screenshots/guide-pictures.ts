import path from 'node:path';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import type { Trial } from '../trial.ts';

interface Run {
  runId: number;
  workflowName: string | null;
  repository: string;
  title: string | null;
  attempt: number;
  conclusion: string | null;
}

interface Failures {
  items: { log: string }[];
}

/** The sample traffic ends with it. */
const lastFailure = { repository: 'Sample data/billing-api', title: 'Cache the price list for five minutes' };

/** Beside the navigation, without what is below. */
const pageClip = (height: number) => ({ x: 212, y: 0, width: 988, height });

/**
 * Takes the pictures of `docs/guide/failures.md`, of an integration with sample traffic, for whose failures there are logs. `folder` is
 * where they are saved.
 */
export async function takeGuidePictures(
  { browser, publicUrl, createIntegration }: Trial,
  session: Pick<BrowserContextOptions, 'storageState'>,
  folder: string,
): Promise<void> {
  const { integrationId } = await createIntegration('Storefront');
  const viewport = { width: 1200, height: 800 };
  const context = await browser.newContext({
    viewport,
    locale: 'en-US',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...session,
  });
  const api = `${publicUrl}/api/integrations/${integrationId}`;
  const { broken, flaky } = await sendSamples(context, publicUrl, api);
  const page = await context.newPage();
  const open = async (rest: string, shown: string): Promise<void> => {
    await page.goto(`${publicUrl}/integrations/${integrationId}/${rest}`);
    await page.getByText(shown).first().waitFor({ timeout: 120_000 });
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 120_000 });
    await page.waitForLoadState('networkidle');
  };
  const save = (name: string) => path.join(folder, `${name}.png`);
  await open(`runs/${broken.runId}`, 'Step at the forge');
  await page.screenshot({ path: save('run-failures'), clip: pageClip(480) });
  await open(`runs/${flaky.runId}`, 'Attempt 2');
  await page.screenshot({ path: save('run-attempts'), clip: pageClip(520) });
  await open('failures', 'test (ubuntu-24.04, 26)');
  await page.screenshot({ path: save('failures'), clip: pageClip(320) });
  await page.setViewportSize({ ...viewport, width: 1280 });
  await open('overview', 'Run unit tests');
  await pictureOf(page, page.getByRole('region', { name: 'Needs attention' }), save('needs-attention'));
  await context.close();
}

/** The element, with its margin above moved below it. */
async function pictureOf(page: Page, element: Locator, file: string): Promise<void> {
  await element.waitFor();
  const box = await element.boundingBox();
  if (box === null) throw new Error(`${file}: the element is not visible`);
  await page.screenshot({ path: file, clip: { ...box, y: box.y + 16 } });
}

/** Sends sample traffic under a rule. Returns a run that failed and one that failed and then passed, when their logs are read. */
export async function sendSamples(
  context: BrowserContext,
  origin: string,
  api: string,
): Promise<{ broken: Run; flaky: Run }> {
  const post = async (to: string, data: object): Promise<void> => {
    const answer = await context.request.post(`${api}/${to}`, { data, headers: { origin } });
    if (!answer.ok()) throw new Error(`${to}: ${await answer.text()}`);
  };
  const read = async <T>(from: string): Promise<T> =>
    (await (await context.request.get(`${api}/${from}`)).json()) as T;
  const runsOf = async (query: string): Promise<Run[]> =>
    (await read<{ items: Run[] }>(`workflows?limit=100&${query}`)).items;
  await post('notification-rules', ruleBody());
  await post('sample-traffic', {});
  const broken = await waitUntil('the last failure with its log', async () => {
    const run = (await runsOf('conclusion=failure')).find(
      ({ repository, title }) => repository === lastFailure.repository && title === lastFailure.title,
    );
    if (run === undefined) return undefined;
    const { items } = await read<Failures>(`workflows/${run.runId}/failures`);
    return items[0]?.log === 'read' ? run : undefined;
  });
  await waitUntil('an incident', async () => (await read<Failures>('incidents')).items.length > 0);
  const flaky = await waitUntil('a run that failed and then passed', async () =>
    (await runsOf('conclusion=success')).find(
      ({ workflowName, attempt }) => workflowName === 'End-to-end' && attempt === 2,
    ),
  );
  return { broken, flaky };
}
