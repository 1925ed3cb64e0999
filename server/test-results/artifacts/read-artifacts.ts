import { matchesGlob } from '#contract/alerts/glob.ts';
import { backOffMs } from '#contract/base/back-off.ts';
import { isNeverStarted } from '#contract/runs/conclusions.ts';
import { readAtMost, ResponseTooLarge } from '#platform/http/outgoing/bounded-fetch.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { hourMs, minuteMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { explainFailure } from '#server/forges/explain-failure.ts';
import type { ReadWaitingDeps } from '#server/forge-tasks/read-waiting.ts';
import type { Connection } from '#server/forge-tasks/task-kind.ts';
import { RateLimited, refusalOf } from '#server/forges/errors.ts';
import type { Forge, ForgeArtifact } from '#server/forges/port.ts';
import { linkGroups } from '#server/failures/storing/store-reasons.ts';
import { idAtForge } from '#server/runs/objects/forge-ids.ts';
import { TurnEnded, type Turn } from '#server/tasks/task.ts';
import type { ArtifactsOfAttempt, ReceiveReport } from '../arrival/receive-report.ts';
import { RepeatedResults } from '../parsing/parse-artifact.ts';
import { reportLimits, reportName } from '../parsing/case-collector.ts';
import {
  insertChecks,
  listDueChecks,
  nextCheckInMs,
  noteArtifact,
  noteProblem,
  rescheduleCheck,
  type AttemptToCheck,
  type DueCheck,
} from './check-store.ts';

export interface ReadArtifactsDeps extends ReadWaitingDeps {
  receive: ReceiveReport;
}

interface CompletedRun extends AttemptToCheck {
  status: string;
  conclusion: string | null;
  completedAt: number | null;
}

/** Of runs that ended longer ago, as the history lists them, no artifact is read. */
const oldestMs = 6 * hourMs;

/** Notes completed attempts in the transaction that stores them. The query is not awaited. */
export function noteAttempts(tx: Tx, runs: readonly CompletedRun[], now = Date.now()): void {
  const completed = runs.filter(
    ({ status, conclusion, completedAt }) =>
      status === 'completed' && !isNeverStarted(conclusion) && (completedAt ?? now) > now - oldestMs,
  );
  if (completed.length > 0) void sentAhead(insertChecks(tx, completed));
}

const checksAtOnce = 20;
const mostTries = 5;
const backOff = { leastMs: 10_000, firstMs: 20_000, longestMs: 10 * minuteMs };
/** Of one attempt. */
const mostArtifacts = 50;
/** A report is text, so that its archive is smaller than its limit. */
const mostBytes = reportLimits.unpackedBytes;

/** Why something was not read. */
interface Refusal {
  code: string;
  detail: string;
  /** Undefined when it concerns all artifacts of the attempt. */
  artifact?: string;
}

/** Reads the reports in artifacts of attempts, through one connection. Returns the delay until the next turn; undefined for none. */
export async function readArtifacts(
  deps: ReadArtifactsDeps,
  { integrationId, installationId }: Connection,
  turn: Turn,
): Promise<number | undefined> {
  const { db, forges } = deps;
  const scope = { integrationId };
  const due = await db.withScope(scope, (tx) =>
    listDueChecks(tx, integrationId, installationId, checksAtOnce),
  );
  if (due.length > 0) {
    const forge = await forges.ofConnection(integrationId, installationId);
    for (const check of due) {
      await readOne({ ...deps, integrationId, forge, turn }, check);
      if (turn.isLong()) return 0;
    }
  }
  const nextMs = await db.withScope(scope, (tx) => nextCheckInMs(tx, integrationId, installationId));
  return nextMs === null || nextMs === undefined ? undefined : Math.max(0, nextMs);
}

interface Reading extends ReadArtifactsDeps {
  integrationId: string;
  forge: Forge;
  turn: Turn;
}

/** @throws what concerns all attempts of the connection: a rate limit, or a forge that fails or does not answer */
async function readOne(reading: Reading, check: DueCheck): Promise<void> {
  const { db, integrationId, turn } = reading;
  const scope = { integrationId };
  try {
    const isDone = check.hasUploads || (await readAttempt(reading, check));
    if (isDone)
      await db.withScope(scope, async (tx) => {
        await linkGroups(tx, integrationId, check);
        await rescheduleCheck(tx, integrationId, check, null);
      });
  } catch (error) {
    if (error instanceof RateLimited || isInterrupted(turn)) throw error;
    const isLast = check.tries + 1 >= mostTries;
    const refusal = refusalFrom(error) ?? { code: 'forge_unavailable', detail: 'The forge did not answer.' };
    await db.withScope(scope, async (tx) => {
      await rescheduleCheck(tx, integrationId, check, isLast ? null : backOffMs(backOff, check.tries));
      if (isLast) await tellRefusal(tx, integrationId, check, refusal);
    });
    // The product itself has no room or no time. It says nothing about the forge.
    if (!(error instanceof AppError)) throw error;
  }
}

function isInterrupted({ signal: { aborted, reason } }: Turn): boolean {
  return aborted && !(reason instanceof TurnEnded && reason.reason === 'too-long');
}

/** False when artifacts are left for another turn. */
async function readAttempt(reading: Reading, check: DueCheck): Promise<boolean> {
  const { db, integrationId, forge, turn } = reading;
  const listed = await unlessRefused(() => forge.listArtifacts(check.repository, check.runId));
  if ('code' in listed) {
    await db.withScope({ integrationId }, (tx) => tellRefusal(tx, integrationId, check, listed));
    return true;
  }
  const chosen = listed.filter((artifact) => belongsTo(artifact, check));
  const unread = chosen
    .slice(0, mostArtifacts)
    .filter(({ id }) => !check.readIds.includes(id))
    // Parts are made before what is merged from them.
    .toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt) || a.id - b.id);
  const artifacts = { knownResults: check.knownResults };
  for (const [n, artifact] of unread.entries()) {
    // Each turn reads one at least.
    if (n > 0 && turn.isLong()) return false;
    const refusal = await unlessRefused(() => readArtifact(reading, check, artifact, artifacts));
    turn.signal.throwIfAborted();
    await db.withScope({ integrationId }, async (tx) => {
      await noteArtifact(tx, integrationId, check, artifact.id, artifacts);
      if ('code' in refusal)
        await tellRefusal(tx, integrationId, check, { ...refusal, artifact: artifact.name });
    });
  }
  if (chosen.length > mostArtifacts) {
    const detail = `The attempt has ${chosen.length} artifacts whose names match. The first ${mostArtifacts} were read.`;
    await db.withScope({ integrationId }, (tx) =>
      tellRefusal(tx, integrationId, check, { code: 'report_too_large', detail }),
    );
  }
  return true;
}

/** GitHub keeps the artifacts of earlier attempts, and names no attempt. */
function belongsTo(
  { name, isExpired, createdAt, runId }: ForgeArtifact,
  check: Pick<DueCheck, 'runId' | 'attempt' | 'patterns' | 'startedAt' | 'endedAt'>,
): boolean {
  if (isExpired || (runId !== null && runId !== idAtForge(check.runId))) return false;
  if (!check.patterns.some((pattern) => matchesGlob(name, pattern, 'character'))) return false;
  if (createdAt === null) return check.endedAt === null;
  const isAfterStart = check.startedAt === null ? check.attempt === 1 : createdAt >= check.startedAt;
  return isAfterStart && (check.endedAt === null || createdAt < check.endedAt);
}

async function readArtifact(
  { integrationId, forge, receive }: Reading,
  { repository, runId, attempt }: DueCheck,
  { id, name, size }: ForgeArtifact,
  artifacts: ArtifactsOfAttempt,
): Promise<object> {
  if (size !== null && size > mostBytes) throw tooLarge();
  const bytes = await readAtMost(mostBytes, forge.readArtifact(repository, id), 'artifact:').catch(
    (error: unknown) => {
      throw error instanceof ResponseTooLarge ? tooLarge() : error;
    },
  );
  return receive(integrationId, { run: runId, attempt, job: name }, bytes, { artifacts }).catch(
    (error: unknown) => {
      if (error instanceof RepeatedResults) return {};
      throw error;
    },
  );
}

const tooLarge = (): AppError =>
  new AppError('report_too_large', {
    detail: `The artifact has more than ${mostBytes / 1024 / 1024} MiB. Upload the reports as an artifact of their own.`,
  });

/** What refuses this one object for good. */
async function unlessRefused<T extends object>(ask: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await ask();
  } catch (error) {
    const refusal = error instanceof RateLimited ? undefined : refusalFrom(error);
    if (refusal === undefined || passing.includes(refusal.code)) throw error;
    return refusal;
  }
}

/** Later the same call may succeed. */
const passing = ['forge_unavailable', 'storage_full', 'too_many_requests'];

function refusalFrom(error: unknown): Refusal | undefined {
  const explained = explainFailure(error, 'The forge refused the request: ');
  if (!(explained instanceof AppError)) return undefined;
  const { code, detail } = explained;
  const status = refusalOf(error);
  return status === undefined ? { code, detail } : { code, detail: `${detail} (${status})` };
}

/** Once a day for each repository, artifact and code: the next run has the same problem. */
async function tellRefusal(
  tx: Tx,
  integrationId: string,
  check: DueCheck,
  { code, detail, artifact }: Refusal,
): Promise<void> {
  const { runId, attempt, repository } = check;
  const name = artifact === undefined ? undefined : (reportName(artifact, 200) ?? '');
  if (!(await noteProblem(tx, integrationId, check, `${code} ${name ?? ''}`))) return;
  const what = name === undefined ? 'Artifacts' : `The artifact ${name}`;
  await addLogEntry(tx, {
    integrationId,
    type: 'test_report.dropped',
    severity: 'warning',
    title: `${what} of ${repository} could not be read for reports of tests: ${detail}`,
    details: { repository, runId, attempt, ...(name !== undefined && { artifact: name }), code },
  });
}
