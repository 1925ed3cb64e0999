import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const withoutServer = await startTeamProduct();
const serverDown = await startTeamProduct({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });

for (const [name, product, mail, reason] of [
  ['without a mail server', withoutServer, 'not_configured', 'No mail server is set'],
  ['with a mail server that is down', serverDown, 'failed', 'The mail server did not take it'],
] as const) {
  test(`${name} an invitation stands: its link is in the answer, and the event log tells`, async () => {
    const { newTeam, person, entries, logged } = product;
    const team = await newTeam();
    const invitation = { email: 'ann@example.com', role: 'viewer' };
    const { status, body } = await team.admin.call('POST', team.path('/invitations'), invitation);
    assert.deepEqual([status, body['mail']], [201, mail]);
    const token = String(body['acceptUrl']).split('#token=')[1] ?? '';
    const told = (await entries(team.integrationId)).find(({ type }) => type === 'invitation.mail_failed');
    const title = told?.title ?? '';
    assert.ok(title.includes('a***@example.com') && title.includes(reason), title);
    assert.match(logged(), /"link":"in the answer"/);
    assert.equal(logged().includes(token), false);
    const isUnset = mail === 'not_configured';
    const line = logged()
      .split('\n')
      .find((each) => each.includes('"msg":"mail not sent'));
    assert.equal(line !== undefined, isUnset, 'the log holds what could not be mailed to anyone');
    if (line !== undefined) {
      const { to, subject, text } = JSON.parse(line) as Record<string, string>;
      assert.equal(to, 'ann@example.com');
      assert.match(subject ?? '', /invites you to “Team”/);
      assert.ok(text?.includes(String(body['acceptUrl']).replace(/#.*/, '#(hidden)')));
    }
    const ann = await person('ann');
    assert.equal((await ann.call('POST', '/api/invitations/accept', { token })).status, 200);
  });
}
