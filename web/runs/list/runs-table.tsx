/* oxlint-disable jsx-a11y/prefer-tag-over-role -- browsers forget that real table elements are a table once these are laid out as a grid */
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, type ReactNode } from 'react';
import type { RunList } from './run-list.ts';
import { classOf, columns, gridTracks, RunRow, type RowEvents } from './run-row.tsx';
import { rememberOpened } from './use-row-focus.ts';
import { scrollId, useRunRows } from './use-run-rows.ts';
import { NewRows } from '../../ui/table/held-rows.tsx';

/** Rows that may be out of date lose their colours but not their contrast. */
const oldLook = 'grayscale';

/** The table of runs. Only visible rows are rendered. They keep their position while a person reads and others arrive. */
export function RunsTable({
  list,
  isBusy,
  onLook,
  foot,
}: {
  list: RunList;
  isBusy: boolean;
  onLook: (first: number, last: number) => void;
  foot: ReactNode;
}) {
  const { rows, left, release, reading, scroller, virtualizer, headHeight, focus, unseen, inView } =
    useRunRows(list);
  const { first, last } = inView;
  useEffect(() => onLook(first, last), [onLook, first, last]);
  const onOpen = useOpenRun();
  const { onFocus, onBlur } = focus;
  const events = useMemo(() => ({ onOpen, onFocus, onBlur }), [onOpen, onFocus, onBlur]);
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        role="table"
        aria-label="Workflow runs"
        // ARIA: -1 means an unknown number of rows.
        aria-rowcount={list.nextCursor === null ? rows.length + 1 : -1}
        aria-colcount={columns.length}
        aria-busy={isBusy}
        data-scroll-restoration-id={scrollId}
        style={gridTracks}
        className={`h-full overflow-x-hidden overflow-y-auto ${isBusy ? oldLook : ''}`}
        {...reading}
      >
        <Head />
        <div role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={`run-grid run-row ${left.has(rows[index]!.runId) ? oldLook : ''}`}
              style={{ transform: `translateY(${start - headHeight}px)` }}
            >
              <RunRow run={rows[index]!} events={events} />
            </div>
          ))}
        </div>
        {foot}
      </div>
      <NewRows
        count={unseen}
        className="top-11"
        onShow={() => {
          release();
          virtualizer.scrollToOffset(0);
        }}
      />
    </div>
  );
}

function Head() {
  return (
    <div role="rowgroup" className="run-head">
      <div role="row" aria-rowindex={1} className="run-grid">
        {columns.map((column) => (
          <div key={column.name} role="columnheader" className={classOf(column)}>
            {column.name}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Opens a run, unless the click asks for a new tab. */
function useOpenRun(): RowEvents['onOpen'] {
  const navigate = useNavigate();
  return useCallback(
    (event, run) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      rememberOpened(run);
      void navigate({
        to: '/integrations/$integrationId/runs/$runId',
        params: { integrationId: run.integrationId, runId: String(run.runId) },
        state: { isFromList: true },
      });
    },
    [navigate],
  );
}
