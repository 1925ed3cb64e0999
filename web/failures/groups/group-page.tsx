import { useQuery } from '@tanstack/react-query';
import type { FailureGroup, FailureGroupDetail } from '#contract/failures/failures.ts';
import { getJson } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { BackLink, UnknownItem } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageBody, Section } from '../../ui/page/page-body.tsx';
import { NumberedTitle, PageHeader } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TestLink } from '../../test-results/test-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { FailureStart } from './failure-start.tsx';
import { GroupStatus } from './group-status.tsx';
import { groupsPath } from './groups-path.ts';
import { Excerpt } from '../log-excerpt.tsx';
import { OccurrenceTable } from './occurrence-table.tsx';
import { StatusNote } from './status-note.tsx';
import { Trend } from './trend.tsx';
import { useNewFailures } from './use-new-failures.ts';
import { formatCount, formatNumber } from '../../ui/locale.ts';

interface GroupPageProps {
  integrationId: string;
  groupId: string;
  /** Back to the list with its filters. */
  onClose: () => void;
}

/** One failure group: where it began, its log and its failures, live. */
export function GroupPage({ integrationId, groupId, onClose }: GroupPageProps) {
  const path = groupsPath(integrationId);
  const reading = useQuery({
    queryKey: [path, groupId],
    queryFn: ({ signal }) => getJson<FailureGroupDetail>(`${path}/${encodeURIComponent(groupId)}`, signal),
  });
  useNewFailures(integrationId);
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="failures" onClose={onClose} />
            <NumberedTitle title="Failure" number={null} />
          </>
        }
        end={reading.data && <GroupStatus integrationId={integrationId} group={reading.data.group} />}
      />
      <PageBody>
        {isMissing(reading.error) ? (
          <UnknownItem integrationId={integrationId} list="failures" what="Failure" />
        ) : (
          <Loaded reading={reading} what="failures">
            {(detail) => <Detail integrationId={integrationId} detail={detail} />}
          </Loaded>
        )}
      </PageBody>
    </>
  );
}

function Detail({ integrationId, detail }: { integrationId: string; detail: FailureGroupDetail }) {
  const { group, start, tests, excerpts, occurrences, reruns, passedReruns } = detail;
  return (
    <div className="mx-auto max-w-6xl px-4 md:px-6">
      <Section title={clip(group.step === null ? group.job : `${group.job} – ${group.step}`)}>
        <p className="mb-3 font-mono text-xs leading-5 wrap-anywhere text-failed">
          <bdi>{group.errorLine}</bdi>
        </p>
        <OwnTest test={group.test} />
        {!group.isSpecific && <NotSpecific />}
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
          <bdi>{clip(group.repository)}</bdi>
          {group.workflow !== null && <bdi>{clip(group.workflow)}</bdi>}
          <span>{formatCount(group.failures, 'failure')}</span>
          <Trend counts={group.trend} />
          <span>
            first seen <TimeAgo time={group.firstSeenAt} isFocusable />
          </span>
          {reruns > 0 && (
            <span>
              passed on re-run {passedReruns} of {formatCount(reruns, 'time')}
            </span>
          )}
          <span>
            last seen <TimeAgo time={group.lastSeenAt} isFocusable />
          </span>
        </p>
        <StatusNote integrationId={integrationId} group={group} />
      </Section>
      <FailedTestList tests={tests} />
      {start && <FailureStart integrationId={integrationId} repository={group.repository} start={start} />}
      {excerpts.length > 0 && (
        <Section title="Log of the newest failure">
          <div className="flex flex-col gap-3">
            {excerpts.map((excerpt) => (
              <Excerpt
                key={excerpt.firstLine}
                excerpt={excerpt}
                label={`Log from line ${excerpt.firstLine}`}
                url={undefined}
              />
            ))}
          </div>
        </Section>
      )}
      <Section
        title={
          occurrences.length < group.failures
            ? `The newest ${occurrences.length} of ${formatNumber(group.failures)} failed jobs`
            : 'Failed runs'
        }
      >
        <OccurrenceTable occurrences={occurrences} />
      </Section>
    </div>
  );
}

/** The test whose failures form the group. */
function OwnTest({ test }: Pick<FailureGroup, 'test'>) {
  if (test === null) return null;
  return (
    <p className="mb-3">
      <span className="text-muted">Test</span>{' '}
      <TestLink testId={test.testId}>
        <bdi className="wrap-anywhere">{clip(test.name)}</bdi>
      </TestLink>
    </p>
  );
}

/** Tests that failed in the jobs of the group. */
function FailedTestList({ tests }: Pick<FailureGroupDetail, 'tests'>) {
  if (tests.length === 0) return null;
  return (
    <Section title="Failed tests">
      <ul className="flex flex-col gap-1">
        {tests.map(({ testId, name, failures }) => (
          <li key={testId}>
            <TestLink testId={testId}>
              <bdi className="wrap-anywhere">{clip(name)}</bdi>
            </TestLink>{' '}
            <span className="text-muted">{formatCount(failures, 'failure')}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function NotSpecific() {
  return (
    <p className="mb-3 text-muted">
      Not specific: the error line names no test, file or target, so different failures can be in this group.
      It cannot be known flaky or ignored.
    </p>
  );
}
