import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct();
const { publicUrl } = product;
const lasting = await product.newTeam('Shop');

async function openSettings(team: Team, person: Person, size?: { width: number; height: number }) {
  const opened = await openAs(product, person, size);
  await opened.go(`/integrations/${team.integrationId}/settings`);
  await opened.page.getByRole('heading', { name: 'Webhook secret' }).waitFor();
  return opened.page;
}

test('the page appears when all its sections are read, so that none moves those below it', async () => {
  const { page, go } = await openAs(product, lasting.admin);
  // On a slow machine the reads could take longer than the page waits for them.
  await page.addInitScript(`(() => {
    const start = setTimeout;
    globalThis.setTimeout = (run, ms, ...rest) => (ms === 2000 ? 0 : start(run, ms, ...rest));
  })()`);
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route('**/usage', async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await go(`/integrations/${lasting.integrationId}/settings`);
  await asked.promise;
  await page.getByText('Loading the settings').waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Webhook secret' }).count(), 0);
  held.resolve();
  await page.getByRole('heading', { name: 'Webhook secret' }).waitFor();
  assert.equal(await page.getByText(/^Loading /).count(), 0);
});

test('an admin renames the integration by keyboard, and the sidebar follows', async () => {
  const team = await product.newTeam('Old name');
  const page = await openSettings(team, team.admin);
  const field = page.getByLabel('Name of the integration');
  await field.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('   ');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a name.').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await page.keyboard.type('New name');
  await page.keyboard.press('Enter');
  await page.getByText('Renamed').waitFor();
  await page.getByRole('button', { name: /New name/ }).waitFor();
  const { body } = await team.viewer.call('GET', team.path());
  assert.equal(body['label'], 'New name');
});

test('the index names each section in order and goes to it by keyboard, on a phone too', async () => {
  const page = await openSettings(lasting, lasting.admin, { width: 390, height: 844 });
  // Some sections are shown when the configuration of the server was read.
  await page.getByRole('heading', { name: 'Data retention' }).waitFor();
  const index = page.getByRole('navigation', { name: 'Sections' });
  await index.getByRole('link', { name: 'Danger zone' }).press('Enter');
  const last = page.getByRole('region', { name: 'Danger zone' });
  await hasFocus(last);
  await waitUntil('the section to be in view', async () => ((await last.boundingBox())?.y ?? 844) < 844);
  await waitUntil('the index to name each section', async () => {
    const links = await index.getByRole('link').allTextContents();
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    return links.join() === headings.join();
  });
});

test('a form sent by keyboard keeps the focus on its button and cannot be sent twice', async () => {
  const page = await openSettings(lasting, lasting.admin);
  const answer = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/api/integrations/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    sent += 1;
    await answer.promise;
    await route.abort();
  });
  await page.getByLabel('Name of the integration').fill('Shopping');
  const button = page.getByRole('button', { name: 'Rename' });
  await button.press('Enter');
  await page.getByText('Sending…').waitFor();
  await hasFocus(button);
  await page.keyboard.press('Enter');
  answer.resolve();
  await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor();
  await hasFocus(button);
  assert.equal(sent, 1);
});

test('a new secret is shown once, its use is reported, and both secrets verify during the grace period', async () => {
  const team = await product.newTeam('Rotating');
  const page = await openSettings(team, team.admin);
  await page.getByText('No delivery from the forge has been signed with this secret yet.').waitFor();
  await page.getByRole('button', { name: 'Replace secret…' }).press('Enter');
  const answer = Promise.withResolvers<void>();
  await page.route('**/rotate-secret', (route) => answer.promise.then(() => route.continue()));
  await page.getByLabel('Previous secret stays valid').selectOption('For 7 days');
  await page.getByRole('button', { name: 'Replace secret', exact: true }).press('Enter');
  await page.getByText('Sending…').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  answer.resolve();
  await page.getByText('Secret replaced.').waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
  await page.getByText('The forge does not use the new secret yet.').waitFor();
  await page.getByRole('button', { name: 'Replace secret…' }).press('Enter');
  await page.getByText('The secret from before the last replacement expires immediately').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  for (const webhookSecret of [team.webhookSecret, secret]) {
    const { status } = await postWebhook(
      publicUrl,
      { integrationId: team.integrationId, webhookSecret },
      { event: 'ping', payload: {} },
    );
    assert.equal(status, 200);
  }
  await waitUntil('the use to be noted', async () => {
    const { body } = await team.viewer.call('GET', team.path());
    return body['lastSecretUsed'] === 'current';
  });
  await page.reload();
  await page.getByText('The last delivery from the forge was signed with the new secret.').waitFor();
  assert.equal(await page.getByText(secret).count(), 0);
});

test('events to store can be selected, also none', async () => {
  const team = await product.newTeam('Choosy');
  const page = await openSettings(team, team.admin);
  await page.getByLabel('Workflow jobs').press('Space');
  await page.getByRole('button', { name: 'Save events' }).press('Enter');
  await page.getByText('Events changed').waitFor();
  await hasFocus(page.getByRole('button', { name: 'Save events' }));
  const { body } = await team.viewer.call('GET', team.path());
  assert.deepEqual(
    body['webhookEvents'],
    queuedEvents.filter((event) => event !== 'workflow_job'),
  );
  const boxes = page.getByRole('group', { name: 'Events to store' }).getByRole('checkbox');
  for (const box of await boxes.all()) await box.uncheck();
  await page.getByText('No events selected').waitFor();
});

test('the owner transfers ownership, becomes an admin and leaves', async () => {
  const team = await product.newTeam('Handed over');
  const page = await openSettings(team, team.owner);
  const leave = page.getByRole('button', { name: 'Leave…' });
  assert.equal(await leave.getAttribute('aria-disabled'), 'true');
  await page.getByText('The owner cannot leave. Transfer ownership first.').waitFor();
  await page.getByRole('button', { name: 'Transfer…' }).click();
  await page.getByLabel('New owner').selectOption('member (member)');
  await page.mouse.click(5, 5);
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await page.getByText('Your role: admin').waitFor();
  await leave.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByText('You left Handed over').waitFor();
  await page.goto(`${publicUrl}/integrations/${team.integrationId}/settings`);
  await page.getByText('You have no access to this integration').waitFor();
});

test('deleting requires the typed name and leaves the integration', async () => {
  const team = await product.newTeam('To be deleted');
  const page = await openSettings(team, team.owner);
  await page.getByRole('button', { name: 'Delete…' }).click();
  const button = page.getByRole('button', { name: 'Delete for everyone' });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await button.press('Enter');
  const name = page.getByLabel('Type its name to confirm');
  await name.fill('To be');
  await page.keyboard.press('Escape');
  await name.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete…' }).press('Enter');
  await name.fill('To be deleted');
  await page.keyboard.press('Enter');
  await page.getByText('To be deleted was deleted').waitFor();
  await page.waitForURL((url) => !url.pathname.includes(team.integrationId));
});

test('a viewer reads the settings on a phone and sees why they cannot be changed', async () => {
  const page = await openSettings(lasting, lasting.viewer, { width: 390, height: 844 });
  for (const name of ['Rename', 'Replace secret…', 'Save events', 'Transfer…', 'Delete…']) {
    const button = page.getByRole('button', { name });
    assert.match((await button.getAttribute('title')) ?? '', /Your role here is viewer/, name);
    await button.press('Enter');
  }
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await page.getByLabel('Workflow runs').isDisabled(), true);
  assert.equal(await sidewaysScroll(page), 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
});

test('a failed change shows the error in its form and keeps the input', async () => {
  const page = await openSettings(lasting, lasting.admin);
  const field = page.getByLabel('Name of the integration');
  let isCut = true;
  await page.route('**/api/integrations/*', (route) =>
    isCut && route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await field.fill('Not taken at first');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  assert.equal(await field.inputValue(), 'Not taken at first');
  isCut = false;
  await field.press('Enter');
  await page.getByText('Renamed').waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('everyone sees the configured retention periods and who changes them', async () => {
  const short = await startTeamProduct({ RETENTION_DAYS: '30', RUN_RETENTION_DAYS: '45' });
  const team = await short.newTeam('Kept');
  const { page, go } = await openAs(short, team.viewer);
  await go(`/integrations/${team.integrationId}/settings`);
  const kept = page.getByRole('region', { name: 'Data retention' });
  await kept.getByText('changes it with these settings').waitFor();
  await kept.getByText('keep their numbers after the runs are deleted').waitFor();
  const facts = await kept.locator('dt, dd').allTextContents();
  assert.deepEqual(facts, [
    'Runs and pull requests',
    '45 daysRUN_RETENTION_DAYS',
    'Deliveries with their bodies',
    '30 daysRETENTION_DAYS',
    'Dead letters',
    '14 days',
  ]);
});

test('without a configured retention period, runs are shown as kept forever', async () => {
  const page = await openSettings(lasting, lasting.viewer);
  const kept = page.getByRole('region', { name: 'Data retention' });
  await kept.getByText('changes it with these settings').waitFor();
  assert.equal(await kept.locator('dd').first().textContent(), 'Kept foreverRUN_RETENTION_DAYS');
  assert.equal(await kept.getByText('after the runs are deleted').count(), 0);
});

test('the settings show what was stored today with its quotas, and those of a person to the owner only', async () => {
  const team = await product.newTeam('Busy');
  const event = { event: 'workflow_run', payload: { padding: 'x'.repeat(2000) } };
  await postWebhook(product.baseUrl, team, event);
  await waitUntil('the usage to be saved', async () => {
    const { body } = await team.viewer.call('GET', team.path('/usage'));
    return (body['events'] as { used: number }).used === 1;
  });
  const page = await openSettings(team, team.viewer);
  const section = page.getByRole('region', { name: 'Usage today' });
  await section.getByText(/^2 KiB of 2 GiB/).waitFor();
  await section.getByText(/^1 of 1,000,000/).waitFor();
  assert.equal(await section.getByText('PERSON_BYTES_PER_DAY').count(), 0);
  const ofOwner = await openSettings(team, team.owner);
  await ofOwner.getByText('Stored by all your integrations').waitFor();
});
