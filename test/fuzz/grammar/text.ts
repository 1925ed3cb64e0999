import * as fc from 'fast-check';

/** Texts that have broken parsers, databases, terminals and screens before. */
const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00\ud800',
  '\u202eoddly',
  '\u2028',
  '\ufeff',
  '\u{1F600}'.repeat(40),
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'true',
  'NaN',
  '-0',
  '1e1',
  '0x1f',
  '2.5',
  '9007199254740993',
  '99999999999999999999',
  '-9223372036854775809',
  "'; drop table users; --",
  '%',
  '%_\\',
  '${7*7}',
  '{{7*7}}',
  '../../etc/passwd',
  '..%2f..%2f',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  '9999-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '+275760-09-13T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  '0AAAAAAA-0AAA-4AAA-8AAA-0AAAAAAAAAAA',
  'İ'.repeat(30),
  'ß',
  '{integrationId}',
  '{foreign.integrationId}',
  '{foreign.runId}',
  '{foreign.ruleId}',
  'W10',
  'eyJhIjpbXX0',
] as const;

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...oddTexts), weight: 6 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 2 },
  { arbitrary: fc.string({ maxLength: 300 }), weight: 1 },
  { arbitrary: fc.base64String({ maxLength: 200 }), weight: 1 },
);

/** An encoding of one text in an address: as clients do it, needlessly, twice, broken, or not at all. */
export function inAddress(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const whole = (each: string): string => encodeURIComponent(each.toWellFormed());
  return fc.tuple(text, fc.nat(19)).map(([each, way]) => {
    if (way === 0) return `${whole(each)}%`;
    if (way === 1) return `%zz${whole(each)}`;
    if (way === 2) return `${whole(each)}%c0%af`;
    if (way === 3) return whole(whole(each));
    if (way === 4)
      return [...Buffer.from(each)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    if (way === 5) return whole(each).replaceAll('%20', '+');
    if (way === 6) return each.replaceAll(/[\s#?]/g, '');
    return /^\{[\w.]+\}$/.test(each) ? each : whole(each);
  });
}
