import type { Incident } from '#contract/alerts/incidents.ts';
import { stateLines } from './incident-texts.ts';

/** Who works on the incident, and how it was closed. */
export function IncidentState({ incident }: { incident: Incident }) {
  const lines = stateLines(incident);
  if (lines.length === 0) return null;
  return (
    <span className="text-xs">
      {lines.map((line) => (
        <bdi key={line} className="block">
          {line}
        </bdi>
      ))}
    </span>
  );
}
