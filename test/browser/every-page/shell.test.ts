import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFine, openPage } from '#test/support/browser/browser.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { chooseItem, hasFocus, pressTogether, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { publicUrl, createIntegration } = await startTestProgram();
const shop = await createIntegration('Shop');
const web = await createIntegration('Web');
const base = `${publicUrl}/integrations/${shop.integrationId}`;

async function openShop(path = '/runs', size?: { width: number; height: number }) {
  const opened = await openPage(size);
  await signInPage(opened.page, publicUrl);
  await opened.page.goto(base + path);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

test('g and a letter open a page, ? lists the shortcuts, and the focus follows', async () => {
  const { page, errors } = await openShop();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Members').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await pressTogether(page, 'g', 'p');
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  await hasFocus(page.locator('#page'));
  await waitUntil('the title', async () => (await page.title()).startsWith('Members'));
  await page.goBack();
  await page.getByRole('heading', { name: 'Workflow runs', level: 1 }).waitFor();
  await page.goto(`${base}/dead-letters`);
  await page.getByRole('link', { name: 'Event log' }).and(page.locator('[data-open]')).waitFor();
  assert.deepEqual(errors, []);
});

test('letters typed into a field are no shortcuts', async () => {
  const { page } = await openShop('/settings');
  await page.getByLabel('Name of the integration').click();
  await page.keyboard.type('gp?');
  assert.equal(page.url(), `${base}/settings`);
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('the command palette finds pages, integrations, runs and themes by name', async () => {
  const { page } = await openShop();
  const field = page.getByRole('combobox', { name: 'Command' });
  await page.keyboard.press('Control+k');
  await hasFocus(field);
  await page.keyboard.type('dark');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await page.keyboard.press('Control+k');
  await hasFocus(field);
  await isFine(page, ['dark']);
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/settings`);
  await page.keyboard.press('Control+k');
  await field.fill('#412');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${base}/runs?q=%23412`);
  await page.keyboard.press('Control+k');
  await field.fill('web integ');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${publicUrl}/integrations/${web.integrationId}/overview`);
  await page.keyboard.press('Control+k');
  await field.fill('zzzz nothing');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
});

test('the switcher opens another integration and creates a new one', async () => {
  const { page } = await openShop();
  await page.getByRole('button', { name: /^Integration/ }).press('Enter');
  await chooseItem(page, 'Web');
  await page.waitForURL(`${publicUrl}/integrations/${web.integrationId}/overview`);
  // A menu that closes takes no choice, and a new page takes the focus.
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await hasFocus(page.locator('#page'));
  await page.getByRole('button', { name: /^Integration/ }).press('Enter');
  await chooseItem(page, 'Create an integration…');
  await page.waitForURL(`${publicUrl}/integrations/new`);
});

test('on a phone the menu button shows the pages and the menu closes after a choice', async () => {
  const { page } = await openShop('/members', { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open the menu' }).press('Enter');
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Settings' }).press('Enter');
  await page.waitForURL(`${base}/settings`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a foreign integration and an unknown address show a message with a link', async () => {
  const { page } = await openShop();
  await page.goto(`${publicUrl}/integrations/${crypto.randomUUID()}/members`);
  await page.getByText('You have no access to this integration').waitFor();
  await page.getByRole('link', { name: 'Go to my integrations' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  for (const path of ['/no/such/page', `/integrations/${shop.integrationId}/nothing`]) {
    await page.goto(publicUrl + path);
    await page.getByRole('region', { name: 'Page not found' }).waitFor();
  }
});

// The pages that are not among those of `pages.test.ts`. Colours do not depend on the width.
for (const [width, height, themes] of [
  [1440, 900, ['light', 'dark']],
  [390, 844, ['light']],
] as const) {
  test(`at ${width} pixels no page scrolls sideways or breaks an accessibility rule`, async () => {
    const { page, errors } = await openShop('/runs', { width, height });
    const paths = [
      '/',
      '/account',
      '/integrations/new',
      '/invitations/accept',
      '/unsubscribe#token=x',
      '/nowhere',
    ];
    const pages = ['connect', 'nothing'];
    for (const path of [...paths, ...pages.map((name) => `/integrations/${shop.integrationId}/${name}`)]) {
      await page.goto(publicUrl + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page
        .getByText(/^Loading /)
        .first()
        .waitFor({ state: 'detached' });
      assert.equal(await sidewaysScroll(page), 0, path);
      await isFine(page, themes);
    }
    assert.deepEqual(errors, []);
  });
}
