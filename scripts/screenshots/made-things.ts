import type { Page } from 'playwright-core';
import type { Overview } from '#contract/metrics/overview.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { Trial } from '../trial.ts';
import { newSession, type Session, type Shot } from './camera.ts';
import { sendSamples } from './guide-pictures.ts';
import { openedPages, press, sampleOverlays, webhookOverlays } from './overlays.ts';
import { loadingAndFailed } from './page-list.ts';

type Item = Record<string, unknown>;

/** Reads and changes an integration as a person does. */
async function openApi({ browser, publicUrl }: Trial, session: Session, integrationId: string) {
  const context = await browser.newContext(session);
  const api = `${publicUrl}/api/integrations/${integrationId}`;
  const newest = async (list: string): Promise<Item> => {
    const { items } = (await (await context.request.get(`${api}/${list}`)).json()) as { items: Item[] };
    if (items[0] === undefined) throw new Error(`${list} is empty`);
    return items[0];
  };
  const make = async (list: string, data: object = {}, method = 'POST'): Promise<Item> => {
    const url = list.startsWith('/') ? publicUrl + list : `${api}/${list}`;
    const answer = await context.request.fetch(url, { method, data, headers: { origin: publicUrl } });
    if (!answer.ok()) throw new Error(`${list}: ${await answer.text()}`);
    return (await answer.json().catch(() => ({}))) as Item;
  };
  return { newest, make, close: () => context.close() };
}

const text = (value: unknown): string => String(value);
const query = (values: Record<string, unknown>): string => {
  const entries = Object.entries(values).map(([name, value]) => [name, text(value)]);
  return new URLSearchParams(entries).toString();
};

/** The pages of single things: a run, a workflow, a pull request, an entry, a delivery, a rule, an invitation. */
export async function singleThings(trial: Trial, session: Session, integrationId: string): Promise<Shot[]> {
  const base = `/integrations/${integrationId}`;
  const api = await openApi(trial, session, integrationId);
  const run = await api.newest('workflows?conclusion=failure&limit=1');
  const running = await api.newest('workflows?status=in_progress&limit=1');
  const pull = await api.newest('pull-requests?state=open&limit=1');
  const { entryId } = await api.newest('event-log?limit=1');
  const { messageId } = await api.newest('dead-letters?limit=1');
  const { ruleId } = await api.make('notification-rules', ruleBody());
  const { acceptUrl } = await api.make('invitations', { email: null, role: 'member' });
  await api.make('saved-views', {
    name: 'Failed on main',
    filter: { conclusion: 'failure', branch: 'main' },
  });
  const { repository, workflowName: workflow } = run;
  await api.make('badges', { repository, workflow });
  await api.make('deployment-sources', { environment: 'production' });
  const link = await api.make('share-links', { name: 'Office', filter: {} });
  await api.close();
  const accept = text(acceptUrl).slice(trial.publicUrl.length);
  const shared = text(link['url']).slice(trial.publicUrl.length);
  const at = `${base}/pull-requests/${text(pull['number'])}?${query({ repository: pull['repository'] })}`;
  return [
    { name: 'run-busy', at: `${base}/runs/${text(run['runId'])}`, isMain: true },
    {
      name: 'open-cancel',
      at: `${base}/runs/${text(running['runId'])}`,
      before: (page: Page) =>
        page.route('**/actions', (route) => route.fulfill({ json: { isConnected: true } })),
      act: press('Cancel run'),
    },
    { name: 'workflow-busy', at: `${base}/workflow?${query({ repository, workflow })}`, isMain: true },
    { name: 'pull-request-busy', at, isMain: true },
    { name: 'entry-busy', at: `${base}/event-log?open=${text(entryId)}`, isMain: true },
    { name: 'delivery-dead', at: `${base}/deliveries?open=${text(messageId)}` },
    { name: 'rule-busy', at: `${base}/rules/${text(ruleId)}`, isMain: true },
    { name: 'health-deployments', at: `${base}/health`, isMain: true },
    { name: 'wall', at: `/wall/${integrationId}`, isMain: true },
    { name: 'wall-shared', at: shared, session: {} },
    { name: 'wall-incomplete', at: shared.slice(0, -1), session: {} },
    { name: 'accept-member', at: accept },
    { name: 'accept', at: accept, session: await newSession(trial, 'newcomer') },
    { name: 'accept-signed-out', at: accept, session: {} },
    { name: 'print-overview', at: `${base}/overview`, isPrinted: true },
    { name: 'print-metrics', at: `${base}/metrics`, isPrinted: true },
    { name: 'print-runs', at: `${base}/runs`, isPrinted: true },
  ].map((shot) => ({ session, ...shot }));
}

/** A webhook subscription and an export of traces whose targets do not exist, and the delivery log. */
export async function webhookPages(trial: Trial, session: Session, integrationId: string): Promise<Shot[]> {
  const api = await openApi(trial, session, integrationId);
  const eventTypes = ['run.completed', 'failure_group.opened'];
  const chatBot = { name: 'Chat bot', url: 'https://chat-bot.invalid/in', eventTypes };
  const receiverId = text((await api.make('webhook-subscriptions', chatBot))['subscriptionId']);
  await api.make(`webhook-subscriptions/${receiverId}/test`);
  const { webhookId } = await waitUntil('the first attempt', async () => {
    const webhook = await api.newest(`webhook-receivers/${receiverId}/webhooks`);
    return webhook['attempts'] !== 0 && webhook;
  });
  await api.make('trace-export', { url: 'https://collector.invalid', enabled: true }, 'PUT');
  await api.close();
  const base = `/integrations/${integrationId}`;
  const log = `settings/webhooks/${receiverId}`;
  return [
    { name: 'settings-full', at: `${base}/settings`, isMain: true },
    { name: 'webhook-log', at: `${base}/${log}`, isMain: true },
    { name: 'webhook-opened', at: `${base}/${log}?open=${text(webhookId)}` },
    ...loadingAndFailed([{ name: 'webhook-log', at: `${base}/${log}` }]),
    ...openedPages(base, webhookOverlays(log)),
  ].map((shot) => ({ session, ...shot }));
}

/** The integration as a viewer sees it, who may change nothing. */
export async function viewerPages(trial: Trial, session: Session, integrationId: string): Promise<Shot[]> {
  const api = await openApi(trial, session, integrationId);
  const { acceptUrl } = await api.make('invitations', { email: null, role: 'viewer' });
  await api.close();
  const viewer = await newSession(trial, 'viewer');
  const own = await openApi(trial, viewer, integrationId);
  await own.make('/api/invitations/accept', { token: text(acceptUrl).split('#token=')[1] });
  await own.close();
  const base = `/integrations/${integrationId}`;
  const pages = ['members', 'rules', 'settings', 'dead-letters', 'connect'];
  return [
    ...pages.map((page) => ({ name: `viewer-${page}`, at: `${base}/${page}`, session: viewer })),
    ...openedPages(base, [['remove-member', 'members', press(/^Remove viewer/)]]),
  ];
}

/** What only sample traffic has: logs, and therefore reasons and incidents. */
export async function samplePages(trial: Trial, session: Session): Promise<Shot[]> {
  const { integrationId } = await trial.createIntegration('Samples');
  const context = await trial.browser.newContext(session);
  const url = `${trial.publicUrl}/api/integrations/${integrationId}`;
  const { broken, flaky } = await sendSamples(context, trial.publicUrl, url);
  await context.close();
  const api = await openApi(trial, session, integrationId);
  const { groupId } = await api.newest('failure-groups?limit=1');
  const { jobId } = await api.newest(`workflows/${broken.runId}/failures`);
  const { testId } = await waitUntil('a flaky test', () =>
    api.newest('tests?state=flaky&limit=1').catch(() => undefined),
  );
  await api.make(`tests/${text(testId)}/quarantine`, { reason: 'Waits for a clock' }, 'PUT');
  await api.close();
  const base = `/integrations/${integrationId}`;
  return [
    { name: 'sample-overview', at: `${base}/overview`, isMain: true },
    { name: 'sample-overview-lone', at: `${base}/overview?range=24h`, before: keepThreeHours },
    { name: 'sample-runs', at: `${base}/runs?conclusion=failure`, isMain: true },
    { name: 'sample-failures', at: `${base}/failures`, isMain: true },
    { name: 'sample-group', at: `${base}/failures/${text(groupId)}`, isMain: true },
    { name: 'sample-run', at: `${base}/runs/${broken.runId}`, isMain: true },
    { name: 'sample-log', at: `${base}/runs/${broken.runId}/jobs/${text(jobId)}/log`, isMain: true },
    { name: 'sample-run-flaky', at: `${base}/runs/${flaky.runId}` },
    ...openedPages(base, sampleOverlays(`runs/${broken.runId}`, `failures/${text(groupId)}`)),
    { name: 'sample-tests', at: `${base}/tests`, isMain: true },
    { name: 'sample-tests-quarantined', at: `${base}/tests?quarantined=true`, isMain: true },
    { name: 'sample-test', at: `${base}/tests/${text(testId)}`, isMain: true },
    { name: 'sample-rules', at: `${base}/rules` },
    { name: 'sample-wall', at: `/wall/${integrationId}` },
    { name: 'sample-settings', at: `${base}/settings` },
    { name: 'sample-print-run', at: `${base}/runs/${broken.runId}`, isPrinted: true },
  ].map((shot) => ({ session, ...shot }));
}

/** Chart values with no neighbour, and two with one. */
const keepThreeHours = (page: Page) =>
  page.route('**/api/**/overview?*', async (route) => {
    const answer = await route.fetch();
    const overview = (await answer.json()) as Overview;
    const series = overview.series.map((point, index) =>
      [5, 14, 15].includes(index)
        ? { ...point, succeeded: index, durationP50Ms: 200_000, durationP95Ms: 300_000 }
        : { ...point, succeeded: 0, failed: 0, durationP50Ms: null, durationP95Ms: null },
    );
    await route.fulfill({ json: { ...overview, series } });
  });

/** Pages outside an integration. */
export function outerPages(session: Session): Shot[] {
  return [
    { name: 'sign-in', at: '/sign-in', session: {} },
    { name: 'sign-in-failed', at: '/sign-in?error=sign_in_not_bound', session: {} },
    { name: 'home', at: '/', isMain: true },
    { name: 'account', at: '/account', isMain: true },
    { name: 'new-integration', at: '/integrations/new' },
    { name: 'no-token', at: '/invitations/accept' },
    { name: 'ended-invitation', at: '/invitations/accept#token=unknown' },
    { name: 'unsubscribe', at: '/unsubscribe' },
    { name: 'installed', at: '/forge-app/installed' },
    { name: 'not-found', at: '/nothing-here' },
    { name: 'no-access', at: '/integrations/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de/runs' },
    { name: 'wall-unknown', at: '/wall/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de' },
  ].map((shot) => ({ session, ...shot }));
}
