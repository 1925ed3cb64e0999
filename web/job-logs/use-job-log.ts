import { useQueries, useQuery } from '@tanstack/react-query';
import type { JobLog, JobLogLine, JobLogLines, JobLogMatches } from '#contract/failures/job-log.ts';
import { getJson } from '../api/client.ts';

export interface LogPath {
  integrationId: string;
  runId: string;
  jobId: string;
}

export const pathOfLog = ({ integrationId, runId, jobId }: LogPath): string =>
  `/api/integrations/${integrationId}/workflows/${encodeURIComponent(runId)}/jobs/${encodeURIComponent(jobId)}/log`;

/** The state of a log, asked for again while it grows. */
export function useJobLog(path: LogPath) {
  return useQuery({
    queryKey: ['job-log', path],
    queryFn: ({ signal }) => getJson<JobLog>(pathOfLog(path), signal),
    refetchInterval: ({ state }) => state.data?.pollAfterMs ?? false,
  });
}

const pageLines = 200;
/** Pages that are no longer visible leave the memory. */
const keptMs = 5_000;

/** The lines in view, by their numbers. */
export function useLogLines(
  path: LogPath,
  { from, to, total }: { from: number; to: number; total: number },
): (line: number) => JobLogLine | undefined {
  const first = Math.max(0, Math.floor((from - 1) / pageLines));
  const last = Math.floor((Math.max(1, Math.min(to, total)) - 1) / pageLines);
  const pages = total === 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const results = useQueries({
    queries: pages.map((page) => {
      const start = page * pageLines + 1;
      // A page that is not full yet is read again when the log has grown.
      const end = Math.min(start + pageLines - 1, total);
      return {
        queryKey: ['job-log-lines', path, page, end],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          getJson<JobLogLines>(`${pathOfLog(path)}/lines?from=${start}&limit=${pageLines}`, signal),
        staleTime: Infinity,
        gcTime: keptMs,
        placeholderData: (before: JobLogLines | undefined) => (before?.from === start ? before : undefined),
      };
    }),
  });
  return (line) => {
    const page = Math.floor((line - 1) / pageLines);
    return results[page - first]?.data?.lines[(line - 1) % pageLines];
  };
}

/** Lines that contain the text. Searched again when the log has grown. */
export function useMatches(path: LogPath, q: string, lines: number) {
  return useQuery({
    queryKey: ['job-log-matches', path, q, lines],
    queryFn: ({ signal }) =>
      getJson<JobLogMatches>(`${pathOfLog(path)}/search?q=${encodeURIComponent(q)}`, signal),
    enabled: q !== '' && lines > 0,
    staleTime: Infinity,
    gcTime: keptMs,
    placeholderData: (before) => before,
  });
}
