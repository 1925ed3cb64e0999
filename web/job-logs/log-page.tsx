import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import CircleX from 'lucide-react/icons/circle-x';
import Download from 'lucide-react/icons/download';
import WrapText from 'lucide-react/icons/wrap-text';
import type { JobLog, JobLogMatches } from '#contract/failures/job-log.ts';
import { isMissing } from '../api/problem.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { useShortcuts } from '../ui/keyboard/use-shortcuts.ts';
import { BackLink, UnknownItem } from '../ui/page/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { NumberedTitle, PageHeader } from '../ui/page/page-header.tsx';
import { clip } from '../ui/text/clip.ts';
import { IconButton, iconLink } from '../ui/button.tsx';
import { SearchField } from '../ui/form/search-field.tsx';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { EmptyLog, isRefused, LogState, RefusedLog } from './log-state.tsx';
import { LogView } from './log-view.tsx';
import { useLogRows } from './use-log-rows.ts';
import { useOpenLog, type LogPageProps, type OpenLog } from './use-open-log.ts';
import { pathOfLog } from './use-job-log.ts';

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

/** Search, and steps from one line to the next. */
function LogTools({ open }: { open: OpenLog }) {
  const { path, q, setQ, matches, errors, step, isWrapped, toggleWrap } = open;
  const found = matches?.lines ?? [];
  useShortcuts({
    n: step(found, 1),
    p: step(found, -1),
    e: step(errors, 1),
    E: step(errors, -1),
    w: toggleWrap,
  });
  return (
    <>
      <SearchField label="Search the log" value={q} onChange={setQ} onEnter={step(found, 1)} />
      {matches && <Matches {...matches} open={open} />}
      <IconButton
        label="Next error (e)"
        reason={errors.length === 0 ? 'No line reports an error' : undefined}
        onClick={step(errors, 1)}
      >
        <CircleX size={15} aria-hidden className={errors.length === 0 ? '' : 'text-failed'} />
      </IconButton>
      <IconButton label="Wrap long lines (w)" aria-pressed={isWrapped} onClick={toggleWrap}>
        <WrapText size={15} aria-hidden className={isWrapped ? 'text-accent' : ''} />
      </IconButton>
      <a
        className={`inline-flex items-center justify-center text-muted ${iconLink}`}
        href={`${pathOfLog(path)}/text`}
        download
        aria-label="Download the log"
        title="Download the log"
      >
        <Download size={15} aria-hidden />
      </a>
    </>
  );
}

/** `2 of 14 lines`, announced when it changes, and steps through them. */
function Matches({ lines, isCut, open: { target, step } }: JobLogMatches & { open: OpenLog }) {
  const at = target === undefined ? -1 : lines.indexOf(target.line);
  const many = isCut ? `${formatNumber(lines.length)}+ lines` : formatCount(lines.length, 'line');
  const reason = lines.length === 0 ? 'No line contains the text' : undefined;
  return (
    <>
      <output className="text-xs whitespace-nowrap text-muted">
        {at < 0 ? many : `${formatNumber(at + 1)} of ${many}`}
      </output>
      <IconButton label="Previous match (p)" reason={reason} onClick={step(lines, -1)}>
        <ArrowUp size={15} aria-hidden />
      </IconButton>
      <IconButton label="Next match (n)" reason={reason} onClick={step(lines, 1)}>
        <ArrowDown size={15} aria-hidden />
      </IconButton>
    </>
  );
}
