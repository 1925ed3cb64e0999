import { Link } from '@tanstack/react-router';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import type { HomeIntegration } from '#contract/integrations/home.ts';
import { useMayCreate } from '../identity/use-user.ts';
import { PagePart } from '../ui/page/page-part.tsx';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';

/** Each integration with one line about its health. */
export function IntegrationLines({ integrations }: { integrations: readonly HomeIntegration[] }) {
  const mayCreate = useMayCreate();
  return (
    <PagePart
      title="Integrations"
      end={mayCreate === true && <TextLink to="/integrations/new">Create an integration</TextLink>}
    >
      <ul>
        {integrations.map((one) => (
          <li key={one.integrationId} className="relative border-b border-line px-4 py-2 hover:bg-hover">
            <Link
              to="/integrations/$integrationId/overview"
              params={{ integrationId: one.integrationId }}
              className="row-link font-medium wrap-anywhere"
              data-row
            >
              <bdi>{clip(one.label, 100)}</bdi>
            </Link>
            <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
              <Health integration={one} />
            </p>
          </li>
        ))}
      </ul>
    </PagePart>
  );
}

function Health({ integration }: { integration: HomeIntegration }) {
  const { workflows, red, running, waiting, lastRunAt } = integration;
  if (lastRunAt === null) return 'No runs yet';
  const Icon = workflows === 0 ? CircleDashed : red === 0 ? CircleCheck : CircleX;
  const colour = workflows === 0 ? 'text-idle' : red === 0 ? 'text-passed' : 'text-failed';
  return (
    <>
      <Icon size={13} aria-hidden className={colour} />
      <span className={red === 0 ? '' : 'text-failed'}>{verdictOf(workflows, red)}</span>
      {running > 0 && <span>· {formatNumber(running)} running</span>}
      {waiting > 0 && <span>· {formatNumber(waiting)} waiting</span>}
      <span>
        · last run <TimeAgo time={lastRunAt} />
      </span>
    </>
  );
}

function verdictOf(workflows: number, red: number): string {
  if (workflows === 0) return 'No result on a default branch';
  if (red === 0) return `${formatCount(workflows, 'workflow')} green`;
  return `${formatNumber(red)} of ${formatCount(workflows, 'workflow')} red`;
}
