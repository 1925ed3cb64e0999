import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { blankPlaces, bodyAt, openSegment, packSegment, sealSegment } from './segment.ts';

const sealer = makeSealer([randomBytes(32)]);
const groups = ['a', 'ab', 'forge-app:1'] as const;

const anyMessages = fc.array(
  fc.record({
    groupId: fc.constantFrom(...groups),
    body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  }),
  { minLength: 1, maxLength: 20 },
);

test('a segment returns each message to its own group and to no other', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const { plain, places } = packSegment(messages);
      const opened = openSegment(sealer, sealSegment(sealer, plain));
      for (const [index, { groupId, body }] of messages.entries()) {
        assert.ok(bodyAt(opened, groupId, places[index]!).equals(body));
        for (const other of groups)
          if (other !== groupId) assert.throws(() => bodyAt(opened, other, places[index]!));
      }
    }),
  );
});

test('blanked messages are gone, and the others stay where they are', () => {
  fc.assert(
    fc.property(anyMessages, fc.constantFrom(...groups), (messages, doomed) => {
      const { plain, places } = packSegment(messages);
      const isDoomed = (index: number): boolean => messages[index]!.groupId === doomed;
      const remains = blankPlaces(
        plain,
        places.filter((_, index) => isDoomed(index)),
      );
      assert.equal(
        remains,
        messages.some((_, index) => !isDoomed(index)),
      );
      for (const [index, { groupId, body }] of messages.entries()) {
        if (isDoomed(index)) assert.throws(() => bodyAt(plain, groupId, places[index]!));
        else assert.ok(bodyAt(plain, groupId, places[index]!).equals(body));
      }
    }),
  );
});

test('a segment that was changed does not open', () => {
  const sealed = sealSegment(sealer, packSegment([{ groupId: 'a', body: Buffer.from('"x"') }]).plain);
  sealed[sealed.length - 1]! ^= 1;
  assert.throws(() => openSegment(sealer, sealed));
});
