import { Parser } from 'htmlparser2';
import {
  CaseCollector,
  reportLimits,
  secondsToMs,
  UnreadableReport,
  type ParsedReport,
} from './case-collector.ts';

/** Failed attempts in the form of Maven Surefire, which Gradle, cargo-nextest and Playwright write too. */
const flakyElements = new Set(['flakyfailure', 'flakyerror']);
const rerunElements = new Set(['rerunfailure', 'rerunerror']);
const failureElements = new Set(['failure', 'error']);

/** GoogleTest and its relatives mark disabled tests by an attribute alone. */
const notRun = new Set(['notrun', 'skipped', 'disabled', 'suppressed', 'ignored']);

interface OpenCase {
  attributes: Record<string, string>;
  failures: number;
  retries: number;
  isSkipped: boolean;
  message: string | null;
  type: string | null;
  trace: string;
  /** What the test printed. Some tools write the reason only there. */
  output: string;
}

/** What an open element's text is added to. */
type TextTarget = 'trace' | 'output' | null;

const maxText = reportLimits.traceLength * 2;

/**
 * Reads JUnit XML in all its dialects: suites that nest, several failures in one case, retries as elements. There is no
 * specification; https://github.com/testmoapp/junitxml lists the common parts. Totals in the headers are often wrong and are not
 * read. A file that ends early or is not well-formed gives what can be read.
 * @throws UnreadableReport for XML of another kind.
 */
export function parseJunit(text: string): ParsedReport {
  const reader = new JunitReader();
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true, lowerCaseTags: false });
  // In pieces, so that a file whose nesting is too deep ends at once.
  for (let at = 0; at < text.length && !reader.isOver; at += pieceLength)
    parser.write(text.slice(at, at + pieceLength));
  reader.isEnding = true;
  parser.end();
  return reader.result();
}

const pieceLength = 1 << 18;

class JunitReader {
  isOver = false;
  /** The parser closes open elements itself at the end of the file. */
  isEnding = false;
  readonly #found = new CaseCollector();
  /** Names of the open elements. */
  readonly #open: string[] = [];
  readonly #suites: { name: string | null; file: string | null }[] = [];
  #case: OpenCase | null = null;
  #textTarget: TextTarget = null;
  #isReport = false;
  #endsEarly = false;

  onopentag = (tag: string, attributes: Record<string, string>): void => {
    if (this.isOver) return;
    const name = localName(tag);
    this.#open.push(name);
    if (this.#open.length > reportLimits.depth) {
      this.#found.noteMissing(
        `Elements are nested deeper than ${reportLimits.depth}. The rest of the file was not read.`,
      );
      this.isOver = true;
      return;
    }
    if (name === 'testsuite' || name === 'testsuites') {
      this.#isReport = true;
      this.#suites.push({
        name: attributes['name'] ?? null,
        file: attributes['file'] ?? attributes['filepath'] ?? null,
      });
    } else if (name === 'testcase') {
      this.#isReport = true;
      this.#endCase();
      this.#case = {
        attributes,
        failures: 0,
        retries: 0,
        isSkipped: false,
        message: null,
        type: null,
        trace: '',
        output: '',
      };
    } else if (this.#case !== null) this.#openInCase(this.#case, name, attributes);
  };

  ontext = (text: string): void => {
    const [open, target] = [this.#case, this.#textTarget];
    if (open === null || target === null) return;
    const room = maxText - open[target].length;
    if (room > 0) open[target] += text.length > room ? text.slice(0, room) : text;
  };

  onclosetag = (tag: string, isImplied: boolean): void => {
    if (this.isOver) return;
    if (isImplied && this.isEnding) this.#endsEarly = true;
    const name = localName(tag);
    this.#open.pop();
    if (name === 'testcase') this.#endCase();
    else if (name === 'testsuite' || name === 'testsuites') this.#suites.pop();
    else this.#textTarget = null;
  };

  onend = (): void => {
    this.#endCase();
  };

  result(): ParsedReport {
    if (!this.#isReport)
      throw new UnreadableReport(
        'The XML has no element "testsuite" or "testcase", so it is not a JUnit report.',
      );
    if (this.#endsEarly) this.#found.noteMissing('The file ends early. Cases after its end are missing.');
    return this.#found.result('junit');
  }

  #openInCase(open: OpenCase, name: string, attributes: Record<string, string>): void {
    const isFailure = failureElements.has(name);
    const isRetry = flakyElements.has(name) || rerunElements.has(name);
    if (name === 'skipped') open.isSkipped = true;
    if (name === 'system-out' && open.output === '') this.#textTarget = 'output';
    if (isFailure) open.failures += 1;
    if (isRetry) open.retries += 1;
    if (!isFailure && !isRetry) return;
    // The first failure is the one to show; those after it repeat it or follow from it.
    const isFirst = open.message === null && open.trace === '';
    if (!isFirst) return;
    this.#textTarget = 'trace';
    open.type = attributes['type'] ?? null;
    open.message = attributes['message'] ?? null;
  }

  #endCase(): void {
    const open = this.#case;
    if (open === null) return;
    this.#case = null;
    this.#textTarget = null;
    const { attributes } = open;
    // What stands after the end of the file may be a failure.
    const isCut = this.isOver || this.#endsEarly;
    if (isCut && open.failures === 0 && !open.isSkipped)
      return this.#found.count('is cut by the end of the file');
    const suite = this.#suites.findLast(({ name }) => name !== null && name !== '');
    const isNotRun = notRun.has((attributes['status'] ?? attributes['result'] ?? '').toLowerCase());
    const isFailed = open.failures > 0;
    this.#found.add({
      className: attributes['classname'] ?? attributes['class'] ?? suite?.name ?? '',
      name: attributes['name'] ?? '',
      file:
        attributes['file'] ??
        attributes['filepath'] ??
        this.#suites.findLast(({ file }) => file !== null)?.file ??
        null,
      outcome: isFailed ? 'failed' : open.isSkipped || isNotRun ? 'skipped' : 'passed',
      durationMs: secondsToMs(attributes['time'] ?? attributes['duration']),
      retries: open.retries,
      message: messageOf(open, attributes['name']),
      trace: traceOf(open),
    });
  }
}

const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1).toLowerCase();

const saysNothing = /^(?:failed|failure|error|test failed|)$/i;

/** The message, or the first line of the trace beyond the name of the test, or the type of the error. */
function messageOf(open: OpenCase, name = ''): string | null {
  if (open.message !== null && !saysNothing.test(open.message.trim())) return open.message;
  const line = (traceOf(open) ?? '')
    .split('\n', 20)
    .map((each) => each.trim())
    .find(
      (each) => !saysNothing.test(each) && !/^=== |^--- /.test(each) && !(name !== '' && each.endsWith(name)),
    );
  return line ?? open.type ?? open.message;
}

function traceOf({ trace, output }: OpenCase): string | null {
  if (trace.trim() !== '') return trace;
  return output.trim() === '' ? null : output;
}
