import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { makeEnds } from './ends.ts';
import { fillWeeks } from './fill-weeks.ts';
import { takeGuidePictures } from './guide-pictures.ts';
import { startTrial, type Trial } from './trial.ts';

/**
 * Takes screenshots of every page, at desktop and phone width, light and dark, empty and after two weeks of use, to check a change
 * of the web app. `npm run screenshots [-- FOLDER]`, by default in `dist/screenshots`. `--readme` also replaces those in the README.
 * `--guide` takes only those of the guides and replaces them. `--only rule,print` takes those whose name contains one of the words.
 */
const { values, positionals } = parseArgs({
  options: {
    readme: { type: 'boolean', default: false },
    guide: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
const words = values.only.split(',');
const folder = path.resolve(positionals[0] ?? 'dist/screenshots');

const sizes = { desktop: { width: 1280, height: 720 }, phone: { width: 390, height: 844 } } as const;
const themes = ['light', 'dark'] as const;
const pages = [
  'overview?range=7d',
  'runs',
  'pull-requests?show=open',
  'failures',
  'event-log',
  'deliveries',
  'dead-letters',
  'metrics?days=7&groupBy=workflow',
  'what-changed',
  'jobs',
  'members',
  'rules',
  'rules/new',
  'settings',
  'connect',
];
const readmePictures = {
  runs: 'runs-busy-desktop-light',
  overview: 'overview-busy-desktop-light',
  metrics: 'metrics-busy-desktop-light',
  'runs-phone': 'runs-busy-phone-dark',
};

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

const ends = makeEnds();
try {
  const trial = await startTrial(ends);
  if (values.guide) {
    await takeGuidePictures(trial, await newSession(trial), path.resolve('docs/images'));
  } else {
    await mkdir(folder, { recursive: true });
    await takePictures(trial);
    say(`Screenshots saved in ${folder}`);
  }
} finally {
  await ends.endDownTo(0);
}

async function takePictures(trial: Trial): Promise<void> {
  const session = await newSession(trial);
  const { integrationId: quiet } = await trial.createIntegration('Quiet');
  await takeAll(trial, session, quiet, 'empty');
  const busy = await trial.createIntegration('Storefront');
  say('Filling two weeks');
  await fillWeeks({ ...busy, baseUrl: trial.publicUrl });
  const target = { integrationId: busy.integrationId, webhookSecret: busy.secret };
  await postWebhook(trial.publicUrl, target, { event: 'workflow_run', payload: { action: 'completed' } });
  await waitUntil('the queue to be empty', () => isQueueEmpty(trial), 120_000);
  await takeAll(trial, session, busy.integrationId, 'busy');
  await takeOpened(trial, session, busy.integrationId);
  await takeWebhooks(trial, session, busy.integrationId);
  // Pages without a sign-in, and outside an integration.
  await takeEach(trial, {}, '/sign-in', 'sign-in');
  await takeEach(trial, session, '/account', 'account');
  await takeEach(trial, session, '/integrations/new', 'new-integration');
  if (values.readme)
    for (const [name, picture] of Object.entries(readmePictures))
      await copyFile(path.join(folder, `${picture}.png`), path.resolve('docs/images', `${name}.png`));
}

type Session = Pick<BrowserContextOptions, 'storageState'>;

/** One session of a person for all pictures, because sign-ins are rate limited. */
async function newSession({ browser, publicUrl }: Trial, name?: string): Promise<Session> {
  const page = await browser.newPage();
  await signInPage(page, publicUrl, name);
  const storageState = await page.context().storageState();
  await page.context().close();
  return { storageState };
}

/** All accepted events are then processed and shown on the pages. */
async function isQueueEmpty({ publicUrl }: Trial): Promise<boolean> {
  const metrics = await readMetrics(publicUrl);
  return /^forgewatch_queue_ready 0$/m.test(metrics) && /^forgewatch_queue_in_flight 0$/m.test(metrics);
}

async function takeAll(trial: Trial, session: Session, integrationId: string, state: string): Promise<void> {
  for (const page of pages) {
    const name = `${page.split('?')[0]?.replace('/', '-')}-${state}`;
    await takeEach(trial, session, `/integrations/${integrationId}/${page}`, name);
  }
}

/** The page of the newest failed run, and the event log with its newest entry open. */
async function takeOpened(trial: Trial, session: Session, integrationId: string): Promise<void> {
  const context = await trial.browser.newContext(session);
  const newest = async (list: string): Promise<Record<string, unknown>> => {
    const answer = await context.request.get(`${trial.publicUrl}/api/integrations/${integrationId}/${list}`);
    const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
    if (items[0] === undefined) throw new Error(`${list} is empty`);
    return items[0];
  };
  const { runId, repository: of, workflowName } = await newest('workflows?conclusion=failure&limit=1');
  const { number, repository } = await newest('pull-requests?state=open&limit=1');
  const { entryId } = await newest('event-log?limit=1');
  const { messageId } = await newest('dead-letters?limit=1');
  const made = async (list: string, data: object): Promise<Record<string, unknown>> => {
    const url = `${trial.publicUrl}/api/integrations/${integrationId}/${list}`;
    const answer = await context.request.post(url, { data, headers: { origin: trial.publicUrl } });
    if (!answer.ok()) throw new Error(`${list}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const { ruleId } = await made('notification-rules', ruleBody());
  const { acceptUrl } = await made('invitations', { email: null, role: 'member' });
  await context.close();
  const base = `/integrations/${integrationId}`;
  await takeEach(trial, session, `${base}/runs/${String(runId)}`, 'run-busy');
  const workflow = new URLSearchParams({ repository: String(of), workflow: String(workflowName) });
  await takeEach(trial, session, `${base}/workflow?${workflow}`, 'workflow-busy');
  const pull = `${base}/pull-requests/${String(number)}?repository=${encodeURIComponent(String(repository))}`;
  await takeEach(trial, session, pull, 'pull-request-busy');
  await takeEach(trial, session, `${base}/event-log?open=${String(entryId)}`, 'entry-busy');
  await takeEach(trial, session, `${base}/deliveries?open=${String(messageId)}`, 'delivery-dead');
  await takeEach(trial, session, `${base}/dead-letters?messageId=1`, 'dead-letter-gone');
  await takeEach(trial, session, `${base}/rules/${String(ruleId)}`, 'rule-busy');
  const accept = String(acceptUrl).slice(trial.publicUrl.length);
  await takeEach(trial, session, accept, 'accept-member');
  await takeEach(trial, await newSession(trial, 'newcomer'), accept, 'accept');
}

/** A webhook subscription whose receiver does not exist, and its delivery log. */
async function takeWebhooks(trial: Trial, session: Session, integrationId: string): Promise<void> {
  const { browser, publicUrl } = trial;
  const context = await browser.newContext(session);
  const post = async (path: string, data?: object): Promise<Record<string, unknown>> => {
    const url = `${publicUrl}/api/integrations/${integrationId}/webhook-subscriptions${path}`;
    const answer = await context.request.post(url, { headers: { origin: publicUrl }, ...(data && { data }) });
    if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const eventTypes = ['run.completed', 'failure_group.opened'];
  const made = await post('', { name: 'Chat bot', url: 'https://chat-bot.invalid/in', eventTypes });
  const receiverId = String(made['subscriptionId']);
  await post(`/${receiverId}/test`);
  const log = `/api/integrations/${integrationId}/webhook-receivers/${receiverId}/webhooks`;
  const webhook = await waitUntil('the first attempt', async () => {
    const { items } = (await (await context.request.get(publicUrl + log)).json()) as {
      items: { webhookId: string; attempts: number }[];
    };
    return items[0]?.attempts !== 0 && items[0];
  });
  await context.close();
  const settings = `/integrations/${integrationId}/settings`;
  await takeEach(trial, session, settings, 'webhooks-busy', 'Outgoing webhooks');
  await takeEach(trial, session, `${settings}/webhooks/${receiverId}`, 'webhook-log-busy');
  const opened = `${settings}/webhooks/${receiverId}?open=${webhook.webhookId}`;
  await takeEach(trial, session, opened, 'webhook-busy');
}

async function takeEach(
  { browser, publicUrl }: Trial,
  session: Session,
  address: string,
  name: string,
  /** The section to scroll to. */
  section?: string,
): Promise<void> {
  if (!words.some((word) => name.includes(word))) return;
  say(name);
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ viewport, locale: 'en-US', ...session });
    const page = await context.newPage();
    await page.goto(publicUrl + address);
    // By its element: a dialog hides the role.
    await page.locator('h1').first().waitFor();
    // Skeletons are gone and charts are drawn.
    await page.waitForLoadState('networkidle');
    if (section !== undefined) await page.getByRole('region', { name: section }).scrollIntoViewIfNeeded();
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // The second frame is drawn with the new theme.
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
      await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
