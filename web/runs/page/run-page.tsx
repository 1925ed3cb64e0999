import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  WorkflowRunDetail,
  EarlierRun,
  PreviousResult as Previous,
  WorkflowRun,
} from '#contract/runs/runs.ts';
import { isFailed, isRed } from '#contract/runs/conclusions.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { isMissing } from '../../api/problem.ts';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { BackLink, UnknownItem } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { NumberedTitle, PageHeader } from '../../ui/page/page-header.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
import { given } from '../../app/search-values.ts';
import { RunActions } from '../actions/run-actions.tsx';
import { actionsQuery } from '../actions/use-is-connected.ts';
import { titleOf } from '../run-texts.ts';
import { RunFailures } from '../../failures/run-failures.tsx';
import { CommitsBetween } from '../../failures/commits-between.tsx';
import { useRunFailures } from '../../failures/use-run-failures.ts';
import { RunTests, useRunTests } from '../../test-results/run-tests.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { RunLink } from '../run-link.tsx';
import { StatusMark } from '../status-mark.tsx';
import { ShaLink } from '../sha-link.tsx';
import { useConfig } from '../../api/config.ts';
import { PullRequestLink } from '../../pull-requests/pull-request-link.tsx';
import { JobsSection } from './jobs/jobs-section.tsx';
import type { RunPageSearch } from './run-page-search.ts';
import { Attempts } from './attempts.tsx';
import { RunSummary } from './run-summary.tsx';
import { useRun } from './use-run.ts';

export interface RunPageProps {
  integrationId: string;
  runId: string;
  search: RunPageSearch;
  onSearch: (search: RunPageSearch) => void;
  /** Back to the list with its scroll position. */
  onClose: () => void;
}

/** One live run: attempts, failures, jobs with steps on a time axis, pull requests. */
export function RunPage(props: RunPageProps) {
  const { integrationId, runId, onClose } = props;
  const reading = useRun(integrationId, runId);
  const run = reading.data?.run;
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="runs" onClose={onClose} />
            <NumberedTitle title={run ? titleOf(run) : 'Workflow run'} number={run?.runNumber ?? null} />
          </>
        }
        end={<ConnectionMark />}
      />
      <div className="relative min-h-0 grow overflow-y-auto" tabIndex={-1}>
        {run === undefined && isMissing(reading.error) ? (
          <UnknownItem
            integrationId={integrationId}
            list="runs"
            what="Run"
            reason="It may have been removed, or its first event is still on the way."
          />
        ) : (
          <Loaded reading={reading} what="run">
            {(detail) => <RunDetail detail={detail} {...props} />}
          </Loaded>
        )}
      </div>
    </>
  );
}

interface DetailProps extends RunPageProps {
  detail: WorkflowRunDetail;
}

function RunDetail(props: DetailProps) {
  const { run, attempts, usual } = props.detail;
  const shown = attempts.find((one) => one.attempt === props.search.attempt) ?? run;
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 md:p-6">
      <RunSummary run={run} attempt={shown} usualMs={usual.runMs} />
      <RunParts attempt={shown.attempt} {...props} />
    </div>
  );
}

function RunParts({ detail, attempt, search, onSearch }: DetailProps & { attempt: number }) {
  const { run, attempts } = detail;
  const { integrationId, runId } = run;
  const jobs = detail.jobs.filter((job) => job.attempt === attempt);
  const hasFailed = jobs.some(({ conclusion }) => isFailed(conclusion));
  const failures = useRunFailures(integrationId, runId, attempt, hasFailed);
  const tests = useRunTests(integrationId, runId, attempt);
  const actions = useQuery(actionsQuery(run));
  // Otherwise they would push what is below them.
  const isReady = useOnce(!failures.isLoading && !tests.isLoading && !actions.isLoading);
  const show = (change: { [name in keyof RunPageSearch]: RunPageSearch[name] | undefined }): void =>
    onSearch(given({ ...search, ...change }) as RunPageSearch);
  if (!isReady) return <SkeletonRows label="Loading the jobs" count={6} hasMargins />;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 empty:hidden">
        <PreviousResult run={run} previous={detail.previous} />
        <RunActions run={run} />
      </div>
      <Attempts
        attempts={attempts}
        shown={attempt}
        onShow={(number) => onSearch(number === run.attempt ? {} : { attempt: number })}
      />
      {hasFailed && (
        <RunFailures
          run={run}
          reading={failures}
          jobCount={jobs.length}
          onOpen={(job) => {
            show({ job, find: undefined });
            document.getElementById(`job-${job}`)?.focus();
          }}
        />
      )}
      <RunTests tests={tests.data} newLabel={newTestLabel(detail)} />
      <JobsSection
        run={run}
        jobs={jobs}
        usual={detail.usual}
        openJobId={search.job}
        find={search.find ?? ''}
        onFind={(find) => show({ find: find || undefined })}
        onToggle={(job) => show({ job: job === search.job ? undefined : job })}
      />
      <PullRequests run={run} pullRequests={detail.pullRequests} />
      {attempt === run.attempt && isRed(run.conclusion) && (
        <CommitsBetween integrationId={integrationId} repository={run.repository} runId={runId} />
      )}
    </>
  );
}

function newTestLabel({ run, pullRequests }: WorkflowRunDetail): string {
  if (pullRequests.length > 0) return 'New on this pull request';
  return `New on ${clip(run.headBranch ?? 'this branch', 60)}`;
}

/** True from the first time on. What arrives later moves what is below it only if it changed meanwhile. */
function useOnce(isTrue: boolean): boolean {
  const [was, setWas] = useState(isTrue);
  if (isTrue && !was) setWas(true);
  return was || isTrue;
}

const maxCounted = 200;

/** How the workflow ended on the branch before this run, since when, and the commits since it last passed. */
function PreviousResult({ run, previous }: { run: WorkflowRun; previous: Previous | null }) {
  if (previous === null) return null;
  const { newest, first, runs, before } = previous;
  const passed = newest.conclusion === 'success';
  const lastGreen = passed ? newest : before;
  const url = safeUrl(compareUrl(repositoryUrl(run.url), lastGreen?.headSha ?? null, run.headSha));
  return (
    <section aria-label="Previous result" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
      <span className="inline-flex flex-wrap items-center gap-x-2">
        Previous run <StatusMark status="completed" conclusion={newest.conclusion} />
        <Numbered run={newest} />
        <TimeAgo time={newest.createdAt} isFocusable />
      </span>
      {runs > 1 && (
        <span>
          {passed ? 'Passing' : 'Failing'} since <Numbered run={first} />{' '}
          <TimeAgo time={first.createdAt} isFocusable />, {runs >= maxCounted ? `${maxCounted}+` : runs} runs
        </span>
      )}
      {!passed && before !== null && (
        <span>
          Last passed <Numbered run={before} />{' '}
          {before.headSha && <ShaLink sha={before.headSha} repositoryUrl={repositoryUrl(run.url)} />}
        </span>
      )}
      {url && lastGreen && (
        <OutsideLink href={url} about="at the forge">
          Commits since #{lastGreen.runNumber ?? lastGreen.runId}
        </OutsideLink>
      )}
    </section>
  );
}

function Numbered({ run: { runId, runNumber } }: { run: EarlierRun }) {
  return <RunLink runId={runId}>#{runNumber ?? runId}</RunLink>;
}

/** The pull requests of a run, each with its page and its page at the forge. */
function PullRequests({
  run: { repository },
  pullRequests,
}: Pick<WorkflowRunDetail, 'run' | 'pullRequests'>) {
  const config = useConfig();
  if (pullRequests.length === 0) return null;
  return (
    <section aria-labelledby="pull-requests-title">
      <h2 id="pull-requests-title" className="mb-1 font-semibold">
        Pull requests
      </h2>
      <ul className="flex flex-col gap-1">
        {pullRequests.map(({ number, title, state, author, ...pull }) => {
          const url = safeUrl(pull.url);
          return (
            <li key={number} className="flex min-w-0 flex-wrap gap-x-2">
              <PullRequestLink repository={repository} number={number}>
                <bdi>{`#${number} ${clip(title ?? '')}`}</bdi>
              </PullRequestLink>
              <span className="text-muted">
                {state} {author && <bdi>by {clip(author, 100)}</bdi>}
              </span>
              {url && (
                <OutsideLink href={url} about={`: #${number}`}>
                  on {config?.forgeName ?? 'the forge'}
                </OutsideLink>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
