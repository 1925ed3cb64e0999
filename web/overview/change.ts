import type { Figure } from '#contract/overview.ts';

export interface Change {
  /** Such as `+12 %`, or `×12` for what is many times as much. */
  text: string;
  tone: 'better' | 'worse' | 'same';
}

/**
 * How a figure movedcompared with the previous period. Rates move by points, everything else by its share. Undefined when one of
 * the two was not measured, or there is nothing to compare with.
 */
export function changeOf(
  { value, previous }: Figure,
  kind: 'rate' | 'amount',
  better: 'more' | 'less' | 'neither',
): Change | undefined {
  if (value === null || previous === null) return undefined;
  if (kind === 'amount' && previous === 0) return undefined;
  const moved = kind === 'rate' ? (value - previous) * 100 : ((value - previous) / previous) * 100;
  const rounded = Math.round(moved);
  const unit = kind === 'rate' ? ' points' : ' %';
  if (rounded === 0) return { text: `±0${unit}`, tone: 'same' };
  const isManifold = kind === 'amount' && value >= 10 * previous;
  const text = isManifold
    ? `×${Math.round(value / previous).toLocaleString('en')}`
    : `${rounded > 0 ? '+' : '−'}${Math.abs(rounded)}${unit}`;
  if (better === 'neither') return { text, tone: 'same' };
  return { text, tone: rounded > 0 === (better === 'more') ? 'better' : 'worse' };
}
