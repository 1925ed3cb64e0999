import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { fakeStorage, setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
let parts: string | undefined;
let answer: (path: string) => Response | Promise<Response>;
let reloads = 0;
const asked: string[] = [];
const saveData = { saveData: false };

setPageGlobals({
  document: Object.assign(new EventTarget(), {
    hidden: false,
    querySelector: () => (parts === undefined ? null : { content: parts }),
  }),
  fetch: async (path: string, { signal }: RequestInit = {}) => {
    asked.push(path);
    const given = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => given.reject(signal.reason as Error));
    return Promise.race([answer(path), given.promise]);
  },
  location: { reload: () => void reloads++ },
  navigator: { onLine: true, connection: saveData },
});
const { contact } = await import('../contact/browser-contact.ts');
const { definePart, loadPartsWhenIdle } = await import('./load-part.ts');

const up = (): Response => Response.json({});
const files = (): string[] => asked.filter((path) => path !== '/config.json');

/** Lets promises settle and timers that are due in the next `ms` run. */
async function pass(ms = 0): Promise<void> {
  for (let step = 0; step < 20; step++) await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(ms);
  for (let step = 0; step < 20; step++) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  setPageGlobals({ sessionStorage: fakeStorage() });
  parts = undefined;
  reloads = 0;
  asked.length = 0;
  answer = up;
  contact.answered();
});
afterEach(() => mock.timers.reset());

test('a part is loaded on first use, once for all callers', async () => {
  let imports = 0;
  const load = definePart('once', async () => ++imports);
  assert.equal(imports, 0);
  assert.deepEqual(await Promise.all([load(), load()]), [1, 1]);
  assert.equal(await load(), 1);
});

test('the files of a part are fetched before it is imported, and a shared file only once', async () => {
  parts = 'runs assets/runs.js assets/table.js,rules assets/rules.js assets/table.js,run assets/run.js';
  const before: string[][] = [];
  const runs = definePart('runs', async () => before.push(files()));
  const rules = definePart('rules', async () => before.push(files()));
  await runs();
  await rules();
  assert.deepEqual(before, [
    ['/assets/runs.js', '/assets/table.js'],
    ['/assets/runs.js', '/assets/table.js', '/assets/rules.js'],
  ]);
});

test('a part whose name begins like another one fetches only its own files', async () => {
  parts = 'editor-help assets/help.js,editor assets/editor.js';
  await definePart('editor', async () => 1)();
  assert.deepEqual(files(), ['/assets/editor.js']);
});

test('a file that fails is fetched again after a pause', async () => {
  parts = 'flaky assets/flaky.js';
  let failures = 2;
  answer = (path) => (path.endsWith('flaky.js') && failures-- > 0 ? new Response('', { status: 500 }) : up());
  let imports = 0;
  const loaded = definePart('flaky', async () => ++imports)();
  await pass(300);
  assert.equal(imports, 0);
  await pass(600);
  assert.equal(await loaded, 1);
  assert.equal(files().length, 3);
});

test('a file that never arrives is fetched again', async (t) => {
  parts = 'swallowed assets/swallowed.js';
  const limit = new AbortController();
  t.mock.method(AbortSignal, 'timeout', () => limit.signal, { times: 1 });
  let isSwallowed = true;
  answer = (path) => (path.endsWith('swallowed.js') && isSwallowed ? new Promise(() => {}) : up());
  const loaded = definePart('swallowed', async () => 'here')();
  await pass();
  isSwallowed = false;
  limit.abort(new DOMException('too late', 'TimeoutError'));
  await pass(300);
  assert.equal(await loaded, 'here');
  assert.equal(files().length, 2);
});

test('while the server is away, loading waits for it and does not count as failing', async () => {
  parts = 'patient assets/patient.js';
  let isUp = false;
  answer = () => (isUp ? up() : Promise.reject(new TypeError('Failed to fetch')));
  const loaded = definePart('patient', async () => 'here')();
  for (let round = 0; round < 10; round++) await pass(8000);
  assert.equal(contact.isAway, true);
  assert.equal(reloads, 0);
  isUp = true;
  await pass(8000);
  assert.equal(await loaded, 'here');
});

test('a file that the server no longer has reloads the page, and at the next time is an error', async () => {
  parts = 'gone assets/gone.js';
  answer = (path) => (path.endsWith('gone.js') ? new Response('', { status: 404 }) : up());
  const load = definePart('gone', async () => 1);
  const first = load();
  for (let round = 0; round < 5; round++) await pass(1000);
  assert.equal(reloads, 1);
  assert.equal(await Promise.race([first, Promise.resolve('open')]), 'open', 'the previous screen stays');

  const second = definePart('gone', async () => 1);
  const failed = assert.rejects(second(), /assets\/gone\.js could not be loaded: 404/);
  for (let round = 0; round < 5; round++) await pass(1000);
  await failed;
  assert.equal(reloads, 1);
});

test('after an error, the next use tries again', async () => {
  setPageGlobals({ sessionStorage: fakeStorage(true) });
  let isBroken = true;
  const load = definePart('again', async () => {
    if (isBroken) throw new Error('again.js');
    return 'loaded';
  });
  const failed = assert.rejects(load(), /again\.js/);
  for (let round = 0; round < 5; round++) await pass(1000);
  await failed;
  isBroken = false;
  assert.equal(await load(), 'loaded');
});

test('a module that fails to load although its files are there reloads the page once', async () => {
  parts = 'poisoned assets/poisoned.js';
  const load = definePart('poisoned', async () => Promise.reject(new TypeError('poisoned.js')));
  void load();
  for (let round = 0; round < 5; round++) await pass(1000);
  assert.equal(reloads, 1);
  assert.deepEqual(files(), ['/assets/poisoned.js', '/assets/poisoned.js', '/assets/poisoned.js']);
});

/** Lets the browser be idle for a while. */
const rest = async (rounds = 20): Promise<void> => {
  for (let round = 0; round < rounds; round++) await pass(8000);
};

test('an idle browser fetches the files of all parts once and imports none', async () => {
  parts = 'first assets/a.js assets/both.js,second assets/b.js assets/both.js';
  let imports = 0;
  const load = definePart('first', async () => ++imports);
  const done = loadPartsWhenIdle();
  await rest();
  await done;
  assert.deepEqual(files(), ['/assets/a.js', '/assets/both.js', '/assets/b.js']);
  assert.equal(imports, 0);
  await load();
  assert.equal(imports, 1);

  asked.length = 0;
  saveData.saveData = true;
  await loadPartsWhenIdle();
  saveData.saveData = false;
  assert.deepEqual(files(), [], 'a browser that saves data loads nothing in advance');
});

test('during an outage an idle browser asks for one file only, and goes on with it afterwards', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  parts = names.map((name) => `${name} assets/${name}.js`).join(',');
  let isUp = true;
  let reached = 0;
  answer = (path) => {
    if (path.endsWith('two.js')) isUp = reached++ > 0;
    return isUp ? up() : Promise.reject(new TypeError('Failed to fetch'));
  };
  const done = loadPartsWhenIdle();
  await rest();
  assert.deepEqual(files(), ['/assets/one.js', '/assets/two.js']);
  assert.equal(contact.isAway, true);
  isUp = true;
  await rest();
  await done;
  assert.deepEqual(
    files().slice(2),
    names.slice(1).map((name) => `/assets/${name}.js`),
  );
});

test('an idle browser ends when files are missing', async () => {
  parts = 'gone assets/gone.js,other assets/other.js';
  answer = (path) => (path.endsWith('.js') ? new Response('', { status: 404 }) : up());
  const done = loadPartsWhenIdle();
  await rest();
  await done;
  assert.deepEqual(files(), ['/assets/gone.js', '/assets/gone.js', '/assets/gone.js']);
  assert.equal(reloads, 0);
});
