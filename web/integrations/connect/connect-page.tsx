import { useQuery } from '@tanstack/react-query';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { configQuery } from '../../api/config.ts';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageBody, Section } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { newSecretOf } from '../settings/new-secret.ts';
import { useIntegration } from '../use-integration.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { eventTexts } from '../event-texts.ts';
import { Fact } from '../../ui/text/fact.tsx';
import { FirstEvent } from './first-event.tsx';
import { isLocalAddress } from './local-address.ts';

/** Connects an integration to the forge: URL, secret, steps and state. */
export function ConnectPage({ integrationId }: { integrationId: string }) {
  const integration = useIntegration(integrationId);
  const config = useQuery(configQuery);
  if (integration === undefined) return null;
  const { webhookUrl, webhookEvents } = integration;
  return (
    <>
      <PageHeader title={<PageTitle>Connect the forge</PageTitle>} end={null} />
      <PageBody isNarrow>
        <Section title="1. Webhook URL" note="The forge sends events to this URL.">
          <CopyText name="webhook URL" text={webhookUrl} />
          {isLocalAddress(webhookUrl) && <LocalAddress />}
        </Section>
        <Section title="2. Secret" note="The forge signs every delivery with this secret.">
          <Secret integrationId={integrationId} />
        </Section>
        <Loaded
          reading={config}
          what="steps"
          below={
            <Section title="4. First event">
              <FirstEvent integrationId={integrationId} />
            </Section>
          }
        >
          {({ forgeName }) => (
            <Section
              title="3. Add the webhook"
              note="Add it to each repository, or once to the organization."
            >
              <Tabs label="Forge" initial={forgeOf(forgeName)} tabs={forgeSteps(webhookEvents)} />
            </Section>
          )}
        </Loaded>
      </PageBody>
    </>
  );
}

function LocalAddress() {
  return (
    <p role="note" className="mt-2 flex items-start gap-2">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
      <span>
        Only programs on this machine reach this URL. For a forge elsewhere, make the server reachable, for
        example behind a reverse proxy or a tunnel, set <code className="font-mono text-xs">PUBLIC_URL</code>{' '}
        to its address and restart it.
      </span>
    </p>
  );
}

function Secret({ integrationId }: { integrationId: string }) {
  const secret = newSecretOf(integrationId);
  if (secret !== undefined) {
    return (
      <>
        <CopyText name="secret" text={secret} />
        <p className="mt-2 text-muted">
          Copy it now: it is shown only once. You can replace it later in{' '}
          <SettingsLink integrationId={integrationId} />.
        </p>
      </>
    );
  }
  return (
    <p>
      The secret was shown when the integration was created. If it is lost, create a new one in{' '}
      <SettingsLink integrationId={integrationId} />.
    </p>
  );
}

function SettingsLink({ integrationId }: { integrationId: string }) {
  return (
    <TextLink to="/integrations/$integrationId/settings" params={{ integrationId }}>
      the settings
    </TextLink>
  );
}

interface ForgeSteps {
  value: 'github' | 'gitea' | 'forgejo';
  label: string;
  content: ReactNode;
}

/** The configured forge, by its name. */
function forgeOf(forgeName: string): ForgeSteps['value'] {
  const name = forgeName.toLowerCase();
  if (name.includes('forgejo') || name.includes('codeberg')) return 'forgejo';
  return name.includes('gitea') ? 'gitea' : 'github';
}

/** The webhook form of each forge, with its own field names. */
function forgeSteps(events: readonly QueuedEvent[]): readonly ForgeSteps[] {
  return [
    stepsOf('github', 'GitHub', 'Settings, Webhooks, Add webhook', 'Add webhook', [
      ['Payload URL', 'the webhook URL above'],
      ['Content type', 'application/json'],
      ['Secret', 'the secret above'],
      ['SSL verification', 'Enable'],
      ['Which events', `Let me select individual events: ${namesOf('label', events)}`],
      ['Active', 'checked'],
    ]),
    stepsOf('gitea', 'Gitea', 'Settings, Webhooks, Add Webhook, Gitea', 'Add Webhook', [
      ['Target URL', 'the webhook URL above'],
      ['HTTP Method', 'POST'],
      ['POST Content Type', 'application/json'],
      ['Secret', 'the secret above'],
      ['Trigger On', `Custom Events: ${namesOf('gitea', events)}`],
      ['Active', 'checked'],
    ]),
    stepsOf('forgejo', 'Forgejo', 'Settings, Webhooks, Add webhook, Forgejo', 'Add webhook', [
      ['Target URL', 'the webhook URL above'],
      ['HTTP method', 'POST'],
      ['POST content type', 'application/json'],
      ['Secret', 'the secret above'],
      ['Trigger on', `Custom events: ${namesOf('forgejo', events)}`],
      ['Active', 'checked'],
    ]),
  ];
}

function namesOf(form: 'label' | 'gitea' | 'forgejo', events: readonly QueuedEvent[]): string {
  const chosen = events.flatMap((event) => eventTexts[event][form] ?? []);
  return chosen.length === 0 ? 'none: this integration stores no events' : chosen.join('; ');
}

function stepsOf(
  value: ForgeSteps['value'],
  label: string,
  where: string,
  button: string,
  rows: readonly (readonly [string, string])[],
): ForgeSteps {
  const content = (
    <>
      <p className="mb-2">
        Open <strong>{where}</strong> and fill in:
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {rows.map(([field, value]) => (
          <Fact key={field} name={field}>
            {value}
          </Fact>
        ))}
      </dl>
      <p className="mt-2">
        Press <strong>{button}</strong>.
      </p>
    </>
  );
  return { value, label, content };
}
