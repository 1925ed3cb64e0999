import { randomBytes } from 'node:crypto';

/** JSON that costs as much as possible to read, of about so many bytes. */
export const hostileJson: Record<string, (bytes: number) => string> = {
  'an unterminated string': (bytes) => `"${'\\"'.repeat((bytes - 1) / 2)}`,
  'one long string': (bytes) => `"${'x'.repeat(bytes - 2)}"`,
  'a string of escapes': (bytes) => `"${'\\u0041'.repeat((bytes - 2) / 6)}"`,
  'text that does not compress': (bytes) =>
    `"${randomBytes(Math.floor(bytes * 0.75) - 10).toString('base64')}"`,
  'text of three bytes a character': (bytes) => `"${'\u20ac'.repeat((bytes - 2) / 3)}"`,
  'brackets that never close': (bytes) => '['.repeat(bytes),
  'brackets that close': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'objects in objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'a list of numbers': (bytes) => `[${'0,'.repeat(bytes / 2 - 2)}0]`,
  'a list of lists': (bytes) => `[${'[],'.repeat(bytes / 3 - 2)}[]]`,
  'different names': (bytes) => fields(bytes / 13, (at) => `"${at.toString(36).padStart(8, '_')}":1`),
  'the same name': (bytes) => fields(bytes / 6, () => '"a":1'),
  'names that are numbers': (bytes) => fields(bytes / 14, (at) => `"${at * 4093 + 1_000_000_000}":1`),
  'a long number': (bytes) => '7'.repeat(bytes),
  'white space': (bytes) => `${' '.repeat(bytes - 1)}1`,
  'as many values as there may be': (bytes) => {
    const value = `"${'x'.repeat(Math.max(1, bytes / 240_000 - 3))}"`;
    return `[${Array(Math.floor(bytes / (value.length + 1)) - 1)
      .fill(value)
      .join(',')}]`;
  },
};

function fields(count: number, field: (at: number) => string): string {
  return `{${Array.from({ length: count }, (_, at) => field(at)).join(',')}}`;
}
