import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CreatedShareLink, Wall } from '#contract/integrations/wallboard.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { reportMemory } from './bench/flatness.ts';
import { openScreen, waitForNotice, waitUntilCurrent, type Look, type Screen } from './bench/wall-screen.ts';
import { makeEnds } from './ends.ts';
import { startTrial, type Trial } from './trial.ts';

/**
 * Shows the wallboard under live traffic and measures whether its memory grows: `npm run bench:wall [-- --minutes 60]`. After a third of
 * the time the server restarts, after two thirds the network of the screens is cut for a while. Exits with 1 when memory grows or a
 * screen does not show the present state at the end.
 */
const { values: flags } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '2' } },
});
const minutes = Number(flags.minutes);
/** One a minute, and enough for medians in a short run. */
const looks = Math.max(12, Math.round(minutes));
const everyMs = (minutes * 60_000) / looks;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

const ends = makeEnds();
try {
  const trial = await startTrial(ends);
  const { integrationId } = await trial.createIntegration('Wallboard');
  const simulate = (rate: string, seconds: number) =>
    trial.run('simulate', '--integration', integrationId, '--rate', rate, '--seconds', String(seconds));
  say('Filling the wallboard');
  await simulate('40', 30);
  const { screens, read } = await openScreens(trial, integrationId);
  // Posts that the restart refuses are repeated. A few may be lost.
  const traffic = simulate(flags.rate, Math.round(minutes * 60)).catch((error: Error) => say(error.message));
  const found = await watch(trial, screens);
  await traffic;
  for (const screen of screens) await waitUntilCurrent(screen, read);
  const verdicts = await Promise.all(screens.map((screen, index) => judge(screen, found[index] ?? [])));
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
} finally {
  await ends.endDownTo(0);
}

/** One screen with the session of a person and one with a share link. */
async function openScreens({ browser, publicUrl }: Trial, integrationId: string) {
  const viewport = { width: 1920, height: 1080 };
  const person = await browser.newPage({ viewport, locale: 'en-US' });
  await signInPage(person, publicUrl);
  const api = `${publicUrl}/api/integrations/${integrationId}`;
  const made = await person.request.post(`${api}/share-links`, {
    headers: { origin: publicUrl },
    data: { name: 'Office', filter: {} },
  });
  if (!made.ok()) throw new Error(`the share link was not created: ${made.status()}`);
  const { url } = (await made.json()) as CreatedShareLink;
  const guest = await browser.newPage({ viewport, locale: 'en-US' });
  const screens = [
    await openScreen('signed in', person, `${publicUrl}/wall/${integrationId}`),
    await openScreen('share link', guest, url),
  ];
  // Undefined while the session is being refreshed.
  const read = async (): Promise<Wall | undefined> => {
    const answer = await person.request.get(`${api}/wallboard`);
    return answer.ok() ? ((await answer.json()) as Wall) : undefined;
  };
  return { screens, read };
}

/** The looks at each screen. */
async function watch(trial: Trial, screens: readonly Screen[]): Promise<Look[][]> {
  const found: Look[][] = screens.map(() => []);
  const startedAt = performance.now();
  for (let count = 1; count <= looks; count += 1) {
    await delay(Math.max(0, startedAt + count * everyMs - performance.now()));
    for (const [index, screen] of screens.entries()) found[index]?.push(await screen.look());
    say(`${count}/${looks} ${found.map((own) => describe(own.at(-1))).join('; ')}`);
    if (count === Math.round(looks / 3)) await restart(trial, screens);
    if (count === Math.round((looks * 2) / 3)) await cut(screens);
  }
  return found;
}

function describe(look: Look | undefined): string {
  const { heapBytes = 0, nodes = 0, tiles = [] } = look ?? {};
  return `${kib(heapBytes)} KiB, ${nodes} nodes, ${tiles.length} tiles`;
}

async function restart(trial: Trial, screens: readonly Screen[]): Promise<void> {
  await trial.restart(async () => {
    for (const screen of screens) await waitForNotice(screen, true);
  });
  for (const screen of screens) await waitForNotice(screen, false);
  say('The server restarted, and all screens show new data');
}

async function cut(screens: readonly Screen[]): Promise<void> {
  for (const { page } of screens) await page.context().setOffline(true);
  for (const screen of screens) await waitForNotice(screen, true);
  await delay(everyMs / 2);
  for (const { page } of screens) await page.context().setOffline(false);
  for (const screen of screens) await waitForNotice(screen, false);
  say('The network was cut, and all screens show new data');
}

/** Prints one line for each figure. True when all are met. */
async function judge(screen: Screen, all: readonly Look[]): Promise<boolean> {
  const isFlat = reportMemory(screen.name, all, everyMs);
  const changed = all.filter(({ tiles }, index) => String(tiles) !== String(all[index - 1]?.tiles)).length;
  const isFirst = await screen.isFirstLoad();
  process.stdout.write(
    `${screen.name}: ${changed} of ${all.length} looks showed something new; ${isFirst ? 'never' : 'WAS'} reloaded\n`,
  );
  return isFlat && isFirst && changed > all.length / 2;
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
