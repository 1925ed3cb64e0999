import * as fc from 'fast-check';
import type { Frame, Piece, SocketCase } from '../case.ts';
import { jsonOf } from '../grammar/json.ts';
import { oddText } from '../grammar/text.ts';

const message: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant({ type: 'ping' }),
  fc.record({
    type: fc.constant('resume'),
    cursors: fc.dictionary(
      fc.oneof(fc.constantFrom('{integrationId}', '{foreign.integrationId}', '__proto__'), oddText),
      fc.record({
        epoch: fc.oneof(fc.constant('{epoch}'), oddText),
        seq: fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 53, 1e300)),
      }),
      { maxKeys: 4 },
    ),
  }),
  fc.record({ type: fc.constant('auth'), token: fc.oneof(fc.constant('{token}'), oddText) }),
  fc.record({ type: oddText }),
);

const texts: fc.Arbitrary<Piece[]> = jsonOf(message);

const closes: fc.Arbitrary<Piece[]> = fc
  .tuple(
    fc.constantFrom(999, 1000, 1001, 1004, 1005, 1006, 1015, 3000, 4999, 5000, 65535),
    fc.constantFrom('', 'bye', 'x'.repeat(130)),
  )
  .map(([code, reason]) => [{ base64: Buffer.from([code >> 8, code & 255]).toString('base64') }, reason]);

const bytes: fc.Arbitrary<Piece[]> = fc
  .uint8Array({ maxLength: 200 })
  .map((each) => [{ base64: Buffer.from(each).toString('base64') }]);

const right = { fin: true, rsv: 0, isMasked: true };

const rightFrame: fc.Arbitrary<Frame> = fc.oneof(
  { arbitrary: texts.map((payload) => ({ ...right, opcode: 1, payload })), weight: 6 },
  { arbitrary: bytes.map((payload) => ({ ...right, opcode: 2, payload })), weight: 1 },
  { arbitrary: closes.map((payload) => ({ ...right, opcode: 8, payload })), weight: 1 },
  { arbitrary: bytes.map((payload) => ({ ...right, opcode: 9, payload })), weight: 1 },
  { arbitrary: bytes.map((payload) => ({ ...right, opcode: 10, payload })), weight: 1 },
);

const oddFrame: fc.Arbitrary<Frame> = fc.record({
  fin: fc.boolean(),
  rsv: fc.constantFrom(0, 0, 1, 4, 7),
  opcode: fc.nat(15),
  isMasked: fc.nat(3).map((n) => n > 0),
  payload: fc.oneof(texts, bytes, closes),
  declared: fc.constantFrom(undefined, undefined, 'longer' as const, 'huge' as const, 'negative' as const),
});

/** A message in pieces, with what may and may not come between them. */
const fragments: fc.Arbitrary<Frame[]> = fc
  .tuple(fc.array(fc.oneof(texts, bytes), { minLength: 2, maxLength: 40 }), fc.option(rightFrame))
  .map(([parts, between]) =>
    parts.flatMap((payload, index) => [
      { ...right, fin: index === parts.length - 1, opcode: index === 0 ? 1 : 0, payload },
      ...(between !== null && index === 0 ? [between] : []),
    ]),
  );

export const socketCases: fc.Arbitrary<SocketCase> = fc.record({
  who: fc.constantFrom('viewer' as const, 'owner' as const),
  hasControl: fc.boolean(),
  frames: fc.oneof(
    { arbitrary: fc.array(rightFrame, { minLength: 1, maxLength: 6 }), weight: 4 },
    { arbitrary: fc.array(fc.oneof(rightFrame, oddFrame), { minLength: 1, maxLength: 6 }), weight: 4 },
    { arbitrary: fragments, weight: 2 },
    {
      arbitrary: fc
        .tuple(rightFrame, fc.integer({ min: 2, max: 300 }))
        .map(([each, times]) => Array<Frame>(times).fill(each)),
      weight: 1,
    },
  ),
});
