import type { ReactNode } from 'react';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { eventTexts } from '../event-texts.ts';
import { Fact } from '../../ui/text/fact.tsx';

interface ForgeSteps {
  value: 'github' | 'gitea' | 'forgejo';
  label: string;
  content: ReactNode;
}

/** The configured forge, by its name. */
export function forgeOf(forgeName: string): ForgeSteps['value'] {
  const name = forgeName.toLowerCase();
  if (name.includes('forgejo') || name.includes('codeberg')) return 'forgejo';
  return name.includes('gitea') ? 'gitea' : 'github';
}

/** The webhook form of each forge, with its own field names. */
export function forgeSteps(events: readonly QueuedEvent[]): readonly ForgeSteps[] {
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
