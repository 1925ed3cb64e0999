import {
  completeRule,
  mostTestMessagesPerHour,
  type NotificationRule,
  NotificationRulePage,
  RuleInput,
  SavedRule,
  TestSendAnswer,
} from '#contract/alerts/alerts.ts';
import { NotificationPage, NotificationQuery } from '#contract/alerts/incidents.ts';
import { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { route, type Route } from '#server/route.ts';
import { backTest } from '#server/alerts/rules/back-test/back-test.ts';
import { makeTurns, type TakeTurn } from '#server/alerts/rules/back-test/turns.ts';
import { readKnownWorkflows } from '#server/alerts/rules/known-workflows.ts';
import { readNotifications } from '#server/alerts/incidents/reading/read-history.ts';
import { incidentRoutes } from '#server/alerts/incidents/routes.ts';
import { notifyRedNow, type NotifyRedNowDeps } from '#server/alerts/red-now/notify-red-now.ts';
import { readRules } from '#server/alerts/rules/read-rules.ts';
import {
  changeRule,
  createRule,
  ruleNotFound,
  removeRule,
  type SaveRuleDeps,
} from '#server/alerts/rules/save-rule.ts';
import { testRule, testUnsavedRule, type TestRuleDeps } from '#server/alerts/notifications/test-rule.ts';

export interface AlertRoutesDeps extends TestRuleDeps, SaveRuleDeps, NotifyRedNowDeps {}

type RuleRoutesDeps = AlertRoutesDeps & { takeTurn: TakeTurn };

const base = '/api/integrations/:integrationId';
const viewer = { role: 'viewer' } as const;
const member = { role: 'member' } as const;
/** To find what is red now, a save evaluates the rule on the history, as a back-test does. */
const perSave = { perMinute: 60, by: 'caller' } as const;

export function alertRoutes(given: AlertRoutesDeps): Route[] {
  const deps = { ...given, takeTurn: makeTurns() };
  return [
    ...ruleRoutes(deps),
    ...testRoutes(deps),
    ...knownRoutes(deps),
    ...historyRoutes(deps),
    ...incidentRoutes(deps),
  ];
}

function ruleRoutes(deps: RuleRoutesDeps): Route[] {
  const { db } = deps;
  return [
    route('GET', `${base}/notification-rules`, {
      access: viewer,
      summary: 'List notification rules; URLs are reduced to their host',
      answer: { schema: NotificationRulePage },
      handle: async ({ params: { integrationId } }) => ({
        items: await db.withScope({ integrationId }, (tx) => readRules(tx, integrationId)),
        nextCursor: null,
      }),
    }),
    route('POST', `${base}/notification-rules`, {
      access: member,
      summary:
        'Create a notification rule, which also notifies about what is red now; signing secrets are returned only once',
      body: RuleInput,
      rateLimits: [perSave],
      errors: ['conflict'],
      answer: { status: 201, schema: SavedRule },
      handle: async ({ actor, body }) =>
        withRedNow(deps, actor, await createRule(deps, actor, completeRule(body))),
    }),
    route('PUT', `${base}/notification-rules/:ruleId`, {
      access: member,
      summary: 'Replace a notification rule; a channel with an id keeps its omitted fields',
      body: RuleInput,
      rateLimits: [perSave],
      errors: ['conflict'],
      answer: { schema: SavedRule },
      handle: async ({ actor, params: { ruleId }, body }) =>
        withRedNow(deps, actor, await changeRule(deps, actor, ruleId, completeRule(body))),
    }),
    route('DELETE', `${base}/notification-rules/:ruleId`, {
      access: member,
      summary: 'Delete a notification rule with its channels and notifications',
      answer: { status: 204 },
      handle: ({ actor, params: { ruleId } }) => removeRule(db, actor, ruleId),
    }),
  ];
}

async function withRedNow(
  deps: RuleRoutesDeps,
  { integrationId, actorId }: { integrationId: string; actorId: string },
  rule: NotificationRule,
): Promise<SavedRule> {
  const notify = () => notifyRedNow(deps, integrationId, rule.ruleId);
  return { ...rule, notifiesNow: await deps.takeTurn(actorId, notify, { mustRun: true }) };
}

function testRoutes(deps: RuleRoutesDeps): Route[] {
  return [
    route('POST', `${base}/notification-rules/:ruleId/test`, {
      access: member,
      summary: `Send a test message to each channel of the rule and return the results; at most ${mostTestMessagesPerHour} per hour`,
      errors: ['too_many_requests'],
      answer: { schema: TestSendAnswer },
      handle: async ({ actor, params: { ruleId } }) => ({
        results: await testRule(deps, actor, ruleId),
      }),
    }),
    route('POST', `${base}/notification-rules/test`, {
      access: member,
      summary: `Send a test message to each channel of a rule that is not saved; at most ${mostTestMessagesPerHour} per hour`,
      body: RuleInput,
      errors: ['too_many_requests'],
      answer: { schema: TestSendAnswer },
      handle: async ({ actor, body }) => ({
        results: await testUnsavedRule(deps, actor, completeRule(body)),
      }),
    }),
    route('POST', `${base}/notification-rules/back-test`, {
      access: member,
      summary:
        'Evaluate a stored or unsaved rule on the last 30 days; of a weekly digest, get that of the last seven',
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      body: RuleInput,
      answer: { schema: BackTestAnswer },
      handle: ({ actor: { integrationId, actorId }, body }) =>
        deps.takeTurn(actorId, () => backTest(deps, integrationId, completeRule(body))),
    }),
  ];
}

function knownRoutes({ db }: AlertRoutesDeps): Route[] {
  return [
    route('GET', `${base}/notification-rules/known-workflows`, {
      access: viewer,
      summary: 'List recent workflows and their branches, to check which ones the patterns of a rule match',
      answer: { schema: KnownWorkflows },
      handle: ({ params: { integrationId } }) =>
        db.withScope({ integrationId }, (tx) => readKnownWorkflows(tx, integrationId)),
    }),
  ];
}

function historyRoutes({ db }: AlertRoutesDeps): Route[] {
  return [
    route('GET', `${base}/notification-rules/:ruleId/deliveries`, {
      access: viewer,
      summary: 'List the notifications of a rule, newest first, including suppressed ones',
      query: NotificationQuery,
      answer: { schema: NotificationPage },
      handle: ({ params: { integrationId, ruleId }, query }) =>
        db.withScope({ integrationId }, async (tx) => {
          if ((await readRules(tx, integrationId, ruleId)).length === 0) throw ruleNotFound();
          return readNotifications(tx, integrationId, ruleId, query);
        }),
    }),
  ];
}
