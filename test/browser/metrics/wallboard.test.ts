import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, openPage } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
const startedAt = Date.now() - 3_600_000;
let runs = 0;

async function send(run: Record<string, unknown>): Promise<void> {
  runs += 1;
  const [created_at, updated_at] = [0, 10].map((minute) =>
    new Date(startedAt + minute * 60_000 + runs * 1000).toISOString(),
  );
  const times = { created_at, run_started_at: created_at, updated_at };
  const payload = runPayload({ id: runs, head_branch: 'main', status: 'completed', ...times, ...run });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
}

const tile = (name: string) => ({ hasText: name });

test('a share link made on the settings page shows the wallboard live in a browser without a session', async () => {
  await send({ name: 'CI', conclusion: 'success' });
  await send({ name: 'Deploy', conclusion: 'success' });
  const { page, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/settings`);
  const section = page.getByRole('region', { name: 'Wallboard' });
  await section.getByRole('button', { name: 'Create share link…' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Office');
  await dialog.getByLabel('Workflows').fill(' CI , Nightly');
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole('button', { name: 'Create share link' }).press('Enter');
  await dialog.getByText('Share link created.').waitFor();
  const address = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have saved it' }).press('Enter');

  const { page: screen } = await openPage();
  const asked: string[] = [];
  screen.on('request', (request) => asked.push(request.url(), request.headers()['referer'] ?? ''));
  await screen.goto(address);
  const tiles = screen.getByRole('list', { name: 'Workflows' }).getByRole('listitem');
  await tiles.filter(tile('CI')).getByText('Passed').waitFor();
  assert.equal(await tiles.count(), 1);
  await screen.getByText('Nothing failed').waitFor();

  await send({ name: 'CI', conclusion: 'failure' });
  await screen.getByText('1 failed').waitFor();
  await tiles
    .filter(tile('CI'))
    .getByText(/^Failed for /)
    .waitFor();
  await send({ name: 'CI', status: 'in_progress', conclusion: null });
  await screen.getByRole('progressbar').waitFor();
  await screen.emulateMedia({ forcedColors: 'active' });
  const border = await screen.evaluate(
    `getComputedStyle(document.querySelector('.wall-tile[data-state=failed]')).borderStyle`,
  );
  assert.equal(border, 'double', 'a failed workflow differs from others without colours');
  await screen.emulateMedia({ forcedColors: null });
  assert.deepEqual(await accessibilityFaults(screen), []);
  const secret = new URL(address).hash.slice(1);
  assert.deepEqual(
    asked.filter((url) => url.includes(secret) && !url.startsWith(address)),
    [],
  );

  await section.getByRole('button', { name: 'Revoke Office' }).press('Enter');
  await page.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
  await screen.getByText('The share link is incomplete or was revoked.').waitFor();
  assert.deepEqual(await accessibilityFaults(screen), []);
  await screen.getByRole('link', { name: 'Sign in' }).press('Enter');
  await screen.getByRole('heading', { name: 'Sign in to Forgewatch' }).waitFor();

  await page.goto(address.slice(0, -1));
  await page.getByText('The share link is incomplete or was revoked.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).press('Enter');
  await page.getByRole('list', { name: 'Workflows' }).waitFor();
});

test('the wallboard survives a lost network and says since when it shows old data', async () => {
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 740 });
  await go(`/wall/${team.integrationId}?workflow=Deploy`);
  await page.getByText('Nothing failed').waitFor();
  assert.equal(await page.getByRole('listitem').count(), 1);
  assert.equal(await sidewaysScroll(page), 0);
  await page.context().setOffline(true);
  await page.getByText('No connection.').waitFor();
  await page.getByRole('listitem').filter(tile('Deploy')).waitFor();
  await page.context().setOffline(false);
  await page.getByText('No connection.').waitFor({ state: 'detached' });
});
