import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './children.ts';
import type { Result } from './types.ts';

const jsonFile = path.join(root, 'docs/performance.json');
const pageFile = path.join(root, 'docs/performance.md');

/** A result with its time and machine. */
export interface Recorded extends Result {
  at: string;
  cores: number;
  /** Load average before and after. */
  load: [number, number];
}

/** Replaces results in docs/performance.json, and writes all results to docs/performance.md. */
export async function record(results: readonly Recorded[]): Promise<void> {
  const known = JSON.parse(await readFile(jsonFile, 'utf8').catch(() => '[]')) as Recorded[];
  const measured = new Set(results.map(({ id }) => id));
  const all = [...known.filter(({ id }) => !measured.has(id)), ...results].sort(
    (a, b) => numberOf(a.id) - numberOf(b.id),
  );
  await writeFile(jsonFile, `${JSON.stringify(all, null, 2)}\n`);
  const page = await readFile(pageFile, 'utf8');
  await writeFile(
    pageFile,
    page.replace(/(<!-- figures -->\n)[\s\S]*(<!-- end -->)/, `$1\n${figures(all)}\n\n$2`),
  );
}

/** A budget may have several rows. */
function budgetOf(id: string): string {
  return id.split(' ')[0] ?? id;
}

function numberOf(id: string): number {
  return Number(budgetOf(id).slice(1));
}

function figures(all: readonly Recorded[]): string {
  const days = [...new Set(all.map(({ at }) => at.slice(0, 10)))].join(', ');
  const loads = all.flatMap(({ load }) => load);
  const machine = `Measured ${days} on ${all[0]?.cores} cores, load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}, with \`npm run bench\`.`;
  return `${machine}\n\n${markdownTable(all)}`;
}

/** A row without a budget is only for comparison. */
const verdict = ({ budget, met }: Result): string => (budget === '-' ? '' : met ? 'met' : 'NOT MET');

/** Formats results in columns, one line each. */
export function table(results: readonly Result[]): string {
  const rows = [
    ['', 'budget', 'measured', '', 'what'],
    ...results.map((result) => [result.id, result.budget, result.measured, verdict(result), result.what]),
  ];
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Formats results as a Markdown table. */
function markdownTable(results: readonly Result[]): string {
  const rows = results.map(
    (result) =>
      `| ${result.id} | ${result.what} | ${result.budget} | ${result.measured} | ${verdict(result)} |`,
  );
  return ['| # | What | Budget | Measured | |', '|---|---|---|---|---|', ...rows].join('\n');
}
