import { useMutation } from '@tanstack/react-query';
import {
  maxWaitingCount,
  type TraceExport,
  type TraceTestResult,
} from '#contract/integrations/trace-export.ts';
import { sendJson } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { FormError } from '../ui/form/form.tsx';
import { formatNumber } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { tracesPath } from './trace-queries.ts';

/** The target, how the export goes, and what can be done with it. */
export function TraceState({
  integrationId,
  saved,
  onRemove,
}: {
  integrationId: string;
  saved: TraceExport;
  onRemove: () => void;
}) {
  const test = useMutation({
    mutationFn: () => sendJson<TraceTestResult>('POST', `${tracesPath(integrationId)}/test`, undefined),
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="min-w-0 break-words">
        {saved.enabled ? 'Exported to ' : 'Disabled: '}
        <bdi className="font-medium break-all">{saved.url}</bdi>
        {saved.headerNames.length > 0 && <> with {saved.headerNames.join(', ')}</>}
      </p>
      {saved.enabled && <Progress saved={saved} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => test.mutate()} disabled={test.isPending}>
          Send test
        </Button>
        <Button onClick={onRemove}>Remove export…</Button>
      </div>
      {test.error !== null && <FormError error={test.error} />}
      {test.data !== undefined && <output>{testText(test.data)}</output>}
    </div>
  );
}

function Progress({ saved }: { saved: TraceExport }) {
  const { lastSuccessAt, waiting, metrics } = saved;
  const more = waiting >= maxWaitingCount ? ' or more' : '';
  return (
    <ul aria-label="Export of traces and metrics" className="flex flex-col gap-1 text-muted">
      <li>
        {lastSuccessAt === null ? (
          'No runs were exported yet.'
        ) : (
          <>
            Last export <TimeAgo time={lastSuccessAt} />
          </>
        )}
      </li>
      <li>{waiting === 1 ? '1 run waits' : `${formatNumber(waiting)}${more} runs wait`}</li>
      <Problem of={saved} what="Last problem" />
      {metrics !== null && (
        <>
          <li>
            {metrics.lastSuccessAt === null ? (
              'No metrics were exported yet.'
            ) : (
              <>
                Last metrics <TimeAgo time={metrics.lastSuccessAt} />
              </>
            )}
          </li>
          <Problem of={metrics} what="Last problem with metrics" />
        </>
      )}
    </ul>
  );
}

function Problem({
  of: { lastSuccessAt, lastFailureAt, lastProblem },
  what,
}: {
  of: Pick<TraceExport, 'lastSuccessAt' | 'lastFailureAt' | 'lastProblem'>;
  what: string;
}) {
  if (lastFailureAt === null) return null;
  const isFailing = lastSuccessAt === null || lastFailureAt > lastSuccessAt;
  return (
    <li className={isFailing ? 'text-failed' : ''}>
      {what} <TimeAgo time={lastFailureAt} />: {lastProblem}
    </li>
  );
}

function testText({ sent, problem, tookMs }: TraceTestResult): string {
  if (!sent) return `The test was not accepted. ${problem ?? ''}`;
  return problem ?? `The target accepted the test in ${tookMs} ms.`;
}
