import type { JobLog } from '#contract/failures/job-log.ts';
import { isMissing } from '../api/problem.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { useShortcuts } from '../ui/keyboard/use-shortcuts.ts';
import { BackLink, UnknownItem } from '../ui/page/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { NumberedTitle, PageHeader } from '../ui/page/page-header.tsx';
import { clip } from '../ui/text/clip.ts';
import { EmptyLog, isRefused, LogState, RefusedLog } from './log-state.tsx';
import { LogTools } from './log-tools.tsx';
import { LogView } from './log-view.tsx';
import { useLogRows } from './use-log-rows.ts';
import { useOpenLog, type LogPageProps, type OpenLog } from './use-open-log.ts';

/** The whole log of one job. */
export function LogPage(props: LogPageProps) {
  const open = useOpenLog(props);
  const { path, job, reading } = open;
  const { integrationId, runId } = path;
  useShortcuts({ Escape: props.onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="runs" runId={runId} onClose={props.onClose} />
            <NumberedTitle title={`Log of ${clip(job?.name ?? 'a job')}`} number={null} />
          </>
        }
        end={job && <StatusMark status={job.status} conclusion={job.conclusion} />}
      >
        <LogTools open={open} />
      </PageHeader>
      {isMissing(reading.error) ? (
        <UnknownItem integrationId={integrationId} list="runs" what="Job" />
      ) : isRefused(reading.error) ? (
        <RefusedLog error={reading.error} integrationId={integrationId} />
      ) : (
        <Loaded reading={reading} what="log">
          {(log) => <Content log={log} open={open} />}
        </Loaded>
      )}
    </>
  );
}

function Content({ log, open }: { log: JobLog; open: OpenLog }) {
  const rows = useLogRows(log, open.target);
  if (log.lines === 0) return <EmptyLog log={log} job={open.job} />;
  return (
    <>
      <LogState log={log} job={open.job} rows={rows} />
      <LogView log={log} open={open} rows={rows} />
    </>
  );
}
