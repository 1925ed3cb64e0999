import { useState, type ReactNode } from 'react';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { PageError } from '../../ui/form/form.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { incidentName } from './incident-texts.ts';
import type { Change } from './undo-change.ts';
import { useChangeIncident } from './use-incidents.ts';

const CloseDialog = lazyPart('close-dialog', 'CloseDialog', () => import('./close-dialog.tsx'));

/** What a list of incidents needs to change them: buttons, the last error, and the dialog that asks for a note. */
export function useIncidentActions(integrationId: string, onBegin = (_incident: Incident) => {}) {
  const [closing, setClosing] = useState<Incident>();
  const { change: send, error } = useChangeIncident(integrationId);
  const begin = (incident: Incident, wanted: Change) => {
    onBegin(incident);
    return send(incident, wanted);
  };
  const mayChange = useRoleReason(integrationId, 'member') === undefined;
  const change = (incident: Incident, wanted: Change): void =>
    // The error is shown above the list.
    void begin(incident, wanted).catch(() => {});
  const renderActions = (incident: Incident): ReactNode => (
    <IncidentActions
      integrationId={integrationId}
      incident={incident}
      name={incidentName(incident)}
      onChange={(wanted) => change(incident, wanted)}
      onClose={() => setClosing(incident)}
    />
  );
  return {
    mayChange,
    change,
    renderActions,
    error: <PageError error={error} />,
    dialog: closing && (
      <CloseDialog
        name={incidentName(closing)}
        onChange={(wanted) => begin(closing, wanted)}
        onClose={() => setClosing(undefined)}
      />
    ),
  };
}
