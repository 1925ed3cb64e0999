import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
const inIntegration = (page: string): string => `/integrations/${team.integrationId}/${page}`;

/** Checks that the field has the focus, is marked invalid and refers to its error. */
async function hasFault(field: Locator, words: string): Promise<void> {
  await hasFocus(field.and(field.page().locator('[aria-invalid=true]')));
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
  const texts = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).textContent()));
  assert.ok(texts.includes(words), `${texts.join(' | ')} holds no "${words}"`);
}

async function hasNoFault(field: Locator): Promise<void> {
  await field.and(field.page().locator(':not([aria-invalid])')).waitFor();
}

test('a rule shows each error at its field, also in nested channels, and focuses the first', async (t) => {
  const { page, go } = await openAs(product, team.member, { width: 390, height: 844 });
  t.after(() => page.context().close());
  await go(inIntegration('rules/new'));
  const url = page.getByLabel('Webhook URL or mail addresses');
  await url.press('Enter');
  await hasFault(url, 'This field is required.');
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await url.fill('not an address');
  await hasNoFault(url);
  await url.press('Enter');
  await hasFault(url, 'Enter a full address, such as https://example.com/path, or mail addresses.');
  await url.fill('https://hooks.example.com/x');
  await hasNoFault(url);

  const advanced = page.locator('summary');
  await advanced.press('Enter');
  await page.getByRole('button', { name: 'Add channel' }).press('Enter');
  await page.getByRole('combobox', { name: 'Channel 2' }).selectOption('email');
  await page.getByLabel('Addresses', { exact: true }).fill('team@example.com, nobody');
  await advanced.press('Enter');
  await url.press('Enter');
  await hasFault(
    page.getByLabel('Addresses', { exact: true }),
    'Enter e-mail addresses, such as name@example.com.',
  );
  await page.getByLabel('Addresses', { exact: true }).fill('team@example.com');
  for (const box of await page.getByRole('group', { name: 'Events' }).getByRole('checkbox').all())
    await box.uncheck();
  await url.press('Enter');
  await hasFault(page.getByRole('checkbox', { name: 'Runs', exact: true }), 'Choose at least one.');
  await isFineInBothThemes(page);
  await page.getByRole('checkbox', { name: 'Runs', exact: true }).check();
  await url.press('Enter');
  await page.getByRole('row', { name: /Broken default branch/ }).waitFor();
});

test('every other form marks its invalid field', async (t) => {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  await go(inIntegration('settings'));
  const label = page.getByLabel('Name of the integration');
  await label.fill('   ');
  await label.press('Enter');
  await hasFault(label, 'Enter a name.');

  await go(inIntegration('members'));
  await page.getByRole('button', { name: 'Invite…' }).press('Enter');
  const email = page.getByLabel('E-mail address');
  await email.press('Enter');
  await hasFault(email, 'This field is required.');
  await email.fill('nobody');
  await email.press('Enter');
  await hasFault(email, 'Enter an e-mail address, such as name@example.com.');

  await go(`${inIntegration('runs')}?status=completed&conclusion=failure`);
  await page.getByRole('button', { name: 'Views' }).press('Enter');
  await page.getByRole('menuitem', { name: /Save/ }).press('Enter');
  const view = page.getByRole('dialog').getByLabel('Name');
  await view.press('Enter');
  await hasFault(view, 'This field is required.');

  await go('/integrations/new');
  await page.getByLabel('Name').press('Enter');
  await hasFault(page.getByLabel('Name'), 'Enter a name.');
});

test('the second click of a double click sends nothing', async (t) => {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  let sent = 0;
  await page.route('**/api/integrations', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent += 1;
    return route.abort();
  });
  await go('/integrations/new');
  await page.getByLabel('Name').fill('Twice');
  await page.getByRole('button', { name: 'Create integration' }).evaluate((button: { click(): void }) => {
    // A busy page handles the second click before its timers, such as this message.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => button.click());
    port1.start();
    port2.postMessage('');
    button.click();
  });
  await page.getByRole('alert').getByText('The server does not answer.').waitFor();
  assert.equal(sent, 1);
});

test('server errors appear at their field, or above the button without a field', async (t) => {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  await page.route('**/api/integrations', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 400,
          json: {
            code: 'invalid_request',
            detail: 'The body is not valid.',
            errors: [
              { field: 'colour', message: 'is not a known field' },
              { field: 'label', message: 'must not have more than 100 characters' },
            ],
          },
        })
      : route.continue(),
  );
  await go('/integrations/new');
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Name').press('Enter');
  await hasFault(page.getByLabel('Name'), 'Enter at most 100 characters.');
  await page.getByRole('alert').getByText('colour: Is not a known field.').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Shop');
});
