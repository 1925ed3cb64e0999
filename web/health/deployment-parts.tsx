import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { fewestForRate, type Deployment, type Deployments } from '#contract/metrics/deployments.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Figure, Figures } from '../ui/figure.tsx';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { linkLook } from '../ui/text/text-link.tsx';
import { clockTime } from '../ui/time/exact-time.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { RowsLink } from './branch-parts.tsx';
import { DefinitionLink } from './definitions.tsx';
import type { ShownDeployments } from './health-search.ts';

/** How often production was deployed to, each number with a link to its rows and its definition. */
export function DeploymentFigures({ deployments }: { deployments: Deployments }) {
  const { deployed, perWeek, since, notDeployed } = deployments;
  if (deployed === null)
    return (
      <p className="px-4 text-muted">No deployment to what is declared as production is known up to now.</p>
    );
  return (
    <Figures label="Numbers of deployments">
      <Figure
        name={<DefinitionLink of="deployed">Deployments</DefinitionLink>}
        value={linked(deployed, 'deployed')}
        note={
          <>
            {perWeek !== null && `${formatNumber(Math.round(perWeek * 10) / 10)} a week`}
            {since !== null && <span className="block">since {clockTime(Date.parse(since))}</span>}
          </>
        }
      />
      <LeadTime {...deployments} />
      <FailedDeployments {...deployments} deployed={deployed} />
      <Figure
        name={<DefinitionLink of="notDeployed">Failed to deploy</DefinitionLink>}
        value={linked(notDeployed, 'notDeployed')}
      />
    </Figures>
  );
}

const linked = (count: number, shown: ShownDeployments, text = formatNumber(count)): ReactNode =>
  count === 0 ? (
    'None'
  ) : (
    <RowsLink hash="deployments" count={count} search={{ deployments: shown }}>
      {text}
    </RowsLink>
  );

function LeadTime({ leadTime, unknown }: Pick<Deployments, 'leadTime' | 'unknown'>) {
  return (
    <Figure
      name={<DefinitionLink of="leadTime">Merge to deployment</DefinitionLink>}
      value={leadTime.p50 === null ? '–' : formatDuration(leadTime.p50)}
      note={
        <>
          {leadTime.p90 !== null && `p90 ${formatDuration(leadTime.p90)}, `}
          {leadTime.count > 0 && (
            <RowsLink hash="deployed-pulls" count={leadTime.count}>
              {formatCount(leadTime.count, 'pull request')}
            </RowsLink>
          )}
          {unknown > 0 && (
            <span className="block">
              not known for {linked(unknown, 'unknown', formatCount(unknown, 'deployment'))}
            </span>
          )}
        </>
      }
    />
  );
}

function FailedDeployments({
  deployed,
  failed,
  recoveries,
}: Pick<Deployments, 'failed' | 'recoveries'> & { deployed: number }) {
  const share = deployed >= fewestForRate ? `, ${formatPercent(failed / deployed)}` : '';
  return (
    <>
      <Figure
        name={<DefinitionLink of="failedDeployments">Failed deployments</DefinitionLink>}
        value={deployed === 0 ? '–' : linked(failed, 'failed')}
        note={deployed > 0 && `of ${formatNumber(deployed)}${share}`}
      />
      <Figure
        name={<DefinitionLink of="deploymentRecovery">Recovery of production</DefinitionLink>}
        value={recoveries.p50 === null ? '–' : formatDuration(recoveries.p50)}
        note={
          recoveries.count > 0 && (
            <>
              {recoveries.p90 !== null && `p90 ${formatDuration(recoveries.p90)}, `}
              {linked(recoveries.count, 'recovered', formatCount(recoveries.count, 'deployment'))}
            </>
          )
        }
      />
    </>
  );
}

/** Says that nothing is declared, and where admins declare it. */
export function NothingDeclared({ integrationId }: { integrationId: string }) {
  const isAdmin = useRoleReason(integrationId, 'admin') === undefined;
  return (
    <p className="px-4 text-muted">
      No environment or workflow is declared as production, so no deployment counts.{' '}
      {isAdmin ? (
        <Link
          to="/integrations/$integrationId/settings"
          params={{ integrationId }}
          hash="deployments"
          className={linkLook}
        >
          Declare production
        </Link>
      ) : (
        'An admin declares it in the settings.'
      )}
    </p>
  );
}

export const belongs: Record<ShownDeployments, (deployment: Deployment) => boolean> = {
  deployed: ({ isDeployed }) => isDeployed,
  failed: ({ failure }) => failure !== null,
  recovered: ({ recoveryMs }) => recoveryMs !== null,
  unknown: ({ isDeployed, pullRequests }) => isDeployed && pullRequests === null,
  notDeployed: ({ isDeployed }) => !isDeployed,
};
