import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailureLog } from '../read-failure-log.ts';
import type { FailureAnnotation } from '../failed-job.ts';

/** What the log of a step with these lines tells at GitHub, which annotates failed commands. */
async function faultOf(lines: readonly string[], annotations: readonly FailureAnnotation[] = []) {
  const log = [
    '##[group]Run make',
    'make',
    '##[endgroup]',
    ...lines,
    '##[error]Process completed with exit code 1.',
  ];
  const bytes = async function* () {
    yield Buffer.from(log.map((line) => `2026-11-20T10:00:01.1234567Z ${line}`).join('\n'));
  };
  return (await readFailureLog(bytes(), { steps: [], annotations })).infrastructure;
}

const annotation = (message: string, path = '.github'): FailureAnnotation => ({
  level: 'failure',
  title: null,
  message,
  path,
});

const sentences = {
  runner_lost: [
    'The self-hosted runner: build-7 lost communication with the server. Verify the machine is running.',
    'The runner has received a shutdown signal. This can happen when the runner service is stopped.',
    'The hosted runner encountered an error while running your job. (Error Type: Disconnect).',
    'Received request to deprovision: The request was cancelled by the remote provider.',
  ],
  no_runner: [
    'The job was not acquired by Runner of type hosted even after multiple attempts',
    'This request was automatically failed because there were no enabled runners online to process the request for more than 1 days.',
  ],
  payment: [
    'The job was not started because recent account payments have failed or your spending limit needs to be increased.',
    'The job was not started because your account is locked due to a billing issue.',
    'The job was not started because an Actions budget is preventing further use.',
  ],
  action_download: [
    "Failed to download action 'https://api.github.com/repos/actions/cache/tarball/0c45773'. Error: Response status code does not indicate success: 429 (Too Many Requests).",
  ],
  timeout: [
    'The job running on runner GitHub Actions 3 has exceeded the maximum execution time of 360 minutes.',
    "The action 'Run tests' has timed out after 10 minutes.",
  ],
  disk_full: ['System.IO.IOException: No space left on device : /opt/runner/_diag'],
};

test('a sentence of the forge names the fault, also after a failed test', async () => {
  for (const [fault, messages] of Object.entries(sentences))
    for (const message of messages) {
      assert.equal(await faultOf([], [annotation(message)]), fault, message);
      assert.equal(await faultOf(['--- FAIL: TestAdd (0.00s)', `##[error]${message}`]), fault, message);
    }
});

/** As the tools print them. */
const failures = {
  disk_full: [
    ['ENOSPC: no space left on device, write'],
    ['There is not enough space on the disk.'],
    [
      "cc1plus: fatal error: error writing to '/tmp/ccA1b2.s': No space left on device",
      'make: *** [Makefile:7: a.o] Error 1',
    ],
    ['ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'],
  ],
  rate_limit: [
    [
      'toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit',
    ],
    [
      'Error response from daemon: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
      '##[warning]Docker pull failed with exit code 1, back off 9.9 seconds before retry.',
      '##[error]Docker pull failed with exit code 1',
    ],
    [
      '#2 ERROR: failed to copy: httpReadSeeker: failed open: unexpected status code https://images.example.com/v2/library/node/manifests/sha256:3f5: 429 Too Many Requests',
      'ERROR: failed to build: failed to solve: node:22: failed to resolve source metadata for images.example.com/library/node:22: failed to copy: httpReadSeeker: failed open: unexpected status code https://images.example.com/v2/library/node/manifests/sha256:3f5: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit.',
    ],
    [
      'ERROR: failed to solve: failed to push images.example.com/acme/shop:1: unexpected status from POST request to https://images.example.com/v2/acme/shop/blobs/uploads/: 429 Too Many Requests',
    ],
    [
      'An error occurred (ThrottlingException) when calling the GetAuthorizationToken operation (reached max retries: 4): Rate exceeded',
    ],
    [
      'Error: initializing source docker://postgres:17: reading manifest 17 in images.example.com/library/postgres: toomanyrequests: You have reached your pull rate limit.',
    ],
    ['npm error code E429', 'npm error 429 Too Many Requests - GET https://packages.example.com/react'],
    [' ERR_PNPM_FETCH_429  GET https://packages.example.com/react: Too Many Requests - 429'],
    [
      '##[error]API rate limit exceeded for 20.57.71.30. (But here is the good news: Authenticated requests get a higher rate limit.)',
    ],
  ],
  registry: [
    ['npm error code E503', 'npm error 503 Service Unavailable - GET https://packages.example.com/left-pad'],
    ['Error response from daemon: received unexpected HTTP status: 502 Bad Gateway'],
    [
      'E: Failed to fetch http://azure.archive.ubuntu.com/ubuntu/pool/main/c/curl/curl_8.5.0_amd64.deb  503  Service Unavailable [IP: 52.252.75.106 80]',
      'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
    ],
    [
      'E: Failed to fetch http://deb.debian.org/debian/dists/trixie/main/binary-amd64/Packages.xz  Hash Sum mismatch',
    ],
    ['ERROR: HTTP error 503 while getting https://packages.example.com/packages/a1/requests-2.32.0.whl'],
    [
      'error: Failed to fetch: `https://packages.example.com/simple/requests/`',
      '  Caused by: HTTP status server error (503 Service Unavailable) for url (https://packages.example.com/simple/requests/)',
    ],
    [
      '[ERROR] Failed to execute goal on project shop: Could not resolve dependencies for project a:shop:jar:1: Failed to collect dependencies: Could not transfer artifact org.slf4j:slf4j-api:pom:2.0.9 from/to central (https://packages.example.com/maven2): status code: 503, reason phrase: Service Unavailable (503) -> [Help 1]',
    ],
    [
      '> Could not resolve com.google.guava:guava:33.0.0-jre.',
      "   > Could not get resource 'https://packages.example.com/maven2/com/google/guava/guava/33.0.0-jre/guava-33.0.0-jre.pom'.",
      "      > Could not GET 'https://packages.example.com/maven2/com/google/guava/guava/33.0.0-jre/guava-33.0.0-jre.pom'. Received status code 502 from server: Bad Gateway",
    ],
    ["fatal: unable to access 'https://github.com/acme/shop/': The requested URL returned error: 503"],
    [
      'error: failed to get successful HTTP response from `https://packages.example.com/crates/serde/1.0.2/download` (151.101.2.137), got 503',
    ],
  ],
  network: [
    [
      'npm error code EAI_AGAIN',
      'npm error syscall getaddrinfo',
      'npm error request to https://packages.example.com/react failed, reason: getaddrinfo EAI_AGAIN packages.example.com',
    ],
    ['npm error code ECONNRESET', 'npm error network read ECONNRESET'],
    ['Error response from daemon: Get "https://images.example.com/v2/": net/http: TLS handshake timeout'],
    [
      'Error response from daemon: Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 127.0.0.53:53: no such host',
    ],
    [
      'Error response from daemon: Head "https://images.example.com/v2/acme/shop/manifests/1": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    ],
    [
      'main.go:4:2: github.com/google/uuid@v1.6.0: Get "https://packages.example.com/github.com/google/uuid/@v/v1.6.0.zip": dial tcp: lookup packages.example.com: i/o timeout',
    ],
    [
      'go: github.com/google/uuid@v1.6.0: Get "https://packages.example.com/github.com/google/uuid/@v/v1.6.0.mod": net/http: TLS handshake timeout',
    ],
    [
      "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f1>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/requests/",
      'ERROR: Could not find a version that satisfies the requirement requests (from versions: none)',
      'ERROR: No matching distribution found for requests',
    ],
    [
      "W: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/noble/InRelease  Temporary failure resolving 'archive.ubuntu.com'",
      'E: Unable to locate package jq',
    ],
    ["fatal: unable to access 'https://github.com/acme/shop/': Could not resolve host: github.com"],
    [
      'ssh: connect to host github.com port 22: Connection timed out',
      'fatal: Could not read from remote repository.',
    ],
    ['curl: (6) Could not resolve host: raw.githubusercontent.com'],
    ['curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to nodejs.org:443'],
    [
      '/src/shop.csproj : error NU1301: Unable to load the service index for source https://packages.example.com/v3/index.json. Connection timed out',
    ],
    [
      'error: failed to download from `https://packages.example.com/se/rd/serde`',
      'Caused by:',
      '  [28] Timeout was reached (Connection timed out after 30001 milliseconds)',
    ],
  ],
};

for (const [fault, logs] of Object.entries(failures))
  test(`words of a tool name the fault: ${fault}`, async () => {
    for (const log of logs) assert.equal(await faultOf(log), fault, log.join('\n'));
  });

test('the output of a test that mentions such words is about the code', async () => {
  const limit = 'toomanyrequests: You have reached your pull rate limit.';
  const logs = [
    [
      '  ● client › retries after a limit',
      '',
      '    expect(received).toBe(expected)',
      `    Expected: "${limit}"`,
      '    Received: "ok"',
    ],
    ['  ● disk › reports a full disk', '', '    Error: ENOSPC: no space left on device, write'],
    [`FAILED tests/test_pull.py::test_limit - AssertionError: assert '${limit}' == 'ok'`],
    ['--- FAIL: TestPull (0.00s)', `    pull_test.go:12: ${limit}`, 'FAIL'],
    [
      "thread 'pull::limit' panicked at src/pull.rs:3:5:",
      `${limit}`,
      'test result: FAILED. 0 passed; 1 failed',
    ],
    ['  1) client', '       retries:', `     Error: ${limit}`],
    ['com.acme.PullTest > limit() FAILED', `    java.io.IOException: No space left on device`],
    [
      ' FAIL  src/pull.test.ts > retries',
      `Error: npm error 503 Service Unavailable - GET https://packages.example.com/x`,
    ],
    [`AssertionError: expected '${limit}' to equal 'ok'`],
    [`Error: got "${limit}", want "ok"`],
    [
      "src/pull.ts(3,7): error TS2322: Type '\"429 Too Many Requests from images.example.com\"' is not assignable to type 'number'.",
    ],
    ['The runner of the race has received a shutdown signal'],
    ['--- FAIL: TestRunner (0.00s)', '    run_test.go:3: want The runner has received a shutdown signal'],
  ];
  for (const log of logs) assert.equal(await faultOf(log), null, log.join('\n'));
  for (const [message, path] of [
    [limit, 'src/pull.test.ts'],
    ['The runner has received a shutdown signal.', 'src/runner.test.ts'],
  ] as const)
    assert.equal(await faultOf([], [annotation(message, path)]), null, message);
  const titled = { ...annotation(`Error: ${limit}`), title: 'client › retries' };
  assert.equal(await faultOf([], [titled]), null);
});

test('an answer that the code can cause is no fault of the machine', async () => {
  for (const log of [
    ['Error: ENOSPC: System limit for number of file watchers reached'],
    ['Test timed out after 5000 ms'],
    ['npm error 404 Not Found - GET https://packages.example.com/error-503 - Not found'],
    ['npm error code ECONNREFUSED', 'npm error connect ECONNREFUSED 127.0.0.1:4873'],
    ['Error response from daemon: manifest for node:99 not found: manifest unknown: manifest unknown'],
    [
      'Error response from daemon: pull access denied for acme/shop, repository does not exist or may require docker login',
    ],
    [
      'ERROR: failed to solve: reg.invalid/x: failed to do request: Head "https://reg.invalid/v2/x": dial tcp: lookup reg.invalid on 127.0.0.53:53: no such host',
    ],
    ['curl: (6) Could not resolve host: shop.staging.example.com'],
    ['curl: (22) The requested URL returned error: 503'],
    ['curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused'],
    ['Error: connect ECONNREFUSED 127.0.0.1:5432'],
    [
      "WARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError(...): Read timed out.': /simple/requests/",
      'ERROR: Could not find a version that satisfies the requirement requests==99 (from versions: 2.31.0, 2.32.0)',
    ],
    ['npm warn network read ECONNRESET', 'npm error Missing script: "biuld"'],
    [
      'E: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/main/c/curl/curl_1.deb  404  Not Found [IP: 91.189.91.82 80]',
    ],
    [`${'x'.repeat(1_000)} no space left on device`],
  ])
    assert.equal(await faultOf(log), null, log.join('\n'));
});

test('the first sentence of the forge decides', async () => {
  const messages = [
    'Tests fail',
    'The runner has received a shutdown signal.',
    'ENOSPC: no space left on device',
  ];
  assert.equal(
    await faultOf(
      [],
      messages.map((message) => annotation(message)),
    ),
    'runner_lost',
  );
});
