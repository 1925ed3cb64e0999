import { useState, type ReactNode } from 'react';
import type { Integration } from '#contract/integrations/integrations.ts';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { PageBody, Section } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { labelProblem } from '../label.ts';
import { RemoveSampleData } from '../sample-data/remove-sample-data.tsx';
import { Retention } from './retention.tsx';
import { Usage } from './usage.tsx';
import { useChange } from '../use-change.ts';
import { WebhookEvents } from './webhook-events.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';

/** The settings of an integration. People who cannot change them see them with the reason. */
export function SettingsPage({
  integration,
  reason,
  danger,
  children,
}: {
  integration: Integration;
  /** Why this person cannot change them. */
  reason: string | undefined;
  /** Transfer, leave and delete. */
  danger: ReactNode;
  /** The sections of other modules. */
  children: ReactNode;
}) {
  const { integrationId, role, webhookUrl } = integration;
  return (
    <>
      <PageHeader
        title={<PageTitle>Settings</PageTitle>}
        end={<span className="text-muted">Your role: {role}</span>}
      />
      <PageBody isNarrow>
        <Section title="Name">
          <Rename integration={integration} reason={reason} />
        </Section>
        <Section
          title="Webhook URL"
          note="The forge sends events of this integration to this URL."
          end={
            <TextLink to="/integrations/$integrationId/connect" params={{ integrationId }}>
              Setup instructions
            </TextLink>
          }
        >
          <CopyText name="webhook URL" text={webhookUrl} />
        </Section>
        <Section
          title="Webhook secret"
          note="The forge signs every delivery with this secret. Other deliveries are refused."
        >
          <WebhookSecret integration={integration} reason={reason} />
        </Section>
        <Section title="Events" note="Other events are accepted but not stored. Stored data is kept.">
          <WebhookEvents integration={integration} reason={reason} />
        </Section>
        {children}
        <Usage integrationId={integrationId} />
        <Retention />
        <RemoveSampleData integrationId={integrationId} title="Sample data" />
        {danger}
      </PageBody>
    </>
  );
}

function Rename({ integration, reason }: { integration: Integration; reason: string | undefined }) {
  const { integrationId } = integration;
  const [label, setLabel] = useState(integration.label);
  const rename = useChange(integrationId, 'PATCH', '', 'Renamed');
  const problem = labelProblem(label);
  return (
    <Form
      submit="Rename"
      variant="plain"
      request={rename}
      reason={reason}
      onSubmit={() => rename.mutate({ label: label.trim() })}
    >
      <TextField
        name="label"
        label="Name of the integration"
        autoComplete="off"
        maxLength={100}
        value={label}
        readOnly={reason !== undefined}
        problem={problem}
        onChange={({ target }) => setLabel(target.value)}
      />
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
