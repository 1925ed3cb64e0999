import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Incident } from '#contract/alerts/incidents.ts';
import { sendJson } from '../../api/client.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { replaceInPages } from '../../api/use-pages.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { incidentsPath } from '../alert-paths.ts';
import { doneText, undoOf, type Change } from './undo-change.ts';

/** Reads the incidents on screen again when the server announces a change. */
export function useLiveIncidents(integrationId: string): void {
  const client = useQueryClient();
  const read = (): void => void client.invalidateQueries({ queryKey: [incidentsPath(integrationId)] });
  useUpdates(integrationId, { onUpdates: () => {}, onResync: read, onIncidents: read });
}

/** Changes an incident and offers to undo that. */
export function useChangeIncident(integrationId: string) {
  const client = useQueryClient();
  const path = incidentsPath(integrationId);
  const send = async ({ incident, change }: { incident: Incident; change: Change }): Promise<Incident> => {
    const { incidentId, version } = incident;
    const after = await sendJson<Incident>('PATCH', `${path}/${incidentId}`, { version, ...change });
    // With the older version in the list, the next change of this person would be refused.
    replaceInPages(client, path, after, (other) => other.incidentId === incidentId);
    return after;
  };
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const undo = useMutation({
    mutationFn: send,
    onSuccess: (_, { change }) => toast(doneText(change)),
    onSettled: readAgain,
  });
  const changing = useMutation({
    mutationFn: send,
    onSuccess: (after, { incident, change }) =>
      toast(doneText(change), () =>
        undo.mutate({ incident: after, change: undoOf(incident, change, Date.now()) }),
      ),
    onSettled: readAgain,
  });
  return {
    change: (incident: Incident, change: Change) => {
      undo.reset();
      return changing.mutateAsync({ incident, change });
    },
    /** Of the last change. */
    error: undo.error ?? changing.error,
  };
}
