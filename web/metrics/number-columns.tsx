import type { ReactNode } from 'react';
import type { MetricGroup } from '#contract/metrics/metrics.ts';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import type { Column } from '../ui/table/table.tsx';
import { formatMeasured } from '../ui/time/format-duration.ts';

/** A column of numbers, at the right of a wide table. */
export function numberColumn<Row>(
  key: string,
  header: string,
  renderCell: (row: Row) => ReactNode,
  sortBy?: (row: Row) => number | null,
): Column<Row> {
  return { key, header, renderCell, className: 'text-muted columns:text-right', ...(sortBy && { sortBy }) };
}

/** A percentile of a group with its change. */
export function percentileColumn(
  name: 'durationP50Ms' | 'durationP95Ms' | 'queueP95Ms',
  header: string,
): Column<MetricGroup> {
  const renderCell = (group: MetricGroup) => (
    <>
      <span className="columns:hidden">{header.replace('Duration ', '')} </span>
      {formatMeasured(group[name])}
      <ChangeText change={changeOf(group[name], group.previous?.[name], 'amount', 'less')} />
    </>
  );
  return numberColumn(name, header, renderCell, (group) => group[name]);
}
