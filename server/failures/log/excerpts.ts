import type { LogExcerpt, LogLine as ShownLine } from '#contract/failures/failure-reason.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { allSecrets } from '#server/masking/find-secrets.ts';
import { mask } from '#server/masking/mask.ts';
import { contextLines, type Section } from './steps/section.ts';
import type { LogLine } from './stream/log-line.ts';
import { spansOf } from './stream/spans.ts';

/** Size of all excerpts of a job as JSON. */
const maxBytes = 64 * 1024;
/** Of an excerpt besides its lines: the numbers and the name of the step. */
const excerptBytes = 1_200;
/** At most this part of a section's share is for its last lines. */
const shareOfEnd = 1 / 4;

/** The lines that explain the failure, in the order of the log. Secrets are masked. */
export async function excerptsOf(sections: readonly Section[]): Promise<LogExcerpt[]> {
  const breaks = makeBreaks();
  const excerpts: LogExcerpt[] = [];
  for (const section of sections) {
    const shown = await new Selection(section, maxBytes / sections.length, breaks).select();
    excerpts.push(...consecutive(section, shown));
  }
  return excerpts.sort((a, b) => a.firstLine - b.firstLine);
}

/** Chooses lines of a section until its share is used: the end first, then errors by rank with their context. */
class Selection {
  readonly #section: Section;
  readonly #lines: Map<number, LogLine>;
  readonly #errors: ReadonlySet<number>;
  readonly #breaks: () => Promise<void>;
  readonly #shown = new Map<number, ShownLine>();
  #room: number;

  constructor(section: Section, room: number, breaks: () => Promise<void>) {
    this.#section = section;
    this.#lines = section.lines();
    this.#errors = new Set(section.errors.map(({ number }) => number));
    this.#room = room;
    this.#breaks = breaks;
  }

  async select(): Promise<Map<number, ShownLine>> {
    const forEnd = this.#room * (1 - shareOfEnd);
    for (const { number } of this.#section.last.toReversed())
      if (this.#room > forEnd) await this.#show(number);
    const byRank = this.#section.errors.toSorted((a, b) => b.rank - a.rank || a.number - b.number);
    for (const { number } of byRank) {
      await this.#show(number);
      for (let distance = 1; distance <= contextLines; distance++) {
        await this.#show(number - distance);
        await this.#show(number + distance);
      }
    }
    return this.#shown;
  }

  async #show(number: number): Promise<void> {
    const line = this.#lines.get(number);
    if (line === undefined || this.#shown.has(number) || this.#room < excerptBytes) return;
    await this.#breaks();
    const spans = line.isSecret ? [{ text: mask }] : spansOf(line.raw, allSecrets(line.text, line.secrets));
    const shown: ShownLine = { spans, ...(this.#errors.has(number) && { isError: true as const }) };
    const bytes = Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (bytes > this.#room - excerptBytes) return;
    const isAlone = !this.#shown.has(number - 1) && !this.#shown.has(number + 1);
    this.#room -= bytes + (isAlone ? excerptBytes : 0);
    this.#shown.set(number, shown);
  }
}

function consecutive({ step, firstLine }: Section, shown: Map<number, ShownLine>): LogExcerpt[] {
  const excerpts: LogExcerpt[] = [];
  let next = 0;
  for (const [number, line] of [...shown].sort(([a], [b]) => a - b)) {
    if (number === next) excerpts.at(-1)?.lines.push(line);
    else
      excerpts.push({
        step,
        firstLine: number,
        firstLineOfStep: firstLine === undefined ? null : Math.max(1, number - firstLine + 1),
        lines: [line],
      });
    next = number + 1;
  }
  return excerpts;
}
