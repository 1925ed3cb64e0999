import { formatNumber } from './locale.ts';

export interface Change {
  /** For example `+12 %`, or `×12` for large factors. */
  text: string;
  tone: 'better' | 'worse' | 'same';
}

/**
 * The change of a figure compared with the previous period. Rates change by points, other figures in percent.
 * Undefined without both values or with nothing to compare.
 */
export function changeOf(
  value: number | null,
  previous: number | null | undefined,
  kind: 'rate' | 'amount',
  better: 'more' | 'less' | 'neither',
): Change | undefined {
  if (value === null || previous === null || previous === undefined) return undefined;
  if (kind === 'amount' && previous === 0) return undefined;
  const moved = kind === 'rate' ? (value - previous) * 100 : ((value - previous) / previous) * 100;
  const rounded = Math.round(moved);
  const unit = kind === 'amount' ? ' %' : Math.abs(rounded) === 1 ? ' point' : ' points';
  if (rounded === 0) return { text: `±0${unit}`, tone: 'same' };
  const isManifold = kind === 'amount' && value >= 10 * previous;
  const text = isManifold
    ? `×${formatNumber(value / previous)}`
    : `${rounded > 0 ? '+' : '−'}${Math.abs(rounded)}${unit}`;
  if (better === 'neither') return { text, tone: 'same' };
  return { text, tone: rounded > 0 === (better === 'more') ? 'better' : 'worse' };
}
