import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { appEventTypes, readAppEvent } from './app-event.ts';

interface Definition {
  name: string;
  examples: { action?: string }[];
}

const require = createRequire(import.meta.url);
const definitions = require('@octokit/webhooks-examples/api.github.com/index.json') as Definition[];
const at = new Date('2026-11-21T00:00:00Z');

/** What each action of the forge's own examples means to us. */
const meaning: Record<string, string> = {
  'installation created': 'installed',
  'installation deleted': 'uninstalled',
  'installation new_permissions_accepted': 'installed',
  'installation suspend': 'suspended',
  'installation unsuspend': 'resumed',
  'organization member_added': 'member_added',
  'organization member_removed': 'member_removed',
  'organization member_invited': 'ignored',
  'organization renamed': 'renamed',
  'organization deleted': 'uninstalled',
};

for (const type of appEventTypes) {
  const examples = definitions.find(({ name }) => name === type)?.examples ?? [];
  for (const [index, example] of examples.entries()) {
    test(`${type} ${example.action}, example ${index}, is understood`, () => {
      // Some of the examples were recorded at a webhook of the organization, which names no installation.
      const read = readAppEvent(type, { installation: { id: 77 }, ...example }, at);
      assert.ok(read.ok, JSON.stringify(read));
      const kind = read.event === 'ignored' ? 'ignored' : read.event.kind;
      assert.equal(kind, meaning[`${type} ${example.action}`]);
    });
  }
}

for (const payload of [null, 1, [], {}, { action: 'created' }, { action: 'x', installation: { id: '1' } }]) {
  test(`${JSON.stringify(payload)} is refused, naming what is wrong`, () => {
    for (const type of appEventTypes) {
      const read = readAppEvent(type, payload, at);
      assert.ok(!read.ok && read.detail.length > 0);
    }
  });
}

test('an action named like a property of every object is ignored', () => {
  const payload = { action: 'constructor', installation: { id: 1, account: { id: 2, login: 'x' } } };
  assert.deepEqual(readAppEvent('installation', payload, at), { ok: true, event: 'ignored' });
});
