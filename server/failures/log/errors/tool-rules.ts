import { ranks, type ErrorRule } from './rule.ts';

const { cause, hint, summary, message } = ranks;

/** Compilers, package managers and other tools. */
export const toolRules: readonly ErrorRule[] = [
  // npm and pnpm
  {
    pattern:
      /^npm (?:ERR!|error) (?:Lifecycle script|Exit status|Failed at the|Test failed|command failed|code \d+$|@?[^\s@]+@\S+ \S+: `)/,
    rank: summary,
  },
  {
    pattern:
      /^npm (?:ERR!|error) (?:gyp ERR! (?:build error|not ok)|(?:notsup|peer|node_modules|Found:|Could not resolve|Fix the|to accept|this command|Conflicting|or run|Or run))/,
    rank: hint,
  },
  { pattern: /^npm (?:ERR!|error) .+/, rank: cause },
  {
    pattern: /^\[?ERR_PNPM_RECURSIVE_(?:RUN|EXEC)_FIRST_FAIL\b|^ELIFECYCLE\b|^ERR_PNPM_LIFECYCLE\b/,
    rank: summary,
  },
  { pattern: /^\[?ERR_PNPM_\w+\]? .+/, rank: cause },
  // TypeScript, C#, MSBuild, NuGet
  { pattern: /^.*\(\d+,\d+\): (?:fatal )?error [A-Z]{2,}\d+: .+/, rank: cause },
  { pattern: /^(\S+:\d+:\d+ - error TS\d+: .+)/, rank: cause },
  { pattern: /^\S.*: error [A-Z]{2,}\d+: .+/, rank: cause },
  { pattern: /^error (?:TS|NU|MSB|NETSDK|CS)\d+: .+/, rank: cause },
  // ESLint: the name of the file is on a line before.
  {
    pattern: /^\d+:\d+\s+error\s{1,8}(\S.*)/,
    rank: cause,
    before: { pattern: /^[\w./@:\\-]+\.\w{1,6}$/, is: 'subject' },
  },
  // gcc, clang, javac, mypy, Kotlin, ruff, flake8
  { pattern: /^[^\s:]+\.\w+:\d+(?::\d+)?: (?:fatal )?error:? .+/i, rank: cause },
  { pattern: /^e: (file:\/\/\S+:\d+:\d+ .+)/, rank: cause },
  { pattern: /^[\w./-]+\.\w+:\d+:\d+:? [A-Z]{1,5}\d{2,5} .+/, rank: cause },
  // Go
  // What a test prints. Its result follows.
  { pattern: /^[\w./-]+_test\.go:\d+: .+/, rank: hint },
  { pattern: /^(?:\.{1,2}\/)?[\w./-]+\.go:\d+(?::\d+)?: .+/, rank: cause },
  {
    pattern:
      /^go: (?!downloading|finding|found|added|upgraded|downgraded|extracting|warning|creating|to add|updates? to).+/,
    rank: cause,
  },
  // Cargo
  {
    pattern:
      /^error: (?:could not compile|test failed|aborting due to|\d+ targets? failed|process didn't exit)/,
    rank: summary,
  },
  { pattern: /^(error(?:\[E\d+\])?: .+)/, rank: message, detail: /^--> (\S+)/, join: ', ' },
  // Gradle
  { pattern: /^> Task \S+ FAILED$/, rank: summary },
  { pattern: /^Execution failed for task .+/, rank: summary },
  {
    pattern: /^> (?:There were failing tests|Compilation (?:failed|error)|Process 'command .+ finished with)/,
    rank: summary,
  },
  {
    pattern:
      /^> (?:Could not resolve (?:all|com|org)|A failure occurred while|Task|Configure|Run with|Transform|Building)/,
    rank: hint,
  },
  {
    pattern:
      /^> ((?:Could not|Cannot|No |Failed|Unable|Unsupported|Plugin|Duplicate|Unknown|The |\w+Exception|java\.).+)/,
    rank: message,
  },
  { pattern: /^(?:A problem occurred (?:evaluating|configuring)|Plugin \[id: ).+/, rank: hint },
  // Maven
  { pattern: /^\[ERROR\] (\/[^\s:]+:\[\d+,\d+\] .+)/, rank: cause },
  {
    pattern:
      /^\[ERROR\] Failed to execute goal .*(?:test failures|Compilation failure|There was a timeout|exit value|non-zero exit)/i,
    rank: summary,
  },
  { pattern: /^\[(?:ERROR|FATAL)\] (\S.+)/, rank: message },
  // Docker
  {
    pattern:
      /^(?:buildx failed with: )?(?:ERROR:|error:)?\s*(?:failed to (?:build|solve).*|process ".*)did not complete successfully/i,
    rank: summary,
  },
  { pattern: /^(?:buildx failed with: )?ERROR: (failed to (?:build|solve).+)/, rank: cause },
  {
    pattern:
      /^(?:docker: )?(Error response from daemon: .+|Cannot connect to the Docker daemon.+|toomanyrequests: .+|denied: .+|unauthorized: .+)/,
    rank: cause,
  },
  { pattern: /^dependency failed to start: .+/, rank: cause },
  // Terraform
  { pattern: /^Error: Terraform (?:exited with code|encountered problems)/, rank: summary },
  { pattern: /^(Error: .+)/, rank: message, detail: /^(on \S+ line \d+)/, join: ', ' },
  // make, shells, common programs
  { pattern: /^make(?:\[\d+\])?: \*\*\* No rule to make target .+/, rank: cause },
  { pattern: /^make(?:\[\d+\])?: \*\*\* /, rank: summary },
  {
    pattern:
      /^(?:Command failed|Command .{1,200} (?:failed|exited)|.{0,200}exit(?:ed)? (?:with )?(?:code|status):? \d+|exit status \d+|exitcode '\d+')/i,
    rank: summary,
  },
  {
    pattern: /^(?:ERROR|error):? (?:script|command|task|recipe|job) .{1,200}(?:failed|exited)/i,
    rank: summary,
  },
  {
    pattern:
      /^\S.{0,200}: (?:command not found|not found|No such file or directory|Permission denied|Is a directory|No space left on device)$/,
    rank: message,
  },
  {
    pattern:
      /^(?:curl: \(\d+\)|wget: |E: |fatal: |remote: (?:error|fatal|Permission)|! \[rejected\]|CMake Error|ld: |collect2: |ImportError|SyntaxError)\s*.+/,
    rank: message,
  },
  {
    pattern:
      /^(?:Segmentation fault|Killed$|Out of memory|FATAL ERROR: |Bus error|Illegal instruction|Aborted \(core|.{0,80}JavaScript heap out of memory)/,
    rank: message,
  },
  { pattern: /^\[warn\] (Code style issues .+)/, rank: message },
  // Others
  {
    pattern:
      /^(?:Uncaught |Unhandled |Caused by: |Exception in thread "[^"]{0,80}" |\[)?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)\b\]?(?: \[\w+\])?: ?.+/,
    rank: message,
  },
  {
    pattern:
      /^(?:[a-z][\w.-]{0,30}: )?(?:\[?(?:error|fatal|panic|critical)\]?)(?: [A-Z]\w{1,20})?(?::|!| -) ?.+/i,
    rank: message,
  },
  { pattern: /^(?:ERROR|FATAL|CRITICAL)\b.+/, rank: message },
  { pattern: /^(?:ERR!|ERR_\w+).+/, rank: message },
  { pattern: /^(?:❌|✖|✗|⛔|🚨)\s*(?!Failure - )(.+)/u, rank: hint },
  {
    pattern:
      /\b(?:failed|failure|fatal|denied|not found|cannot|could not|unable to|timed out|unexpected|invalid|refused)\b/i,
    rank: hint,
  },
];
