import { stableNumber } from '../random.ts';

/** What a sample job prints when it fails, as the tool prints it. */
export interface SampleFailure {
  lines: readonly string[];
  annotation?: { path: string; line: number; message: string };
  /** Failures of the infrastructure are gone in the next attempt, faults in the code are not. */
  passesOnRerun?: boolean;
}

const typeError: SampleFailure = {
  lines: [
    '> tsc --build',
    '',
    "src/orders/total.ts(41,23): error TS2339: Property 'amount' does not exist on type 'LineItem'.",
  ],
  annotation: {
    path: 'src/orders/total.ts',
    line: 41,
    message: "error TS2339: Property 'amount' does not exist on type 'LineItem'.",
  },
};

const lintError: SampleFailure = {
  lines: [
    '> eslint .',
    '',
    '/home/ci/_work/app/src/orders/total.ts',
    "  12:7  error  'discount' is assigned a value but never used  @typescript-eslint/no-unused-vars",
    '',
    '✖ 1 problem (1 error, 0 warnings)',
  ],
};

const vitest: SampleFailure = {
  lines: [
    '> vitest run',
    '',
    ' ✓ src/orders/parse.test.ts (14 tests) 61ms',
    ' ❯ src/orders/total.test.ts (9 tests | 1 failed) 48ms',
    '',
    ' FAIL  src/orders/total.test.ts > total > rounds the amount once, at the end',
    'AssertionError: expected 10.02 to be 10.01 // Object.is equality',
    '',
    '- Expected',
    '+ Received',
    '',
    '- 10.01',
    '+ 10.02',
    '',
    ' ❯ src/orders/total.test.ts:27:24',
  ],
  annotation: {
    path: 'src/orders/total.test.ts',
    line: 27,
    message: 'AssertionError: expected 10.02 to be 10.01 // Object.is equality',
  },
};

const pytest: SampleFailure = {
  lines: [
    '$ pytest -q',
    '........................F...........                                     [100%]',
    '=================================== FAILURES ===================================',
    '____________________________ test_imports_empty_batch ____________________________',
    '',
    '    def test_imports_empty_batch():',
    '>       assert load_batch([]) == []',
    "E       TypeError: 'NoneType' object is not iterable",
    '',
    'tests/test_import.py:58: TypeError',
    '=========================== short test summary info ============================',
    "FAILED tests/test_import.py::test_imports_empty_batch - TypeError: 'NoneType' object is not iterable",
    '1 failed, 35 passed in 4.12s',
  ],
};

const goTest: SampleFailure = {
  lines: [
    '$ go test ./...',
    'ok  	example.test/billing/ledger	0.412s',
    '--- FAIL: TestInvoiceTotal (0.00s)',
    '    invoice_test.go:73: total of the invoice = 1002, want 1001',
    'FAIL',
    'FAIL	example.test/billing/invoice	0.027s',
    'FAIL',
  ],
};

const browserTimeout: SampleFailure = {
  lines: [
    '  1) [browser] › sign-in.spec.ts:18:3 › a member signs in ───────────────',
    '',
    '    Error: locator.click: Timeout 30000ms exceeded.',
    "    Call log: waiting for getByRole('button', { name: 'Continue' })",
    '',
    '  1 failed, 23 passed (1.4m)',
  ],
  passesOnRerun: true,
};

const pullLimit: SampleFailure = {
  lines: [
    '$ docker pull postgres:18-alpine',
    'Error response from daemon: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
  ],
  passesOnRerun: true,
};

const networkError: SampleFailure = {
  lines: [
    '$ npm ci',
    'npm error code ECONNRESET',
    'npm error network request to https://npm.example.com/undici failed, reason: read ECONNRESET',
  ],
  passesOnRerun: true,
};

/** A failure that the forge itself reports. */
const reported = (message: string): SampleFailure => ({
  lines: [`##[error]${message}`],
  annotation: { path: '.github', line: 1, message },
  passesOnRerun: true,
});

const runnerLost = reported(
  'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection.',
);

const timeout = reported('The job has exceeded the maximum execution time of 10m0s');

const coverage: SampleFailure = {
  lines: [
    '> vitest run --coverage',
    'ERROR: Coverage for lines (78.42%) does not meet global threshold (80%)',
  ],
};

const ofStep: Readonly<Record<string, SampleFailure>> = {
  Build: typeError,
  'Build package': typeError,
  'Check types': typeError,
  'Merge reports': coverage,
  'Check threshold': coverage,
  'Check format': lintError,
  'Run linter': lintError,
  'Run long tests': pytest,
  'Run scenarios': browserTimeout,
  'Install browsers': networkError,
  'Start services': pullLimit,
  'Build image': pullLimit,
  'Push image': pullLimit,
  'Restore snapshot': pullLimit,
  Plan: runnerLost,
  Apply: runnerLost,
  'Check health': runnerLost,
};

export type TestTool = 'vitest' | 'pytest' | 'go' | 'browser';

const unitTests: readonly { tool: TestTool; failure: SampleFailure }[] = [
  { tool: 'vitest', failure: vitest },
  { tool: 'pytest', failure: pytest },
  { tool: 'go', failure: goTest },
];

const unitTestsOf = (repository: string) => unitTests[stableNumber(repository, 0, unitTests.length)]!;

/** The tool whose tests a step runs. Undefined for other steps. */
export function toolOfStep(repository: string, step: string): TestTool | undefined {
  if (step === 'Run scenarios') return 'browser';
  if (step === 'Run long tests') return 'pytest';
  return step.endsWith('tests') ? unitTestsOf(repository).tool : undefined;
}

/** The same step of a repository always fails for the same reason, so that its failures form a group. */
export function failureOf(repository: string, step: string | undefined, conclusion: unknown): SampleFailure {
  if (conclusion === 'timed_out') return timeout;
  const known = step === undefined ? undefined : ofStep[step];
  if (known !== undefined) return known;
  const isTest = step?.endsWith('tests') === true;
  return isTest ? unitTestsOf(repository).failure : networkError;
}
