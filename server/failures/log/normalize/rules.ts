/** Replaces a part of an error line that differs between runs with the same cause. The rules are applied in this order. */
export interface NormalizationRule {
  removes: string;
  pattern: RegExp;
  by: string;
}

/** Not inside a word or number. */
const start = '(?<![A-Za-z0-9])';
const pathEnd = String.raw`[^\s'"\x60<>|*?:,;()[\]{}]`;

/** `/home/runner/_work/name/name/` and what runners of other forges use. */
export const workspaceFolder =
  /(?:file:\/\/)?(?:[A-Za-z]:\/a|\/__w|(?:\/[\w.-]{1,60}){0,5}\/_?work|\/github\/workspace(?=\/)|\/workspace|\/builds)\/[\w.-]{1,100}\/[\w.-]{1,100}\//g;

export const normalizationRules: readonly NormalizationRule[] = [
  { removes: 'masked secrets', pattern: /\*{3,}/g, by: '<secret>' },
  { removes: 'path separators of Windows', pattern: /(?<=[\w.:])\\{1,2}(?=[\w.@-])/g, by: '/' },
  {
    removes: 'temporary paths',
    pattern: new RegExp(
      String.raw`(?:file://)?(?:${start}[A-Za-z]:)?(?:/private)?/(?:tmp|var/tmp|var/folders|Users/[\w.-]{1,40}/AppData/Local/Temp|home/[\w.-]{1,40}/_?work/_temp|__w/_temp)/${pathEnd}*`,
      'g',
    ),
    by: '<tmp>',
  },
  {
    removes: 'the folder of the workspace',
    pattern: workspaceFolder,
    by: '',
  },
  { removes: 'file URLs', pattern: /file:\/\//g, by: '' },
  {
    removes: 'suffixes of Kubernetes pods',
    pattern: /-[a-z0-9]{8,10}-[a-z0-9]{5}(?![a-z0-9-])/g,
    by: '-<id>',
  },
  {
    removes: 'UUIDs',
    pattern: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
    by: '<id>',
  },
  {
    removes: 'dates and times',
    pattern:
      /(?<![0-9])\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?|(?<![0-9:])\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?![0-9:])|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? \w{3,9} \d{1,2}[ \d:]{0,14}/g,
    by: '<time>',
  },
  { removes: 'content hashes', pattern: /sha(?:1|256|384|512)[-:][A-Za-z0-9+/=]{16,}/g, by: '<hash>' },
  {
    removes: 'host names and addresses in URLs',
    pattern: /(?<=:\/\/)(?:<secret>@)?(?:\[[0-9a-f:.]{2,45}\]|[\w.-]{1,255})(?::\d{1,5})?/gi,
    by: '<host>',
  },
  {
    removes: 'IP addresses with ports',
    pattern:
      /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.]*\w)|\[[0-9a-f]{0,4}:[0-9a-f:.]{1,40}\](?::\d{1,5})?/gi,
    by: '<host>',
  },
  {
    removes: 'host names',
    pattern:
      /(?<![\w./@-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}(?:com|net|org|internal|local|localdomain|lan|cluster|svc|intra|corp)(?::\d{1,5})?(?![\w./-]*\w)/gi,
    by: '<host>',
  },
  {
    removes: 'host names before a port',
    pattern: /(?<![\w./-])(?:localhost|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}):\d{4,5}(?!\d|:\d)/gi,
    by: '<host>',
  },
  {
    removes: 'host names after their words',
    pattern:
      /(?<=\b(?:ENOTFOUND|EAI_AGAIN|resolve host:?|lookup|host|hostname) )(?!not |is |was |key )["']?[a-z0-9][\w.-]{0,254}["']?/gi,
    by: '<host>',
  },
  {
    removes: 'durations',
    pattern:
      /(?<![\w.])(?:\d+(?:\.\d+)?\s?(?:ms|µs|μs|ns|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|milliseconds?)(?![A-Za-z])\s?){1,4}/gi,
    by: '<duration> ',
  },
  {
    removes: 'sizes',
    pattern: /(?<![\w.])\d+(?:\.\d+)?\s?(?:[KMGT]i?B|bytes?|B|[kMGT])(?![A-Za-z0-9])/g,
    by: '<size>',
  },
  { removes: 'memory addresses', pattern: /0x[0-9a-f]{1,16}/gi, by: '<hex>' },
  {
    removes: 'SHAs and other hexadecimal strings',
    pattern: /(?<![A-Za-z0-9])(?=[0-9a-f]{0,64}[0-9])(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{7,64}(?![A-Za-z0-9])/gi,
    by: '<hex>',
  },
  {
    removes: 'random ids',
    pattern:
      /(?<![A-Za-z0-9])(?=[A-Za-z]{0,40}[0-9][A-Za-z]{0,40}[0-9][A-Za-z]{0,40}[0-9])(?=[0-9]{0,40}[A-Za-z][0-9]{0,40}[A-Za-z])[A-Za-z0-9]{12,64}(?![A-Za-z0-9])/g,
    by: '<id>',
  },
  // Exit codes and HTTP statuses say what went wrong. A letter keeps them from the rule for numbers.
  {
    removes: 'nothing, but keeps exit codes and HTTP statuses',
    pattern:
      /((?:exit(?:ed)?(?: with)?(?: code| status|code)|status(?: code)?|HTTP(?:\/[\d.]{1,3})?|returned error|signal|errno)[ :='"]{1,3})(\d{1,3})(?!\d)/gi,
    by: '$1c$2',
  },
  // Codes of errors such as TS2322 and E0308 follow a letter.
  { removes: 'numbers', pattern: /(?<![A-Za-z0-9])[-+]?\d+(?:[.,:_]\d+)*/g, by: '#' },
  { removes: 'long numbers in names', pattern: /(?<=[A-Za-z])\d{6,}/g, by: '#' },
  { removes: 'repetitions', pattern: /#(?:[-.,:x/]#)+/g, by: '#' },
  { removes: 'spaces', pattern: /\s+/g, by: ' ' },
];

/** The error line without what differs between runs with the same cause. */
export function normalizeErrorLine(errorLine: string): string {
  return normalizationRules.reduce((line, { pattern, by }) => line.replace(pattern, by), errorLine).trim();
}
