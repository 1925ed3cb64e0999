/** One budget of the performance design, measured. */
export interface Result {
  id: string;
  what: string;
  /** As printed: the figure with its spread. */
  measured: string;
  budget: string;
  met: boolean;
  /** Plain numbers for docs/performance.json. */
  figures: Record<string, number>;
}

export interface Budget {
  id: string;
  what: string;
  /** Left out when no budget is named: it takes too long for a full run. */
  isOnlyByName?: true;
  run(bench: Bench): Promise<Result[]>;
}

/** What the budgets of one run share. */
export interface Bench {
  /** Owner's URL of a new database on the Postgres of this run (default durability). */
  createDatabase(name: string): Promise<string>;
  /** One that an earlier run left (`--keep`). */
  findDatabase(name: string): Promise<string | undefined>;
  /** Nobody may be connected to it. */
  renameDatabase(url: string, name: string): Promise<string>;
  postgresPid(): number;
  masterKey: Buffer;
  /** Everything that is written goes below here; it is removed with the run, unless that keeps it. */
  directory: string;
  /** Smaller sizes for a look in passing; its figures are marked and never recorded. */
  isQuick: boolean;
  /** Length of the long history. */
  historyRuns: number;
  /** Says what is going on, on standard error. */
  say(text: string): void;
  /** Ended after the budget that started it, last first, whatever happens. */
  onEnd(end: () => Promise<void>): void;
  /** What earlier budgets of this run found out for later ones. */
  reached: { ingressPerSecond?: number };
}
