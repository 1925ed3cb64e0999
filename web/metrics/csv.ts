import type { MetricPoint } from '#contract/metrics/metrics.ts';

const names = [
  'at',
  'runs',
  'succeeded',
  'failed',
  'successRate',
  'reruns',
  'recovered',
  'durationP50Ms',
  'durationP95Ms',
  'queueP50Ms',
  'queueP95Ms',
  'billableMinutes',
] as const satisfies readonly (keyof MetricPoint)[];

/** The time series as CSV. Missing values are empty. */
export function csvOf(series: readonly MetricPoint[]): string {
  const rows = series.map((point) => names.map((name) => point[name] ?? '').join(','));
  return `${[names.join(','), ...rows].join('\r\n')}\r\n`;
}

/** Downloads a text as a file. */
export function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
