import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LogEntryPage, type EntryType, type Severity } from '#contract/deliveries/event-log.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { assertProblem } from '#test/support/identity/owner-client.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { Compile } from 'typebox/compile';
import { recordLogEntry } from './add-entry.ts';
import { markAllRead, markEntry } from './mark-entries.ts';
import { readLog } from './read-log.ts';
import { addPerson } from '#test/support/team/people.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const program = await startTestProgram({}, ['api']);
const { database, sealer, publicUrl } = program;
const browser = await signInAsDemo(publicUrl);
const { integrationId } = await program.createIntegration();
const me = await findOrCreateDemoUser(database.api);
const otherId = await addPerson(database, { name: 'Ann Other' });
const foreign = await createIntegration({ db: database.api, sealer }, { label: 'Theirs', ownerId: otherId });

async function add(title: string, type: EntryType, severity: Severity, actorId: string | null = null) {
  await recordLogEntry(database.api, {
    integrationId,
    type,
    severity,
    title,
    actorId,
    details: { n: 1, userId: me },
  });
}

before(async () => {
  await deleteRows(database, 'event_log');
  await add('Ann joined', 'member.joined', 'info', otherId);
  await add('Ann became admin', 'member.role_changed', 'info', me);
  await add('2 webhooks could not be processed', 'dead_letters', 'error');
  await add('100% renamed', 'integration.renamed', 'warning', otherId);
});

const log = `${publicUrl}/api/integrations/${integrationId}/event-log`;

async function page(query = ''): Promise<LogEntryPage> {
  const answer = await browser.fetch(`${log}${query}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  const body = (await answer.json()) as LogEntryPage;
  assert.ok(Compile(LogEntryPage).Check(body));
  return body;
}

async function titles(query = ''): Promise<string[]> {
  return (await page(query)).items.map(({ title }) => title);
}

function send(path: string, method: string, body: unknown): Promise<Response> {
  return browser.fetch(`${log}${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin: publicUrl },
    body: JSON.stringify(body),
  });
}

test('entries come newest first, with the name of who did it', async () => {
  const { items, unread } = await page();
  assert.deepEqual(
    items.map(({ title }) => title),
    ['100% renamed', '2 webhooks could not be processed', 'Ann became admin', 'Ann joined'],
  );
  assert.deepEqual(items[0]?.actor, { userId: otherId, name: 'Ann Other' });
  assert.equal(items[1]?.actor, null);
  assert.deepEqual(items[0]?.details, { n: 1, userId: me });
  assert.equal(unread, 3, 'what the reader did is read');
});

test('a link to an entry shows the same as the list, to its integration alone', async () => {
  const { items } = await page();
  const answer = await browser.fetch(`${log}/${items[1]!.entryId}`);
  assert.deepEqual([answer.status, await answer.json()], [200, items[1]]);
  const theirs = await recordedIn(foreign.integrationId);
  await assertProblem(await browser.fetch(`${log}/${theirs}`), 404, 'not_found');
  await assertProblem(await browser.fetch(`${log}/nonsense`), 400, 'invalid_request');
});

async function recordedIn(other: string): Promise<string> {
  const theirs = { type: 'member.left', severity: 'info', title: 'Theirs' } as const;
  await recordLogEntry(database.api, { ...theirs, integrationId: other, actorId: null, details: {} });
  return (await logEntries(database, other)).at(-1)!.entryId;
}

test('pages of any size hold every entry once', async () => {
  for (const limit of [1, 2, 3]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: LogEntryPage = await page(`?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      seen.push(...next.items.map(({ entryId }) => entryId));
      cursor = next.nextCursor;
    }
    assert.equal(seen.length, 4);
    assert.equal(new Set(seen).size, 4);
  }
});

test('filters: type and group, severity, time, words of the title or of a name', async () => {
  assert.deepEqual(await titles('?type=member'), ['Ann became admin', 'Ann joined']);
  assert.deepEqual(await titles('?type=member.joined,dead_letters'), [
    '2 webhooks could not be processed',
    'Ann joined',
  ]);
  assert.deepEqual(await titles('?severity=error,warning'), [
    '100% renamed',
    '2 webhooks could not be processed',
  ]);
  assert.deepEqual(await titles('?q=100%25'), ['100% renamed']);
  assert.deepEqual(await titles('?q=other'), ['100% renamed', 'Ann joined']);
  assert.deepEqual(await titles(`?to=2020-01-01T00:00:00.000Z`), []);
  assert.equal((await titles(`?from=2020-01-01T00:00:00.000Z`)).length, 4);
});

test('a read mark holds for its reader alone', async () => {
  const { items } = await page();
  const [first, second] = items;
  assert.equal((await send(`/${first!.entryId}`, 'PATCH', { read: true })).status, 204);
  assert.deepEqual(
    (await page()).items.map(({ read }) => read),
    [true, false, true, false],
  );
  assert.equal((await page()).unread, 2);
  assert.equal((await send(`/${first!.entryId}`, 'PATCH', { read: false })).status, 204);
  assert.equal((await page()).unread, 3);
  const others = await database.api.withScope({ integrationId }, (tx) =>
    readLog(tx, { integrationId, userId: otherId }, {}),
  );
  assert.equal(others.unread, 0);

  assert.equal((await send('/mark-all-read', 'POST', { upTo: second!.at })).status, 204);
  assert.equal((await send('/mark-all-read', 'POST', {})).status, 204);
  assert.equal((await page()).unread, 0);
  assert.deepEqual(await titles('?unread=true'), []);
  assert.equal((await send('/mark-all-read', 'POST', { upTo: items[3]!.at })).status, 204);
  assert.equal((await page()).unread, 0, 'what is read stays so when less is marked');
  await markAllRead(database.api, { integrationId, userId: otherId }, undefined);
  await markEntry(database.api, { integrationId, userId: otherId }, first!.entryId, false);
  assert.equal((await page()).unread, 0, 'what another person has not read is theirs');

  assert.equal((await send(`/${second!.entryId}`, 'PATCH', { read: false })).status, 204);
  assert.deepEqual(await titles('?unread=true'), [second!.title]);
  assert.equal((await page()).unread, 1);
  await add('Later', 'member.left', 'info');
  assert.deepEqual(await titles('?unread=true'), ['Later', second!.title]);
  assert.equal((await page()).unread, 2);
});

test('"up to" marks what was on screen and leaves what came since', async () => {
  await add('Seen', 'member.left', 'info');
  const [seen] = (await page()).items;
  const at = Date.parse(seen!.at);
  await waitUntil('the next millisecond', () => Date.now() > at);
  await add('Since', 'member.left', 'info');
  assert.equal((await send('/mark-all-read', 'POST', { upTo: seen!.at })).status, 204);
  assert.deepEqual(await titles('?unread=true'), ['Since']);
});

test('the event log refuses foreign callers, missing entries and invalid queries', async () => {
  await assertProblem(await fetch(log), 401, 'unauthenticated');
  const theirs = `${publicUrl}/api/integrations/${foreign.integrationId}/event-log`;
  await assertProblem(await browser.fetch(theirs), 403, 'insufficient_role');
  await assertProblem(await browser.fetch(`${log}?type=nonsense`), 400, 'invalid_request');
  await assertProblem(await browser.fetch(`${log}?severity=x`), 400, 'invalid_request');
  await assertProblem(await browser.fetch(`${log}?cursor=x`), 400, 'invalid_request');
  await assertProblem(await send(`/${me}`, 'PATCH', { read: true }), 404, 'not_found');
  await assertProblem(await send(`/${me}`, 'PATCH', { read: 1 }), 400, 'invalid_request');
});
