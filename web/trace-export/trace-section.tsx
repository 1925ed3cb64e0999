import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TraceExport } from '#contract/integrations/trace-export.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { tracesPath, tracesQuery } from './trace-queries.ts';
import { TraceDialog } from './trace-dialog.tsx';
import { TraceState } from './trace-state.tsx';

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
