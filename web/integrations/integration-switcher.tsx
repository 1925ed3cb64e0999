import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Activity from 'lucide-react/icons/activity';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import Plus from 'lucide-react/icons/plus';
import { useMayCreate } from '../identity/use-user.ts';
import { clip } from '../ui/text/clip.ts';
import { ChoiceMenu } from '../ui/menu/menu.tsx';
import { integrationsQuery } from './integrations-query.ts';

const create = 'new';

/** The name of the current integration, with a menu of the others. */
export function IntegrationSwitcher({
  integrationId,
  onChosen,
}: {
  integrationId: string;
  onChosen: () => void;
}) {
  const navigate = useNavigate();
  const mayCreate = useMayCreate();
  const { data: integrations = [], refetch } = useQuery(integrationsQuery);
  const open = integrations.find((integration) => integration.integrationId === integrationId);
  return (
    <ChoiceMenu
      label="Integration"
      className="flex h-8 w-full min-w-0 items-center gap-1.5 rounded-md px-1.5 text-left text-base font-semibold hover:bg-hover pointer-coarse:h-10"
      value={integrationId}
      groups={[
        integrations.map(({ integrationId: value, label }) => ({ value, label: clip(label, 100) })),
        ...(mayCreate === true
          ? [[{ value: create, label: 'Create an integration…', icon: <Plus size={14} aria-hidden /> }]]
          : []),
      ]}
      onChoose={(chosen) => {
        onChosen();
        if (chosen === create) void navigate({ to: '/integrations/new' });
        else
          void navigate({ to: '/integrations/$integrationId/overview', params: { integrationId: chosen } });
      }}
      onOpenChange={(isOpen) => isOpen && void refetch()}
    >
      <Activity size={17} aria-hidden className="shrink-0" />
      <span className="sr-only">Integration</span>
      <bdi className="min-w-0 grow truncate">{clip(open?.label ?? 'Forgewatch', 100)}</bdi>
      <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
    </ChoiceMenu>
  );
}
