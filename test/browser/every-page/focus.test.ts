import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPayload } from '#test/support/data/forge-events.ts';
import { hasFocus, openAs } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

async function postRun(team: Team, run: Record<string, unknown>): Promise<void> {
  const { status } = await postWebhook(product.baseUrl, team, {
    event: 'workflow_run',
    payload: runPayload(run),
  });
  assert.equal(status, 200);
}

async function teamWithDeadLetters(count: number): Promise<Team> {
  const team = await product.newTeam();
  for (let id = 1; id <= count; id++)
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: { action: 'completed' } });
  await waitUntil('the dead letters', async () => {
    const { body } = await team.admin.call('GET', team.path('/dead-letters'));
    return body.items.length === count;
  });
  return team;
}

test('keyboard navigation continues at the same place when the open run leaves the list', async () => {
  const team = await product.newTeam();
  const begun = (id: number) => ({
    id,
    display_title: `Run ${id}`,
    status: 'in_progress',
    created_at: new Date(Date.now() - 60_000 + id * 1000).toISOString(),
    updated_at: new Date(Date.now() - 60_000 + id * 1000).toISOString(),
  });
  for (const id of [1, 2, 3, 4]) await postRun(team, begun(id));
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs?status=in_progress`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('4 runs').waitFor();
  const run = (id: number) => page.getByRole('link', { name: `Run ${id}` });
  await page.keyboard.press('j');
  await hasFocus(run(4));
  await page.keyboard.press('j');
  await hasFocus(run(3));
  const end = { status: 'completed', conclusion: 'success', updated_at: new Date().toISOString() };
  await postRun(team, { ...begun(3), ...end });
  // The row that left keeps its place, so that the next key does not skip one.
  await page.getByText('3 runs', { exact: true }).waitFor();
  await hasFocus(run(3));
  await page.keyboard.press('j');
  await hasFocus(run(2));
  await page.keyboard.press('Escape');
  await run(3).waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
});

test('the focus stays in place when a row is deleted or disappears', async () => {
  const team = await teamWithDeadLetters(3);
  const { page, errors, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/dead-letters`);
  const retry = page.getByRole('button', { name: /^Retry message/ });
  const drop = page.getByRole('button', { name: /^Drop message/ });
  await waitUntil('three rows', async () => (await retry.count()) === 3);
  const [, , last] = await retry.all();
  const lastName = (await last?.getAttribute('aria-label')) ?? '';

  await drop.nth(1).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hasFocus(page.getByRole('button', { name: lastName }));

  await page.route('**/dead-letters?*', async (route) => {
    const body = (await (await route.fetch()).json()) as { items: { messageId: string }[] };
    const items = body.items.filter(({ messageId }) => lastName.endsWith(messageId));
    await route.fulfill({ json: { ...body, items } });
  });
  await retry.first().press('Enter');
  await waitUntil('one row', async () => (await retry.count()) === 1);
  await hasFocus(page.getByRole('button', { name: lastName }));
  await page.unroute('**/dead-letters?*');

  await drop.first().press('Enter');
  await page.route('**/dead-letters?*', (route) => route.fulfill({ json: { items: [], nextCursor: null } }));
  await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).press('Enter');
  await page.getByText('No dead letters').waitFor();
  await hasFocus(page.getByRole('region', { name: 'No dead letters' }));
  assert.deepEqual(errors, []);
});

test('the focus goes to the page that opens, and stays in place when the first event arrives', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.owner);
  await go('/account');
  await page.getByRole('link', { name: 'Create an integration' }).press('Enter');
  await hasFocus(page.getByLabel('Name'));
  await page.keyboard.type('First');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/connect');
  await hasFocus(page.getByRole('main'));
  await page.getByRole('link', { name: /^Account of/ }).press('Enter');
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  await hasFocus(page.getByRole('main'));

  await go(`/integrations/${team.integrationId}/connect`);
  await page.getByRole('button', { name: 'Copy simulate command' }).focus();
  await postRun(team, { id: 1 });
  await hasFocus(page.getByRole('link', { name: 'View runs' }));
  assert.deepEqual(errors, []);
});

test('a toast stays while it has the pointer or the focus', async () => {
  const team = await product.newTeam();
  const { page, go } = await openAs(product, team.viewer);
  await page.clock.install();
  await go(`/integrations/${team.integrationId}/event-log`);
  await page.getByRole('link', { name: /was created/ }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const toast = page.getByText(/^The link (is|could not be) copied$/);
  await toast.hover();
  await page.clock.runFor(20_000);
  assert.equal(await toast.count(), 1);
  await page.keyboard.press('F6');
  await page.keyboard.press('Tab');
  await page.mouse.move(0, 0);
  await page.clock.runFor(20_000);
  assert.equal(await toast.count(), 1);
  await page.getByRole('button', { name: 'Copy link' }).focus();
  await page.clock.runFor(7000);
  await toast.waitFor({ state: 'detached' });
});

test('the command palette keeps the selection while commands load, and stays closed over a dialog', async () => {
  const team = await product.newTeam('Shop');
  const other = await product.newTeam('Zoo');
  await postRun(team, { id: 1, name: 'CI' });
  const { page, go } = await openAs(product, team.admin);
  const arrival = Promise.withResolvers<void>();
  await page.route('**/workflows/facets*', async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await go(`/integrations/${team.integrationId}/members`);
  await page.getByRole('table', { name: 'Members' }).waitFor();

  const field = page.getByRole('combobox', { name: 'Command' });
  // The message arrives once the connection is there.
  await page.keyboard.press('Control+k');
  await hasFocus(field);
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Invite…' }).press('Enter');
  await page.getByRole('dialog').getByRole('textbox').first().fill('someone@example.com');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Discard changes?' }).waitFor();
  assert.equal(await field.count(), 0);
  await page.getByRole('button', { name: 'Discard' }).press('Enter');
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });

  await page.keyboard.press('Control+k');
  const zoo = page.getByRole('option', { name: /^Zoo/ });
  await zoo.waitFor();
  const isChosen = async () => (await zoo.getAttribute('data-highlighted')) !== null;
  for (let step = 0; !(await isChosen()); step++) {
    assert.ok(step < 50);
    await page.keyboard.press('ArrowDown');
  }
  arrival.resolve();
  await page.getByRole('option', { name: /^CI/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/integrations/${other.integrationId}/overview`);
});

test('the focus moves to what takes the place of a removed filter', async () => {
  const team = await product.newTeam();
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/jobs?conclusion=failure&branchClass=default`);
  await page.getByRole('button', { name: 'Remove filter Result failure' }).press('Enter');
  const last = page.getByRole('button', { name: 'Remove filter Branches default branch' });
  await hasFocus(last);
  await last.press('Enter');
  await last.waitFor({ state: 'detached' });
  // The empty place of the filters.
  await page.locator('header :focus').waitFor({ state: 'attached' });
});
