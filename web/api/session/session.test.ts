import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Session, type Renewal } from './session.ts';
import type { SessionChannel, SessionMessage } from './session-channel.ts';

/** The tabs of one browser, with shared messages and locks. */
function makeBrowser(renewedAt: number) {
  const tabs: ((message: SessionMessage) => void)[] = [];
  let line: Promise<unknown> = Promise.resolve();
  const openTab = (): SessionChannel => {
    let own: ((message: SessionMessage) => void) | undefined;
    return {
      post: (message) => {
        if (message === 'renewed') renewedAt = Date.now();
        for (const listener of tabs) if (listener !== own) listener(message);
      },
      onMessage: (listener) => {
        own = listener;
        tabs.push(listener);
      },
      renewedAt: () => renewedAt,
      alone: (run) => {
        const done = line.then(run);
        line = done.catch(() => {});
        return done;
      },
    };
  };
  return { openTab };
}

/** Several tabs of one server with scripted refresh responses. `renewedAt` is the time stored in the browser. */
function openTabs(count: number, answer: () => Renewal, renewedAt = 0) {
  const { openTab } = makeBrowser(renewedAt);
  const asked: number[] = [];
  const tabs = Array.from(
    { length: count },
    (_, index) =>
      new Session({
        channel: openTab(),
        refresh: async () => {
          asked.push(index);
          return answer();
        },
      }),
  );
  return { tabs, asked };
}

test('concurrent refused requests in several tabs cause one refresh', async () => {
  const { tabs, asked } = openTabs(3, () => 'renewed');
  const sentAt = Date.now();
  const renewals = await Promise.all(tabs.flatMap((tab) => [tab.renew(sentAt), tab.renew(sentAt)]));
  assert.deepEqual(new Set(renewals), new Set(['renewed']));
  assert.equal(asked.length, 1);
});

test('a refused request sent after the renewal causes another refresh', async () => {
  const { tabs, asked } = openTabs(2, () => 'renewed');
  await tabs[0]!.renew(Date.now());
  await tabs[1]!.renew(Date.now() + 1000);
  assert.equal(asked.length, 2);
});

test('a renewal time in the future does not prevent a refresh', async () => {
  const anHourOn = Date.now() + 3_600_000;
  const { tabs, asked } = openTabs(2, () => 'renewed', anHourOn);
  const sentAt = Date.now();
  await tabs[0]!.renew(sentAt);
  assert.equal(asked.length, 1);
  await tabs[1]!.renew(sentAt);
  assert.equal(asked.length, 1, 'what this renewal noted counts');
});

test('a session ends in every tab, and a new session is reported to all', async () => {
  const { tabs } = openTabs(2, () => 'over');
  const asked = Date.now();
  tabs.forEach((tab) => tab.works(asked));
  assert.equal(await tabs[0]!.renew(Date.now()), 'over');
  assert.deepEqual(
    tabs.map(({ state }) => state),
    ['over', 'over'],
  );
  // A response from before the end of the session arrives late and has no effect.
  tabs[0]!.works(asked);
  assert.ok(tabs.every(({ state }) => state === 'over'));
  tabs[0]!.works(Date.now() + 1);
  assert.equal(tabs[1]!.state, 'good');
});

test('an unavailable provider signs nobody out, and the next response ends the notice', async () => {
  let answer: Renewal = 'unavailable';
  const { tabs } = openTabs(1, () => answer);
  const [tab] = tabs;
  const states: string[] = [];
  tab!.onState(() => states.push(tab!.state));
  tab!.works(Date.now() + 1);
  await tab!.renew(Date.now());
  answer = 'renewed';
  await tab!.renew(Date.now() + 1000);
  assert.deepEqual(states, ['good', 'unavailable', 'good']);
});
