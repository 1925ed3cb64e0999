/** The kinds of lifecycles. A pull request's scenario contains the runs that it triggers. */
export type Scenario =
  | 'push'
  | 'schedule'
  | 'dispatch'
  | 'release'
  | 'pullRequest'
  | 'forkPullRequest'
  | 'unapprovedFork';

/** The conclusion of a run's first attempt. `action_required` comes with the scenario `unapprovedFork`. */
export type RunOutcome = 'success' | 'failure' | 'cancelled' | 'timed_out' | 'skipped' | 'startup_failure';

/** Weights are relative to their group; the other numbers are probabilities. */
export interface Mix {
  scenarios: Readonly<Record<Scenario, number>>;
  outcomes: Readonly<Record<RunOutcome, number>>;
  /** A run that did not succeed is re-run. */
  rerun: number;
  /** A production deployment waits for an approval. */
  gated: number;
  /** A push or a pull request comes from a bot. */
  bots: number;
  /** A completed job is reported without its steps, as GitHub sometimes does. */
  stepsLost: number;
  /** Changes of a pull request may happen in the same second, with the same `updated_at`. */
  sameSecond: number;
}

export type MixOptions = Partial<
  Omit<Mix, 'scenarios' | 'outcomes'> & {
    scenarios: Partial<Mix['scenarios']>;
    outcomes: Partial<Mix['outcomes']>;
  }
>;

const defaults: Mix = {
  scenarios: {
    push: 50,
    schedule: 6,
    dispatch: 8,
    release: 6,
    pullRequest: 22,
    forkPullRequest: 5,
    unapprovedFork: 3,
  },
  outcomes: { success: 82, failure: 10, cancelled: 4, timed_out: 1, skipped: 2, startup_failure: 1 },
  rerun: 0.5,
  gated: 0.6,
  bots: 0.12,
  stepsLost: 0.01,
  sameSecond: 0,
};

/** Fills in defaults. A partial group keeps the other default weights. */
export function resolveMix(options: MixOptions = {}): Mix {
  return {
    ...defaults,
    ...options,
    scenarios: { ...defaults.scenarios, ...options.scenarios },
    outcomes: { ...defaults.outcomes, ...options.outcomes },
  };
}
