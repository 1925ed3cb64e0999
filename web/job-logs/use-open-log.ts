import { useState } from 'react';
import { useRun } from '../runs/page/use-run.ts';
import { useJobLog, useMatches, type LogPath } from './use-job-log.ts';
import type { LogSearch } from './log-search.ts';
import type { LogTarget } from './use-log-rows.ts';

export interface LogPageProps {
  path: LogPath;
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
  /** Back to the run. */
  onClose: () => void;
}

export type OpenLog = ReturnType<typeof useOpenLog>;

/** The log that is open, what is searched in it, and the line that the address names. */
export function useOpenLog({ path, search, onSearch }: LogPageProps) {
  const { integrationId, runId, jobId } = path;
  const [q, setQ] = useState('');
  const [isWrapped, setWrapped] = useState(false);
  const [target, setTarget] = useState<LogTarget | undefined>(
    search.line ? { line: search.line } : undefined,
  );
  const job = useRun(integrationId, runId).data?.jobs.findLast((each) => String(each.jobId) === jobId);
  const reading = useJobLog(path);
  const matches = useMatches(path, q, reading.data?.lines ?? 0).data;
  const goTo = (line: number): void => {
    setTarget({ line });
    onSearch({ line });
  };
  /** Goes to the next of the lines or to the one before, and to the other end after the last. */
  const step = (lines: readonly number[], by: 1 | -1) => (): void => {
    const at = target?.line ?? 0;
    const next =
      by === 1
        ? (lines.find((line) => line > at) ?? lines[0])
        : (lines.findLast((line) => line < at) ?? lines.at(-1));
    if (next !== undefined) goTo(next);
  };
  return {
    path,
    /** Undefined while the run loads. */
    job,
    reading,
    /** Lines that report an error. */
    errors: reading.data?.errorLines ?? [],
    q,
    setQ,
    /** The lines that contain `q`. Undefined without one, and while they are searched. */
    matches: q === '' ? undefined : matches,
    target,
    goTo,
    step,
    isWrapped,
    toggleWrap: () => setWrapped(!isWrapped),
  };
}
