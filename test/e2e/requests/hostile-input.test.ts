import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileJson } from '#test/support/data/hostile-json.ts';
import { startHostileSender } from '#test/support/network/hostile-sender.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';

const { baseUrl, publicUrl, database, createIntegration } = await startTestProgram();
const owner = await signInAsOwner(publicUrl);
const integration = await createIntegration();
const send = startHostileSender();
const staysShort = watchTurns();

const webhookBytes = [1000, 250_000, 1_000_000, 5_000_000, 23_000_000];
const json = { 'content-type': 'application/json' };

const sendWebhook = (kind: string, bytes: number, isForm = false) =>
  send({
    url: `${baseUrl}/api/import/${integration.integrationId}`,
    method: 'POST',
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-github-event': 'workflow_run',
    },
    secret: integration.webhookSecret,
    body: { kind, bytes, isForm },
  });

/** Until what was accepted is stored or dead. */
const settled = (): Promise<unknown> => untilQueueIsIdle(database);

for (const kind of Object.keys(hostileJson)) {
  test(`a signed webhook of ${kind} blocks nobody, from 1 KB to the limit, as it comes and as it is read`, async () => {
    for (const bytes of webhookBytes)
      await staysShort(`${bytes} bytes`, async () => {
        // A large one that a busy machine reads for too long is refused, and its sender tries again.
        const { status, code } = await waitUntil('an answer', async () => {
          const answer = await sendWebhook(kind, bytes);
          return answer.code !== 'try_again' && answer;
        });
        assert.ok(status === 200 || code === 'invalid_json', `${bytes} bytes: ${status} ${code}`);
        await settled();
      });
  });
}

test('a message that exceeds a limit becomes a dead letter with its reason, and its group goes on', async () => {
  const other = await createIntegration('Reasons');
  const post = (kind: string, bytes: number) =>
    send({
      url: `${baseUrl}/api/import/${other.integrationId}`,
      method: 'POST',
      headers: { ...json, 'x-github-event': 'workflow_run' },
      secret: other.webhookSecret,
      body: { kind, bytes },
    });
  for (const [kind, bytes] of [
    ['brackets that close', 1000],
    ['brackets that close', 20_000_000],
    ['a list of numbers', 1_000_000],
    ['different names', 5_000_000],
  ] as const)
    assert.equal((await post(kind, bytes)).status, 200);
  const deadLetters = await waitUntil('four dead letters', async () => {
    const items = await owner.items<{ reason: string; detail: string }>(other.integrationId, '/dead-letters');
    return items.length === 4 && items;
  });
  assert.deepEqual(
    deadLetters.map(({ reason, detail }) => `${reason}: ${detail}`),
    [
      'payload_too_complex: the payload is nested more than 64 levels deep',
      'payload_too_complex: the payload is nested more than 64 levels deep',
      'payload_too_complex: the payload holds more than 250000 values',
      'payload_too_complex: the payload holds more than 250000 values',
    ],
  );
});

test('a form of any size blocks nobody', async () => {
  for (const kind of ['a string of escapes', 'brackets that close', 'one long string'])
    for (const bytes of [1000, 80_000, 900_000, 7_000_000])
      await staysShort(`${kind}, ${bytes} bytes`, () => sendWebhook(kind, bytes, true));
});

test('bodies, queries, cookies and paths of the API block nobody', async () => {
  for (const kind of Object.keys(hostileJson))
    await staysShort(kind, async () => {
      const url = `${baseUrl}/api/auth/refresh`;
      await send({ url, method: 'POST', headers: json, body: { kind, bytes: 250_000 } });
    });
  for (const part of ['%', '%2', 'a=', '&', '%c3%28', '[', '+', '"', ';', 'a.b.', '..', '%25'])
    await staysShort(part, async () => {
      const text = part.repeat(14_000 / part.length);
      const get = (path: string, headers: Record<string, string> = {}) =>
        send({ url: baseUrl + path, method: 'GET', headers });
      await get(`/api/auth/callback?state=${text}&code=${text.slice(0, 100)}`);
      await get(`/api/user?${text}`);
      await get('/api/user', { cookie: text });
      await get('/api/user', { cookie: `accessToken=${text}; idToken=${text.slice(0, 1000)}` });
      await get(`/${text}`);
    });
});

test('four times the input takes no more than about four times the time', async () => {
  for (const kind of Object.keys(hostileJson)) {
    const cpuMs = async (bytes: number): Promise<number> => {
      const before = process.cpuUsage();
      await sendWebhook(kind, bytes);
      const { user, system } = process.cpuUsage(before);
      // The worker of the same process must not read it during the next measurement.
      await settled();
      return (user + system) / 1000;
    };
    let less = Infinity;
    for (let attempt = 0; attempt < 5; attempt += 1) less = Math.min(less, await cpuMs(1_250_000));
    // 250 ms of a thread's start, of garbage collections and of other work of the program:
    // quadratic work of 20 ms at the smaller size takes 320 ms at the larger one.
    const most = 5 * less + 250;
    const more: number[] = [];
    do more.push(await cpuMs(5_000_000));
    while (more.length < 5 && more.at(-1)! > most);
    assert.ok(more.at(-1)! <= most, `${kind}: ${less} ms, then ${more.join(', ')} ms`);
  }
});
