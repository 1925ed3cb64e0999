import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { queuedEvents, type QueuedEvent } from '#contract/integrations/integrations.ts';

export interface WebhookExample {
  /** Such as `ghes-35 workflow_job 0`. */
  name: string;
  eventType: QueuedEvent;
  payload: Record<string, unknown>;
}

interface Definition {
  name: string;
  examples: Record<string, unknown>[];
}

/** Every published example of the event types we queue, of github.com and of all Enterprise Server sets. */
export function webhookExamples(): WebhookExample[] {
  const directory = path.join(createRequire(import.meta.url).resolve('@octokit/webhooks-examples'), '../..');
  const sets = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return sets.flatMap((set) => {
    const definitions = JSON.parse(
      readFileSync(path.join(directory, set.name, 'index.json'), 'utf8'),
    ) as Definition[];
    return definitions.flatMap(({ name, examples }) => {
      const eventType = queuedEvents.find((type) => type === name);
      if (eventType === undefined) return [];
      return examples.map((payload, index) => ({ name: `${set.name} ${name} ${index}`, eventType, payload }));
    });
  });
}

interface ExampleObject {
  /** The last column of its primary key. */
  key: number;
  status?: string;
  conclusion?: string | null;
  state?: string;
}

/** The object that an example reports. */
export function objectOfExample(eventType: QueuedEvent, payload: Record<string, unknown>): ExampleObject {
  const object = payload[eventType === 'pull_request_review' ? 'review' : eventType] as Omit<
    ExampleObject,
    'key'
  > & { id: number; number?: number };
  if (eventType === 'deployment_status')
    return { ...object, key: (payload['deployment'] as { id: number }).id };
  return { ...object, key: eventType === 'pull_request' ? object.number! : object.id };
}
