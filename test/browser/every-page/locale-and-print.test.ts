import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { MetricNumbers } from '#contract/metrics/metrics.ts';
import { endOfJob, endOfRun, seconds } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { openAs, visit } from '#test/support/browser/page-session.ts';
import { jobPayload, pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
const post = (event: string, payload: object) =>
  postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });

const runCount = 60;
await team.admin.call(
  'POST',
  team.path('/notification-rules'),
  ruleBody({ channels: [{ type: 'email', to: ['team@example.com'] }] }),
);
await Promise.all(
  Array.from({ length: runCount }, async (_, place) => {
    const id = place + 1;
    const day = -86_400 * Math.floor((runCount - id) / 5);
    await post('workflow_run', endOfRun(id, id % 3 === 0 ? 'failure' : 'success', day - 60 + id));
  }),
);
await post('workflow_job', endOfJob(runCount, 601, 'failure', -30));
// Thirty hours are 1,800 runner minutes.
await post(
  'workflow_job',
  jobPayload({
    id: 602,
    run_id: runCount - 1,
    name: 'nightly',
    workflow_name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion: 'success',
    labels: ['ubuntu-latest'],
    created_at: seconds(-30 * 3600 - 120),
    started_at: seconds(-30 * 3600 - 60),
    completed_at: seconds(-60),
  }),
);
const pull = { title: 'Add a discount', head: { ref: 'topic', sha: 'a'.repeat(40) }, base: { ref: 'main' } };
await post('pull_request', pullRequestPayload({ number: 12, ...pull }, { number: 12 }));
await post('workflow_run', { action: 'completed' });
const read = async (path: string) => (await team.admin.call('GET', team.path(path))).body;
await waitUntil('the dead letter', async () => (await read('/dead-letters')).items.length === 1);
await waitUntil('all runs and minutes to be counted', async () => {
  const { runs, billableMinutes } = (await read('/metrics?from=2026-01-01T00:00:00Z'))[
    'total'
  ] as MetricNumbers;
  return runs === runCount && billableMinutes >= 1800;
});
const deliveries = (await read('/deliveries')).items;

/** Every page with a text that appears after it is loaded. */
const pages = [
  ['overview?range=30d', 'Needs attention'],
  ['runs?status=completed', /^60 runs$/],
  [`runs/${runCount}`, 'test (601)'],
  ['pull-requests?show=open', 'Add a discount'],
  ['pull-requests/12', 'Checks of'],
  ['failures', 'Failures'],
  ['event-log', /is red/],
  ['deliveries?from=2026-01-01T00:00:00Z', 'acme/site'],
  [`deliveries?open=${String(deliveries[0]?.['deliveryId'])}`, 'Forgewatch ID'],
  ['dead-letters', 'invalid_payload'],
  ['metrics?days=30&groupBy=workflow', 'Workflows that failed most'],
  ['metrics?days=2', 'Workflows that failed most'],
  ['what-changed?days=30', 'Too few runs to compare'],
  ['workflow?repository=acme%2Fsite&workflow=CI&days=30', 'Slowest jobs'],
  ['jobs', 'nightly'],
  ['members', 'viewer@example.com'],
  ['rules', 'Broken main'],
  ['rules/new', /would have matched/],
  ['settings', 'Data retention'],
  ['connect', 'Add the webhook'],
] as const;

/** Each text of the page and each text that a pointer or a screen reader gets. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest('script, style, pre, code')) texts.push(walker.currentNode.data);
    for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]'))
      for (const name of ['title', 'aria-label', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
    return texts;
  })()`);

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const american = [
  /\d,\d{3}(?!\d)/,
  /\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/,
  new RegExp(`\\b(?:${months})[a-z]*\\.? \\d{1,2}\\b`),
  /\b\d{1,2}(?::\d{2})*\s?[AP]M\b/,
  /\b\d+\.\d{1,2}\s?(?:%|s|m|h|min|bytes|[KM]iB|×|points)(?![\w.])/,
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday)?\b/,
];
const german = [
  /\b\d{1,3}\.\d{3}(?![\d.])/,
  /\b\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})\b/,
  /\b\d{1,2}\. (?:Jan|Feb|März|Apr|Mai|Juni|Juli|Aug|Sept?|Okt|Nov|Dez)/,
  /\b\d+,\d{1,2}\s?(?:%|s|m|h|min)(?![\w,])/,
  /\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?, \d/,
];

/** Walks every page. Returns all texts, and those of a foreign form with their page. */
async function walk(page: Page, go: (path: string) => Promise<void>, foreign: readonly RegExp[]) {
  const [all, wrong] = [new Set<string>(), new Set<string>()];
  for (const [path, text] of pages) {
    await visit({ page, go }, `/integrations/${team.integrationId}/${path}`);
    await page.getByText(text).first().waitFor({ state: 'attached' });
    await page
      .getByText(/^Loading /)
      .first()
      .waitFor({ state: 'detached' });
    for (const each of await textsOf(page)) {
      all.add(each);
      if (foreign.some((pattern) => pattern.test(each))) wrong.add(`${path}: ${each}`);
    }
  }
  return { all: [...all].join('\n'), wrong: [...wrong] };
}

for (const { locale, timezoneId, foreign, own } of [
  {
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
    foreign: american,
    own: [/^1\.8\d\d min$/m, /\d,\d %/, /\d{2}\.\d{2}\.20\d\d, \d{2}:\d{2}:\d{2} Europe\/Berlin/],
  },
  {
    locale: 'en-US',
    timezoneId: 'America/New_York',
    foreign: german,
    own: [/^1,8\d\d min$/m, /\d\.\d %/, /[A-Z][a-z]{2} \d{1,2}, 20\d\d, .*[AP]M America\/New_York/],
  },
]) {
  test(`with the language ${locale} every page shows only its numbers, dates and times`, async () => {
    const { page, go } = await openAs(product, team.owner, { locale, timezoneId });
    const { all, wrong } = await walk(page, go, foreign);
    assert.deepEqual(wrong, []);
    for (const pattern of own) assert.match(all, pattern);
  });
}

/** What would be cut off on paper: parts that scroll. */
const scrolling = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('#root *')]
    .filter((one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1 &&
      ['auto', 'scroll'].includes(getComputedStyle(one).overflowY))
    .map((one) => one.outerHTML.slice(0, 200))`);

/** Background and text colour of the page, as printed. */
const colours = (page: Page): Promise<string[]> =>
  page.evaluate(`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]`);

/** Visible links that look like text. */
const plainLinks = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main a')]
    .filter((link) => link.checkVisibility() && getComputedStyle(link).textDecorationLine !== 'underline')
    .map((link) => link.outerHTML.slice(0, 200))`);

for (const [path, text] of pages.filter(([each]) => /^(runs|metrics\?days=30|pull|jobs|members)/.test(each)))
  test(`${path} prints its content on white paper, without controls`, async () => {
    const { page, errors, go } = await openAs(product, team.owner, { width: 1024, height: 600 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await go(`/integrations/${team.integrationId}/${path}`);
    const content = page.getByText(text).first();
    await content.waitFor({ state: 'attached' });
    const controls = page
      .getByRole('complementary')
      .or(page.getByRole('navigation'))
      .or(page.getByRole('textbox'))
      .or(page.getByRole('link', { name: /^Back to/ }))
      .or(page.getByRole('status', { name: 'Connection' }));
    const status = page.getByRole('status', { name: 'Status of the run' });
    const hasStatus = await status.isVisible();
    assert.notEqual(await controls.filter({ visible: true }).count(), 0);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    assert.deepEqual(await colours(page), ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    assert.equal(await controls.filter({ visible: true }).count(), 0);
    assert.equal(await page.locator('button:not(.prints)').filter({ visible: true }).count(), 0);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await status.isVisible(), hasStatus);
    await content.waitFor();
    assert.deepEqual(await scrolling(page), []);
    assert.deepEqual(await plainLinks(page), []);
    assert.deepEqual(errors, []);
  });

test('a printed list has all its runs on several sheets, the chosen filter and exact times', async () => {
  const { page, go } = await openAs(product, team.owner, { width: 1280, height: 600 });
  await go(`/integrations/${team.integrationId}/runs?status=completed`);
  const rows = page.getByRole('table', { name: 'Workflow runs' }).getByRole('row');
  await page.getByText(/^60 runs$/).waitFor();
  assert.ok((await rows.count()) < runCount, 'a screen has only the visible rows');
  await page.emulateMedia({ media: 'print' });
  await waitUntil('all rows', async () => (await rows.count()) === runCount + 1);
  await page.getByRole('button', { name: /^Status.*Completed/i }).waitFor();
  assert.match(await rows.nth(runCount).innerText(), /20\d\d/);
  const tops = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().top));
  assert.deepEqual(
    tops,
    tops.toSorted((a, b) => a - b),
    'rows do not overlap',
  );
  const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
  assert.ok(sheets.length > 1, `${sheets.length} sheets`);
});
