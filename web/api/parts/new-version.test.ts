import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fakeStorage, setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

/** An element of the page that a person can type into. */
class Field extends EventTarget {
  isConnected = true;
  readonly type: string;

  constructor(type: string) {
    super();
    this.type = type;
  }

  matches(selector: string): boolean {
    return selector === `[type=${this.type}]`;
  }
}

setClientGlobals();
let onInput: (event: { target: unknown }) => void = () => {};
let reloads = 0;
setPageGlobals({
  HTMLElement: Field,
  location: { reload: () => void reloads++ },
  addEventListener: (type: string, listener: typeof onInput) => {
    if (type === 'input') onInput = listener;
  },
});
const { contact } = await import('../contact/browser-contact.ts');
const { reloadForPart, reloadIfAnswered } = await import('./new-version.ts');

const settled = async (promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    promise.then(
      () => 'resolved',
      (error: unknown) => error,
    ),
    new Promise((resolve) => setImmediate(resolve, 'pending')),
  ]);

beforeEach(() => {
  reloads = 0;
  setPageGlobals({ sessionStorage: fakeStorage() });
  contact.answered();
});

test('a missing file of the app reloads the page once', async () => {
  const missing = new Error('a.js could not be loaded: 404');
  assert.equal(await settled(reloadForPart(missing, 'new-version')), 'pending');
  assert.equal(reloads, 1);
  assert.equal(await settled(reloadForPart(missing, 'new-version')), missing);
  assert.equal(reloads, 1, 'a second reload would be a loop');
});

test('another missing file reloads the page again', async () => {
  await settled(reloadForPart(new Error('a.js could not be loaded: 404'), 'new-version'));
  await settled(reloadForPart(new Error('b.js could not be loaded: 404'), 'new-version'));
  assert.equal(reloads, 2);
});

test('without storage, the page is not reloaded, because nothing would stop a loop', async () => {
  setPageGlobals({ sessionStorage: fakeStorage(true) });
  const missing = new Error('a.js could not be loaded: 404');
  assert.equal(await settled(reloadForPart(missing, 'new-version')), missing);
  assert.equal(reloads, 0);
});

test('unsaved input keeps the page until it is gone', async () => {
  const field = new Field('text');
  onInput({ target: field });
  assert.equal(await settled(reloadForPart(new Error('c.js'), 'new-version')), 'pending');
  assert.equal(reloads, 0);
  field.isConnected = false;
  await settled(reloadForPart(new Error('d.js'), 'new-version'));
  assert.equal(reloads, 1);
});

test('a search field and other targets hold no unsaved input', async () => {
  onInput({ target: new Field('search') });
  onInput({ target: null });
  onInput({ target: {} });
  await settled(reloadForPart(new Error('e.js'), 'new-version'));
  assert.equal(reloads, 1);
});

test('a person who asks for the new version gets it when the server responds', async () => {
  let isUp = false;
  setPageGlobals({ fetch: async () => (isUp ? Response.json({}) : new Response('bad gateway')) });
  await reloadIfAnswered();
  assert.equal(reloads, 0, 'the error page of the browser would replace the app');
  isUp = true;
  await reloadIfAnswered();
  assert.equal(reloads, 1);
});
