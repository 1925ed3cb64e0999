import type { Result } from '../types.ts';

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
export function markdownTable(results: readonly Result[]): string {
  const rows = results.map(
    (result) =>
      `| ${result.id} | ${result.what} | ${result.budget} | ${result.measured} | ${verdict(result)} |`,
  );
  return ['| # | What | Budget | Measured | |', '|---|---|---|---|---|', ...rows].join('\n');
}
