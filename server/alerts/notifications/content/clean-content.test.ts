import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasHiddenCharacters } from '#contract/base/plain-text.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, integrationWith, webhook, start, end, settled, receiver } = await setUpDispatcher();

const hostile = 'a\u202ecod\u0007\u200b\u2066.exe\u001b[31m';

for (const [index, url] of [
  'javascript:alert(1)',
  'data:text/html,x',
  'https://github.com@evil.example/',
  'not a url',
].entries()) {
  test(`no field of a webhook carries ${url}, or characters that hide or reverse text`, async (t) => {
    await start(t);
    const path = `/clean-${index}`;
    const { integrationId } = await integrationWith(webhook(path));
    await database.asOwner('drop trigger if exists hostile_runs on workflow_runs');
    await database.asOwner(`create or replace function make_hostile() returns trigger language plpgsql as $$
      begin
        new.url := '${url}'; new.title := e'${hostile}'; new.actor := e'${hostile}'; new.head_branch := e'${hostile}';
        new.on_default_branch := false;
        new.workflow_name := e'${hostile}';
        return new;
      end $$`);
    await database.asOwner(
      'create trigger hostile_runs before insert on workflow_runs for each row execute function make_hostile()',
    );
    await end(integrationId, 1, 'failure');
    await settled(integrationId);
    const [call] = await waitUntil('the webhook to arrive', () => {
      const calls = receiver.callsTo(path);
      return calls.length > 0 && calls;
    });
    const body = JSON.parse(call?.body ?? '') as { data: Record<string, unknown> };
    const texts: string[] = [];
    JSON.stringify(body, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    assert.deepEqual(texts.filter(hasHiddenCharacters), []);
    assert.equal(
      texts.some((text) => text.includes(url)),
      false,
    );
    assert.equal((body.data['failure'] as { url: unknown }).url, null);
    assert.match(String(body.data['title']), /cod/);
  });
}
