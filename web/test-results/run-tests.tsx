import { useQuery } from '@tanstack/react-query';
import type { RunTests as Answer } from '#contract/tests/tests.ts';
import { getJson } from '../api/client.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { queryString } from '../api/query-string.ts';
import { readEvery } from '../api/read-every.ts';
import { formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { countsText } from './counts-text.ts';
import { FailedTests } from './failed-tests.tsx';

const pauseMs = 2000;
const askEveryMs = 60_000;

/** The reports of an attempt, live while shown. */
export function useRunTests(integrationId: string, runId: number, attempt: number) {
  const queryKey = ['run-tests', integrationId, String(runId)];
  // A job uploads its report before it ends.
  useLiveReads({ integrationId, queryKey, pauseMs, concerns: (data) => data.runId === runId });
  return useQuery({
    queryKey: [...queryKey, attempt],
    queryFn: ({ signal }) =>
      getJson<Answer>(
        `/api/integrations/${integrationId}/workflows/${runId}/tests${queryString({ attempt })}`,
        signal,
      ),
    refetchInterval: readEvery(askEveryMs),
  });
}

/** What the reports of an attempt say about its tests. Nothing without a report. */
export function RunTests({ tests: data, newLabel }: { tests: Answer | undefined; newLabel: string }) {
  if (data === undefined || data.reports.length === 0) return null;
  const totals = totalsOf(data);
  const shown = totals.failed + totals.flaky;
  return (
    <section aria-labelledby="tests-title">
      <h2 id="tests-title" className="mb-1 font-semibold">
        Tests <span className="font-normal text-muted">{countsText(totals)}</span>
      </h2>
      {data.reports.some(({ isMassFailure }) => isMassFailure) && (
        <p className="mb-2 text-muted">
          More than half of the tests of this attempt failed, so it says nothing about single tests.
        </p>
      )}
      <FailedTests tests={data.tests} newLabel={newLabel} />
      {data.tests.length < shown && (
        <p className="mt-2 text-muted">and {formatNumber(shown - data.tests.length)} more</p>
      )}
      <Faults reports={data.reports} />
    </section>
  );
}

function totalsOf({ reports }: Answer) {
  const sum = (name: 'tests' | 'failed' | 'skipped' | 'flaky'): number =>
    reports.reduce((total, report) => total + report[name], 0);
  return { tests: sum('tests'), failed: sum('failed'), skipped: sum('skipped'), flaky: sum('flaky') };
}

/** What was wrong with reports. */
function Faults({ reports }: Pick<Answer, 'reports'>) {
  const faulty = reports.filter(({ faults }) => faults.length > 0);
  if (faulty.length === 0) return null;
  return (
    <details className="mt-2 text-xs text-muted">
      <summary className="cursor-pointer rounded-xs">
        {faulty.length === 1 ? 'A report has faults' : `${formatNumber(faulty.length)} reports have faults`}
      </summary>
      <ul className="mt-1 flex flex-col gap-1">
        {faulty.map(({ reportId, job, suite, faults }) => (
          <li key={reportId}>
            <bdi>{clip([job, suite].filter(Boolean).join(', ') || 'Report', 100)}</bdi>:{' '}
            {clip(faults.join(' '), 500)}
          </li>
        ))}
      </ul>
    </details>
  );
}
