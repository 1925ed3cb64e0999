import { useState, type ReactNode, useCallback, useEffect } from 'react';
import { useIsFetching } from '@tanstack/react-query';
import { type Integration, queuedEvents, type QueuedEvent } from '#contract/integrations/integrations.ts';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { TextField, CheckField, FieldGroup } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { PageBody, Section, AddToIndex, type IndexedSection } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { labelProblem } from '../label.ts';
import { RemoveSampleData } from '../remove-sample-data.tsx';
import { useChange } from '../use-change.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { useConfig } from '../../api/config.ts';
import { Fact } from '../../ui/text/fact.tsx';
import { SkeletonRows } from '../../ui/table/skeleton.tsx';
import { eventTexts } from '../event-texts.ts';
import { Usage } from './usage.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

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

/** Sections with links to them: a column beside them, or a line that scrolls where there is no space for one. */
function SectionIndex({ children }: { children: ReactNode }) {
  const [entries, setEntries] = useState<readonly IndexedSection[]>([]);
  const add = useCallback((entry: IndexedSection) => {
    setEntries((others) => [...others, entry].sort(inDocumentOrder));
    return () => setEntries((others) => others.filter((other) => other !== entry));
  }, []);
  const isReady = useFirstReads(entries.length > 0);
  return (
    <>
      {!isReady && <SkeletonRows label="Loading the settings" count={12} />}
      <div hidden={!isReady} className="xl:flex xl:items-start xl:gap-8">
        <nav
          aria-label="Sections"
          className="sticky top-0 z-10 flex min-h-10 items-center gap-4 overflow-x-auto border-b border-line bg-surface px-4 py-2 whitespace-nowrap xl:top-6 xl:order-last xl:min-w-0 xl:flex-col xl:items-start xl:gap-1 xl:border-b-0 xl:bg-transparent xl:p-0"
        >
          {entries.map(({ title, section }) => (
            <a
              key={section.id}
              href={`#${section.id}`}
              className="text-muted hover:text-text hover:underline"
              onClick={(event) => {
                event.preventDefault();
                section.scrollIntoView();
                section.focus({ preventScroll: true });
              }}
            >
              {title}
            </a>
          ))}
        </nav>
        <div className="max-w-2xl grow px-4">
          <AddToIndex value={add}>{children}</AddToIndex>
        </div>
      </div>
    </>
  );
}

/** The page does not wait longer for one slow read. */
const mostWaitMs = 2000;

/** Whether the first reads of all sections ended. Before that, one that arrives would move those below it. */
function useFirstReads(isMounted: boolean): boolean {
  const reads = useIsFetching({
    predicate: ({ state }) => state.data === undefined && state.fetchFailureCount === 0,
  });
  const [isReady, setReady] = useState(false);
  if (isMounted && reads === 0 && !isReady) setReady(true);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), mostWaitMs);
    return () => clearTimeout(timer);
  }, []);
  return isReady;
}

function inDocumentOrder({ section }: IndexedSection, other: IndexedSection): number {
  return section.compareDocumentPosition(other.section) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** Selects the events to store. */
function WebhookEvents({
  integration: { integrationId, webhookEvents },
  reason,
}: {
  integration: Integration;
  reason: string | undefined;
}) {
  const [changed, setChanged] = useState<readonly QueuedEvent[]>();
  const chosen = changed ?? webhookEvents;
  const save = useChange(integrationId, 'PUT', '/webhook-events', 'Events changed');
  const isSame =
    chosen.length === webhookEvents.length && chosen.every((event) => webhookEvents.includes(event));
  return (
    <Form
      submit="Save events"
      variant="plain"
      request={save}
      reason={reason ?? (isSame ? 'No changes' : undefined)}
      onSubmit={() => save.mutate({ events: chosen }, { onSuccess: () => setChanged(undefined) })}
    >
      <FieldGroup name="events" label="Events to store">
        {queuedEvents.map((event) => (
          <CheckField
            key={event}
            label={eventTexts[event].label}
            hint={eventTexts[event].hint}
            checked={chosen.includes(event)}
            disabled={reason !== undefined}
            onChange={({ target }) =>
              setChanged(
                queuedEvents.filter((one) => (one === event ? target.checked : chosen.includes(one))),
              )
            }
          />
        ))}
      </FieldGroup>
      {chosen.length === 0 && <p>No events selected: this integration will not receive data.</p>}
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
