import { Type, type Static, type TSchema } from 'typebox';
import { DigestNotice } from '../alerts/digest.ts';
import { IncidentNotice } from '../alerts/incident-payloads.ts';
import { nullable, Time, Uuid } from '../base/schema.ts';
import { roles } from '../members/roles.ts';
import { WorkflowRun } from '../runs/runs.ts';
import type { WebhookType } from './webhook-types.ts';

/** Bodies of signed webhooks after https://www.standardwebhooks.com. Receivers must ignore unknown fields and types. */

const text = Type.String();
const optionalText = nullable(text);

/** A run attempt that completed, in the shape of the API. A run is reported once for each attempt. */
const RunFacts = Type.Object({ integrationId: Uuid, run: WorkflowRun });

/** A failure with a cause that no stored failure of the repository has. */
const FailureGroupFacts = Type.Object({
  integrationId: Uuid,
  failureGroup: Type.Object({
    groupId: Uuid,
    repository: text,
    workflow: optionalText,
    job: text,
    step: optionalText,
    errorLine: text,
    firstSeenAt: Time,
  }),
  /** The first failure. */
  occurrence: Type.Object({
    runId: Type.Integer(),
    attempt: Type.Integer(),
    jobId: Type.Integer(),
    branch: optionalText,
  }),
});

/** A test that became broken or flaky. */
const TestFacts = Type.Object({
  integrationId: Uuid,
  test: Type.Object({
    testId: Uuid,
    repository: text,
    /** The label of its reports; empty without one. */
    suite: text,
    className: text,
    name: text,
    file: optionalText,
    /** The first failure on the default branch without a later pass, or the first flake. */
    since: Time,
  }),
  /** The attempt whose report showed it. */
  run: Type.Object({
    runId: Type.Integer(),
    attempt: Type.Integer(),
    branch: optionalText,
    headSha: optionalText,
  }),
});

/** A membership. `role` is the one they have now, or had until they were removed. */
const MemberFacts = Type.Object({
  integrationId: Uuid,
  member: Type.Object({
    userId: Uuid,
    name: optionalText,
    role: Type.Enum([...roles]),
    /** Only for `member.role_changed`, otherwise null. */
    previousRole: nullable(Type.Enum([...roles])),
  }),
});

function payloadOf<T extends WebhookType, Facts extends TSchema>(type: T, data: Facts) {
  return Type.Object({
    type: Type.Literal(type),
    /** When the event happened. The time of the attempt is in `webhook-timestamp`. */
    timestamp: Time,
    data,
  });
}

/** The body of each type. */
export const webhookPayloads = {
  'run.completed': payloadOf('run.completed', RunFacts),
  'failure_group.opened': payloadOf('failure_group.opened', FailureGroupFacts),
  'test.broken': payloadOf('test.broken', TestFacts),
  'test.flaky': payloadOf('test.flaky', TestFacts),
  'member.added': payloadOf('member.added', MemberFacts),
  'member.removed': payloadOf('member.removed', MemberFacts),
  'member.role_changed': payloadOf('member.role_changed', MemberFacts),
  'incident.opened': payloadOf('incident.opened', IncidentNotice),
  'incident.failed_again': payloadOf('incident.failed_again', IncidentNotice),
  'incident.closed': payloadOf('incident.closed', IncidentNotice),
  'digest.created': payloadOf('digest.created', DigestNotice),
  test: payloadOf('test', Type.Object({ integrationId: Uuid })),
} satisfies Record<WebhookType, TSchema>;

export type RunFacts = Static<typeof RunFacts>;
export type TestFacts = Static<typeof TestFacts>;
export type FailureGroupFacts = Static<typeof FailureGroupFacts>;
