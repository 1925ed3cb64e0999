import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebSocketRoute } from 'playwright-core';
import type { StreamPosition } from '#contract/runs/runs.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { chooseItem, escapeTo, openAs, watchShifts } from '#test/support/browser/page-session.ts';
import { at } from '#test/support/browser/run-list.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

async function postRun(
  team: Awaited<ReturnType<typeof product.newTeam>>,
  id: number,
  title: string,
  more: object = {},
) {
  const payload = runPayload({ id, display_title: title, created_at: at(id), updated_at: at(id), ...more });
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
}

test('arriving and changing rows do not move the rows that are being read', async () => {
  const team = await product.newTeam();
  for (let id = 1; id <= 60; id++) await postRun(team, id, `Before ${id}`);
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Before 60').waitFor();
  await page.getByRole('row').nth(1).hover();
  await page.mouse.wheel(0, 700);
  const table = page.getByRole('table');
  await waitUntil('the page to have scrolled', async () =>
    table.evaluate(({ scrollTop }) => scrollTop === 700),
  );
  const read = page.getByRole('row').filter({ hasText: 'Before 30' });
  await read.waitFor();
  const before = await read.boundingBox();
  const shifts = await watchShifts(page);
  for (let id = 61; id <= 80; id++) await postRun(team, id, `After ${id}`);
  await page.getByRole('button', { name: /20 new/ }).waitFor();
  assert.deepEqual(await read.boundingBox(), before);
  // A hundred growing counts in the header must not sum up to a layout shift.
  const shifted = await shifts();
  assert.ok(shifted < 0.001, String(shifted));
  assert.deepEqual(errors, []);
});

test('older runs are loaded while many new ones wait', async () => {
  const team = await product.newTeam();
  for (let id = 1; id <= 150; id++) await postRun(team, id, `Before ${id}.`);
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Before 150.').hover();
  for (let id = 151; id <= 220; id++) await postRun(team, id, `After ${id}.`);
  await page.getByRole('button', { name: /70 new/ }).waitFor();
  await waitUntil('the oldest run', async () => {
    await page.mouse.wheel(0, 10_000);
    return page.getByText('Before 1.').isVisible();
  });
  assert.deepEqual(errors, []);
});

test('a lost connection recovers with the missed updates', async () => {
  const team = await product.newTeam();
  await postRun(team, 1, 'Seen before');
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Seen before').waitFor();
  await page.context().setOffline(true);
  await page.getByText('Offline', { exact: true }).waitFor();
  await postRun(team, 2, 'Missed meanwhile');
  await page.context().setOffline(false);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Missed meanwhile').waitFor();
});

test('typed text is searched in full while runs keep changing', async (t) => {
  const team = await product.newTeam();
  await postRun(team, 1, 'Haystack');
  const { page, errors, go } = await openAs(product, team.viewer);
  const connected = Promise.withResolvers<WebSocketRoute>();
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    socket.connectToServer();
    connected.resolve(socket);
  });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Haystack').waitFor();
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  const socket = await connected.promise;
  const { epoch, seq } = body['stream'] as StreamPosition;
  let told = seq;
  const coming = setInterval(() => {
    const update = { v: 1, type: 'workflow_run', epoch, seq: ++told, at: new Date().toISOString() };
    socket.send(JSON.stringify({ ...update, integrationId: team.integrationId, data: body.items[0] }));
  }, 20);
  t.after(() => clearInterval(coming));
  const field = page.getByRole('searchbox');
  await field.press('h');
  await page.waitForURL(/q=h$/);
  // Each key press comes about when the pause after the previous one ends.
  await field.pressSequentially('aystack', { delay: 255 });
  await page.waitForURL(/q=haystack$/);
  assert.equal(await field.inputValue(), 'haystack');
  await page.getByText('1 run', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test('offline requests fail with a message, are repeated later, and no abandoned change is sent', async () => {
  const team = await product.newTeam();
  await postRun(team, 1, 'Delivered');
  const { page, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/deliveries`);
  const filter = page.getByRole('button', { name: 'Event' });
  // Loads the menu, which the browser may not have done yet.
  await filter.press('Enter');
  await page.getByRole('menuitemradio', { name: 'workflow_run' }).waitFor();
  await escapeTo(filter);
  const open = page.getByRole('button', { name: /^Open delivery/ });
  await open.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await dialog.getByText('verified').waitFor();
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Replay' }).press('Enter');
  await dialog.getByRole('alert').getByText('The server does not answer').waitFor();
  await escapeTo(open);
  await filter.press('Enter');
  await chooseItem(page, 'workflow_run');
  await page.getByText('The deliveries could not be loaded').waitFor();
  await page.context().setOffline(false);
  await open.waitFor();
  const { body } = await team.admin.call('GET', team.path('/deliveries'));
  assert.equal(body.items.length, 1);
});

test('incidents that arrive late do not push the charts of the overview down', async () => {
  const team = await product.newTeam();
  const broken = { head_branch: 'main', status: 'completed', conclusion: 'failure' };
  for (const id of [1, 2, 3]) await postRun(team, id, `Broken ${id}`, { ...broken, name: `Build ${id}` });
  await waitUntil('the overview to have them', async () => {
    const { body } = await team.viewer.call('GET', team.path('/overview?range=24h'));
    return (body['needsAttention'] as unknown[]).length === 3;
  });
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  const arrival = Promise.withResolvers<void>();
  await page.route(/\/incidents/, async (route) => {
    await arrival.promise;
    await route.continue();
  });
  const shifts = await watchShifts(page);
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByText('Success rate').first().waitFor();
  arrival.resolve();
  await page.getByText('Build 3').first().waitFor();
  await page.getByRole('figure').first().waitFor();
  const shifted = await shifts();
  assert.ok(shifted < 0.01, String(shifted));
});

for (const size of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`on a slow network each page shows a placeholder where its data appears, ${size.width} wide`, async () => {
    const team = await product.newTeam();
    await postRun(team, 1, 'Slowly');
    // Until then the overview has other contents.
    await waitUntil('the run to be stored', async () => {
      const { body } = await team.admin.call('GET', team.path('/workflows'));
      return body.items.length > 0;
    });
    const { page, go } = await openAs(product, team.admin, size);
    let arrival = Promise.withResolvers<void>();
    await page.route(/\/api\/integrations\/[^/]+\/|\/config.json/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
    const shifts = await watchShifts(page);
    for (const [path, waiting, shown] of [
      ['overview', 'Loading the overview', 'Needs attention'],
      ['event-log', 'Loading the event log', /was created/],
      ['deliveries', 'Loading the deliveries', 'acme/site'],
      ['dead-letters', 'Loading the dead letters', 'No dead letters'],
      ['metrics', 'Loading the metrics', 'No completed runs in this period'],
      ['rules', 'Loading the rules', 'No notification rules'],
      ['members', 'Loading the members', 'viewer@example.com'],
      ['runs', 'Loading runs', 'Slowly'],
      ['runs/1', 'Loading the run', 'Jobs'],
      ['settings', 'Loading the forge application', 'Not configured'],
      ['connect', 'Loading the steps', 'Payload URL'],
    ] as const) {
      arrival = Promise.withResolvers();
      await go(`/integrations/${team.integrationId}/${path}`);
      await page.getByText(waiting).waitFor({ state: 'attached' });
      arrival.resolve();
      await page.getByText(shown).first().waitFor();
      await page
        .getByText(/^Loading/)
        .first()
        .waitFor({ state: 'detached' });
      const shifted = await shifts();
      assert.ok(shifted < 0.01, `${path}: ${shifted}`);
    }
  });
}
