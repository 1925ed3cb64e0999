import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import Radio from 'lucide-react/icons/radio';
import { useConfig } from '../../api/config.ts';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { Message } from '../../ui/page/message.tsx';
import { TrySampleTraffic } from './sample-traffic.tsx';
import { eventTexts } from '../event-texts.ts';
import { integrationsQuery } from '../integrations-query.ts';

/** Instructions for an integration without events. Disappears with the first event. */
export function WaitingForEvents({ integrationId }: { integrationId: string }) {
  const { data: integrations = [] } = useQuery(integrationsQuery);
  const config = useConfig();
  const integration = integrations.find((one) => one.integrationId === integrationId);
  const events = integration?.webhookEvents.map((event) => eventTexts[event].label) ?? [];
  return (
    <Message
      title="Waiting for the first event"
      icon={<Radio size={24} aria-hidden className="text-running motion-safe:animate-pulse" />}
    >
      <p className="text-muted">
        Runs appear here when {config?.forgeName ?? 'the forge'} reports them. This page updates
        automatically.
      </p>
      <ol className="mt-2 flex w-full flex-col gap-5 text-left">
        <li>
          <h3 className="font-semibold">Add a webhook</h3>
          <p className="mb-2 text-muted">
            Content type JSON, the secret that was shown when the integration was created
            {events.length > 0 && <>, and these events: {events.join(', ')}</>}.
          </p>
          {integration && <CopyText name="webhook URL" text={integration.webhookUrl} />}
          <Link
            to="/integrations/$integrationId/connect"
            params={{ integrationId }}
            className="mt-2 inline-block text-accent underline"
          >
            Step-by-step instructions
          </Link>
        </li>
        <li>
          <h3 className="font-semibold">Or try it with sample traffic</h3>
          <TrySampleTraffic integrationId={integrationId} />
        </li>
      </ol>
    </Message>
  );
}
