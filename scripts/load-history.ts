import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadHistory, usualHistory } from './bench/history/load-history.ts';

/**
 * Fills an integration of an existing database with a generated history, to try the product with much data:
 * `DATABASE_URL=... node scripts/load-history.ts INTEGRATION_ID --runs 5000000`.
 */
const { values, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '50000' },
    days: { type: 'string', default: String(usualHistory.days) },
  },
  allowPositionals: true,
});
const [integrationId] = positionals;
const url = process.env['DATABASE_URL'];
if (integrationId === undefined || url === undefined) {
  process.stderr.write(
    'DATABASE_URL and an integration id are required: load-history.ts ID [--runs N] [--days N]\n',
  );
  process.exit(2);
}
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  const history = { ...usualHistory, runs: Number(values.runs), days: Number(values.days) };
  await loadHistory(client, integrationId, history, (text) => process.stderr.write(`${text}\n`));
} finally {
  await client.end();
}
