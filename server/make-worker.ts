import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { openWorkerLog } from '#platform/runtime/worker-log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { dayMs, minuteMs } from '#platform/runtime/time-units.ts';
import { makeNotificationCounter } from '#server/alerts/notifications/notification-counter.ts';
import { forgetHistory } from '#server/alerts/incidents/forget-history.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { slowTasks } from '#server/test-results/verdicts/slow-tasks.ts';
import { digestTasks } from '#server/alerts/digest/digest-tasks.ts';
import { watchTasks } from '#server/alerts/watches/watch-evaluator.ts';
import { notificationTasks } from '#server/alerts/notifications/notification-dispatcher.ts';
import { makeRuleEvaluator } from '#server/alerts/evaluation/rule-evaluator.ts';
import { forgetLogs } from '#server/job-logs/forget-logs.ts';
import { deleteOldOutcomes } from '#server/deliveries/outcomes/delete-old-outcomes.ts';
import { deleteOldUnqueued } from '#server/deliveries/unqueued/delete-old-unqueued.ts';
import { logDeadLetters } from '#server/event-log/log-dead-letters.ts';
import { forgetEntries } from '#server/event-log/record-failed-runs.ts';
import { forgetFailures } from '#server/failures/storing/delete-old-failures.ts';
import { findWebhookChannel } from '#server/alerts/channels/find-webhook-channel.ts';
import { forgetWebhooks } from '#server/outgoing-webhooks/log/forget-webhooks.ts';
import { webhookPolicy } from '#server/outgoing-webhooks/policy.ts';
import { webhookTasks } from '#server/outgoing-webhooks/sending/send-in-order.ts';
import { failureTasks } from '#server/failures/storing/failure-recorder.ts';
import { deleteOldRequired, readRequiredChecks } from '#server/pull-requests/required/read-required.ts';
import { readCommits } from '#server/failures/commits/read-commits.ts';
import { readLogs, type ReadLogsDeps } from '#server/failures/reading/read-logs.ts';
import { makeAppWorker } from '#server/forge-app/app-work.ts';
import { makeForgeApi } from '#server/forge-app/forge-api.ts';
import { makeConclusionSettler, recordTimeout } from '#server/conclusions/conclusion-settler.ts';
import { makeMemberSync } from '#server/forge-app/member-sync/sync-members.ts';
import { makePurge } from '#server/integrations/purge-deleted.ts';
import { forgetEndedSecret, readWebhookSecrets } from '#server/integrations/secrets/webhook-secret.ts';
import { webhookUrl } from '#server/integrations/webhook-url.ts';
import { mailCountKey } from '#server/mail/limit-mails.ts';
import { makeSendMail, type SendMail } from '#server/mail/send-mail.ts';
import { forgetUnrepaired } from '#server/personal-notifications/personal-notifier.ts';
import { personalTasks } from '#server/personal-notifications/personal-notifier.ts';
import { makeUnsubscribeTokens } from '#server/personal-notifications/unsubscribe-token.ts';
import { makeMaintenance } from '#server/retention/maintenance.ts';
import { makeDeadLetterAlarm } from '#server/queue/dead-letter-alarm.ts';
import { loadLargePayload } from '#server/queue/messages/large-payload.ts';
import { purgeMessages, purgeSampleMessages } from '#server/queue/postgres/maintenance/purge-messages.ts';
import { operatorChannels } from '#server/queue/operator-channels.ts';
import { announceResync, lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { makePush, type PushDeps } from '#server/realtime/outbox/push.ts';
import { exportPolicy } from '#server/trace-export/policy.ts';
import { makeTraceExporter, type TraceExporter } from '#server/trace-export/sending/exporter.ts';
import { forgeSyncTasks } from '#server/forge-sync/forge-sync-tasks.ts';
import { forgeTaskKind, type ForgeTaskOptions } from '#server/forge-sync/task.ts';
import { makeForges } from '#server/forges/make-forges.ts';
import { registerStoredGauges } from '#server/operations/stored-gauges.ts';
import { makeSampleRemoval } from '#server/sample-data/delete-samples.ts';
import { makeReceiveReport } from '#server/test-results/arrival/receive-report.ts';
import { readArtifacts, type ReadArtifactsDeps } from '#server/test-results/artifacts/read-artifacts.ts';
import { makeQuarantineEnds } from '#server/test-results/quarantine/quarantine.ts';
import { forgetTests } from '#server/test-results/storing/forget-tests.ts';
import { makeWaitingReports } from '#server/test-results/storing/waiting-reports.ts';
import { makeTaskRunner } from '#server/tasks/run-tasks.ts';
import { registerTaskGauges } from '#server/tasks/task-gauges.ts';
import type { TaskKind } from '#server/tasks/task.ts';
import { makeEventCounter } from '#server/worker/event-counter.ts';
import { makeStoreFetchedEvents } from '#server/worker/store-fetched-events.ts';
import { makeWorker } from '#server/worker/worker.ts';
import type { ReadWaitingDeps } from '#server/forge-tasks/read-waiting.ts';
import type { RoleDeps } from './role-deps.ts';
import { workerEffects } from './worker-effects.ts';

export interface WorkerDeps extends RoleDeps {
  /** The WebSockets of this process, if it also runs the api. */
  node: PushDeps['node'];
}

/** Services of the worker role: process the queue, evaluate rules, notify, clean up. They write to the worker log. */
export async function makeWorkerServices(shared: WorkerDeps): Promise<{ services: readonly Service[] }> {
  const { log, close } = await openWorkerLog(shared.config, shared.log);
  const deps = { ...shared, log };
  const { config, runtime, clock, db, queue, node } = deps;
  registerTaskGauges(deps.metrics, db);
  registerStoredGauges(deps.metrics, db);
  const sendMail = makeSendMail(config, log);
  const push = makePush({ db, log, ...(node === undefined ? {} : { node }) });
  const { evaluator, ...alerts } = makeAlerts(deps, sendMail);
  const traces = traceExporterOf(deps);
  const effects = workerEffects(evaluator, traces);
  const afterCommit = push.publish;
  const record = makeStoreFetchedEvents({ db, enqueueCompletions: effects.enqueueCompletions, afterCommit });
  const forge = forgeTasks(deps, record, push.publish);
  const personal = personalTasks({
    db,
    log,
    clock,
    publicUrl: config.publicUrl,
    sendMail,
    unsubscribeTokens: makeUnsubscribeTokens(runtime.masterKeys),
  });
  const logFile: Service = { name: 'worker log', start: async () => {}, stop: close };
  return {
    services: [
      logFile,
      queue,
      push,
      deadLetterAlarm(deps, sendMail),
      evaluator,
      makeConclusionSettler({ db, log, record }),
      makeWaitingReports({ db, log, sealer: runtime.sealer }),
      makeQuarantineEnds({ db, log }),
      maintenanceOf(deps),
      makePurge({ db, log, purgeMessages: (tx) => purgeMessages(tx, runtime.sealer) }),
      makeSampleRemoval({
        db,
        log,
        deleteMessages: (tx) => purgeSampleMessages(tx, runtime.sealer),
        announceResync,
      }),
      queueWorker(deps, { inTransaction: effects.recordBatchEffects, afterCommit }),
      ...forge.services,
      makeTaskRunner(deps, [
        ...forge.kinds,
        evaluator.kind,
        failureTasks({ db, log, sealer: runtime.sealer, publish: push.publish }),
        alerts.watches,
        alerts.digests,
        slowTasks(deps),
        ...traces.kinds,
        alerts.notifications,
        alerts.webhooks,
        personal,
      ]),
    ],
  };
}

function queueWorker(
  { config, runtime, metrics, db, queue, clock, log }: RoleDeps,
  effects: Pick<Parameters<typeof makeWorker>[0], 'inTransaction' | 'afterCommit'>,
): Service {
  return makeWorker({
    db,
    queue,
    clock,
    log,
    concurrency: config.workerConcurrency,
    timeoutMs: config.workerTimeoutMs,
    appWorker: makeAppWorker({ db, role: config.forgeAppMemberRole }),
    keptSince: () => config.runRetentionDays && clock() - config.runRetentionDays * dayMs,
    loadLargePayload: (groupId, payloadRef) => loadLargePayload(db, runtime.sealer, groupId, payloadRef),
    ...effects,
    count: makeEventCounter(metrics),
  });
}

function deadLetterAlarm({ config, metrics, db, queue, log }: RoleDeps, sendMail: SendMail): Service {
  return makeDeadLetterAlarm({
    db,
    queue,
    metrics,
    log,
    channels: operatorChannels({ ...config, sendMail }),
    onNewDeadLetters: (raised) => logDeadLetters(db, raised.byGroup),
  });
}

/** Rule evaluation, and the tasks that send notifications and webhooks. */
function makeAlerts({ config, runtime, metrics, listener, log, clock, db }: RoleDeps, sendMail: SendMail) {
  const { alertAllowedNetworks: allowedNetworks, alertAllowedPorts: allowedPorts } = config;
  const shared = { db, log, clock, policy: alertPolicy };
  const guardedFetch = makeGuardedFetch({ allowedNetworks, allowedPorts });
  return {
    evaluator: makeRuleEvaluator({ ...shared, listener }),
    watches: watchTasks(shared),
    digests: digestTasks(shared),
    notifications: notificationTasks({
      ...shared,
      publicUrl: config.publicUrl,
      countKey: mailCountKey(runtime.masterKeys),
      sealer: runtime.sealer,
      guardedFetch,
      sendMail,
      count: makeNotificationCounter(metrics),
    }),
    webhooks: webhookTasks({
      db,
      log,
      clock,
      guardedFetch,
      sealer: runtime.sealer,
      policy: webhookPolicy,
      findChannel: (...channel) => findWebhookChannel(runtime.sealer, ...channel),
    }),
  };
}

/** Collectors of traces often have no certificate. Those in an allowed network may be called without. */
function traceExporterOf({ config, runtime, log, clock, db }: RoleDeps): TraceExporter {
  const { alertAllowedNetworks: allowedNetworks, alertAllowedPorts: allowedPorts } = config;
  return makeTraceExporter({
    db,
    log,
    clock,
    policy: exportPolicy,
    sealer: runtime.sealer,
    guardedFetch: makeGuardedFetch({ allowedNetworks, allowedPorts, mayUseHttp: true }),
  });
}

/** Periodic aggregation and retention. */
function maintenanceOf({ config, db, log, clock }: RoleDeps): Service {
  const { runRetentionDays, retentionDays } = config;
  return makeMaintenance({
    db,
    log,
    clock,
    lock: lockStreams,
    runRetentionDays,
    others: [
      (tx, integrationId) => deleteOldOutcomes(tx, integrationId, clock(), retentionDays),
      (tx, integrationId) => deleteOldUnqueued(tx, integrationId, clock(), retentionDays),
      (tx, integrationId) => forgetEntries(tx, integrationId, clock(), retentionDays),
      (tx, integrationId) => forgetFailures(tx, integrationId, clock(), retentionDays),
      (tx, integrationId) => deleteOldRequired(tx, integrationId, new Date(clock() - retentionDays * dayMs)),
      (tx, integrationId) => forgetTests(tx, integrationId, clock(), retentionDays),
      forgetEndedSecret,
      (tx, integrationId) => forgetLogs(tx, integrationId, config),
      (tx, integrationId) => forgetHistory(tx, integrationId, clock(), alertPolicy),
      (tx, integrationId) => forgetUnrepaired(tx, integrationId, clock()),
      (tx, integrationId) => forgetWebhooks(tx, integrationId, clock()),
    ],
  });
}

/** Background tasks at the forge. Members are synced through the application only. */
function forgeTasks(
  { config, runtime, db, log, clock, listener, quotas, disk, sampleForge }: RoleDeps,
  record: ReturnType<typeof makeStoreFetchedEvents>,
  publish: (updates: readonly CommittedUpdate[]) => void,
): { services: Service[]; kinds: TaskKind[] } {
  const forges = makeForges({
    db,
    log,
    config,
    sealer: runtime.sealer,
    priority: 'background',
    sampleForgeUrl: sampleForge?.url,
  });
  const { application } = forges;
  const { publicUrl, forgeAppMemberRole: role, runRetentionDays } = config;
  const services =
    application === undefined
      ? []
      : [makeMemberSync({ db, api: makeForgeApi(application), log, listener, role })];
  const kinds = [
    ...forgeSyncTasks({
      db,
      clock,
      forges,
      record,
      webhookUrl: (integrationId) => webhookUrl(publicUrl, integrationId),
      readSecrets: (integrationId) =>
        readWebhookSecrets({ db, sealer: runtime.sealer, clock, log }, integrationId),
      runRetentionDays,
    }),
    ...readingTasks({
      forge: { db, forges },
      artifacts: { db, forges, receive: makeReceiveReport({ db, sealer: runtime.sealer, quotas, disk }) },
      logs: {
        db,
        sealer: runtime.sealer,
        forges,
        publish,
        recordTimeout: (...job) => recordTimeout({ db, log, record }, ...job),
      },
    }),
  ];
  return { services, kinds: kinds.map((kind) => forgeTaskKind({ db }, kind)) };
}

interface ReadingDeps {
  forge: ReadWaitingDeps;
  artifacts: ReadArtifactsDeps;
  logs: ReadLogsDeps;
}

/** The kinds that read through a connection. What artifacts and logs take of memory is limited by their places. */
function readingTasks({ forge, artifacts, logs }: ReadingDeps): ForgeTaskOptions[] {
  const shared = { outlivesLink: false, restsMs: 10 * minuteMs };
  const quick = { perIntegration: 1, longestMs: minuteMs };
  return [
    {
      ...shared,
      kind: 'forge-commits',
      permission: 'read Contents',
      places: quick,
      run: (task, turn) => readCommits(forge, task, turn),
    },
    {
      ...shared,
      kind: 'forge-checks',
      permission: 'read Contents',
      places: quick,
      run: (task, turn) => readRequiredChecks(forge, task, turn),
    },
    {
      ...shared,
      kind: 'forge-artifacts',
      permission: 'read Actions',
      places: { quickPlaces: 4, slowPlaces: 4, perIntegration: 1, longestMs: 3 * minuteMs },
      run: (task, turn) => readArtifacts(artifacts, task, turn),
    },
    {
      ...shared,
      kind: 'forge-logs',
      permission: 'read Actions',
      places: { ...quick, slowPlaces: 16 },
      run: (task, turn) => readLogs(logs, task, turn),
    },
  ];
}
