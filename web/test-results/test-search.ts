import { testSorts, testStates, type TestSort, type TestState } from '#contract/tests/tests.ts';
import { given, readChoice, readText } from '../app/search-values.ts';

/** The filters and the order of the tests page, as in its address. */
export type TestSearch = {
  q?: string | undefined;
  state?: TestState | undefined;
  repository?: string | undefined;
  suite?: string | undefined;
  sort?: TestSort | undefined;
  /** Only tests in quarantine. */
  quarantined?: true | undefined;
  /** Flaky jobs instead of tests. */
  show?: 'jobs' | undefined;
};

export const readState = (value: unknown): TestState | undefined => readChoice(testStates, value);

/** Reads the parameters from an address. Drops values that the server would refuse. */
export function readTestSearch(search: Record<string, unknown>): TestSearch {
  return given({
    q: readText(search['q'], 200),
    state: readState(search['state']),
    repository: readText(search['repository'], 300),
    suite: readText(search['suite'], 100),
    sort: readChoice(testSorts, search['sort']),
    quarantined: String(search['quarantined']) === 'true' ? true : undefined,
    show: readChoice(['jobs'] as const, search['show']),
  });
}
