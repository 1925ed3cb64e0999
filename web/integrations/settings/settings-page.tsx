import { useState, type ReactNode } from 'react';
import type { Integration } from '#contract/integrations/integrations.ts';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { PageBody, Section } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { labelProblem } from '../label.ts';
import { RemoveSampleData } from '../remove-sample-data.tsx';
import { SectionIndex } from './section-index.tsx';
import { Usage } from './usage.tsx';
import { useChange } from '../use-change.ts';
import { WebhookEvents } from './webhook-events.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { useConfig } from '../../api/config.ts';
import { Fact } from '../../ui/text/fact.tsx';

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
      <PageBody>
        <SectionIndex>
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
        </SectionIndex>
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

/** Retention periods. They apply to all integrations, so they cannot be changed here. */
function Retention() {
  const retention = useConfig()?.retention;
  if (retention === undefined) return null;
  return (
    <Section
      title="Data retention"
      note="Applies to all integrations. The operator changes it with these settings."
    >
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Kept what="Runs and pull requests" days={retention.runDays} setting="RUN_RETENTION_DAYS" />
        <Kept what="Deliveries with their bodies" days={retention.deliveryDays} setting="RETENTION_DAYS" />
        <Kept what="Dead letters" days={retention.deadLetterDays} />
      </dl>
      {retention.runDays !== null && (
        <p className="mt-2 text-muted">Overview and metrics keep their numbers after the runs are deleted.</p>
      )}
    </Section>
  );
}

function Kept({ what, days, setting }: { what: string; days: number | null; setting?: string }) {
  return (
    <Fact name={what}>
      {days === null ? 'Kept forever' : `${days} days`}
      {setting !== undefined && <code className="ml-3 font-mono text-xs text-muted">{setting}</code>}
    </Fact>
  );
}
