import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useUser } from '../../identity/use-user.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { FormError } from '../../ui/form/form.tsx';
import { Table, type Column } from '../../ui/table/table.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { IncidentState } from './incident-state.tsx';
import { incidentName } from './incident-texts.ts';
import { LazyCloseDialog } from './lazy-close-dialog.ts';
import { useInboxKeys } from './use-inbox-keys.ts';
import { useSteering } from './use-incidents.ts';

/** Open incidents: what broke, since when, who works on it. Each row opens its newest failed run. */
export function Inbox({
  integrationId,
  incidents,
}: {
  integrationId: string;
  incidents: readonly Incident[];
}) {
  const [closing, setClosing] = useState<Incident>();
  const { steer, error } = useSteering(integrationId);
  const mayNot = useRoleReason(integrationId, 'member');
  const { data: user } = useUser();
  // The error is shown above the list.
  const trySteer = (...args: Parameters<typeof steer>): void => void steer(...args).catch(() => {});
  useInboxKeys(incidents, {
    a: (incident) =>
      mayNot === undefined && trySteer(incident, { acknowledged: incident.acknowledged === null }),
    m: (incident) =>
      mayNot === undefined &&
      user !== undefined &&
      trySteer(incident, { assigneeId: incident.assignee?.userId === user.userId ? null : user.userId }),
  });
  const actions: Column<Incident> = {
    key: 'actions',
    header: 'Actions',
    isUnnamed: true,
    isAtEnd: true,
    renderCell: (incident) => (
      <IncidentActions
        integrationId={integrationId}
        incident={incident}
        name={incidentName(incident)}
        onSteer={(change) => trySteer(incident, change)}
        onClose={() => setClosing(incident)}
      />
    ),
  };
  return (
    <>
      {error && (
        <div className="px-4 py-2">
          <FormError error={error} />
        </div>
      )}
      <Table
        label="Open incidents"
        hasRowLinks
        columns={mayNot === undefined ? [...columnsFor(integrationId), actions] : columnsFor(integrationId)}
        rows={incidents}
        rowKey={({ incidentId }) => incidentId}
      />
      {closing && (
        <Suspense>
          <LazyCloseDialog
            name={incidentName(closing)}
            onSteer={(change) => steer(closing, change)}
            onClose={() => setClosing(undefined)}
          />
        </Suspense>
      )}
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
