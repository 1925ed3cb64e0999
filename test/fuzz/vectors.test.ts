import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { drive } from './product/ask.ts';
import { startFuzzedProduct } from './product/fuzzed-product.ts';

const vectors = path.join(import.meta.dirname, '../vectors/fuzz/cases.json');
const product = await startFuzzedProduct();

test('findings of the fuzzer do not come back', async () => {
  assert.equal(await drive(product, ['--vectors', vectors]), 0, 'see the findings above');
});
