import { Counter, type Registry } from 'prom-client';
import { webhookOutcomes, type WebhookOutcome } from './receive-integration-webhook.ts';

/** Counts deliveries as `forgewatch_webhooks_total{outcome}`. */
export function makeWebhookCounter(metrics: Registry): (outcome: WebhookOutcome) => void {
  const counter = new Counter({
    name: 'forgewatch_webhooks_total',
    help: 'Webhooks received, by how they ended',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  // Created once: a label look-up costs more than counting.
  const children = new Map(webhookOutcomes.map((outcome) => [outcome, counter.labels(outcome)]));
  return (outcome) => children.get(outcome)?.inc();
}
