import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { startTraceTargets } from '#test/support/traces/trace-target.ts';

const targets = await startTraceTargets();
const product = await startTeamProduct({
  ALERT_ALLOWED_NETWORKS: '127.0.0.1/32',
  ALERT_ALLOWED_PORTS: String(targets.port),
});
const team = await product.newTeam('Shop');
const settings = `/integrations/${team.integrationId}/settings`;

test('an admin exports traces with a secret header on a phone, tests the target and removes it', async () => {
  const target = targets.newTarget();
  const { page, go } = await openAs(product, team.admin, { width: 390, height: 740 });
  await go(settings);
  const section = page.getByRole('region', { name: 'Traces and metrics' });
  await section.getByText('Runs are not exported.').waitFor();
  await section.getByRole('button', { name: 'Export traces…' }).press('Enter');
  await page.getByLabel('URL', { exact: true }).fill('https://user@otlp.example.com');
  await page.getByRole('button', { name: 'Add header' }).press('Enter');
  await page.getByLabel('Header 1', { exact: true }).fill('x-api-key');
  await page.getByLabel('Value of header 1').fill('hush');
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Save export' }).press('Enter');
  await page.getByText('must not contain a user name').waitFor();
  await page.getByLabel('URL', { exact: true }).fill(target.url);
  await page.getByLabel('Also export metrics').press('Space');
  await page.getByRole('button', { name: 'Save export' }).press('Enter');
  await section.getByText('with x-api-key').waitFor();
  await section.getByText('0 runs wait').waitFor();
  await section.getByText('No metrics were exported yet.').waitFor();
  await section.getByRole('button', { name: 'Send test' }).press('Enter');
  await section.getByText(/^The target accepted the test/).waitFor();
  for (const requests of [target.requests, target.metricRequests])
    assert.equal(requests[0]!.headers['x-api-key'], 'hush');
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(await accessibilityFaults(page), []);

  target.answerWith((response) => response.writeHead(401).end());
  await section.getByRole('button', { name: 'Send test' }).press('Enter');
  await section.getByText('The test was not accepted. The target answered 401.').waitFor();
  await section.getByRole('button', { name: 'Edit export…' }).press('Enter');
  await page.getByLabel('Export finished runs').press('Space');
  await page.getByRole('button', { name: 'Save export' }).press('Enter');
  await section.getByText('Disabled:').waitFor();
  await section.getByText('with x-api-key').waitFor();
  await section.getByRole('button', { name: 'Remove export…' }).press('Enter');
  await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await section.getByText('Runs are not exported.').waitFor();
});

test('a member sees no export of traces', async () => {
  const { page, go } = await openAs(product, team.member, { width: 1280, height: 800 });
  await go(settings);
  await page.getByRole('region', { name: 'Badges' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Traces and metrics' }).count(), 0);
});
