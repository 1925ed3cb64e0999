import { Link } from '@tanstack/react-router';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useUser } from '../../identity/use-user.ts';
import { Table, type Column } from '../../ui/table/table.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { IncidentState } from './incident-state.tsx';
import { useIncidentActions } from './use-incident-actions.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

/** Open incidents: what broke, since when, who works on it. Each row opens its newest failed run. */
export function Inbox({
  integrationId,
  incidents,
}: {
  integrationId: string;
  incidents: readonly Incident[];
}) {
  const { mayChange, change, columns, error, dialog } = useIncidentActions(integrationId);
  const { data: user } = useUser();
  useInboxKeys(incidents, {
    a: (incident) => mayChange && change(incident, { acknowledged: incident.acknowledged === null }),
    m: (incident) =>
      mayChange &&
      user !== undefined &&
      change(incident, { assigneeId: incident.assignee?.userId === user.userId ? null : user.userId }),
  });
  return (
    <>
      {error}
      <Table
        label="Open incidents"
        hasRowLinks
        columns={[...columnsFor(integrationId), ...columns]}
        rows={incidents}
        rowKey={({ incidentId }) => incidentId}
      />
      {dialog}
    </>
  );
}

function columnsFor(integrationId: string): Column<Incident>[] {
  return [
    {
      key: 'workflow',
      header: 'Workflow',
      renderCell: ({ incidentId, kind, subject, lastFailure, workflow, repository, branch }) => (
        <span>
          <Link
            id={incidentId}
            to="/integrations/$integrationId/runs/$runId"
            params={{ integrationId, runId: String(lastFailure.runId) }}
            className="row-link font-medium"
          >
            <bdi>{kind === 'queued_too_long' ? `Queue of ${subject}` : (workflow ?? 'Unnamed workflow')}</bdi>
          </Link>
          <bdi className="block text-xs text-muted">
            {repository} {branch}
          </bdi>
        </span>
      ),
    },
    { key: 'failing', header: 'Failing', renderCell: (incident) => <Failing incident={incident} /> },
    {
      key: 'commits',
      header: 'First bad commit',
      className: 'text-muted',
      renderCell: (incident) => <Commits incident={incident} />,
    },
    {
      key: 'since',
      header: 'Since',
      className: 'text-muted',
      renderCell: ({ openedAt }) => (
        <span className="relative z-1">
          <TimeAgo time={openedAt} isFocusable />
        </span>
      ),
    },
    { key: 'state', header: 'State', renderCell: (incident) => <IncidentState incident={incident} /> },
  ];
}

/** The failing job and step, or how the run ended. */
function Failing({ incident: { kind, failing, lastFailure } }: { incident: Incident }) {
  if (kind !== 'failure') return <bdi className="text-failed">{lastFailure.name}</bdi>;
  if (failing === null)
    return <span className="text-failed">{lastFailure.conclusion.replaceAll('_', ' ')}</span>;
  const { job, step, errorLine, jobs } = failing;
  return (
    <span>
      <bdi className="text-failed">{job}</bdi>
      {jobs > 1 && <span className="text-muted"> and {jobs - 1} more</span>}
      {step !== null && <bdi className="block text-xs text-muted">{step}</bdi>}
      {errorLine !== null && (
        <bdi title={errorLine} className="line-clamp-1 max-w-[32rem] font-mono text-xs">
          {errorLine}
        </bdi>
      )}
    </span>
  );
}

function Commits({ incident: { kind, firstBad, firstFailure, lastGreen } }: { incident: Incident }) {
  if (kind !== 'failure') return null;
  const author = firstBad?.actor ?? firstFailure.actor;
  return (
    <span>
      {firstBad?.sha && <code className="font-mono text-xs">{firstBad.sha.slice(0, 7)} </code>}
      <bdi>{author ?? 'unknown'}</bdi>
      <span className="block text-xs">
        {lastGreen === null ? (
          'No earlier success known'
        ) : (
          <>
            Last green <code className="font-mono">{lastGreen.sha?.slice(0, 7) ?? lastGreen.runId}</code>
          </>
        )}
      </span>
    </span>
  );
}
