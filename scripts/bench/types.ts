/** The measured result of one budget. */
export interface Result {
  id: string;
  what: string;
  /** As printed: the value with its spread. */
  measured: string;
  budget: string;
  met: boolean;
  /** Plain numbers for docs/performance.json. */
  figures: Record<string, number>;
}

export interface Budget {
  id: string;
  what: string;
  /** Measured only by name, because it takes too long for a full run. */
  isOnlyByName?: true;
  run(bench: Bench): Promise<Result[]>;
}

/** The shared resources of the budgets of one run. */
export interface Bench {
  /** Creates a database on the Postgres of this run, with default durability, and returns the owner's URL. */
  createDatabase(name: string): Promise<string>;
  /** Finds a database that an earlier run kept (`--keep`). */
  findDatabase(name: string): Promise<string | undefined>;
  /** The database must have no connections. */
  renameDatabase(url: string, name: string): Promise<string>;
  postgresPid(): number;
  masterKey: Buffer;
  /** All files of the run. Removed at the end, except with `--keep`. */
  directory: string;
  /** Smaller sizes for a quick check. Its results are marked and never recorded. */
  isQuick: boolean;
  /** P19 makes its attacks at random for ten minutes, several at once. */
  isMixed: boolean;
  /** Number of runs in the long history. */
  historyRuns: number;
  /** Writes progress to standard error. */
  say(text: string): void;
  /** Registers a cleanup. Cleanups run after the budget, last registered first, also after a failure. */
  onEnd(end: () => Promise<void>): void;
}
