import * as fc from 'fast-check';
import { bytesOf, type Piece } from '../case.ts';

type Wrap = (json: readonly Piece[]) => Piece[];

/** Long bodies stay as short as they are written: only what is read as a text is encoded. */
const encoded = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece): Piece => {
    if (typeof piece === 'string') return encodeURIComponent(piece.toWellFormed());
    if ('each' in piece)
      return { ...piece, each: encodeURIComponent(piece.each.toWellFormed()).replaceAll('%23', '#') };
    return bytesOf([piece], {})
      .toString('hex')
      .replaceAll(/../g, (byte) => `%${byte}`);
  });

/** A body in a form: rightly, in no or several payloads, encoded twice, broken, or among very many fields. */
export const formOf: fc.Arbitrary<Wrap> = fc.oneof(
  { arbitrary: fc.constant<Wrap>((json) => ['payload=', ...encoded(json)]), weight: 6 },
  {
    arbitrary: fc.constantFrom<Wrap>(
      (json) => ['payload=', ...encoded(json), '&payload=', ...encoded(json)],
      (json) => ['payload=', ...encoded(encoded(json))],
      (json) => ['payload=', ...json],
      (json) => ['payload[]=', ...encoded(json)],
      (json) => ['%70ayload=', ...encoded(json)],
      (json) => ['payload=%', ...encoded(json), '%2'],
      (json) => ['payload=%c3%28', ...encoded(json)],
      (json) => ['\ufeffpayload=', ...encoded(json)],
      () => ['payload'],
      () => ['payload='],
      () => [],
    ),
    weight: 3,
  },
  {
    arbitrary: fc
      .tuple(
        fc.constantFrom('x#=1&', '&', '%', '=', '%25', '+', 'payload=&', '%7b'),
        fc.integer({ min: 1, max: 50_000 }),
      )
      .map(([each, times]): Wrap => (json) => [{ each, times }, '&payload=', ...encoded(json)]),
    weight: 1,
  },
);
