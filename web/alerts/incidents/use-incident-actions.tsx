import { useState, type ReactNode } from 'react';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { PageError } from '../../ui/form/form.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { incidentName } from './incident-texts.ts';
import type { Steering } from './undo-change.ts';
import { useSteering } from './use-incidents.ts';

const CloseDialog = lazyPart('close-dialog', 'CloseDialog', () => import('./close-dialog.tsx'));

/** What a list of incidents needs to change them: buttons, the last error, and the dialog that asks for a note. */
export function useIncidentActions(integrationId: string, onChange = (_incident: Incident) => {}) {
  const [closing, setClosing] = useState<Incident>();
  const { steer: send, error } = useSteering(integrationId);
  const steer = (incident: Incident, steering: Steering) => {
    onChange(incident);
    return send(incident, steering);
  };
  const mayChange = useRoleReason(integrationId, 'member') === undefined;
  const change = (incident: Incident, steering: Steering): void =>
    // The error is shown above the list.
    void steer(incident, steering).catch(() => {});
  const renderActions = (incident: Incident): ReactNode => (
    <IncidentActions
      integrationId={integrationId}
      incident={incident}
      name={incidentName(incident)}
      onSteer={(steering) => change(incident, steering)}
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
        onSteer={(steering) => steer(closing, steering)}
        onClose={() => setClosing(undefined)}
      />
    ),
  };
}
