import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LoadCommand } from '../load.ts';
import { LoadRun } from './load-run.ts';
import { makeWebhookSource } from './webhook-source.ts';
import { makeTemplates, type Target } from './webhook-templates.ts';

/**
 * Posts prepared webhooks over raw sockets from its own process, so that the sender is not measured. Each line of standard input is
 * a command, and each line of standard output is its summary.
 */
const targets = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Target[];
const source = makeWebhookSource(makeTemplates(targets));

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const summary = await new LoadRun(JSON.parse(line) as LoadCommand, source).run();
  process.stdout.write(`${JSON.stringify(summary)}\n`);
}
process.exit(0);
