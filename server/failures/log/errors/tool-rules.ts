import { ranks, type ErrorRule } from './rule.ts';

const { cause, place, hint, summary, message } = ranks;

/** Compilers, linters, package managers and other tools. */
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
  { pattern: /^npm (?:ERR!|error) Missing script: "(?<subject>[^"]+)"/, rank: place },
  {
    pattern: /^npm (?:ERR!|error) notarget No matching version found for (?<subject>@?[^\s@]+)@/,
    rank: place,
  },
  { pattern: /^npm (?:ERR!|error) 404 Not Found - [A-Z]{3,4} \S+\/(?<subject>[^\s/]+)/, rank: place },
  { pattern: /^npm (?:ERR!|error) .+/, rank: place },
  {
    pattern: /^\[?ERR_PNPM_RECURSIVE_(?:RUN|EXEC)_FIRST_FAIL\b|^ELIFECYCLE\b|^ERR_PNPM_LIFECYCLE\b/,
    rank: summary,
  },
  { pattern: /^\[?ERR_PNPM_\w+\]? .+/, rank: place },
  // TypeScript, C#, MSBuild, NuGet
  { pattern: /^(?<subject>[^()]+)\(\d+(?:,\d+)?\): (?:fatal )?error [A-Z]{1,}\d+: .+/, rank: place },
  { pattern: /^(?<message>(?<subject>\S+):\d+:\d+ - error TS\d+: .+)/, rank: place },
  { pattern: /^(?<subject>\S[^:]*?) ?: error [A-Z]{2,}\d+: .+/, rank: place },
  { pattern: /^error (?:TS|NU|MSB|NETSDK|CS)\d+: .+/, rank: place },
  // ESLint, yamllint, stylelint: the name of the file is on a line before.
  {
    pattern: /^\d+:\d+\s+(?:error\s{1,8}|✖\s{1,8}|\[error\]\s{1,8})(?<message>\S.*)/,
    rank: place,
    before: { pattern: /^[\w./@:\\ +-]+\.\w{1,8}$/, is: 'subject' },
  },
  // Biome
  {
    pattern: /^(?<message>(?<subject>\S+\.\w{1,8})(?::\d+:\d+)? [\w/]+)(?: {1,3}FIXABLE)? {1,3}━+$/,
    rank: place,
    detail: /^[✖×✘!] (.+)/,
  },
  // Prettier, black, isort, gofmt, rustfmt
  { pattern: /^\[(?:warn|error)\] (?<subject>\S+\.\w{1,8})(?:: .+)?$/, rank: place },
  { pattern: /^\[warn\] (?<message>Code style issues .+)/, rank: message },
  { pattern: /^would reformat:? (?<subject>\S+)$/i, rank: place },
  {
    pattern: /^(?<message>unformatted: .+)/,
    rank: place,
    alone: hint,
    detail: /^--> ((?<subject>\S+?)(?::\d+){0,2})$/,
    join: ', ',
  },
  { pattern: /^ERROR: (?<subject>\S+\.py) Imports are incorrectly sorted/, rank: place },
  { pattern: /^Diff in (?<subject>\S+?)(?: at line |:)\d+:?$/, rank: place },
  // Linkers
  { pattern: /^(?:\S+: )?.*\bundefined reference to [`'](?<subject>[^']+)'/, rank: cause },
  { pattern: /^(?:\S+: )?.*\bmultiple definition of [`'](?<subject>[^']+)'/, rank: cause },
  {
    pattern:
      /^\S*ld(?:\.\w+)?: (?:error: )?(?:cannot find|library not found for|unable to find library) (?<subject>\S+)/,
    rank: cause,
  },
  { pattern: /^\S*ld(?:\.\w+)?: error: (?:undefined|duplicate) symbol: (?<subject>\S.*)/, rank: cause },
  { pattern: /^"(?<subject>[^"]+)", referenced from:/, rank: cause },
  // gcc, clang, javac, mypy, Kotlin, ruff, flake8, pylint, golangci-lint
  { pattern: /^(?<subject>[^\s:]+\.\w+):\d+(?::\d+)?(?::| -) (?:fatal )?error:? .+/i, rank: place },
  // RuboCop, Psalm, PHPStan, detekt, Checkstyle, golangci-lint in a job, Helm
  { pattern: /^(?<subject>[\w./@+-]+\.\w+):\d+:\d+: [CWEFR]: .+/, rank: place },
  { pattern: /^ERROR: (?<message>\w+ - (?<subject>\S+\.php):\d+:\d+ - .+)/, rank: place },
  { pattern: /^Line\s{2,20}(?<subject>\S+\.php)\b.*$/, rank: place, detail: /^\d+\s+(\S.*)/ },
  { pattern: /^(?<message>\w+ - .{0,200}\] at (?<subject>\S+?\.kts?):\d+:\d+)$/, rank: place },
  { pattern: /^\[ERROR\] (?<message>(?<subject>[\w./@+-]+\.\w{1,10}):\d+(?::\d+)?: .+)/, rank: place },
  { pattern: /^Error: (?<message>(?<subject>[\w./@+-]+\.\w{1,10}):\d+:\d+: .+)/, rank: place },
  { pattern: /^\[ERROR\] (?<message>\S+: parse error at \((?<subject>[^:)]+):\d+\).*)/, rank: place },
  // Scala and Bazel
  {
    pattern: /^\[error\] (?<message>(?:-- .{0,100}: )?(?<subject>\/[^\s:]+\.\w+):\d+:\d+(?:: .*)?)$/,
    rank: place,
  },
  { pattern: /^ERROR: (?<message>(?<subject>\/[^\s:]+\/BUILD(?:\.bazel)?):\d+:\d+: .+)/, rank: place },
  { pattern: /^e: (?<message>(?<subject>file:\/\/\S+?):\d+:\d+ .+)/, rank: place },
  { pattern: /^(?<subject>[\w./@+-]+):\d+(?::\d+)?:? \[?[A-Z]{1,5}\d{2,5}\]?:? .+/, rank: place },
  { pattern: /^(?<subject>\S+\.(?:md|markdown)):\d+(?::\d+)? (?:error )?MD\d+\S* .+/, rank: place },
  {
    pattern: /^(?<message>[A-Z]{1,5}\d{2,5} (?:\[[*-]\] )?\S.*)$/,
    rank: place,
    alone: hint,
    // cfn-lint writes no arrow.
    detail: /^(?:--> |(?=\S+:\d+:\d+$))((?<subject>\S+?)(?::\d+){0,2})$/,
    join: ', ',
  },
  { pattern: /^In (?<subject>\S+) line \d+:$/, rank: place, alone: hint, detail: /^\^-+\^? (SC\d+.+)/ },
  { pattern: /^(?<subject>\.?[\w./-]+\.ya?ml):\d+:\d+: .+ \[[\w-]+\]$/, rank: place },
  // Go
  // What a test prints. Its result follows.
  { pattern: /^(?<subject>[\w./-]+_test\.go):\d+: .+/, rank: hint },
  { pattern: /^(?:vet: )?(?<subject>(?:\.{1,2}\/)?[\w./-]+\.go):\d+(?::\d+)?: .+/, rank: place },
  {
    pattern:
      /^go: (?!downloading|finding|found|added|upgraded|downgraded|extracting|warning|creating|to add|updates? to)(?:module )?(?:(?<subject>[\w.-]+\.\w+\/[\w./-]+).+|.+)/,
    rank: place,
  },
  // pip, uv, Yarn, Vite and other bundlers
  {
    pattern:
      /^ERROR: (?<message>(?:Could not find a version that satisfies the requirement|No matching distribution found for) (?<subject>[\w.-]+)[^(]*)/,
    rank: place,
  },
  { pattern: /^╰─▶ (?<message>Because (?:only )?(?<subject>[\w.-]+).*)/, rank: place },
  { pattern: /^➤ YN(?!0000)\d{4}: [│└┌] (?<message>(?<subject>@?[^\s@]+)@\S+?: .+)/, rank: place },
  {
    pattern:
      /^(?:\[\w+\]:? |[✘✖] \[ERROR\] )?(?<message>(?:Rollup failed to resolve import|Could not resolve) "(?<subject>[^"]+)".*)/,
    rank: place,
  },
  // Ansible
  {
    pattern: /^(?:fatal|failed): \[[^\]]+\].{0,200}(?:FAILED|UNREACHABLE)! ?=> ?(?<message>.+)/,
    rank: cause,
    before: { pattern: /^(?:TASK|RUNNING HANDLER) \[(.+?)\] \*+$/, is: 'subject' },
  },
  // Cargo, zizmor, cargo-deny and others that print so
  {
    pattern:
      /^error: (?:could not compile|test failed|test run failed|aborting due to|\d+ targets? failed|process didn't exit)/,
    rank: summary,
  },
  {
    pattern: /^error(?:\[[\w:-]+\])?: .+/,
    rank: message,
    detail: /^(?:--> |┌─ )((?<subject>\S+?)(?::\d+){0,2})$/,
    join: ', ',
  },
  // Gradle
  { pattern: /^> Task (?<subject>\S+) FAILED$/, rank: summary },
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
  { pattern: /^> (?<message>Could not find (?<subject>[\w.-]+:[\w.-]+).*)/, rank: place },
  {
    pattern:
      /^> (?<message>(?:Could not|Cannot|No |Failed|Unable|Unsupported|Plugin|Duplicate|Unknown|The |\w+Exception|java\.).+)/,
    rank: message,
  },
  { pattern: /^(?:A problem occurred (?:evaluating|configuring)|Plugin \[id: ).+/, rank: hint },
  // Maven
  { pattern: /^\[ERROR\] (?<message>(?<subject>\/[^\s:]+):\[\d+,\d+\] .+)/, rank: place },
  {
    pattern:
      /^\[ERROR\] Failed to execute goal .*(?:test failures|Compilation failure|There was a timeout|exit value|non-zero exit)/i,
    rank: summary,
  },
  { pattern: /^\[(?:ERROR|FATAL)\] (?<message>\S.+)/, rank: message },
  // Docker
  {
    pattern:
      /^(?:buildx failed with: )?(?:ERROR:|error:)?\s*(?:failed to (?:build|solve).*|process ".*)did not complete successfully/i,
    rank: summary,
  },
  {
    pattern:
      /^(?:buildx failed with: )?ERROR: (?<message>failed to (?:build|solve): (?<subject>[\w./-]+(?::[\w.-]+)?): .+)/,
    rank: place,
  },
  { pattern: /^(?:buildx failed with: )?ERROR: (?<message>failed to (?:build|solve).+)/, rank: place },
  {
    pattern:
      /^(?:docker: )?(?<message>Error response from daemon: .+|Cannot connect to the Docker daemon.+|toomanyrequests: .+|denied: .+|unauthorized: .+)/,
    rank: place,
  },
  { pattern: /^dependency failed to start: container (?<subject>\S+) .+/, rank: place },
  // Terraform
  { pattern: /^Error: Terraform (?:exited with code|encountered problems)/, rank: summary },
  {
    pattern: /^Error: .+/,
    rank: message,
    // The address of the resource, else its file.
    detail: /^((?:with|on) (?<subject>[^\s,]+)(?: line \d+)?),/,
    join: ', ',
    // OCaml names the file before.
    before: { pattern: /^File "([^"]+)", lines? [\d-]+, characters/, is: 'subject' },
  },
  // CMake, make, shells, common programs
  { pattern: /^CMake Error at (?<subject>[\w./-]+):\d+ .+/, rank: place, detail: /^.+/ },
  { pattern: /^make(?:\[\d+\])?: \*\*\* No rule to make target [`'](?<subject>[^']+)'.+/, rank: place },
  { pattern: /^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\s\]]+:\d+: )?(?<subject>[^\]]+)\]/, rank: summary },
  { pattern: /^g?make(?:\[\d+\])?: \*\*\* /, rank: summary },
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
    pattern: /^(?:\S.{0,200}: )?(?<subject>[\w.@+/-]+): (?:command not found|not found)$/,
    rank: message,
  },
  {
    pattern:
      /^\S.{0,200}: (?:command not found|not found|No such file or directory|Permission denied|Is a directory|No space left on device)$/,
    rank: message,
  },
  {
    pattern:
      /^(?:curl: \(\d+\)|wget: |E: |fatal: |remote: (?:error|fatal|Permission)|! \[rejected\]|CMake Error|ld: |ImportError|SyntaxError)\s*.+/,
    rank: message,
  },
  {
    pattern:
      /^(?:Segmentation fault|Killed$|Out of memory|FATAL ERROR: |Bus error|Illegal instruction|Aborted \(core|.{0,80}JavaScript heap out of memory)/,
    rank: message,
  },
  // Others
  {
    pattern: /^(?<subject>[\w./@+-]+\.[A-Za-z]\w{0,9}):\d+:\d+: (?!warning|note|info|debug|remark)\S.+/i,
    rank: message,
  },
  { pattern: /^ModuleNotFoundError: No module named '(?<subject>[^']+)'/, rank: message },
  { pattern: /^(?:Error: )?Cannot find (?:module|package) '(?<subject>[^']+)'.*/, rank: message },
  {
    pattern:
      /^(?:Uncaught |Unhandled |Caused by: |Exception in thread "[^"]{0,80}" |\[)?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)\b\]?(?: \[\w+\])?: ?.+/,
    rank: message,
  },
  {
    pattern:
      /^(?:[a-z][\w.-]{0,30}: )?(?:\[?(?:error|fatal|panic|critical(?! path))\]?)(?: [A-Z]\w{1,20})?(?::|!| -) ?.+/i,
    rank: message,
  },
  { pattern: /^(?:ERROR|FATAL|CRITICAL)\b.+/, rank: message },
  { pattern: /^(?:ERR!|ERR_\w+).+/, rank: message },
  { pattern: /^(?:❌|✖|✗|⛔|🚨)\s*(?!Failure - )(?<message>.+)/u, rank: hint },
  {
    pattern:
      /\b(?:failed|failure|fatal|denied|not found|cannot|could not|unable to|timed out|unexpected|invalid|refused)\b/i,
    rank: hint,
  },
];
