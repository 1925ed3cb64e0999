import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ServerContact } from './server-contact.ts';

/** A server contact with a mocked clock, the longest possible delays and a server that can be switched off. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const server = { isUp: true, isVisible: true, asked: 0 };
  const contact = new ServerContact({
    ask: async () => {
      server.asked += 1;
      return server.isUp;
    },
    random: () => 1,
    isVisible: () => server.isVisible,
  });
  const changes: boolean[] = [];
  contact.onChange(() => changes.push(contact.isAway));
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { server, contact, changes, pass };
}

test('a failed check marks the server as away, and later checks mark it as back', async (t) => {
  const { server, contact, changes, pass } = setUp(t);
  server.isUp = false;
  assert.equal(await contact.check(), false);
  assert.equal(contact.isAway, true);
  server.isUp = true;
  await pass(500);
  assert.equal(contact.isAway, false);
  assert.deepEqual(changes, [true, false]);
});

test('checks of an absent server become rarer, up to one in eight seconds', async (t) => {
  const { server, contact, pass } = setUp(t);
  server.isUp = false;
  await contact.check();
  for (const delay of [500, 1000, 2000, 4000, 8000, 8000]) {
    const before = server.asked;
    await pass(delay - 1);
    assert.equal(server.asked, before, `asked before ${delay} ms`);
    await pass(1);
    assert.equal(server.asked, before + 1, `asked after ${delay} ms`);
  }
});

test('the delays start over after the server has responded', async (t) => {
  const { server, contact, pass } = setUp(t);
  server.isUp = false;
  await contact.check();
  for (const delay of [500, 1000, 2000]) await pass(delay);
  contact.answered();
  await contact.check();
  const before = server.asked;
  await pass(500);
  assert.equal(server.asked, before + 1);
});

test('a hidden page asks once and then waits until it is checked again', async (t) => {
  const { server, contact, pass } = setUp(t);
  server.isUp = server.isVisible = false;
  await contact.check();
  await pass(60_000);
  assert.equal(server.asked, 1);
  server.isUp = server.isVisible = true;
  assert.equal(await contact.check(), true);
});

test('concurrent checks share one request', async (t) => {
  const { server, contact } = setUp(t);
  assert.deepEqual(await Promise.all([contact.check(), contact.check(), contact.check()]), [
    true,
    true,
    true,
  ]);
  assert.equal(server.asked, 1);
});

test('a response during a failed check counts until the next check, half a second later', async (t) => {
  const { server, contact, pass } = setUp(t);
  server.isUp = false;
  const check = contact.check();
  t.mock.timers.tick(10);
  contact.answered();
  assert.equal(await check, true);
  assert.equal(contact.isAway, false);
  await pass(500);
  assert.equal(contact.isAway, true);
});

test('waiting for the server ends when it is back, and at once while it is there', async (t) => {
  const { server, contact, pass } = setUp(t);
  await contact.back();
  server.isUp = false;
  await contact.check();
  let isOn = false;
  const waiting = contact.back().then(() => (isOn = true));
  await pass(500);
  assert.equal(isOn, false);
  server.isUp = true;
  await pass(1000);
  await waiting;
});

test('a message on the socket updates the time of the last contact only while requests succeed', async (t) => {
  const { server, contact, pass } = setUp(t);
  contact.answered();
  await pass(100);
  contact.heard();
  assert.equal(contact.heardAt, 100);
  server.isUp = false;
  await contact.check();
  await pass(100);
  contact.heard();
  assert.equal(contact.heardAt, 100);
});
