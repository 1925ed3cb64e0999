import { isUuid } from '#platform/database/scope.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { address } from '#platform/runtime/settings/setting-types.ts';
import { readCurrentSecret } from '#server/integrations/secrets/webhook-secret.ts';
import { findOwner } from '#server/members/find-owner.ts';
import { makeSampleTokens } from '#server/simulate/sample-forge/sample-tokens.ts';
import { startNoting } from '#server/simulate/sample-forge/note-samples.ts';
import { beginSamples } from '#server/sample-data/begin-samples.ts';
import { makeSampleProofs } from '#server/sample-data/sample-delivery.ts';
import type { SampleMark } from '#server/simulate/post/encode-event.ts';
import { runSimulate } from '#server/simulate/run-simulate.ts';
import { openRuntime } from '#server/runtime.ts';
import { findRunning } from '../running.ts';
import { numberOption, requiredText, UsageError, type Command, type OptionValues } from './command.ts';

export function simulateCommand(config: () => Config): Command {
  return {
    name: 'simulate',
    summary: 'post realistic, signed webhooks to an integration over HTTP',
    options: {
      integration: { type: 'string', value: 'ID', help: 'the integration (required)' },
      rate: { type: 'string', value: 'N', help: 'events a second (default 10)' },
      seconds: { type: 'string', value: 'N', help: 'duration (default 60)' },
      seed: { type: 'string', value: 'N', help: 'same seed, same events (default: the time)' },
      shuffle: { type: 'boolean', help: 'post events out of order' },
      duplicates: {
        type: 'string',
        value: 'P',
        help: 'share of deliveries posted twice, in percent (default 0)',
      },
      concurrency: { type: 'string', value: 'N', help: 'connections (default 16)' },
      secret: {
        type: 'string',
        value: 'S',
        help: "the webhook secret (default: read from this installation's database). At another server, or with --url, its data is not marked as sample data",
      },
      url: { type: 'string', value: 'U', help: 'base URL (default: the running server, else PUBLIC_URL)' },
    },
    run: async (values) => {
      const { integrationId, url, ...wishes } = readOptions(values);
      const settings = config();
      const running = await findRunning(settings.dataDir);
      const given = values['secret'];
      const own =
        typeof given !== 'string'
          ? await findOwn(settings, integrationId)
          : url === undefined && running !== undefined
            ? await tryOwn(settings, integrationId)
            : undefined;
      const isHere = url === undefined && wishes.rate <= maxNotedRate;
      const forgeUrl = isHere ? running?.sampleForgeUrl : undefined;
      const stop = new AbortController();
      const onSignal = (): void => stop.abort();
      process.once('SIGINT', onSignal);
      process.once('SIGTERM', onSignal);
      return runSimulate({
        ...wishes,
        integrationId,
        baseUrl: url ?? running?.localUrl ?? settings.publicUrl,
        secret: typeof given === 'string' ? given : (own?.secret ?? ''),
        mark: own?.mark,
        onEvent: own && forgeUrl ? await noteAt(forgeUrl, integrationId, own) : undefined,
        stdout: process.stdout,
        stderr: process.stderr,
        signal: stop.signal,
      });
    },
  };
}

function readOptions(values: OptionValues) {
  // Only the lower-case form of the ID is valid in the URL.
  const integrationId = requiredText(values, 'integration').toLowerCase();
  if (!isUuid(integrationId)) throw new UsageError('--integration takes the id of an integration');
  return {
    integrationId,
    url: baseUrlOption(values['url']),
    rate: numberOption(values, 'rate', { fallback: 10, max: 100_000 }),
    seconds: numberOption(values, 'seconds', { fallback: 60, max: 86_400 }),
    seed: numberOption(values, 'seed', { fallback: systemClock() % 2 ** 31, min: 0, max: 2 ** 32 }),
    shuffle: values['shuffle'] === true,
    duplicates: numberOption(values, 'duplicates', { fallback: 0, min: 0, max: 100 }) / 100,
    concurrency: numberOption(values, 'concurrency', { fallback: 16, max: 1000 }),
  };
}

function baseUrlOption(value: string | boolean | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return address('http:', 'https:')(value);
  } catch (error) {
    throw new UsageError(`--url takes ${(error as Error).message}`, { cause: error });
  }
}

/** What this installation knows about the integration. */
interface Own {
  secret: string;
  mark: SampleMark;
  ownerId: string | undefined;
  masterKeys: readonly [Buffer, ...Buffer[]];
}

/** The sample forge remembers the newest 500 runs, so its logs are of no use at higher rates. */
const maxNotedRate = 100;

/** Lets the sample forge of the running server know the events, so that failures have logs and can be re-run. */
async function noteAt(url: string, integrationId: string, { ownerId, masterKeys }: Own) {
  if (ownerId === undefined) return undefined;
  const token = makeSampleTokens(masterKeys).tokenOf(integrationId);
  try {
    return await startNoting({ url, token, actorId: ownerId });
  } catch (error) {
    process.stderr.write(`Failures have no logs: ${(error as Error).message}\n`);
    return undefined;
  }
}

/** With a given secret the marks of sample data are of use, but not needed. */
async function tryOwn(settings: Config, integrationId: string): Promise<Own | undefined> {
  try {
    return await findOwn(settings, integrationId);
  } catch (error) {
    process.stderr.write(`The events are not marked as sample data: ${(error as Error).message}\n`);
    return undefined;
  }
}

async function findOwn(settings: Config, integrationId: string): Promise<Own> {
  const log = makeLog(settings);
  const runtime = await openRuntime(settings, log);
  try {
    const db = runtime.open('forgewatch_api');
    const secret = await readCurrentSecret(
      { db, sealer: runtime.sealer, clock: systemClock, log },
      integrationId,
    );
    if (secret === undefined)
      throw new Error(
        `There is no integration ${integrationId}. Create one: forgewatch integration create --label "My team"`,
      );
    const { masterKeys } = runtime;
    const generation = await beginSamples(db, integrationId);
    const mark = { integrationId, generation, proofOf: makeSampleProofs(masterKeys).proofOf };
    return { secret, mark, ownerId: await findOwner(db, integrationId), masterKeys };
  } finally {
    await runtime.close();
  }
}
