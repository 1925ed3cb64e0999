import { mostErrorLines, mostSections, type JobLog, type LogSection } from '#contract/failures/job-log.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import { isMarked, isEndOfStep } from '#server/failures/log/errors/classify.ts';
import { ErrorLineFinder } from '#server/failures/log/errors/error-line.ts';
import { ranks } from '#server/failures/log/errors/rule.ts';
import { isNameOf, titleOfStart } from '#server/failures/log/steps/markers.ts';
import { toSeconds } from '#server/failures/log/stream/log-line.ts';

const startOfGroup = /^(?:##\[group\]|::group::)(.{0,500})/;
const endOfGroup = /^(?:##\[endgroup\]|::endgroup::)/;
const maxTitle = 200;

interface Step {
  name: string;
  /** To the second. */
  from: string | undefined;
}

/** Finds the steps, groups and error lines of a log, one line after the other. */
export class Outline {
  readonly #steps: Step[];
  readonly #sections: LogSection[] = [];
  readonly #marked: number[] = [];
  /** The forge only tells there that a step failed. */
  readonly #ends: number[] = [];
  readonly #finder: ErrorLineFinder | undefined;
  #step: LogSection | undefined;
  #group: LogSection | undefined;
  #next = 0;
  #lines = 0;

  constructor({ steps, conclusion }: { steps: readonly JobStep[]; conclusion: string | null }) {
    this.#steps = steps
      .filter((step) => step.conclusion !== 'skipped')
      .map(({ name, startedAt }) => ({ name, from: toSeconds(startedAt ?? '') }));
    // Messages of a job that succeeded explain nothing.
    this.#finder = isFailed(conclusion) ? new ErrorLineFinder() : undefined;
  }

  /** `text` is masked and plain. */
  add(text: string, time: string | undefined): void {
    this.#lines += 1;
    const title = titleOfStart(text);
    this.#startStep(time, title);
    this.#addGroup(text);
    if (isMarked(text)) {
      const list = isEndOfStep(text.replace(/^(?:##\[error\]|::error(?: [^\n]{0,1000}?)?::)/, ''))
        ? this.#ends
        : this.#marked;
      if (list.length < mostErrorLines) list.push(this.#lines);
    } else if (this.#finder !== undefined && this.#marked.length < mostErrorLines) {
      const rank = this.#finder.add(text);
      if (rank !== undefined && rank >= ranks.place) this.#marked.push(this.#lines);
    }
  }

  read(): Pick<JobLog, 'sections' | 'errorLines'> {
    const sections = this.#sections.map((section) =>
      section === this.#step || section === this.#group ? { ...section, to: this.#lines } : section,
    );
    return { sections, errorLines: this.#marked.length > 0 ? this.#marked : this.#ends };
  }

  /** Times of steps are whole seconds: among steps of the same second, the group decides that a step begins with. */
  #startStep(time: string | undefined, title: string | undefined): void {
    const found = this.#steps.length === 0 ? title : this.#begun(time, title);
    if (found === undefined) return;
    this.#endGroup();
    if (this.#step !== undefined) this.#step.to = this.#lines - 1;
    this.#step = this.#open('step', found);
  }

  /** The name of the step that begins. */
  #begun(time: string | undefined, title: string | undefined): string | undefined {
    const rest = this.#steps.slice(this.#next, this.#next + 50);
    const first = rest[0];
    if (first === undefined) return undefined;
    let found = -1;
    if (time === undefined || rest.every(({ from }) => from === undefined)) {
      if (title !== undefined) found = rest.findIndex(({ name }) => isNameOf(name, title));
    } else {
      const named =
        title === undefined
          ? -1
          : rest.findIndex(({ name, from }) => from !== undefined && from <= time && isNameOf(name, title));
      const past = rest.findLastIndex(({ from }) => from !== undefined && from < time);
      const now = first.from === time && (title !== undefined || this.#lines === 1) ? 0 : -1;
      found = named >= 0 ? named : past >= 0 ? past : now;
    }
    if (found < 0) return undefined;
    this.#next += found + 1;
    return rest[found]?.name;
  }

  #addGroup(text: string): void {
    const title = startOfGroup.exec(text)?.[1];
    if (title !== undefined) {
      this.#endGroup();
      this.#group = this.#open('group', title);
    } else if (endOfGroup.test(text) && this.#group !== undefined) {
      this.#group.to = this.#lines;
      this.#group = undefined;
    }
  }

  #endGroup(): void {
    if (this.#group !== undefined) this.#group.to = this.#lines - 1;
    this.#group = undefined;
  }

  #open(kind: LogSection['kind'], title: string): LogSection | undefined {
    if (this.#sections.length >= mostSections) return undefined;
    const section = {
      kind,
      title: title.slice(0, maxTitle).toWellFormed(),
      from: this.#lines,
      to: this.#lines,
    };
    this.#sections.push(section);
    return section;
  }
}
