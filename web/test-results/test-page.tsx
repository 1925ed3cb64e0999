import { useQuery } from '@tanstack/react-query';
import type { TestDetail } from '#contract/tests/tests.ts';
import { getJson } from '../api/client.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { isMissing } from '../api/problem.ts';
import { readEvery } from '../api/read-every.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { useShortcuts } from '../ui/keyboard/use-shortcuts.ts';
import { formatCount } from '../ui/locale.ts';
import { BackLink, UnknownItem } from '../ui/page/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { PageBody, Section } from '../ui/page/page-body.tsx';
import { NumberedTitle, PageHeader } from '../ui/page/page-header.tsx';
import { clip } from '../ui/text/clip.ts';
import { Fact } from '../ui/text/fact.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { FailureMessages } from './failure-messages.tsx';
import { FailureTable } from './failure-table.tsx';
import { HistoryStrip } from './history-strip.tsx';
import { QuarantineActions } from './quarantine-actions.tsx';
import { meanDuration } from './mean-duration.ts';
import { lastSeenText, milliseconds } from './test-texts.ts';
import { TestVerdict } from './test-verdict.tsx';
import { testsPath } from './tests-path.ts';

const askEveryMs = 30_000;
const pauseMs = 5000;

/** One test: its state with the evidence, its history, messages and runs. */
export function TestPage({
  integrationId,
  testId,
  onClose,
}: {
  integrationId: string;
  testId: string;
  /** Back to the list with its filters. */
  onClose: () => void;
}) {
  const path = testsPath(integrationId);
  const reading = useQuery({
    queryKey: [path, testId],
    queryFn: ({ signal }) => getJson<TestDetail>(`${path}/${encodeURIComponent(testId)}`, signal),
    refetchInterval: readEvery(askEveryMs),
  });
  useLiveReads({
    integrationId,
    queryKey: [path, testId],
    pauseMs,
    concerns: ({ status }) => status === 'completed',
  });
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="tests" onClose={onClose} />
            <NumberedTitle title={clip(reading.data?.name ?? 'Test')} number={null} />
          </>
        }
        end={null}
      />
      <PageBody>
        {isMissing(reading.error) ? (
          <UnknownItem
            integrationId={integrationId}
            list="tests"
            what="Test"
            reason="No report has named it for a year, or it belongs to another integration."
          />
        ) : (
          <Loaded reading={reading} what="test">
            {(test) => <Content integrationId={integrationId} test={test} />}
          </Loaded>
        )}
      </PageBody>
    </>
  );
}

function Content({ integrationId, test }: { integrationId: string; test: TestDetail }) {
  const { days, messages, recentFailures } = test;
  return (
    <div className="mx-auto max-w-6xl px-4 md:px-6">
      <Section title="State">
        <TestVerdict test={test} />
        <Facts test={test} />
        <QuarantineActions integrationId={integrationId} test={test} />
      </Section>
      <Section title="History" note="Failures by day (UTC), with and without a pass on the same commit.">
        <HistoryStrip days={days} />
      </Section>
      {messages.length > 0 && (
        <Section title="Failure messages" note="Of the newest 1,000 failures.">
          <FailureMessages messages={messages} />
        </Section>
      )}
      <FailureGroups test={test} />
      {recentFailures.length > 0 && (
        <Section
          title={
            recentFailures.length < 50
              ? 'Failed runs'
              : `The newest ${formatCount(recentFailures.length, 'failure')}`
          }
        >
          <div className="-mx-4">
            <FailureTable failures={recentFailures} />
          </div>
        </Section>
      )}
    </div>
  );
}

function Facts({ test }: { test: TestDetail }) {
  const { repository, suite, className, file, passes, failures, skips, days } = test;
  const { firstSeenAt, lastSeenAt, lostMs, quarantine } = test;
  const duration = meanDuration(days, 14);
  const before = meanDuration(days, 90);
  const hasChanged = duration !== null && before !== null && Math.abs(duration - before) > before / 10;
  return (
    <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
      <Fact name="Repository">
        <bdi>{clip(repository)}</bdi>
      </Fact>
      {suite !== '' && (
        <Fact name="Suite">
          <bdi>{clip(suite)}</bdi>
        </Fact>
      )}
      {className !== '' && (
        <Fact name="Class" className="wrap-anywhere">
          <bdi>{clip(className)}</bdi>
        </Fact>
      )}
      {file !== null && (
        <Fact name="File" className="wrap-anywhere">
          <bdi className="font-mono text-xs">{clip(file)}</bdi>
        </Fact>
      )}
      <Fact name="Last 14 days">
        {formatCount(passes, 'pass', 'passes')}, {formatCount(failures, 'failure')}
        {skips > 0 && `, ${formatCount(skips, 'skip')}`}
      </Fact>
      <Fact name="Time lost">{lostMs > 0 && `${formatDuration(lostMs)} in 14 days`}</Fact>
      <Fact name="Duration">
        {duration !== null && (
          <>
            {milliseconds(duration)} on average
            {hasChanged && `, ${milliseconds(before)} in 90 days`}
          </>
        )}
      </Fact>
      {quarantine !== null && (
        <Fact name="Quarantine" className="wrap-anywhere">
          until <bdi>{exactTime(quarantine.until)}</bdi>
          {quarantine.owner !== null && (
            <>
              , owner <bdi>{clip(quarantine.owner.name ?? 'unnamed', 100)}</bdi>
            </>
          )}
          : <bdi>{clip(quarantine.reason, 500)}</bdi>
        </Fact>
      )}
      <Fact name="First seen">
        <TimeAgo time={firstSeenAt} isFocusable />
      </Fact>
      <Fact name="Last seen">{lastSeenText(lastSeenAt)}</Fact>
    </dl>
  );
}

/** The causes of the jobs in which the test failed. */
function FailureGroups({ test: { failureGroups } }: { test: TestDetail }) {
  const params = useIntegrationParams();
  if (failureGroups.length === 0) return null;
  return (
    <Section title="Failure groups" note="Of its failures, and of the jobs in which it failed.">
      <ul className="flex flex-col gap-2">
        {failureGroups.map(({ groupId, job, errorLine, failures, isOfTest }) => (
          <li key={groupId} className="min-w-0">
            <TextLink to="/integrations/$integrationId/failures/$groupId" params={{ ...params, groupId }}>
              <bdi className="font-mono text-xs wrap-anywhere">{clip(errorLine)}</bdi>
            </TextLink>
            <p className="text-xs text-muted">
              <bdi>{clip(job)}</bdi>, {formatCount(failures, 'failure')}
              {isOfTest && ' of this test'}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
