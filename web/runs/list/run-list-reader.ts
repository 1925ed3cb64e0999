import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import type { RunList, RunUpdate } from './run-list.ts';
import { applyUpdates, markStale, maxRows, mergePage, stalePiece, type Matches } from './run-list.ts';

export interface RunListReaderDeps {
  order?: RunOrder;
  fetchPage(cursor: string | undefined, signal: AbortSignal): Promise<WorkflowRunPage>;
  /** False when updates between the page and the first received update are missing. */
  isComplete(page: WorkflowRunPage): boolean;
  matches: Matches;
  get(): RunList | undefined;
  set(list: RunList): void;
}

export interface ReaderState {
  isReadingMore: boolean;
  /** Many pages in a row had almost no matches. Older runs are read when a person asks. */
  isPaused: boolean;
  /** Reading failed and waits for a retry. */
  failure: { error: Error; isMore: boolean } | undefined;
}

/** The next page is fetched this many rows before the end. */
const readAhead = 40;
/** Pages with fewer new rows than this, in a row, before reading pauses. The server scans 4,000 runs for each. */
const [fewRows, mostPoorPages] = [5, 10];
/** A list that becomes stale repeatedly is read at most at this interval. */
const rereadEveryMs = 1_000;

/**
 * Reads a list of runs on demand: the newest page first, further pages near the end, and stale parts again. Updates
 * that arrive during a request are applied to its page too, so none is lost.
 */
export class RunListReader {
  readonly #deps: RunListReaderDeps;
  readonly #listeners = new Set<() => void>();
  readonly #underWay = new Set<RunUpdate[]>();
  #stopping = new AbortController();
  #state: ReaderState = { isReadingMore: false, isPaused: false, failure: undefined };
  #poorPages = 0;
  #range = { first: 0, last: 0 };
  #isReading = false;
  #losses = 0;
  #rereadAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: RunListReaderDeps) {
    this.#deps = deps;
  }

  get state(): ReaderState {
    return this.#state;
  }

  /** For `useSyncExternalStore`. */
  onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the newest runs and merges them. The rest is read again when it becomes visible. */
  async readFirst(signal: AbortSignal): Promise<RunList> {
    const merge = await this.#read(undefined, signal);
    const list = this.#deps.get();
    return merge(list && markStale(list));
  }

  apply(updates: readonly RunUpdate[]): void {
    for (const during of this.#underWay) during.push(...updates);
    const list = this.#deps.get();
    if (list === undefined) return;
    const next = applyUpdates(list, updates, this.#deps.matches);
    if (next !== list) this.#deps.set(next);
    this.advance();
  }

  /** Updates were lost. */
  resync(): void {
    this.#losses += 1;
    const list = this.#deps.get();
    if (list) this.#deps.set(markStale(list));
    this.retry();
  }

  /** These rows are visible. */
  look(first: number, last: number): void {
    this.#range = { first, last };
    this.advance();
  }

  retry(): void {
    this.#setState({ ...this.#state, failure: undefined });
    this.advance();
  }

  /** Reads on after a pause. */
  readOn(): void {
    this.#poorPages = 0;
    this.#setState({ ...this.#state, isPaused: false });
    this.advance();
  }

  /** Starts reading. Returns the stop function; it can be started again. */
  start(): () => void {
    this.#stopping = new AbortController();
    return () => {
      clearTimeout(this.#timer);
      this.#stopping.abort();
    };
  }

  /** Starts the next needed request, one at a time. */
  advance(): void {
    const list = this.#deps.get();
    if (this.#isReading || this.#state.failure || this.#stopping.signal.aborted || !list) return;
    const { first, last } = this.#range;
    const stale = stalePiece(list, 0, 0) ?? stalePiece(list, first, last);
    if (stale) this.#reread(stale.cursor);
    else if (this.#state.isPaused) return;
    else if (list.nextCursor !== null && last + readAhead >= list.rows.length && list.rows.length < maxRows)
      void this.#readInto(list.nextCursor, true);
  }

  #reread(cursor: string | undefined): void {
    const waitMs = this.#rereadAt + rereadEveryMs - Date.now();
    clearTimeout(this.#timer);
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.advance(), waitMs);
      return;
    }
    this.#rereadAt = Date.now();
    void this.#readInto(cursor, false);
  }

  async #readInto(cursor: string | undefined, isMore: boolean): Promise<void> {
    this.#isReading = true;
    const { signal } = this.#stopping;
    this.#setState({ ...this.#state, isReadingMore: isMore, failure: undefined });
    try {
      const merge = await this.#read(cursor, signal);
      const before = this.#deps.get()?.rows.length ?? 0;
      const list = merge(this.#deps.get());
      this.#deps.set(list);
      if (isMore) this.#poorPages = list.rows.length - before < fewRows ? this.#poorPages + 1 : 0;
      this.#setState({
        isReadingMore: false,
        isPaused: this.#poorPages >= mostPoorPages,
        failure: undefined,
      });
    } catch (error) {
      this.#setState({
        ...this.#state,
        isReadingMore: false,
        failure: signal.aborted ? undefined : { error: error as Error, isMore },
      });
    } finally {
      this.#isReading = false;
    }
    this.advance();
  }

  /** Fetches a page and merges it into the current list. */
  async #read(
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<(list: RunList | undefined) => RunList> {
    const during: RunUpdate[] = [];
    const lossesBefore = this.#losses;
    this.#underWay.add(during);
    try {
      const page = await this.#deps.fetchPage(cursor, signal);
      const isComplete = this.#deps.isComplete(page) && this.#losses === lossesBefore;
      return (list) => {
        const merged = applyUpdates(
          mergePage(list, cursor, page, this.#deps.order),
          during,
          this.#deps.matches,
        );
        return isComplete ? merged : markStale(merged);
      };
    } finally {
      this.#underWay.delete(during);
    }
  }

  #setState(state: ReaderState): void {
    const { isReadingMore, isPaused, failure } = this.#state;
    if (state.isReadingMore === isReadingMore && state.isPaused === isPaused && state.failure === failure)
      return;
    this.#state = state;
    this.#listeners.forEach((listener) => listener());
  }
}
