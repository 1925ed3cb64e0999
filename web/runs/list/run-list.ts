import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { StreamPosition, WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import { compareRuns, positionAfter, positionOf, type RunKey } from './run-order.ts';

/**
 * The loaded part of the server's list, newest first and without gaps. It consists of pieces that were read one by
 * one. Live updates keep it current; an outdated piece is marked stale and read again when it becomes visible.
 */
export interface RunList {
  order: RunOrder;
  rows: readonly WorkflowRun[];
  pieces: readonly Piece[];
  /** The cursor of the part that is not loaded; null at the end. */
  nextCursor: string | null;
  /** Whether the list was truncated because the page shows no more rows. */
  isTruncated: boolean;
}

interface Piece {
  /** The cursor to read the piece again; undefined for the newest runs. */
  cursor: string | undefined;
  /** Key of its last run; null at the end of the list. It starts where the previous piece ends. */
  end: RunKey | null;
  stream: StreamPosition;
  isStale: boolean;
}

/** A changed run and its position in the stream. */
export interface RunUpdate extends StreamPosition {
  run: WorkflowRun;
}

/** True or false if known; undefined when only the server can decide. */
export type Matches = (run: WorkflowRun) => boolean | undefined;

export const maxRows = 10_000;

/** Merges a page. It replaces all rows between its first and its last run. */
export function mergePage(
  list: RunList | undefined,
  cursor: string | undefined,
  page: WorkflowRunPage,
  order: RunOrder = 'createdAt',
): RunList {
  if (list === undefined) {
    return {
      order,
      rows: page.items,
      pieces: [pieceOf(cursor, page)],
      nextCursor: page.nextCursor,
      isTruncated: false,
    };
  }
  const at = pieceIndex(list, cursor);
  // The list changed during the request. The missing parts are requested again.
  if (at === -1) return list;
  const piece = pieceOf(cursor, page);
  const from = positionAfter(list.rows, list.pieces[at - 1]?.end ?? undefined, order);
  const to = piece.end === null ? list.rows.length : positionAfter(list.rows, piece.end, order);
  const ids = new Set(page.items.map(({ runId }) => runId));
  const isOther = ({ runId }: WorkflowRun): boolean => !ids.has(runId);
  const rest = piece.end === null ? [] : piecesAfter(list, at, piece.end, page.nextCursor);
  return {
    order,
    rows: [
      ...list.rows.slice(0, from).filter(isOther),
      ...page.items,
      ...list.rows.slice(to).filter(isOther),
    ],
    pieces: [...list.pieces.slice(0, at), piece, ...rest],
    nextCursor: rest.length === 0 ? page.nextCursor : list.nextCursor,
    isTruncated: rest.length > 0 && list.isTruncated,
  };
}

function pieceOf(cursor: string | undefined, { items, nextCursor, stream }: WorkflowRunPage): Piece {
  const last = nextCursor === null ? undefined : items.at(-1);
  const end = last === undefined ? null : keyOf(last);
  return { cursor, end, stream, isStale: false };
}

function keyOf({ createdAt, completedAt, runId }: WorkflowRun): RunKey {
  return { createdAt, completedAt, runId };
}

function pieceIndex({ pieces, nextCursor }: RunList, cursor: string | undefined): number {
  if (cursor !== undefined && cursor === nextCursor) return pieces.length;
  return pieces.findIndex((piece) => piece.cursor === cursor);
}

/** The pieces from `at` on that remain after a page ending at `end`. The first of them starts there. */
function piecesAfter(
  { order, pieces }: RunList,
  at: number,
  end: RunKey,
  nextCursor: string | null,
): Piece[] {
  const first = pieces.findIndex(
    (piece, index) => index >= at && (piece.end === null || compareRuns(piece.end, end, order) > 0),
  );
  if (first === -1) return [];
  return pieces
    .slice(first)
    .map((piece, index) => (index === 0 ? { ...piece, cursor: nextCursor ?? undefined } : piece));
}

/** Updates are missing: marks all pieces as stale. */
export function markStale(list: RunList): RunList {
  return { ...list, pieces: list.pieces.map((piece) => ({ ...piece, isStale: true })) };
}

/** The first stale piece that overlaps the rows `from` to `to`, inclusive. A piece whose rows all left overlaps the row at its place. */
export function stalePiece(
  list: RunList,
  from: number,
  to: number,
): { cursor: string | undefined } | undefined {
  let begin = 0;
  for (const piece of list.pieces) {
    const end = piece.end === null ? Infinity : positionAfter(list.rows, piece.end, list.order);
    if (piece.isStale && begin <= to && Math.max(end, begin + 1) > from) return { cursor: piece.cursor };
    begin = end;
  }
  return undefined;
}

/**
 * Applies updates in order. Runs enter or leave the list by the filter. If only the server can decide, the piece
 * becomes stale. Returns `list` itself if nothing changed.
 */
export function applyUpdates(list: RunList, updates: readonly RunUpdate[], matches: Matches): RunList {
  const rows = [...list.rows];
  const stale = new Set<Piece>();
  let isChanged = false;
  for (const update of updates) {
    const { run } = update;
    const piece = list.pieces.find(({ end }) => end === null || compareRuns(run, end, list.order) <= 0);
    if (piece && piece.stream.epoch === update.epoch && update.seq <= piece.stream.seq) continue;
    const isWanted = matches(run);
    if (isWanted === undefined && piece) stale.add(piece);
    isChanged = place(rows, run, list.order, piece !== undefined, isWanted) || isChanged;
  }
  if (!isChanged && stale.size === 0) return list;
  const pieces = list.pieces.map((piece) => (stale.has(piece) ? { ...piece, isStale: true } : piece));
  return truncate({ ...list, rows, pieces });
}

/** Returns whether `rows` changed. A run that only the server can judge is updated but not added. */
function place(
  rows: WorkflowRun[],
  run: WorkflowRun,
  order: RunOrder,
  isInReach: boolean,
  isWanted: boolean | undefined,
): boolean {
  let at = positionOf(rows, run, order);
  if (rows[at]?.runId !== run.runId) {
    // The run is new, or its time was corrected.
    const old = rows.findIndex(({ runId }) => runId === run.runId);
    if (old === -1 && (isWanted !== true || !isInReach)) return false;
    if (old !== -1) rows.splice(old, 1);
    at = positionOf(rows, run, order);
    if (isWanted !== false && isInReach) rows.splice(at, 0, run);
    return true;
  }
  if (isWanted === false) rows.splice(at, 1);
  else rows[at] = run;
  return true;
}

/** Bounds the size of a page that stays open for days. */
function truncate(list: RunList): RunList {
  if (list.rows.length <= maxRows) return list;
  const rows = list.rows.slice(0, maxRows);
  const end = keyOf(rows.at(-1)!);
  const last = list.pieces.findIndex(
    (piece) => piece.end === null || compareRuns(piece.end, end, list.order) >= 0,
  );
  const pieces = list.pieces
    .slice(0, last + 1)
    .map((piece, index) => (index === last ? { ...piece, end } : piece));
  return { order: list.order, rows, pieces, nextCursor: null, isTruncated: true };
}
