import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { maxOpenJobs, usualQueueDays, type OpenJob, type Queue } from '#contract/metrics/queue.ts';
import { getJson } from '../api/client.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { queryString } from '../api/query-string.ts';
import { readEvery } from '../api/read-every.ts';
import { RunLink } from '../runs/run-link.tsx';
import { numberColumn } from '../metrics/number-columns.tsx';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { Figure, Figures } from '../ui/figure.tsx';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { FilterPill } from '../ui/menu/filter-pill.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { Duration } from '../ui/time/time.tsx';
import { LabelTable, OpenJobsLink } from './label-table.tsx';

const askEveryMs = 60_000;
/** Updates come in bursts. */
const pauseMs = 3000;

export interface QueueSearch {
  /** Lists only jobs with these labels. */
  runner?: string | undefined;
}

/** Which jobs wait for a runner, against what is usual, and which runners are busy. */
export function QueuePage({
  integrationId,
  search: { runner },
  onChange,
}: {
  integrationId: string;
  search: QueueSearch;
  onChange: (change: QueueSearch) => void;
}) {
  const path = `/api/integrations/${integrationId}/queue`;
  useLiveReads({ integrationId, queryKey: [path], pauseMs });
  const reading = useQuery({
    queryKey: [path, runner],
    queryFn: ({ signal }) => getJson<Queue>(path + queryString({ runner }), signal),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={<PageTitle>Queue</PageTitle>} end={<ConnectionMark />}>
        {runner !== undefined && (
          <FilterPill
            name="Runner labels"
            value={clip(runner || 'none', 60)}
            onRemove={() => onChange({ runner: undefined })}
          />
        )}
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="queue" skeletonRows={10}>
          {(queue) => <Content queue={queue} />}
        </Loaded>
      </PageBody>
    </>
  );
}

function Content({ queue }: { queue: Queue }) {
  const { held, isCut, labels, labelSets } = queue;
  return (
    <>
      <QueueFigures queue={queue} />
      {isCut && (
        <p className="px-4 pt-3 text-muted">
          More jobs are open. The newest {formatNumber(maxOpenJobs)} are counted.
        </p>
      )}
      {labels.length === 0 && held === 0 ? (
        <Message title="No job waits or runs">
          <p className="text-muted">Jobs are listed here from the moment that they are queued.</p>
        </Message>
      ) : (
        <>
          {labels.length > 0 && (
            <PagePart title="Runner labels" note={`Usual times are of the last ${usualQueueDays} days.`}>
              <LabelTable queue={queue} />
              {labels.length < labelSets && (
                <p className="px-4 py-2 text-muted">
                  The first {formatNumber(labels.length)} of {formatNumber(labelSets)}.
                </p>
              )}
            </PagePart>
          )}
          <OpenJobs id="waiting" title="Waiting for a runner" jobs={queue.waitingJobs} verb="Waits for" />
          <OpenJobs id="running" title="Running" jobs={queue.runningJobs} verb="Runs for" />
          <OpenJobs
            id="held"
            title="Held"
            note="These wait for an approval, for another job or for their concurrency group."
            jobs={queue.heldJobs}
            verb="Held for"
          />
        </>
      )}
    </>
  );
}

function QueueFigures({ queue: { waiting, running, busyRunners, held, labels } }: { queue: Queue }) {
  return (
    <Figures>
      <Figure
        name="Waiting for a runner"
        value={<OpenJobsLink of="waiting" count={waiting} />}
        note={
          labels[0]?.since && (
            <>
              longest <Duration ms={null} since={labels[0].since} />
            </>
          )
        }
      />
      <Figure
        name="Running"
        value={<OpenJobsLink of="running" count={running} />}
        note={running > 0 && `on ${formatCount(busyRunners, 'runner')}`}
      />
      <Figure name="Held" value={<OpenJobsLink of="held" count={held} />} note="for other reasons" />
    </Figures>
  );
}

/** Longest first. Nothing without jobs. */
function OpenJobs({
  id,
  title,
  note,
  jobs,
  verb,
}: {
  id: 'waiting' | 'running' | 'held';
  title: string;
  note?: string;
  jobs: readonly OpenJob[];
  verb: string;
}) {
  if (jobs.length === 0) return null;
  const columns: Column<OpenJob>[] = [
    {
      key: 'job',
      header: 'Job',
      className: 'columns:w-full columns:max-w-0 wrap-anywhere',
      renderCell: ({ runId, attempt, name, repository, workflow, runner }) => (
        <>
          <RunLink runId={runId} search={{ attempt }} className="row-link font-medium">
            <bdi>{clip(name)}</bdi>
            {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
          </RunLink>
          <bdi dir="ltr" className="block text-xs text-muted">
            {clip(`${repository} · ${workflow} · ${runner}`, 200)}
          </bdi>
        </>
      ),
    },
    ...(id === 'running'
      ? [
          numberColumn('runner', 'Runner', ({ runnerName }: OpenJob) => (
            <bdi className="columns:whitespace-nowrap">{clip(runnerName ?? '–', 60)}</bdi>
          )),
        ]
      : []),
    {
      key: 'since',
      header: verb,
      isAtEnd: true,
      className: 'whitespace-nowrap',
      renderCell: ({ since }) => <Duration ms={null} since={since} />,
    },
  ];
  return (
    <PagePart id={id} title={title} {...(note !== undefined && { note })}>
      <Table
        label={title}
        hasRowLinks
        columns={columns}
        rows={jobs}
        rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
      />
    </PagePart>
  );
}
