import * as fc from 'fast-check';
import { webhookExamples } from '#test/support/data/webhook-examples.ts';
import type { HttpCase, Piece } from '../case.ts';
import { oddHeaders } from '../grammar/headers.ts';
import { jsonOf } from '../grammar/json.ts';
import { oddText } from '../grammar/text.ts';
import type { RouteRow } from '../target.ts';
import { formOf } from '../grammar/form.ts';

const names = [
  'workflow_run',
  'workflow_job',
  'pull_request',
  'pull_request_review',
  'deployment_status',
  'ping',
  'organization',
  'installation',
  'action_run_success',
  'action_run_failure',
  'action_run_recover',
  'pull_request_approved',
  'star',
];

/** One published example of each kind, so that shrinking ends at a short list. */
const examples = [...new Map(webhookExamples().map((each) => [each.eventType, each])).values()];

type Event = { name: string; body: Piece[] };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    arbitrary: fc
      .constantFrom(...examples)
      .chain(({ eventType, payload }) =>
        jsonOf(fc.constant(payload)).map((body) => ({ name: eventType, body })),
      ),
    weight: 6,
  },
  { arbitrary: fc.record({ name: fc.constantFrom(...names), body: jsonOf(fc.jsonValue()) }), weight: 1 },
  { arbitrary: fc.record({ name: oddText, body: jsonOf(fc.constant({ zen: 'calm' })) }), weight: 1 },
  // As a forge of another kind says it.
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...names), fc.constantFrom(...examples))
      .chain(([name, { payload }]) => jsonOf(fc.constant(payload)).map((body) => ({ name, body }))),
    weight: 2,
  },
);

/** Up to the limit of a delivery, in few words; rare, as each takes as long as a hundred others. */
const large: fc.Arbitrary<Event> = fc
  .tuple(
    fc.constantFrom(...examples),
    fc.constantFrom('[', '{"a":', '{"', '\\"', '[0,', '"k#":1,', ' ', '9', '\\', '\\u0000', '\u{1F600}'),
    fc.constantFrom('', '{"x":', '{"x":"', '['),
    fc.integer({ min: 100_000, max: 24_000_000 }),
  )
  .map(([{ eventType }, each, before, bytes]) => ({
    name: eventType,
    body: [before, { each, times: Math.ceil(bytes / (each.includes('#') ? 12 : each.length)) }],
  }));

/** Deliveries to the routes that verify a signature, most of them rightly signed. */
export function webhookCases(routes: readonly RouteRow[]): fc.Arbitrary<HttpCase> {
  const rows = routes.filter(({ isRaw }) => isRaw);
  return fc
    .record({
      row: fc.constantFrom(...rows),
      isForeign: fc.nat(19).map((n) => n === 0),
      isForm: fc.nat(2).map((n) => n === 0),
      event: fc.oneof({ arbitrary: event, weight: 150 }, { arbitrary: large, weight: 1 }),
      form: formOf,
      isWrong: fc.nat(9).map((n) => n === 0),
      prefix: fc.constantFrom('x-github', 'x-github', 'x-github', 'x-gitea', 'x-forgejo'),
      deliveryId: fc.oneof(fc.uuid(), fc.constant('the same'), oddText),
      odd: oddHeaders,
    })
    .map(({ row, isForeign, isForm, event, form, isWrong, prefix, deliveryId, odd }): HttpCase => {
      const isApplication = !row.path.includes(':');
      const target = row.path.replaceAll(/:(\w+)/g, isForeign ? '{foreign.$1}' : '{$1}');
      const header = (text: string): string =>
        Buffer.from(text.toWellFormed())
          .toString('latin1')
          .replaceAll(/[\r\n\0]/g, '');
      return {
        who: 'nobody',
        method: row.method,
        target,
        headers: [
          ['content-type', isForm ? 'application/x-www-form-urlencoded' : 'application/json'],
          [`${prefix}-event`, header(event.name)],
          ...(prefix === 'x-github' ? [] : ([['x-github-event', header(event.name)]] as [string, string][])),
          ['x-github-delivery', header(deliveryId)],
          ...odd,
        ],
        body: isForm ? form(event.body) : event.body,
        signer: isWrong ? 'stranger' : isApplication ? 'application' : 'integration',
      };
    });
}
