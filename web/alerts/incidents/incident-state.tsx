import { Link } from '@tanstack/react-router';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useIntegrationParams } from '../../integrations/integration-params.ts';
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

/** The same as a link to the incidents of its workflow. */
export function IncidentStateLink({ incident }: { incident: Incident }) {
  const { repository, workflow } = incident;
  const isNamed = workflow !== null && Math.max(workflow.length, repository.length) <= 255;
  return (
    <Link
      to="/integrations/$integrationId/incidents"
      params={useIntegrationParams()}
      search={isNamed ? { repository, workflow } : {}}
      className="relative z-1 inline-block hover:underline"
    >
      <IncidentState incident={incident} />
    </Link>
  );
}
