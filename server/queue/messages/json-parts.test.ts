import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '#test/support/waiting/loop-watch.ts';
import * as fc from 'fast-check';
import { endOfValue, fieldsOf } from './json-parts.ts';

test('a value ends where its text ends, whatever follows it', () => {
  const spaces = fc.constantFrom(undefined, 2, '\t');
  fc.assert(
    fc.property(
      fc.jsonValue(),
      spaces,
      fc.constantFrom('', ',"x":1}', '}', ']', ' ,', '\n'),
      (value, indent, rest) => {
        const text = Buffer.from(JSON.stringify(value, null, indent));
        assert.equal(endOfValue(Buffer.concat([text, Buffer.from(rest)]), 0), text.length);
      },
    ),
  );
});

test('fields are found as JSON.parse finds them', () => {
  const fields = fc.dictionary(
    fc.constantFrom('action', 'repository', 'a', 'action2', 'quo"te', 'é'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fields, fc.constantFrom(undefined, 2), (value, indent) => {
      const found = fieldsOf(Buffer.from(JSON.stringify(value, null, indent)), ['action', 'repository']);
      const { action, repository } = value;
      const expected = {
        ...('action' in value ? { action } : {}),
        ...('repository' in value ? { repository } : {}),
      };
      assert.deepEqual(
        Object.fromEntries(Object.entries(found).map(([name, text]) => [name, JSON.parse(text.toString())])),
        JSON.parse(JSON.stringify(expected)),
      );
    }),
  );
  const twice = fieldsOf(Buffer.from('{"action":"first","action":"last"}'), ['action']);
  assert.equal(twice['action']?.toString(), '"last"');
});

test('reading any bytes ends, and no part is outside of them', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes);
      assert.ok(endOfValue(text, 0) <= text.length);
      fieldsOf(Buffer.concat([Buffer.from('{"action":'), text]), ['action']);
    }),
  );
});

test('the time grows with the length alone', () => {
  const timeOf = (repeats: number, piece: string): number => {
    const text = Buffer.from(`{"a":${piece.repeat(repeats)}`);
    const times = Array.from({ length: 5 }, () => {
      const start = cpuMs();
      fieldsOf(text, ['action', 'repository']);
      return cpuMs() - start;
    });
    return Math.min(...times);
  };
  // Tests beside this one share the caches, so a slow pair is measured again. Quadratic time would be 16 times as long in each pair.
  const isLinear = (piece: string): boolean => timeOf(800_000, piece) < 10 * timeOf(200_000, piece) + 10;
  for (const piece of ['[', '{"a":', '"\\"', '\\', '"a"', '1,"b":'])
    assert.ok(
      Array.from({ length: 4 }).some(() => isLinear(piece)),
      piece,
    );
});
