import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeSealer } from './sealing.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

test('a sealed value opens, and two seals of one value differ', () => {
  const sealer = makeSealer([oldKey]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string(), (plain, context) => {
      const sealed = sealer.seal(plain, context);
      assert.deepEqual(new Uint8Array(sealer.open(sealed, context)), plain);
      assert.notDeepEqual(sealer.seal(plain, context), sealed);
    }),
  );
});

test('a value with a changed byte or another context does not open', () => {
  const sealer = makeSealer([oldKey]);
  const sealed = sealer.seal(Buffer.from('secret'), 'integrations/a');
  assert.throws(() => sealer.open(sealed, 'integrations/b'));
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.throws(() => sealer.open(changed, 'integrations/a'), `byte ${index}`);
  }
});

test('the new key seals and both keys open after a rotation', () => {
  const before = makeSealer([oldKey]).seal(Buffer.from('x'), 'c');
  const rotated = makeSealer([newKey, oldKey]);
  assert.equal(rotated.open(before, 'c').toString(), 'x');
  const after = rotated.seal(Buffer.from('y'), 'c');
  assert.throws(() => makeSealer([oldKey]).open(after, 'c'));
});
