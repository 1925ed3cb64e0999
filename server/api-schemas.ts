import { Type } from 'typebox';
import { GlobFilter, NotificationRule, RuleBody, RuleInput, SavedRule } from '#contract/alerts/alerts.ts';
import { IncidentNotice } from '#contract/alerts/incident-payloads.ts';
import { Failure, Incident } from '#contract/alerts/incidents.ts';
import { Owner, OwnerAnswer } from '#contract/alerts/workflow-owners.ts';
import { Assessment, FailureGroup, RunPoint } from '#contract/failures/failures.ts';
import { FailureReason } from '#contract/failures/failure-reason.ts';
import { FailingJob } from '#contract/failures/red-workflow.ts';
import { Blame, FirstBad } from '#contract/failures/blame.ts';
import { nullable, oneLine, TimeInput, Uuid } from '#contract/base/schema.ts';
import { LogEntry } from '#contract/deliveries/event-log.ts';
import { Badge } from '#contract/integrations/badges.ts';
import { ForgeAppState, LinkedInstallation } from '#contract/integrations/forge-app.ts';
import { Integration } from '#contract/integrations/integrations.ts';
import { OutgoingWebhook } from '#contract/integrations/outgoing-webhooks.ts';
import { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { BackgroundTask } from '#contract/integrations/tasks.ts';
import { Tile, Wall } from '#contract/integrations/wallboard.ts';
import { Change, ChangeNumbers } from '#contract/metrics/changes.ts';
import { CheckVerdict } from '#contract/failures/check-verdict.ts';
import { Percentiles } from '#contract/metrics/percentiles.ts';
import { Cost, MinutePrice } from '#contract/metrics/minute-prices.ts';
import { MetricNumbers } from '#contract/metrics/metrics.ts';
import { OpenJob } from '#contract/metrics/queue.ts';
import { Attention, Figure, RunMark } from '#contract/metrics/overview.ts';
import { Quarantine, QuarantineBody, TestSummary } from '#contract/tests/tests.ts';
import { Check, CheckJob, CheckSummary, PullRequest, PullRequestItem } from '#contract/runs/pull-requests.ts';
import { JobStep, WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import { SavedView, SavedViewBody } from '#contract/runs/saved-views.ts';

/** Schemas with a name of their own in the API reference: those that several operations share. */
export const apiSchemas = {
  Assessment,
  Attention,
  BackgroundTask,
  Badge,
  Blame,
  Change,
  ChangeNumbers,
  Check,
  CheckJob,
  CheckSummary,
  CheckVerdict,
  Cost,
  FailingJob,
  Failure,
  FailureGroup,
  FailureReason,
  Figure,
  FirstBad,
  ForgeAppState,
  GlobFilter,
  Incident,
  IncidentNotice,
  Integration,
  JobStep,
  Line: oneLine(100),
  LinkedInstallation,
  LogEntry,
  LogExcerpt: FailureReason.properties.excerpts.items,
  MetricNumbers,
  MinutePrice,
  NotificationRule,
  OpenJob,
  OutgoingWebhook,
  Owner,
  OwnerAnswer,
  Percentiles,
  Person: Type.Object({ userId: Uuid, name: nullable(Type.String()) }),
  PullRequest,
  PullRequestItem,
  Quarantine,
  QuarantineBody,
  RuleBody,
  RuleInput,
  RunFilter: SavedViewBody.properties.filter,
  RunMark,
  RunPoint,
  SavedRule,
  SavedView,
  TestSummary,
  Tile,
  TimeInput,
  Wall,
  WebhookSubscription,
  WorkflowJob,
  WorkflowRun,
};
