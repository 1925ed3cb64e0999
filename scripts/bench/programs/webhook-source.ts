import { sign, type Template } from './webhook-templates.ts';

/** `repeated`: the same bodies with new delivery ids. `fresh`: new runs and jobs. `first`: only the first events of new jobs. */
export type Kind = 'repeated' | 'fresh' | 'first';

export interface WebhookSource {
  /** The next request. The caller clears `isInFlight` after the response. */
  next(kind: Kind): Template;
}

/** Creates deliveries with unique ids at very little cost, so that the sender is not measured. */
export function makeWebhookSource(templates: readonly Template[]): WebhookSource {
  const sources = {
    repeated: turnsOf(templates),
    fresh: turnsOf(templates),
    first: turnsOf(templates.filter(({ isFirst }) => isFirst)),
  };
  let deliveries = 0;
  return {
    next: (kind) => {
      const { template, round } = sources[kind]();
      template.isInFlight = true;
      deliveries += 1;
      // A version-1 UUID starts with the low part of its time: 429 s of ticks.
      template.bytes.write(deliveries.toString(16).padStart(8, '0'), template.deliveryIdAt, 'latin1');
      if (kind !== 'repeated') renew(template, round);
      return template;
    },
  };
}

function turnsOf(templates: readonly Template[]): () => { template: Template; round: number } {
  let turn = 0;
  return () => {
    for (;;) {
      const template = templates[turn % templates.length] as Template;
      const round = Math.floor(turn / templates.length);
      turn += 1;
      if (!template.isInFlight) return { template, round };
    }
  };
}

/** Digits of an id that number the round of runs and jobs. The other digits number the ids of a round. */
const roundDigits = 5;

function renew(template: Template, round: number): void {
  const digits = String(10_000 + (round % 90_000));
  for (const at of template.idsAt) template.body.write(digits, at, 'latin1');
  template.jobId = digits + template.jobId.slice(roundDigits);
  template.bytes.write(sign(template.secret, template.body), template.signatureAt, 'latin1');
}
