import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SampleData } from '#contract/integrations/integrations.ts';
import { sendJson } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { useRoleReason } from './use-integration.ts';
import { sampleDataPath, useSampleData } from './use-sample-data.ts';

/** Removes the sample data of the integration. Nothing where there is none. With a title it is a section of a page. */
export function RemoveSampleData({ integrationId, title }: { integrationId: string; title?: string }) {
  const state = useSampleData(integrationId);
  const reason = useRoleReason(integrationId, 'admin');
  const [isOpen, setIsOpen] = useState(false);
  if (state === undefined || state === 'none') return null;
  const isRemoving = state === 'removing';
  const content = (
    <>
      <p className="mb-2 text-muted">
        This integration has invented runs of the repositories of “Sample data”. They can be removed without
        changing other data.
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button reason={reason} disabled={isRemoving} aria-busy={isRemoving} onClick={() => setIsOpen(true)}>
          Remove sample data…
        </Button>
        <output className="text-muted">{isRemoving && 'Removing sample data…'}</output>
      </div>
      {reason && <p className="mt-2 text-muted">{reason}.</p>}
      {isOpen && <Confirmation integrationId={integrationId} onClose={() => setIsOpen(false)} />}
    </>
  );
  return title === undefined ? (
    <div className="mt-4">{content}</div>
  ) : (
    <Section title={title}>{content}</Section>
  );
}

function Confirmation({ integrationId, onClose }: { integrationId: string; onClose: () => void }) {
  const client = useQueryClient();
  const path = sampleDataPath(integrationId);
  return (
    <ConfirmDialog
      title="Remove the sample data?"
      action="Remove sample data"
      onConfirm={async () => client.setQueryData([path], await sendJson<SampleData>('DELETE', path))}
      onClose={onClose}
    >
      <p>
        <strong>Removed:</strong> runs, jobs, logs, failures, incidents, notifications, pull requests and
        deliveries of the repositories of “Sample data”, their part of all figures, and the connection to
        their forge.
      </p>
      <p>
        <strong>Kept:</strong> all data of your forge, rules, views, badges, members, and what people did in
        the event log.
      </p>
      <p>This cannot be undone. You can send sample traffic again.</p>
    </ConfirmDialog>
  );
}
