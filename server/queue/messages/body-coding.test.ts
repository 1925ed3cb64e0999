import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { decodeBody, encodeBody } from './body-coding.ts';

const sealer = makeSealer([randomBytes(32)]);

test('a body of any length comes back as it was, and a webhook is a fraction of its size at rest', () => {
  for (const length of [0, 1, 511, 512, 10_000, 100_000, 1024 * 1024]) {
    const body = Buffer.from(
      '{"action":"completed","workflow_job":'.repeat(length / 37 + 1).slice(0, length),
    );
    const sealed = encodeBody(sealer, 'group', body);
    assert.ok(decodeBody(sealer, 'group', sealed).equals(body), `${length} bytes`);
    if (length >= 10_000) assert.ok(sealed.length < length / 4);
  }
});

test('a body that was changed or moved to another group does not open', () => {
  const sealed = encodeBody(sealer, 'group', Buffer.from('"x"'));
  assert.throws(() => decodeBody(sealer, 'other group', sealed));
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  assert.throws(() => decodeBody(sealer, 'group', sealed));
});
