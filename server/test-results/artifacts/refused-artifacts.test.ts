import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report, startArtifactProduct } from '#test/support/forge/artifact-runs.ts';
import type { TestArtifact } from '#test/support/forge/forge-repositories.ts';
import { serve } from '#test/support/network/serve.ts';
import { passed } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const storage: { authorization: string | undefined; bytes: Buffer } = {
  authorization: undefined,
  bytes: Buffer.alloc(0),
};
const store = await serve(({ headers }, response) => {
  storage.authorization = headers.authorization ?? 'none';
  response.end(storage.bytes);
});
const { forge, product, newRepositoryTeam, runWith, complete, untilLookedAt, testsOf, droppedOf, downloads } =
  await startArtifactProduct({
    ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
    ALERT_ALLOWED_PORTS: `443,${store.port}`,
  });
const { database } = product;

test('a storage server that the forge redirects to gets no credential', async () => {
  const place = await newRepositoryTeam();
  storage.bytes = report(passed('adds'));
  const run = runWith(place.repository, [
    {
      name: 'junit',
      bytes: (_request, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${store.port}/signed` }).end(),
    },
  ]);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 1);
  assert.equal(storage.authorization, 'none');
});

const redirectTo =
  (location: string): TestArtifact['bytes'] =>
  (_request, response) =>
    response.writeHead(302, { location }).end();

const refused: readonly [string, Partial<TestArtifact>, string, RegExp][] = [
  ['that is no report', { bytes: Buffer.from('nothing') }, 'report_unreadable', /neither XML nor JSON/],
  [
    'that is a damaged archive',
    { bytes: report(passed('a')).subarray(0, 50) },
    'report_unreadable',
    /damaged/,
  ],
  [
    'of 10 GB, as the forge says',
    { said: { size_in_bytes: 10_000_000_000 } },
    'report_too_large',
    /artifact of their own/,
  ],
  [
    'that does not end',
    {
      bytes: (_request, response) => {
        const send = (): void => void (response.write(Buffer.alloc(1024 * 1024)) ? setImmediate(send) : 0);
        response.on('drain', send);
        response.on('error', () => {});
        send();
      },
    },
    'report_too_large',
    /30 MiB/,
  ],
  ['that has expired', { bytes: status(410) }, 'forge_refused', /410/],
  ['that is gone', { bytes: status(404) }, 'forge_refused', /404/],
  ['that may not be read', { bytes: status(403) }, 'forge_refused', /403/],
  [
    'behind a redirect to a private address',
    { bytes: redirectTo('https://169.254.169.254/latest/meta-data') },
    'forge_address_refused',
    /private address/,
  ],
];

test('each artifact that cannot be read has an entry once a day, and changes nothing', async () => {
  const place = await newRepositoryTeam();
  const bad = refused.map(([name, artifact]) => ({ name: `junit ${name}`, ...artifact }));
  const first = runWith(place.repository, bad);
  await complete(place, first);
  await untilLookedAt(place.team, first.id);
  const second = runWith(place.repository, [
    ...bad.filter(({ name }) => !name.includes('does not end')),
    { name: 'junit-good' },
  ]);
  await complete(place, second);
  await untilLookedAt(place.team, second.id);
  const entries = await droppedOf(place.team);
  assert.deepEqual(
    entries.map(({ details }) => [details['artifact'], details['code'], details['runId']]).toSorted(),
    refused.map(([name, , code]) => [`junit ${name}`, code, first.id]).toSorted(),
  );
  for (const [name, , , words] of refused)
    assert.match(entries.find(({ details }) => details['artifact'] === `junit ${name}`)!.title, words);
  assert.equal((await testsOf(place.team, first.id)).reports.length, 0);
  assert.equal((await testsOf(place.team, second.id)).reports.length, 1);
});

function status(code: number): TestArtifact['bytes'] {
  return (_request, response) => response.writeHead(code).end('{}');
}

test('a list that the forge refuses has an entry, and is asked for once', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit' }]);
  forge.interfere = (call) => (call.includes(`/runs/${run.id}/artifacts`) ? { status: 403 } : undefined);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  forge.interfere = undefined;
  const [entry] = await droppedOf(place.team);
  assert.deepEqual([entry?.details['code'], entry?.details['artifact']], ['forge_refused', undefined]);
});

test('of more than fifty artifacts fifty are read, and the event log says so', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(
    place.repository,
    Array.from({ length: 120 }, (_, n) => ({ name: `junit-${n}`, bytes: report(passed(`test ${n}`)) })),
  );
  await complete(place, run);
  await waitUntil(
    'the artifacts to be looked at',
    async () => (await droppedOf(place.team)).length > 0,
    60_000,
  );
  assert.match((await droppedOf(place.team))[0]!.title, /120 artifacts whose names match. The first 50/);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 50);
});

test('a forge that is down is asked again, at most five times', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit', bytes: status(503) }]);
  const [{ id }] = place.repository.artifacts as [TestArtifact];
  await complete(place, run);
  await waitUntil('five tries', async () => {
    await database.asOwner(
      'update artifact_checks set due_at = now() where integration_id = $1 and due_at > now()',
      [place.team.integrationId],
    );
    await database.asOwner(
      `update tasks set due_at = now() where integration_id = $1 and kind = 'forge-artifacts' and leased_until is null`,
      [place.team.integrationId],
    );
    return (await droppedOf(place.team)).length > 0;
  });
  await untilLookedAt(place.team, run.id);
  assert.equal(downloads(id), 5);
  assert.equal((await droppedOf(place.team))[0]?.details['code'], 'forge_unavailable');
});

test('a rate limit is waited for', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit' }]);
  let refused = 0;
  forge.interfere = (call) => {
    if (!call.includes(`/runs/${run.id}/artifacts`) || refused > 0) return undefined;
    refused += 1;
    return { status: 429, headers: { 'retry-after': '1' } };
  };
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  forge.interfere = undefined;
  assert.equal(refused, 1);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 1);
});
