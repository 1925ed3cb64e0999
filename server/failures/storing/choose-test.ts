import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { oneLineText } from '#server/failures/log/stream/plain-text.ts';
import type { ReportedTest } from './reported-test-store.ts';

export type CandidateTest = Pick<
  ReportedTest,
  'testId' | 'className' | 'name' | 'file' | 'isOfJob' | 'isQuarantined'
>;

/** The test that a failure is about, and what else failed: ids of tests, and what the log names beside tests. */
export interface ChosenTest<T> {
  test: T;
  others: string[];
}

/**
 * The test that represents the failure of a job: the one that its log names. If the log names nothing, the first one of a report that
 * names the job. A test in quarantine fails without an effect on the job, so that only the log can tell that it is the cause.
 */
export function chooseTest<T extends CandidateTest>(
  tests: readonly T[],
  log: Pick<FailureReason, 'subject' | 'otherSubjects'> | undefined,
): ChosenTest<T> | undefined {
  const subject = log?.subject ?? null;
  const causes = tests.filter(({ isOfJob, isQuarantined }) => isOfJob && !isQuarantined);
  const test = subject === null ? causes[0] : mostLike(tests, subject);
  if (test === undefined) return undefined;
  const others = new Set(causes.map(({ testId }) => testId));
  others.delete(test.testId);
  const beside = (log?.otherSubjects ?? []).filter((other) => mostLike(tests, other) === undefined);
  return { test, others: [...others, ...beside] };
}

function mostLike<T extends CandidateTest>(tests: readonly T[], subject: string): T | undefined {
  const said = wordsOf(subject);
  let best: T | undefined;
  let most = 0;
  for (const test of tests) {
    const likeness = likenessOf(test, said);
    if (likeness <= most) continue;
    best = test;
    most = likeness;
  }
  return best;
}

/** 0: the log says nothing of the test. Tools write names with different signs between their words. */
function likenessOf({ className, name, file }: CandidateTest, said: string): number {
  const words = wordsOf(name);
  const isNamed = words.trim() !== '' && said.includes(words);
  if (isNamed) return 1000 * words.length + sharedWords(className, said);
  if (said.trim() !== '' && words.endsWith(said)) return 1000 + sharedWords(className, said);
  return [file, className].some((place) => place !== null && place !== '' && wordsOf(place) === said) ? 1 : 0;
}

function sharedWords(text: string, said: string): number {
  const words = new Set(wordsOf(text).split(' ').filter(Boolean));
  return [...words].filter((word) => said.includes(` ${word} `)).length;
}

/** Words between single spaces. */
const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()} `;

/** A line for a failure whose log names nothing. */
export function lineOfTest(
  { className, name }: Pick<CandidateTest, 'className' | 'name'>,
  message: string | null,
): string {
  const label = className === '' || className === name ? name : `${className} › ${name}`;
  return message === null ? `${label} failed` : `${label}: ${oneLineText(message, 300)}`;
}
