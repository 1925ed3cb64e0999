import type { Place } from '#contract/alerts/glob.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { capped } from '#server/alerts/notifications/content/texts.ts';
import { groupBy, type Episode } from './episode.ts';

/** A test that is broken, or flaky, with the run in which that began. */
export interface ChangedTest extends Place {
  testId: string;
  className: string;
  name: string;
  quarantinedUntil: Date | null;
  /** When its quarantine ended after it changed; null if that is not so. */
  quarantineEnded: number | null;
  runId: number;
  attempt: number;
  url: string | null;
  /** Milliseconds since the epoch. */
  since: number;
}

type TestWatch = 'test_broken' | 'test_flaky';

const texts: Record<TestWatch, string> = {
  test_broken: 'Broken on the default branch',
  test_flaky: 'Flaky',
};

export const isTestWatch = (kind: Episode['kind'] | 'failure'): kind is TestWatch =>
  Object.hasOwn(texts, kind);

/**
 * One episode for all tests that changed in a run, because one cause can break hundreds, and one for those of them that left their
 * quarantine together. Tests in quarantine are left out. Pure.
 */
export function changedTests(kind: TestWatch, tests: readonly ChangedTest[]): Episode[] {
  const counted = tests.filter(({ quarantinedUntil }) => quarantinedUntil === null);
  return groupBy(counted, ({ repository, runId, quarantineEnded }) => [
    repository,
    runId,
    quarantineEnded,
  ]).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { repository, workflow, branch, runId, attempt, url, quarantineEnded } = first;
    const place = { repository, workflow, branch, runId, attempt, jobId: null, url };
    const from = Math.min(...own.map(({ since }) => since));
    const ended = `when ${own.length === 1 ? 'its' : 'their'} quarantine ended`;
    const text = quarantineEnded === null ? texts[kind] : `${texts[kind]} ${ended}`;
    const what = { subject: subjectOf(first, own.length), text };
    const only = own.length === 1 && { testId: first.testId };
    return [{ kind, ...place, ...what, ...only, from, to: null, quarantineEnded }];
  });
}

function subjectOf({ className, name }: ChangedTest, count: number): string {
  const whole = capped(className === '' ? name : `${className} › ${name}`, 200);
  const others = count - 1;
  return others === 0 ? whole : `${whole} and ${others} other ${others === 1 ? 'test' : 'tests'}`;
}

/** A change of tests that was seen longer ago opens no incident. */
const newsMs = dayMs;

export const isNews = (episode: Episode, now: number): boolean =>
  !isTestWatch(episode.kind) || seenAt(episode) > now - newsMs;

/** When an episode began, or left the quarantine of its tests. */
export const seenAt = ({ from, quarantineEnded }: Pick<Episode, 'from' | 'quarantineEnded'>): number =>
  quarantineEnded ?? from;
