import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type TraceExport,
  maxWaitingCount,
  type TraceTestResult,
} from '#contract/integrations/trace-export.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { sendJson } from '../api/client.ts';
import { FormError } from '../ui/form/form.tsx';
import { formatNumber } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { tracesPath, tracesQuery } from './trace-queries.ts';
import { TraceDialog } from './trace-dialog.tsx';

/** Where finished runs are exported as traces, and metrics. Only admins see it. */
export function TraceSection({ integrationId }: { integrationId: string }) {
  const client = useQueryClient();
  const query = tracesQuery(integrationId);
  const reading = useQuery(query);
  const remove = useRemove(tracesPath(integrationId));
  const [shown, setShown] = useState<'form' | 'removal'>();
  const saved = reading.data ?? null;
  const readAgain = () => client.invalidateQueries({ queryKey: query.queryKey });
  const close = () => setShown(undefined);
  return (
    <Section
      title="Traces and metrics"
      note="Exports every finished run over OpenTelemetry (OTLP) to a collector or a tracing backend, with its jobs, queue times and steps, and metrics if you choose."
      end={
        // Until it is known what is saved, the form could not show it.
        <Button disabled={reading.data === undefined} onClick={() => setShown('form')}>
          {saved === null ? 'Export traces…' : 'Edit export…'}
        </Button>
      }
    >
      <Loaded reading={reading} what="export" skeletonRows={1}>
        {(found: TraceExport | null) =>
          found === null ? (
            <p className="text-muted">Runs are not exported.</p>
          ) : (
            <TraceState integrationId={integrationId} saved={found} onRemove={() => setShown('removal')} />
          )
        }
      </Loaded>
      {shown === 'form' && (
        <TraceDialog integrationId={integrationId} saved={saved} onSaved={readAgain} onClose={close} />
      )}
      {shown === 'removal' && (
        <ConfirmDialog
          title="Remove the export of traces and metrics?"
          action="Remove"
          onConfirm={() => remove('Export removed')}
          onClose={close}
        >
          <p>Runs that wait are not exported. The headers are deleted.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** The target, how the export goes, and what can be done with it. */
function TraceState({
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
