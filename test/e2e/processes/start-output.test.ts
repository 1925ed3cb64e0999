import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestProgram } from '#test/support/product/test-program.ts';

test('a start says where the data stays, and what listens', async () => {
  const { program, logged } = await startTestProgram();
  assert.match(program.hint ?? '', /the data stays in the database of DATABASE_URL/);
  assert.match(logged(), /"msg":"sample forge listening at http:\/\/127\.0\.0\.1:\d+"/);
  assert.equal(logged().match(/"msg":"Server listening at /g)?.length, 1);
});
