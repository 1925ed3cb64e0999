import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { IntegrationBody } from '#contract/integrations/integrations.ts';
import { labelProblem } from './label.ts';

const server = Compile(IntegrationBody);

test('the form accepts exactly the names that the server accepts', () => {
  const character = fc.constantFrom('a', 'é', '\n', '\u202e', '\u200d', '😀', ' a ', '\t');
  const name = fc
    .oneof(
      fc.string({ unit: character, maxLength: 8 }),
      fc.integer({ min: 95, max: 105 }).map((length) => 'x'.repeat(length)),
    )
    .map((text) => text.trim());
  fc.assert(
    fc.property(name, (label) => {
      assert.equal(labelProblem(label) === undefined, server.Check({ label }), JSON.stringify(label));
    }),
  );
});

test('the problem says what to change', () => {
  assert.match(labelProblem('  ') ?? '', /Enter a name/);
  assert.match(labelProblem('x'.repeat(101)) ?? '', /100/);
  assert.match(labelProblem('two\nlines') ?? '', /one line/);
});
