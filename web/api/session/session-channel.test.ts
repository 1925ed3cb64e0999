import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { fakeStorage, setPageGlobals } from '#test/support/browser/page-globals.ts';
import { readChannel, type SessionMessage } from './session-channel.ts';

/** Channels of one browser: a message reaches all others of the same name, in the order of their creation. */
class Tabs extends EventTarget {
  static all: Tabs[] = [];
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
    Tabs.all.push(this);
  }

  postMessage(data: unknown): void {
    for (const tab of Tabs.all)
      if (tab !== this && tab.name === this.name) tab.dispatchEvent(new MessageEvent('message', { data }));
  }
}

const at = Date.UTC(2026, 10, 20, 12);

function openBrowser(isStorageDisabled = false): void {
  Tabs.all = [];
  setPageGlobals({ BroadcastChannel: Tabs, localStorage: fakeStorage(isStorageDisabled) });
}

beforeEach(() => {
  mock.timers.enable({ apis: ['Date'], now: at });
  openBrowser();
});
afterEach(() => mock.timers.reset());

test('a message reaches every other tab and not its sender', () => {
  const received: string[] = [];
  const tabs = ['one', 'two', 'three'].map((name) => {
    const channel = readChannel();
    channel.onMessage((message) => received.push(`${name} ${message}`));
    return channel;
  });
  for (const message of ['signed-in', 'signed-out'] satisfies SessionMessage[]) tabs[1]!.post(message);
  assert.deepEqual(received, ['one signed-in', 'three signed-in', 'one signed-out', 'three signed-out']);
});

test('a renewal is known in every tab, also in one that opens later', () => {
  const [one, two] = [readChannel(), readChannel()];
  two.onMessage(() => {});
  assert.equal(one.renewedAt(), 0);
  one.post('renewed');
  assert.deepEqual([one.renewedAt(), two.renewedAt(), readChannel().renewedAt()], [at, at, at]);
});

test('signing in or out is no renewal', () => {
  const [one, two] = [readChannel(), readChannel()];
  two.onMessage(() => {});
  one.post('signed-in');
  one.post('signed-out');
  assert.deepEqual([one.renewedAt(), two.renewedAt()], [0, 0]);
});

test('without storage, open tabs still learn of a renewal', () => {
  openBrowser(true);
  const [one, two] = [readChannel(), readChannel()];
  two.onMessage(() => {});
  one.post('renewed');
  assert.deepEqual([one.renewedAt(), two.renewedAt(), readChannel().renewedAt()], [at, at, 0]);
});

test('a damaged time in the storage never counts as a renewal', () => {
  for (const stored of ['soon', '', '{}', 'NaN']) {
    localStorage.setItem('forgewatch.renewedAt', stored);
    assert.ok(!(readChannel().renewedAt() >= at), stored);
  }
});

test('the latest of several renewals counts', () => {
  const [one, two] = [readChannel(), readChannel()];
  one.onMessage(() => {});
  one.post('renewed');
  mock.timers.setTime(at + 5000);
  two.post('renewed');
  assert.deepEqual([one.renewedAt(), two.renewedAt()], [at + 5000, at + 5000]);
});

test('tabs run one at a time, and one that fails frees the next', async () => {
  const steps: string[] = [];
  const runs = ['one', 'two', 'three'].map((name) =>
    readChannel().alone(async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
      if (name === 'two') throw new Error('lost');
      return name;
    }),
  );
  assert.deepEqual(
    (await Promise.allSettled(runs)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(
    steps,
    ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});

test('without locks, a tab runs at once', async () => {
  setPageGlobals({ navigator: {} });
  assert.equal(await readChannel().alone(async () => 'done'), 'done');
});
