import { startGoReference } from '../go-reference.ts';
import { startLoad } from '../load.ts';
import { portOf, startProduct } from '../product.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Budget } from '../types.ts';

const rate = 1200;
/** Five of them are a minute. */
const windowSeconds = 12;

export const p3: Budget = {
  id: 'P3',
  what: `p99 of signed 10 KB webhooks at ${rate.toLocaleString('en')}/s, against the Go program of P1`,
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'latency', 200);
    const reference = await startGoReference(bench, file);
    if (reference === undefined) return [];
    const api = await startProduct(bench, 'api', databaseUrl);
    const load = await startLoad(bench, file);
    const seconds = bench.isQuick ? 3 : windowSeconds;
    const p99 = async (port: number): Promise<number> => (await load.run({ port, seconds, rate })).p99;
    const product = () => p99(portOf(api.ready));
    const other = () => p99(Number(reference.ready));
    await product();
    await other();
    const pairs = await inTurn(bench, 5, product, other);
    const ms = (side: 'product' | 'other') => median(pairs.map((pair) => pair[side])).toFixed(1);
    return [ratioResult(p3, pairs, { atMost: 2 }, { note: `${ms('product')} and ${ms('other')} ms` })];
  },
};
