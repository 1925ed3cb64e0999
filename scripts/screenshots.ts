import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeEnds } from './ends.ts';
import { fillWeeks } from './fill-weeks.ts';
import { makeCamera, newSession, type Session, type Shot } from './screenshots/camera.ts';
import { forgeAppPages } from './screenshots/forge-app-pages.ts';
import { takeGuidePictures } from './screenshots/guide-pictures.ts';
import {
  outerPages,
  samplePages,
  singleThings,
  viewerPages,
  webhookPages,
} from './screenshots/made-things.ts';
import { busyOverlays, openedPages } from './screenshots/overlays.ts';
import { integrationPages, loadingAndErrorPages, missingPages } from './screenshots/page-list.ts';
import { startTrial, type Trial } from './trial.ts';

/**
 * Takes screenshots of every page and state, at desktop and phone width, light, dark and with forced colours, empty and after two weeks of use, to check a
 * change of the web app. `npm run screenshots [-- FOLDER]`, by default in `dist/screenshots`. `--readme` also replaces those in the
 * README. `--guide` takes only those of the guides and replaces them. `--only rule,print` takes those whose name contains one of the
 * words.
 */
const { values, positionals } = parseArgs({
  options: {
    readme: { type: 'boolean', default: false },
    guide: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
const folder = path.resolve(positionals[0] ?? 'dist/screenshots');

const readmePictures = {
  runs: 'runs-busy-desktop-light',
  overview: 'overview-busy-desktop-light',
  metrics: 'metrics-busy-desktop-light',
  'runs-phone': 'runs-busy-phone-dark',
};

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

const ends = makeEnds();
try {
  const trial = await startTrial(ends);
  const session = await newSession(trial);
  if (values.guide) {
    await takeGuidePictures(trial, session, path.resolve('docs/images'));
  } else {
    await mkdir(folder, { recursive: true });
    await takePictures(trial, session);
    say(`Screenshots saved in ${folder}`);
  }
} finally {
  await ends.endDownTo(0);
}

async function takePictures(trial: Trial, session: Session): Promise<void> {
  const camera = makeCamera(trial, folder, values.only.split(','));
  const takeAll = async (shots: Shot[]): Promise<void> => {
    for (const shot of shots)
      await camera({ session, ...shot }).catch((error: unknown) => {
        say(`${shot.name} failed: ${String(error)}`);
        process.exitCode = 1;
      });
  };
  const quiet = `/integrations/${(await trial.createIntegration('Quiet')).integrationId}`;
  await takeAll(integrationPages(quiet, 'empty', false));

  const { integrationId } = await fillBusy(trial);
  const busy = `/integrations/${integrationId}`;
  await takeAll(integrationPages(busy, 'busy'));
  const single = await singleThings(trial, session, integrationId);
  await takeAll(single);
  const loaded = single.filter(({ name }) => name.endsWith('-busy'));
  await takeAll([...openedPages(busy, busyOverlays), ...missingPages(busy)]);
  await takeAll(loadingAndErrorPages(busy, loaded));
  await takeAll(forgeAppPages(integrationId));
  await takeAll(await webhookPages(trial, session, integrationId));
  await takeAll(await viewerPages(trial, session, integrationId));
  await takeAll(outerPages(session));
  await takeAll(await samplePages(trial, session));
  if (values.readme)
    for (const [name, picture] of Object.entries(readmePictures))
      await copyFile(path.join(folder, `${picture}.png`), path.resolve('docs/images', `${name}.png`));
}

/** An integration after two weeks, with one delivery that could not be processed. */
async function fillBusy(trial: Trial): Promise<{ integrationId: string }> {
  const busy = await trial.createIntegration('Storefront');
  say('Filling two weeks');
  await fillWeeks({ ...busy, baseUrl: trial.publicUrl });
  const target = { integrationId: busy.integrationId, webhookSecret: busy.secret };
  await postWebhook(trial.publicUrl, target, { event: 'workflow_run', payload: { action: 'completed' } });
  await waitUntil('the queue to be empty', () => isQueueEmpty(trial));
  return busy;
}

/** All accepted events are then processed and shown on the pages. */
async function isQueueEmpty({ publicUrl }: Trial): Promise<boolean> {
  const metrics = await readMetrics(publicUrl);
  return /^forgewatch_queue_ready 0$/m.test(metrics) && /^forgewatch_queue_in_flight 0$/m.test(metrics);
}
