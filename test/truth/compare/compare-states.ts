import type { WorkflowState } from '../model/states.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The wallboard, CCTray, badges and the overview must all say the same about a workflow. */
export function compareStates(
  expected: readonly WorkflowState[],
  names: Names,
  { wall, cctray, badges, overview }: Shown,
  differences: Differences,
): void {
  const keyOf = (repository: string, workflow: string): string =>
    names.get(shownName(repository, workflow)) ?? `unknown ${repository} ${workflow}`;
  const called = (key: string): string | null | undefined =>
    overview.needsAttention.find(({ repository, workflow }) => keyOf(repository, workflow) === key)?.noBlame;
  // How often a failure passed on a re-run decides whether it is flaky; then nobody is to blame.
  const states = expected.map((state) => {
    const { blame, excuses, key } = state;
    const noBlame = called(key) ?? '';
    if (blame === undefined || !excuses.includes(noBlame)) return state;
    return { ...state, blame: { ...blame, named: null, candidates: [], noBlame } };
  });
  differences.sameSet(
    'wallboard',
    wall.tiles.map(({ repository, workflow, state, last, failingSince, running, firstBad }) =>
      textOf(
        keyOf(repository, workflow),
        state,
        `last ${last?.runId ?? null}`,
        `since ${failingSince}`,
        running === null ? 'idle' : 'building',
        `by ${firstBad?.sha ?? null}`,
      ),
    ),
    states.map(({ key, state, lastRunId, since, isBuilding, blame }) =>
      textOf(
        key,
        state,
        `last ${lastRunId}`,
        `since ${iso(state === 'failed' ? since : null)}`,
        isBuilding ? 'building' : 'idle',
        `by ${blame?.named?.sha ?? null}`,
      ),
    ),
  );
  differences.sameSet(
    'CCTray',
    cctray.map(({ repository, workflow, activity, status, runId }) =>
      textOf(keyOf(repository, workflow), activity, status, `run ${runId}`),
    ),
    states.map(({ key, state, isBuilding, lastRunId }) =>
      textOf(
        key,
        isBuilding ? 'Building' : 'Sleeping',
        { failed: 'Failure', passed: 'Success', none: 'Unknown' }[state],
        `run ${lastRunId}`,
      ),
    ),
  );
  differences.sameSet(
    'badges',
    badges.map(({ repository, workflow, message }) => textOf(keyOf(repository, workflow), message)),
    [...new Set(names.values())].map((key) => {
      const state = states.find((each) => each.key === key)?.state ?? 'none';
      return textOf(key, { failed: 'failing', passed: 'passing', none: 'no result' }[state]);
    }),
  );
  compareAttention(states, keyOf, overview.needsAttention, differences);
}

function compareAttention(
  states: readonly WorkflowState[],
  keyOf: (repository: string, workflow: string) => string,
  shown: Shown['overview']['needsAttention'],
  differences: Differences,
): void {
  differences.sameSet(
    'overview',
    shown.map(({ repository, workflow, since, failures, lastRunId, ...blame }) =>
      textOf(
        keyOf(repository, workflow),
        `since ${since}`,
        `${failures} failures`,
        `last ${lastRunId}`,
        `last green ${blame.lastGreen?.runId ?? null}`,
        `nobody because of ${blame.noBlame}`,
        `by ${blame.firstBad?.sha ?? null} of ${blame.firstBad?.actor ?? null}`,
        `candidates ${blame.candidates.map(({ sha }) => sha).join(' ')}`,
      ),
    ),
    states.flatMap(({ key, state, since, failures, lastRunId, blame }) =>
      state === 'failed' && blame !== undefined
        ? textOf(
            key,
            `since ${iso(since)}`,
            `${failures} failures`,
            `last ${lastRunId}`,
            `last green ${blame.lastGreenRunId}`,
            `nobody because of ${blame.noBlame}`,
            `by ${blame.named?.sha ?? null} of ${blame.named?.actor ?? null}`,
            `candidates ${blame.candidates.map(({ sha }) => sha).join(' ')}`,
          )
        : [],
    ),
  );
}

const textOf = (...parts: readonly unknown[]): string => parts.join(', ');
