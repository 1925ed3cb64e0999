import type { Digest } from '#contract/alerts/digest.ts';
import type { Fact } from '#server/mail/facts-mail.ts';
import type { NotificationContent } from './notification-content.ts';
import { capped, countText, durationText, linkOf } from './texts.ts';

type Head = Pick<NotificationContent, 'notificationId' | 'integrationId' | 'ruleName'>;

/** The digest of a week, as a list of facts. */
export function digestContent(head: Head, digest: Digest, publicUrl: string): NotificationContent {
  const { title, facts } = digestText(digest);
  return {
    ...head,
    kind: 'digest',
    title,
    facts: [...facts, { name: 'Rule', value: capped(head.ruleName, 100) }],
    link: linkOf(`${publicUrl}/integrations/${head.integrationId}/what-changed`),
    failure: null,
    reason: null,
    blame: null,
    incident: null,
    digest,
  };
}

export function digestText(digest: Digest): { title: string; facts: Fact[] } {
  const { health, changes, flakyTests, flakyJobs, failures } = digest;
  const tests = flakyTests.items.map(({ repository, className, name }) =>
    placed(className === '' || className === name ? name : `${className} › ${name}`, repository),
  );
  const jobs = flakyJobs.items.map(({ repository, workflow, job }) =>
    placed(`${job} of ${workflow}`, repository),
  );
  return {
    title: `Week until ${dayOf(digest)}: ${titleOf(health)}`,
    facts: [
      { name: 'Default branches', value: healthText(digest) },
      ...changes.items.map(changeFact),
      ...rest('Other changes', changes),
      ...(tests.length === 0 ? [] : [{ name: 'New flaky tests', value: listText(tests, flakyTests.count) }]),
      ...(jobs.length === 0 ? [] : [{ name: 'New flaky jobs', value: listText(jobs, flakyJobs.count) }]),
      ...failures.items.map(({ repository, job, errorLine, failures: count }) => ({
        name: `Failed ${count === 1 ? 'once' : `${count} times`}`,
        value: placed(`${capped(job, 80)}: ${capped(errorLine, 160)}`, repository),
      })),
      ...rest('Other failures', failures),
      ...lostFacts(digest),
    ],
  };
}

/** The day on which the digest is sent, in the time zone of its rule. */
function dayOf({ to, timeZone = 'UTC' }: Digest): string {
  return Temporal.Instant.from(to).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const placed = (text: string, repository: string): string =>
  `${capped(text, 250)} (${capped(repository, 140)})`;

function titleOf({ runs, successRate }: Digest['health']): string {
  return successRate === null
    ? 'no run on a default branch'
    : `${percent(successRate)} of ${countText(runs, 'run')} on default branches succeeded`;
}

function healthText({ health, healthBefore }: Digest): string {
  const { runs, failed, successRate, firstTrySuccessRate } = health;
  if (successRate === null || firstTrySuccessRate === null) return countText(runs, 'run');
  const before =
    healthBefore.successRate === null ? '' : `, ${percent(healthBefore.successRate)} in the week before`;
  return `${countText(failed, 'failed run')}; ${percent(successRate)} succeeded${before}; ${percent(firstTrySuccessRate)} at the first try`;
}

const changeNames = {
  failing: 'Fails more often',
  flakier: 'Flakier',
  slower: 'Slower',
  costlier: 'More minutes',
} as const;

function changeFact(change: Digest['changes']['items'][number]): Fact {
  const { kind, repository, workflow, job, before, after } = change;
  const shown = (value: number): string => {
    if (kind === 'slower') return durationText(value);
    return kind === 'costlier' ? countText(Math.round(value), 'minute') : percent(value);
  };
  const what = job === null ? workflow : `${job} of ${workflow}`;
  return {
    name: changeNames[kind],
    value: `${placed(what, repository)}: ${shown(after)}, ${shown(before)} in the week before`,
  };
}

function lostFacts({ lostInJobsMs, lostInTestsMs }: Digest): Fact[] {
  const parts = [
    ...(lostInJobsMs > 0 ? [`${durationText(lostInJobsMs)} in jobs that passed on a re-run`] : []),
    ...(lostInTestsMs > 0 ? [`${durationText(lostInTestsMs)} in flaky tests`] : []),
  ];
  return parts.length === 0 ? [] : [{ name: 'Time lost', value: parts.join('; ') }];
}

function rest(name: string, { count, items }: { count: number; items: readonly unknown[] }): Fact[] {
  return count > items.length ? [{ name, value: String(count - items.length) }] : [];
}

function listText(items: readonly string[], count: number): string {
  const others = count - items.length;
  return `${items.map((item) => capped(item, 150)).join('; ')}${others > 0 ? `; and ${others} more` : ''}`;
}
