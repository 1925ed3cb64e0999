import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes, openPage } from '#test/support/browser/browser.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

test('a person turns mails about their runs on, and off again by the link of a mail without a sign-in', async () => {
  const [team] = [await product.newTeam('Storefront'), await product.newTeam('Docs')];
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go('/account');
  const section = page.getByRole('region', { name: 'Mails about my runs' });
  const setting = section.getByLabel('When a run that I started fails, and when its branch is green again');
  await setting.check();
  await section.getByLabel('All my integrations, also later ones').uncheck();
  await section.getByRole('button', { name: 'Save mail settings' }).press('Enter');
  await section.getByText('Select at least one integration').waitFor();
  await section.getByLabel('Storefront').check();
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await section.getByRole('button', { name: 'Save mail settings' }).press('Enter');
  await page.getByText('Mail settings saved').waitFor();
  await hasFocus(section.getByRole('button', { name: 'Save mail settings' }));
  await page.reload();
  await section.getByText('Mails go to member@example.com').waitFor();
  assert.deepEqual(
    [await setting.isChecked(), await section.getByLabel('Storefront').isChecked()],
    [true, true],
  );

  const { run } = failedJob({ id: 1 });
  const payload = { ...run, workflow_run: { ...run.workflow_run, actor: { login: 'member' } } };
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  await waitUntil('the mail', () => mailServer.mails.length === 1);
  const source = mailServer.mails[0]!.source.replaceAll(/=\r\n|\r\n\s+/g, '').replaceAll('=3D', '=');
  const url = /List-Unsubscribe:\s*<([^>]+)>/.exec(source)?.[1] ?? '';
  const stranger = await openPage({ width: 390, height: 844 });
  await stranger.page.goto(url);
  await stranger.page.getByRole('button', { name: 'Stop these mails' }).waitFor();
  await isFineInBothThemes(stranger.page);
  await stranger.page.getByRole('button', { name: 'Stop these mails' }).press('Enter');
  await stranger.page.getByText('The mails are off').waitFor();
  await page.reload();
  await setting.waitFor();
  assert.equal(await setting.isChecked(), false);
  assert.deepEqual([...errors, ...stranger.errors], []);
});
