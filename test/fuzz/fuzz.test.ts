import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drive } from './product/ask.ts';
import { startFuzzedProduct } from './product/fuzzed-product.ts';

/** Arguments of the driver; `npm run fuzz` sets them, and goes on for minutes. */
const args = process.env['FORGEWATCH_FUZZ']?.split(' ') ?? ['--cases', '400'];
const product = await startFuzzedProduct();

test('the product takes whatever is sent to it', async () => {
  assert.equal(await drive(product, args), 0, 'see the findings above');
});
