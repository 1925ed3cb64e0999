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
  run(bench: Bench): Promise<Result[]>;
}

/** What the budgets share in one run. */
export interface Bench {
  /** Owner's URL of a database of its own, on the Postgres of this run (default durability). */
  createDatabase(name: string): Promise<string>;
  masterKey: Buffer;
  directory: string;
  /** Says what is going on, on standard error. */
  say(text: string): void;
  /** Ended with the run, whatever happens. */
  onEnd(end: () => Promise<void>): void;
  /** Requests a second that P1 reached, for the budgets that depend on it; measured first when not known yet. */
  ingressRate?: number;
  /** Events a second that P4 reached. */
  pipelineRate?: number;
}
