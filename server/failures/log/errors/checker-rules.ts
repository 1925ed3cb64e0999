import { ranks, type ErrorRule } from './rule.ts';

const { cause, place, hint, message } = ranks;

/** Linters and checkers of one language, scanners, deployment tools, and programs that run the tasks of a repository. */
export const checkerRules: readonly ErrorRule[] = [
  // esbuild and Angular
  {
    pattern: /^[✘✖X] \[ERROR\] (?!Could not resolve ")(?<message>\S.*)/,
    rank: place,
    alone: message,
    detail: /^((?<subject>\S+?):\d+:\d+):$/,
    join: ', ',
  },
  // svelte-check, Next.js: the file is on the line before.
  {
    pattern: /^Error: (?<message>\S.* \((?:ts|js|svelte|css)\))$/,
    rank: place,
    before: { pattern: /^(\S+\.\w+):\d+:\d+$/, is: 'subject' },
  },
  { pattern: /^\d{13} ERROR (?<message>"(?<subject>[^"]+)" \d+:\d+ .+)/, rank: place },
  {
    pattern: /^(?<message>(?:Type error|Module not found): \S.*)/,
    rank: place,
    before: { pattern: /^(\.\/\S+?\.\w+)(?::\d+:\d+)?$/, is: 'subject' },
  },
  // Deno, Elm, Elixir
  {
    pattern: /^(?:error: )?(?<message>TS\d+ \[ERROR\]: \S.*)/,
    rank: place,
    alone: message,
    detail: /^at ((?<subject>\S+?)(?::\d+){0,2})$/,
    join: ', ',
  },
  { pattern: /^-- [A-Z][A-Z ]+ -+ (?<subject>\S+\.elm)$/, rank: place, detail: /^.+/ },
  {
    pattern: /^\*\* \(\w+Error\) (?<message>(?:\S+ \S+ found on )?(?<subject>[\w./-]+\.exs?):.*)/,
    rank: place,
  },
  {
    pattern: /^\*\* \(Mix\) (?<message>mix format failed)\b.*/,
    rank: place,
    alone: hint,
    detail: /^\* (?<subject>\S+)$/,
  },
  {
    pattern: /^┃ \[[A-Z]\] \S (?<message>\S.*)/,
    rank: place,
    alone: hint,
    detail: /^┃ {2,20}((?<subject>\S+?\.exs?):\d+(?::\d+)?) #/,
    join: ', ',
  },
  // PHP_CodeSniffer
  {
    pattern: /^\d+ \| ERROR {0,5}\| (?:\[[x ]\] )?(?<message>\S.*)/,
    rank: place,
    before: { pattern: /^FILE: (\S.*)$/, is: 'subject' },
  },
  // SQLFluff, codespell, cspell, bandit, import-linter, buf, dependency-cruiser, commitlint
  {
    pattern: /^L: {1,6}\d+ \| P: {1,6}\d+ \| {1,6}(?<message>[A-Z]{2,5}\d* \| .+)/,
    rank: place,
    before: { pattern: /^== \[(.+)\] FAIL$/, is: 'subject' },
  },
  { pattern: /^(?<subject>[^\s:]+):\d+: (?<message>\S+ ==> \S.*)/, rank: place },
  {
    pattern: /^(?<message>(?<subject>[^\s:]+):\d+:\d+ - (?:Unknown|Forbidden|Misspelled) word .+)/,
    rank: place,
  },
  {
    pattern: /^>> Issue: (?<message>\[B\d+:.+)/,
    rank: place,
    alone: message,
    detail: /^Location: ((?<subject>\S+?):\d+:\d+)$/,
    join: ', ',
  },
  { pattern: /^(?<message>(?<subject>[\w.]+ is not allowed to import [\w.]+)):$/, rank: place },
  { pattern: /^(?<subject>[\w./@-]+\.proto):\d+:\d+: ?(?!warning)\S.*/, rank: place },
  { pattern: /^error (?<message>(?<subject>[\w-]+: \S+) → ?.*)/, rank: place },
  { pattern: /^✖ {3}(?<message>\S.* \[(?<subject>[a-z]+(?:-[a-z]+)+)\])$/, rank: place },
  // knip
  {
    pattern: /^(?<message>(?:Unused|Unlisted|Unresolved|Duplicate) [a-z ]{1,40}) \(\d+\)$/i,
    rank: place,
    alone: hint,
    detail: /^((?<subject>\S+).*)/,
  },
  // ansible-lint: the rule is on the line before.
  {
    pattern: /^(?<subject>[\w./-]+\.ya?ml):\d+(?::\d+| Task\/Handler: .+)$/,
    rank: place,
    before: { pattern: /^[a-z][\w-]{0,60}(?:\[[\w-]+\])?: \S.*/, is: 'detail' },
  },
  // Trivy, npm audit, Checkov, lychee
  {
    pattern: /^(?<message>(?<subject>[\w@./:-]+ +│ (?:CVE|GHSA|AVD|DS|KSV)-?[\w-]+)) +│/,
    rank: place,
  },
  {
    pattern: /^(?<message>(?<subject>\S.{0,200}) - https:\/\/github\.com\/advisories\/GHSA[\w-]+)$/,
    rank: place,
  },
  {
    pattern: /^FAILED for resource: (?<subject>\S+)/,
    rank: cause,
    before: { pattern: /^Check: (\w+): /, is: 'file' },
  },
  { pattern: /^\[(?:\d{3}|ERROR|TIMEOUT)\] (?<subject>(?:https?|file):\/\/\S+) \| \S.*/, rank: place },
  // Helm, kubectl
  {
    pattern:
      /^Error: (?:[A-Z]+ FAILED: )?(?<message>(?:execution error at \(|YAML parse error on |template: |resource )(?<subject>[^\s:)]+).*)/,
    rank: place,
  },
  {
    pattern:
      /^(?:error: (?=deployment|daemon ?set|stateful ?set)|Error from server(?: \(\w+\))?: )(?<message>.{0,100}?(?<subject>[\w.-]+ "[^"]{1,200}").*)/,
    rank: place,
  },
  {
    pattern: /^error: (?<message>timed out waiting for the condition on (?<subject>\S+))$/,
    rank: place,
  },
  // dbt
  {
    pattern:
      /^(?:\d\d:\d\d:\d\d {1,4})?(?<message>(?:Failure|(?:\w+ )?Error) in (?<subject>\w+ \S+ \(\S+\)))$/,
    rank: cause,
    detail: /^(?:\d\d:\d\d:\d\d {1,8})?((?!\d\d:\d\d:\d\d$)\S.*)/,
  },
  // The configuration cache of Gradle
  {
    pattern:
      /^- (?<message>(?<subject>(?:Task|Class|Script) `[^`]+`|(?:Build|Settings|Script) file '[^']+'|Plugin '[^']+').*: .+)/,
    rank: place,
  },
  // Programs that run tasks. What a task prints says more.
  {
    pattern:
      /^(?:#\d+ )?(?:ERROR: )?(?:failed to (?:build|solve): ){0,2}(?<message>process "(?:\/bin\/sh -c )?(?<subject>[^"]+)" did not complete successfully)/,
    rank: hint,
  },
  { pattern: /^Failed: {1,8}(?<subject>@?[\w./-]+#[\w:.-]+)/, rank: hint },
  { pattern: /^(?<message>Failed tasks):$/, rank: hint, detail: /^- (?<subject>\S+:\S+)$/ },
  { pattern: /^nox > (?<message>Session (?<subject>\S+) failed)\b/, rank: hint },
  { pattern: /^(?<message>(?<subject>[\w.-]+): exit -?\d+) \([\d.]+ seconds\)/, rank: hint },
  { pattern: /^(?<subject>\S.{0,78}?)\.{3,}Failed$/, rank: hint },
];
