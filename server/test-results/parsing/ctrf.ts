import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import {
  boundedMs,
  CaseCollector,
  UnreadableReport,
  type CaseOutcome,
  type ParsedReport,
} from './case-collector.ts';

const outcomes: ReadonlyMap<unknown, CaseOutcome> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['other', 'skipped'],
]);

/**
 * Reads the Common Test Report Format (https://ctrf.io). Durations are milliseconds.
 * @throws UnreadableReport for JSON of another kind.
 */
export function parseCtrf(text: string): ParsedReport {
  const found = new CaseCollector();
  const tests = fields(readJson(text, found)['results'])['tests'];
  if (!Array.isArray(tests))
    throw new UnreadableReport('The JSON has no list "results.tests", so it is not a CTRF report.');
  for (const each of tests) addCase(found, fields(each));
  return found.result('ctrf');
}

function addCase(found: CaseCollector, test: Fields): void {
  const outcome = outcomes.get(test['status']);
  if (outcome === undefined) return found.count('has an unknown status');
  const retries = Number.isSafeInteger(test['retries']) ? Math.max(0, Number(test['retries'])) : 0;
  found.add({
    className: suiteOf(test['suite']),
    name: text(test['name']) ?? '',
    file: text(test['filePath']),
    outcome,
    durationMs: boundedMs(test['duration']),
    retries: outcome === 'passed' && test['flaky'] === true ? Math.max(1, retries) : retries,
    message: text(test['message']),
    trace: text(test['trace']),
  });
}

const suiteOf = (value: unknown): string =>
  (Array.isArray(value) ? value.slice(0, 32) : [value]).flatMap((name) => text(name) ?? []).join(' > ');

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function readJson(report: string, found: CaseCollector): Fields {
  try {
    return fields(JSON.parse(report));
  } catch {
    const whole = wholePart(report);
    if (whole === undefined) throw new UnreadableReport('The JSON is not valid.');
    found.noteMissing('The file ends early. Cases after its end are missing.');
    return whole;
  }
}

/** The tests that a file contains completely before it ends: its text up to the last of them, with the open brackets closed. */
function wholePart(report: string): Fields | undefined {
  const open: string[] = [];
  let end = 0;
  let closing = '';
  let isString = false;
  for (let at = 0; at < report.length; at += 1) {
    const character = report[at];
    if (isString) {
      if (character === '\\') at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return undefined;
      // The end of a test: in the list of `results` of the report.
      if (open.join('') === '}}]') [end, closing] = [at + 1, open.toReversed().join('')];
    }
    if (open.length > 64) return undefined;
  }
  if (end === 0) return undefined;
  try {
    return fields(JSON.parse(report.slice(0, end) + closing));
  } catch {
    return undefined;
  }
}
