import * as fc from 'fast-check';
import { valueOf, type Schema } from './schema.ts';
import { inAddress, oddText } from './text.ts';

/** A path of the table with values of the world, of another tenant, or odd ones for its parameters. */
export function pathOf(path: string): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment): fc.Arbitrary<string> => {
    if (!segment.startsWith(':')) return fc.constant(segment);
    const name = segment.slice(1);
    return fc.oneof(
      { arbitrary: fc.constant(`{${name}}`), weight: 12 },
      { arbitrary: fc.constant(`{foreign.${name}}`), weight: 2 },
      { arbitrary: fc.uuid(), weight: 1 },
      { arbitrary: inAddress(oddText), weight: 2 },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('x', '%41', '9', '%f0%9f'), fc.nat(3_000))
          .map(([each, times]) => each.repeat(times)),
        weight: 1,
      },
    );
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

/** Parameters of the schema and others: valid, odd, repeated, without a value, very many. */
export function queryOf({ properties = {} }: Schema): fc.Arbitrary<string> {
  const known = Object.entries(properties).map(([name, schema]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof(
        { arbitrary: valueOf(schema, name).map(addressText), weight: 5 },
        { arbitrary: inAddress(oddText), weight: 1 },
        {
          arbitrary: fc
            .tuple(fc.constantFrom('a', ',', '\\', '%25', 'a,', '+', '%5c,'), fc.nat(4_000))
            .map(([each, times]) => each.repeat(times)),
          weight: 1,
        },
      ),
    ),
  );
  const odd = fc.tuple(inAddress(oddText), inAddress(oddText));
  const parameter =
    known.length === 0
      ? odd
      : fc.oneof({ arbitrary: fc.oneof(...known), weight: 9 }, { arbitrary: odd, weight: 1 });
  return fc.oneof(
    { arbitrary: fc.constant(''), weight: 2 },
    { arbitrary: fc.array(parameter, { minLength: 1, maxLength: 4 }).map(joined), weight: 8 },
    {
      arbitrary: fc
        .tuple(parameter, fc.integer({ min: 2, max: 200 }))
        .map(([each, times]) => joined(Array<typeof each>(times).fill(each))),
      weight: 1,
    },
    {
      arbitrary: fc.constantFrom('?', '??', '?&', '?=', '?&&&', '?a', '?a=b=c', '?[]=', '?a[b]=c', '?#'),
      weight: 1,
    },
  );
}

function joined(parameters: readonly (readonly [string, string])[]): string {
  return `?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** Names of the world stay as they are; the rest is encoded. */
function addressText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return /^\{[\w.]+\}$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
