import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FailureGroup, FailureGroupDetail } from '#contract/failures/failures.ts';
import { getJson } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { BackLink, UnknownItem } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageBody, Section } from '../../ui/page/page-body.tsx';
import { NumberedTitle, PageHeader } from '../../ui/page/page-header.tsx';
import { AssessmentLine } from '../assessment-line.tsx';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { quietLink } from '../../runs/quiet-link.ts';
import { WorkflowLink } from '../../runs/workflow-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TestLink } from '../../test-results/test-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { Excerpt } from '../log-excerpt.tsx';
import { formatCount, formatNumber, dateFormat } from '../../ui/locale.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { FailureStart } from './failure-start.tsx';
import { GroupStatus } from './group-status.tsx';
import { groupsPath } from './groups-path.ts';
import { OccurrenceTable } from './occurrence-table.tsx';
import { Trend } from './trend.tsx';
import { useNewFailures } from './use-new-failures.ts';

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
  const group = reading.data?.group;
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="failures" onClose={onClose} />
            <NumberedTitle title={group ? titleOf(group) : 'Failure'} number={null} />
          </>
        }
        end={<ConnectionMark />}
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

const titleOf = ({ job, step }: FailureGroup): string => clip(step === null ? job : `${job} – ${step}`);

function Detail({ integrationId, detail }: { integrationId: string; detail: FailureGroupDetail }) {
  const { group, start, tests, excerpts, occurrences } = detail;
  return (
    <div className="mx-auto max-w-6xl px-4 md:px-6">
      <Summary integrationId={integrationId} detail={detail} />
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
      {start && <FailureStart integrationId={integrationId} repository={group.repository} start={start} />}
      <FailedTestList tests={tests} />
      <Section
        title={
          occurrences.length < group.failures
            ? `The newest ${occurrences.length} of ${formatNumber(group.failures)} failed jobs`
            : 'Failed runs'
        }
      >
        <div className="-mx-4">
          <OccurrenceTable group={group} occurrences={occurrences} />
        </div>
      </Section>
    </div>
  );
}

/** What the failure is, what to think of it, how often it came, and who has met it. */
function Summary({ integrationId, detail }: { integrationId: string; detail: FailureGroupDetail }) {
  const { group, assessment } = detail;
  return (
    <section aria-label="Summary" className="flex flex-col gap-2 border-b border-line py-4 md:py-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {assessment && <AssessmentLine assessment={assessment} />}
        <GroupStatus integrationId={integrationId} group={group} />
        <StatusNote integrationId={integrationId} group={group} />
      </div>
      <p className="font-mono text-xs leading-5 wrap-anywhere text-failed">
        <bdi>{group.errorLine}</bdi>
      </p>
      <OwnTest test={group.test} />
      <Facts detail={detail} />
      {!group.isSpecific && (
        <p className="text-xs text-muted">
          The error line names no test, file or target, so different failures can be in this group. It cannot
          be known flaky or ignored.
        </p>
      )}
    </section>
  );
}

function Facts({
  detail: { group, assessment, reruns, passedReruns, occurrences },
}: {
  detail: FailureGroupDetail;
}) {
  const people = new Set(occurrences.flatMap(({ actor }) => actor ?? []));
  const branches = new Set(occurrences.flatMap(({ branch }) => branch ?? []));
  // Of all failures only if all are listed.
  const atLeast = occurrences.length < group.failures ? 'at least ' : '';
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-muted">
      <span className="wrap-anywhere">
        <bdi>{clip(group.repository)}</bdi>
        {group.workflow !== null && (
          <>
            {' / '}
            <WorkflowLink repository={group.repository} workflow={group.workflow} className={quietLink}>
              <bdi>{clip(group.workflow)}</bdi>
            </WorkflowLink>
          </>
        )}
      </span>
      <span>
        {formatCount(group.failures, 'failure')} <Trend counts={group.trend} />
      </span>
      <span title={[...people].join(', ')}>
        {atLeast}
        {people.size === 1 ? '1 person' : `${formatNumber(people.size)} people`},{' '}
        {branches.size === 1 ? '1 branch' : `${formatNumber(branches.size)} branches`}
      </span>
      {reruns > 0 && assessment?.kind !== 'flaky' && (
        <span>
          passed on re-run {passedReruns} of {formatCount(reruns, 'time')}
        </span>
      )}
      <span>
        last <TimeAgo time={group.lastSeenAt} isFocusable />
        {group.failures > 1 && (
          <>
            , first <TimeAgo time={group.firstSeenAt} isFocusable />
          </>
        )}
      </span>
    </p>
  );
}

/** The test whose failures form the group. */
function OwnTest({ test }: Pick<FailureGroup, 'test'>) {
  if (test === null) return null;
  return (
    <p>
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

const shortDate = dateFormat({ dateStyle: 'medium' });

const NoteDialog = lazyPart('note-dialog', 'NoteDialog', () => import('./note-dialog.tsx'));

/** Who set the status, until when, and why. Nothing for an open group. */
function StatusNote({ integrationId, group }: { integrationId: string; group: FailureGroup }) {
  const { status, statusAt, statusBy, ignoredUntil, note } = group;
  const reason = useRoleReason(integrationId, 'member');
  const [isEditing, setEditing] = useState(false);
  if (status === 'open' || statusAt === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <span className="min-w-0 wrap-anywhere">
        {statusBy !== null && (
          <>
            by <bdi>{clip(statusBy.name ?? 'a former member', 100)}</bdi>{' '}
          </>
        )}
        <TimeAgo time={statusAt} isFocusable />
        {ignoredUntil !== null && <>, until {shortDate.format(new Date(ignoredUntil))}</>}
        {note !== null && <bdi>: {note}</bdi>}
      </span>
      <Button reason={reason} onClick={() => setEditing(true)}>
        {note === null ? 'Add note…' : 'Edit note…'}
      </Button>
      {isEditing && (
        <NoteDialog integrationId={integrationId} group={group} onClose={() => setEditing(false)} />
      )}
    </div>
  );
}
