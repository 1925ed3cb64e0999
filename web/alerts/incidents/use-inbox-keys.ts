import type { Incident } from '#contract/alerts/incidents.ts';
import { stepWithin } from '../../ui/keyboard/step-through.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';

/** `j` and `k` move between rows. The keys of `actions` act on the row that has the focus. */
export function useInboxKeys(
  incidents: readonly Incident[],
  actions: Readonly<Record<string, (incident: Incident) => void>>,
): void {
  const focused = (): number => {
    const row = document.activeElement?.closest('tr');
    return incidents.findIndex(({ incidentId }) => row?.contains(document.getElementById(incidentId)));
  };
  const move = (step: 1 | -1): void => {
    const incident = incidents[stepWithin(incidents.length, focused(), step)];
    if (incident !== undefined) document.getElementById(incident.incidentId)?.focus();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(
      Object.entries(actions).map(([key, act]) => [
        key,
        () => {
          const incident = incidents[focused()];
          if (incident !== undefined) act(incident);
        },
      ]),
    ),
  });
}
