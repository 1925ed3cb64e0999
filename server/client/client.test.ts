import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { jobPayload, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { productProgram } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { publicUrl, baseUrl } = product;
const team = await product.newTeam('Client');
const { token } = await personalToken(product, team.viewer, { scopes: ['read'] });
const directory = await makeTemporaryDirectory();

const env = { XDG_CONFIG_HOME: directory };
const run = (...args: string[]) => runCommand(args, env);
const post = (payload: object, event: 'workflow_run' | 'workflow_job' = 'workflow_run') =>
  postWebhook(baseUrl, team, { event, payload });

async function runWithInput(input: string, ...args: string[]) {
  const child = spawn(process.execPath, [productProgram, ...args], { env: { ...process.env, ...env } });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed: printed.join('') };
}

test('without a login every command says how to log in', async () => {
  for (const args of [['runs'], ['why', '1'], ['watch']]) {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, stderr.trim()], [1, 'You are not logged in. Run: forgewatch login --url URL']);
  }
});

test('login checks the token and stores it for its owner only', async () => {
  const wrong = await runWithInput(`${token}x\n`, 'login', '--url', publicUrl);
  assert.equal(wrong.code, 1);
  assert.match(wrong.printed, /The API token is not valid/);
  const other = await runWithInput('ghp_x\n', 'login', '--url', publicUrl);
  assert.deepEqual([other.code, /begins with fw_/.test(other.printed)], [2, true]);
  const { code, printed } = await runWithInput(`${token}\n`, 'login', '--url', `${publicUrl}/`);
  assert.equal(code, 0, printed);
  assert.match(printed, new RegExp(`${team.integrationId} +Client +viewer`));
  assert.equal(printed.includes(token), false);
  const file = path.join(directory, 'forgewatch/credentials.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('runs lists the runs that match, as a table or as JSON, without escape sequences of names', async () => {
  await post(runPayload({ id: 71, head_branch: 'evil\u001b[31m', name: 'Deploy' }));
  await post(runPayload({ id: 72, head_branch: 'main', name: 'Test' }));
  await waitUntil('both runs to be listed', async () => (await run('runs')).stdout.split('\n').length === 3);
  const { stdout } = await run('runs', '--workflow', 'Deploy');
  assert.match(stdout, /^queued|in_progress|completed/);
  assert.match(stdout, / 71 /);
  assert.doesNotMatch(stdout, / 72 /);
  assert.equal(stdout.includes('\u001b'), false);
  const lines = (await run('runs', '--json', '--branch', 'main')).stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { runId: number }).runId),
    [72],
  );
  const wrong = await run('runs', '--limit', '0');
  assert.equal(wrong.code, 2);
});

test('home says what is red and how each integration is', async () => {
  const payload = { status: 'completed', conclusion: 'failure', head_branch: 'main', name: 'Nightly' };
  await post(runPayload({ id: 75, ...payload, created_at: new Date().toISOString() }));
  const { stdout } = await waitUntil('the red workflow', async () => {
    const answer = await run('home');
    return answer.stdout.includes('Nightly') && answer;
  });
  assert.match(stdout, /Red default branches\n +Nightly +acme\/site +main/);
  assert.match(stdout, /Client +1 of 1 red/);
  const { red } = JSON.parse((await run('home', '--json')).stdout) as { red: unknown[] };
  assert.equal(red.length, 1);
});

test('health says how long the default branch is red', async () => {
  const updated_at = new Date(Date.now() - 3_600_000).toISOString();
  const failed = { status: 'completed', conclusion: 'failure', head_branch: 'main', name: 'Weekly' };
  await post(runPayload({ id: 76, ...failed, created_at: updated_at, updated_at }));
  await waitUntil('the failure', async () => (await run('health')).stdout.includes('Weekly'));
  const { stdout } = await run('health', '--days', '7');
  assert.match(stdout, /^Time red .*% of the time/);
  assert.match(stdout, /red now .* acme\/site +Weekly +76$/m);
  const { main } = JSON.parse((await run('health', '--json', '--branch', 'none')).stdout) as { main: object };
  assert.deepEqual({ ...main, redMs: null, count: 0 }, main);
});

test('queue says which labels have jobs that wait, how long, and which runners are busy', async () => {
  const created_at = new Date(Date.now() - 3_600_000).toISOString();
  const job = { run_id: 78, workflow_name: 'Nightly', labels: ['self-hosted', 'gpu'], created_at };
  const running = { ...job, status: 'in_progress', started_at: created_at, runner_id: 5, runner_name: 'big' };
  await post(jobPayload({ ...job, id: 781, name: 'train' }), 'workflow_job');
  await post(jobPayload({ ...running, id: 782, name: 'tune' }), 'workflow_job');
  await post(jobPayload({ ...job, id: 783, name: 'approve', status: 'waiting' }), 'workflow_job');
  await waitUntil('all three jobs', async () =>
    (await run('queue')).stdout.startsWith('1 waiting for a runner, 1 running, 1 busy runners, 1 held'),
  );
  const { stdout } = await run('queue', '--runner', 'gpu, self-hosted');
  assert.match(stdout, /^gpu, self-hosted +1 waiting +for 1h\S* .*1 running +usual wait not known$/m);
  assert.match(stdout, /^1h\S* .*train +acme\/site Nightly +gpu, self-hosted +78$/m);
  assert.doesNotMatch(stdout, /tune|approve/);
  const { runningJobs } = JSON.parse((await run('queue', '--json')).stdout) as {
    runningJobs: { name: string; runnerName: string }[];
  };
  assert.deepEqual(
    runningJobs.map(({ name, runnerName }) => [name, runnerName]),
    [['tune', 'big']],
  );
});

test('why names the failed job and step', async () => {
  await post(runPayload({ id: 81, status: 'completed', conclusion: 'failure' }));
  const steps = [
    { name: 'Checkout', number: 1, status: 'completed', conclusion: 'success' },
    { name: 'npm test', number: 2, status: 'completed', conclusion: 'failure' },
  ];
  const job = { id: 811, run_id: 81, name: 'unit', status: 'completed', conclusion: 'failure', steps };
  await post(jobPayload(job), 'workflow_job');
  await waitUntil('the job to be shown', async () => (await run('why', '81')).stdout.includes('unit'));
  const { stdout } = await run('why', '81');
  assert.match(stdout, /unit, step 2: npm test\n {2}\S/);
  assert.doesNotMatch(stdout, /Checkout/);
  const listed = async () => (await run('failures', '--q', 'npm test')).stdout;
  await waitUntil('the failure to be listed', async () => (await listed()).includes('npm test'));
  assert.match(await listed(), /^1× .* unit /);
  assert.equal((await run('failures', '--status', 'ignored')).stdout, '');
  assert.equal((await run('why', '999')).code, 1);
  assert.equal((await run('why')).code, 2);
});

test('pr says what the failed checks of a pull request mean', async () => {
  const head_sha = 'c'.repeat(40);
  const pull = pullRequestPayload(
    { number: 12, title: 'Round once', head: { ref: 'fix', sha: head_sha } },
    { number: 12 },
  );
  await postWebhook(baseUrl, team, { event: 'pull_request', payload: pull });
  await post(
    runPayload({
      id: 95,
      status: 'completed',
      conclusion: 'failure',
      head_branch: 'fix',
      head_sha,
      name: 'CI',
    }),
  );
  const { stdout } = await waitUntil('the pull request', async () => {
    const answer = await run('pr', '12');
    return answer.stdout.includes('Not known') && answer;
  });
  assert.match(
    stdout,
    /^#12 Round once\n.*\n1 check failed: not known\nRequired checks are not known\.\n\nChecks of ccccccc\nfailure +95 +CI /,
  );
  const { commits } = JSON.parse((await run('pr', '12', '--json')).stdout) as { commits: object[] };
  assert.equal(commits.length, 1);
  assert.deepEqual([(await run('pr', '99')).code, (await run('pr', 'x')).code], [1, 2]);
});

for (const [conclusion, expected] of [
  ['success', 0],
  ['failure', 1],
] as const) {
  test(`watch follows a commit live and exits with ${expected} on ${conclusion}`, async () => {
    const commit = `${conclusion === 'success' ? 'a' : 'b'}`.repeat(40);
    const id = conclusion === 'success' ? 91 : 92;
    const child = spawn(process.execPath, [productProgram, 'watch', '--commit', commit.slice(0, 12)], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const exited = once(child, 'exit') as Promise<[number | null]>;
    await post(runPayload({ id, head_sha: commit, status: 'in_progress', conclusion: null }));
    await waitUntil('the run to be printed', async () => printed.includes('in_progress'));
    await post(runPayload({ id, head_sha: commit, status: 'completed', conclusion }));
    assert.deepEqual(await exited, [expected, null]);
    assert.match(printed, new RegExp(`${conclusion} +${id}`));
  });
}

test('watch finds the runs of a commit behind a hundred newer ones', async () => {
  const commit = 'c0ffee1'.padEnd(40, '0');
  await post(runPayload({ id: 93, head_sha: commit, status: 'in_progress', conclusion: null }));
  await waitUntil('the run to be listed', async () => (await run('runs', '--q', commit)).stdout !== '');
  await product.database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, pull_requests, created_at)
     select $1, 1000 + n, 1, '', 'acme/site', 'queued', true, '{}', now() + interval '1 day' from generate_series(1, 100) n`,
    [team.integrationId],
  );
  const child = spawn(process.execPath, [productProgram, 'watch', '--commit', commit], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
  child.kill();
  assert.match(chunk.toString(), /in_progress +93 /);
});

test('a command ends without a message when nobody reads its output', async () => {
  const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [productProgram, 'completion', 'bash'], {
      env: { ...process.env, ...env },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.destroy();
    child.on('close', (ended) => resolve({ code: ended, stderr: said }));
  });
  assert.deepEqual({ code, stderr }, { code: 141, stderr: '' });
});

test('the variables of a script are used instead of the login', async () => {
  const other = await product.newTeam('Other');
  const own = await personalToken(product, other.owner, { integrationIds: [other.integrationId] });
  const both = { ...env, FORGEWATCH_URL: publicUrl, FORGEWATCH_TOKEN: own.token };
  assert.deepEqual(await runCommand(['runs'], both), { code: 0, stdout: '', stderr: '' });
  const half = await runCommand(['runs'], { ...env, FORGEWATCH_TOKEN: own.token });
  assert.match(half.stderr, /Set both FORGEWATCH_URL and FORGEWATCH_TOKEN/);
});

test('the completion of bash offers commands and options', async () => {
  const { stdout } = await run('completion', 'bash');
  const offers = async (...words: string[]): Promise<string[]> => {
    const script = `${stdout}\nCOMP_WORDS=(forgewatch ${words.join(' ')} "")\nCOMP_CWORD=${words.length + 1}\n_forgewatch\necho "\${COMPREPLY[@]}"`;
    return (await promisify(execFile)('bash', ['-c', script])).stdout.trim().split(' ');
  };
  const commands = await offers();
  for (const name of ['serve', 'runs', 'watch', 'token', 'completion'])
    assert.ok(commands.includes(name), name);
  assert.deepEqual(await offers('token'), ['create']);
  assert.ok((await offers('watch')).includes('--commit'));
  for (const shell of ['zsh', 'fish'])
    assert.match((await run('completion', shell)).stdout, /--?commit|-l commit/);
});
