import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestPage } from '#contract/tests/tests.ts';
import { openPage } from '#test/support/browser/browser.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { publicUrl, baseUrl } = product;
const team = await product.newTeam('Formats & "quotes" <here>');
const { token } = await integrationToken(product, team, 'viewer');

const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`,
});
const get = (path: string, headers = basic(token)) => fetch(publicUrl + team.path(path), { headers });

interface Parsed {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Parsed[];
}

const readXml = `(text) => {
  const read = (node) => ({
    name: node.nodeName,
    attributes: Object.fromEntries([...node.attributes].map((each) => [each.name, each.value])),
    text: node.textContent,
    children: [...node.children].map(read),
  });
  const parsed = new DOMParser().parseFromString(text, 'application/xml');
  const fault = parsed.querySelector('parsererror');
  if (fault !== null) throw new Error(fault.textContent);
  return read(parsed.documentElement);
}`;

/** Reads XML with the parser of the browser, which is independent of this program and strict. */
async function parse(answer: Response): Promise<Parsed> {
  assert.equal(answer.status, 200);
  const { page } = await openPage();
  return page.evaluate(`(${readXml})(${JSON.stringify(await answer.text())})`);
}

async function send(run: Record<string, unknown>): Promise<void> {
  await postWebhook(baseUrl, team, {
    event: 'workflow_run',
    payload: runPayload({
      workflow_id: run['name'] === 'CI' ? 1 : 2,
      head_branch: 'main',
      run_number: run['id'],
      updated_at: run['created_at'],
      ...run,
    }),
  });
}

await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
const startedAt = Date.now() - 60_000;
const second = (n: number): string => new Date(startedAt + n * 1000).toISOString();
await send({ id: 1, name: 'CI', status: 'completed', conclusion: 'success', created_at: second(1) });
await send({ id: 2, name: 'CI', status: 'in_progress', created_at: second(2) });
await send({
  id: 3,
  name: '<Deploy & "go">',
  status: 'completed',
  conclusion: 'failure',
  created_at: second(3),
});
await send({
  id: 4,
  name: 'CI',
  status: 'completed',
  conclusion: 'failure',
  head_branch: 'topic',
  created_at: second(4),
});
await waitUntil('all runs to be stored', async () => {
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  return body.items.length === 4;
});

test('CCTray has one project for each workflow of the default branch', async () => {
  const answer = await get('/cctray.xml');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/xml/);
  const { name, children } = await parse(answer);
  assert.equal(name, 'Projects');
  const projects = children.map(({ attributes }) => attributes);
  const page = `${publicUrl}/integrations/${team.integrationId}/runs`;
  const times = projects.map(({ lastBuildTime = '' }) => Date.parse(lastBuildTime));
  assert.ok(times.every((time) => time > 0));
  assert.deepEqual(
    projects.map((project) => ({ ...project, lastBuildTime: '' })),
    [
      {
        name: 'acme/site <Deploy & "go">',
        activity: 'Sleeping',
        lastBuildStatus: 'Failure',
        lastBuildLabel: '3',
        lastBuildTime: '',
        webUrl: `${page}/3`,
      },
      {
        name: 'acme/site CI',
        activity: 'Building',
        lastBuildStatus: 'Success',
        lastBuildLabel: '1',
        lastBuildTime: '',
        webUrl: `${page}/1`,
      },
    ],
  );
});

test('CCTray shows another branch or one repository on request', async () => {
  const statuses = async (query: string) =>
    (await parse(await get(`/cctray.xml?${query}`))).children.map(
      ({ attributes }) => attributes['lastBuildStatus'],
    );
  assert.deepEqual(await statuses('branch=topic'), ['Failure']);
  assert.deepEqual(await statuses('branch=none'), []);
  assert.deepEqual(await statuses('repository=acme/site'), ['Failure', 'Success']);
  assert.deepEqual(await statuses('repository=acme/other'), []);
  assert.equal((await get('/cctray.xml?colour=red')).status, 400);
});

test('the Atom feed has one entry for each incident', async () => {
  await waitUntil('an incident to be open', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length > 0;
  });
  const answer = await get('/incidents.atom');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/atom\+xml/);
  const feed = await parse(answer);
  assert.equal(feed.attributes['xmlns'], 'http://www.w3.org/2005/Atom');
  const textOf = ({ children }: Parsed, name: string) => children.find((one) => one.name === name)?.text;
  assert.equal(textOf(feed, 'title'), 'Incidents of Formats & "quotes" <here>');
  const entries = feed.children.filter(({ name }) => name === 'entry');
  const broken = entries.find((one) => textOf(one, 'title')?.includes('Deploy'));
  assert.equal(broken && textOf(broken, 'title'), '<Deploy & "go"> of acme/site on main is broken');
  assert.match((broken && textOf(broken, 'id')) ?? '', /^urn:uuid:[0-9a-f-]{36}$/);
  for (const name of ['updated', 'published'])
    assert.ok(Date.parse((broken && textOf(broken, name)) ?? '') > 0, name);
  const { body } = await team.viewer.call('GET', team.path('/incidents?status=open'));
  const open = body.items.find((one) => String(one['workflow']).includes('Deploy'));
  const change = { version: open?.['version'], status: 'closed' };
  const path = team.path(`/incidents/${String(open?.['incidentId'])}`);
  assert.equal((await team.member.call('PATCH', path, change)).status, 200);
  const titles = (await parse(await get('/incidents.atom'))).children.map((one) => textOf(one, 'title'));
  assert.ok(titles.includes('<Deploy & "go"> of acme/site on main was closed'), titles.join());
});

test('metrics for Prometheus count runs by workflow and result, whatever their names contain', async () => {
  const answer = await get('/metrics.txt');
  assert.equal(
    answer.headers.get('content-type'),
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  const families = readOpenMetrics(await answer.text());
  const runs = families.find(({ name }) => name === 'forgewatch_pipeline_runs');
  assert.deepEqual(
    runs?.samples.map(({ labels, value }) => [
      labels['cicd_pipeline_name'],
      labels['cicd_pipeline_result'],
      value,
    ]),
    [
      ['<Deploy & "go">', 'failure', 1],
      ['CI', 'failure', 1],
      ['CI', 'success', 1],
    ],
  );
});

test('a password is asked for, and accepted on these addresses only', async () => {
  for (const path of ['/cctray.xml', '/incidents.atom', '/metrics.txt']) {
    for (const headers of [{}, basic('wrong'), basic(`${token}x`)]) {
      const answer = await get(path, headers);
      assert.deepEqual(
        [answer.status, answer.headers.get('www-authenticate')],
        [401, 'Basic realm="Forgewatch"'],
      );
    }
    assert.equal((await get(path, { authorization: `Bearer ${token}` })).status, 200);
  }
  const other = await get('/workflows');
  assert.deepEqual([other.status, other.headers.get('www-authenticate')], [401, 'Bearer realm="Forgewatch"']);
});

test('the feed has tests that broke without a rule, and one entry when a rule opens an incident, which shows its end', async () => {
  const other = await product.newTeam();
  const { startRun, upload } = reportSender(product);
  const known = await integrationToken(product, other, 'viewer');
  const entries = async (): Promise<string[]> => {
    const answer = await fetch(publicUrl + other.path('/incidents.atom'), { headers: basic(known.token) });
    const found = (await answer.text()).matchAll(/<entry><title>([^<]*)[^]*?href="([^"]*)"/g);
    return Array.from(found, ([, title = '', href = '']) => `${title} at ${href.replace(publicUrl, '')}`);
  };
  for (const [hoursAgo, outcome] of [
    [2, passed('pays')],
    [1, failed('pays')],
  ] as const) {
    const { id } = await startRun(other, { hoursAgo });
    assert.equal((await upload(other, { run: id }, xml(outcome))).status, 201);
  }
  const { body: list } = await other.viewer.call('GET', other.path('/tests'));
  const [pays] = (list as unknown as TestPage).items;
  const page = `/integrations/${other.integrationId}/tests/${pays?.testId}`;
  const expected = [`cart › pays in acme/site: Broken on the default branch at ${page}`];
  assert.deepEqual(await entries(), expected);
  const rule = ruleBody({ watch: 'test_broken' });
  assert.equal((await other.admin.call('POST', other.path('/notification-rules'), rule)).status, 201);
  await waitUntil('the incident', async () => {
    const { body } = await other.viewer.call('GET', other.path('/incidents'));
    return (body['items'] as unknown[]).length === 1;
  });
  assert.deepEqual(await entries(), expected);
  const end = { closed_at: new Date(), close_reason: 'recovered', close_note: '2099-01-01T00:00:00.000Z' };
  await updateRows(product.database, 'incidents', end, { integration_id: other.integrationId });
  // A new one opens when the rule is evaluated next, because the test is in no quarantine.
  const closed = `cart › pays in acme/site: Broken on the default branch (was closed by a quarantine) at ${page}`;
  assert.ok((await entries()).includes(closed), (await entries()).join());
});
