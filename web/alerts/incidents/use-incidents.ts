import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Incident } from '#contract/alerts/incidents.ts';
import { sendJson } from '../../api/client.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { incidentsPath } from '../alert-queries.ts';
import { doneText, undoOf, type Steering } from './undo-change.ts';

/** Reads the incidents on screen again when the server announces a change. */
export function useLiveIncidents(integrationId: string): void {
  const client = useQueryClient();
  const read = (): void => void client.invalidateQueries({ queryKey: [incidentsPath(integrationId)] });
  useUpdates(integrationId, { onUpdates: () => {}, onResync: read, onIncidents: read });
}

/** Changes an incident and offers to undo that. */
export function useSteering(integrationId: string) {
  const client = useQueryClient();
  const path = incidentsPath(integrationId);
  const send = ({ incident, change }: { incident: Incident; change: Steering }): Promise<Incident> =>
    sendJson<Incident>('PATCH', `${path}/${incident.incidentId}`, { version: incident.version, ...change });
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const undo = useMutation({
    mutationFn: send,
    onSuccess: (_, { change }) => toast(doneText(change)),
    onSettled: readAgain,
  });
  const steering = useMutation({
    mutationFn: send,
    onSuccess: (after, { incident, change }) =>
      toast(doneText(change), () =>
        undo.mutate({ incident: after, change: undoOf(incident, change, Date.now()) }),
      ),
    onSettled: readAgain,
  });
  return {
    steer: (incident: Incident, change: Steering) => {
      undo.reset();
      return steering.mutateAsync({ incident, change });
    },
    isPending: steering.isPending || undo.isPending,
    /** Of the last change. */
    error: undo.error ?? steering.error,
  };
}
