import type { ReadStep } from '../failed-job.ts';
import type { LogLine } from '../stream/log-line.ts';
import { isNameOf, titleOfStart } from './markers.ts';
import { Section } from './section.ts';

/** Failed sections that are kept. */
const maxFailed = 5;

interface Titled {
  title: string | undefined;
  section: Section;
}

/** Finds the lines of failed steps by the groups in the log, for forges without times of steps and for logs without timestamps. */
export class MarkedSections {
  readonly #failedSteps: readonly ReadStep[];
  #failed: Titled[] = [];
  #current: Titled = { title: undefined, section: new Section() };

  constructor(failedSteps: readonly ReadStep[]) {
    this.#failedSteps = failedSteps;
  }

  add(line: LogLine): void {
    const title = titleOfStart(line.text);
    if (title !== undefined) {
      this.#endCurrent();
      this.#current = { title, section: new Section() };
      this.#current.section.start(line.text, line.number);
    }
    this.#current.section.add(line);
  }

  /** The sections with an error mark; without one, the last section. */
  get failed(): Section[] {
    this.#endCurrent();
    const marked = this.#failed.length > 0 ? this.#failed : [this.#current];
    const named = marked.filter(({ title }) => this.#stepOf(title) !== undefined);
    const chosen = named.length > 0 ? named : marked;
    return chosen.map(({ title, section }, index) => {
      const step = this.#stepOf(title) ?? this.#failedSteps[Math.min(index, this.#failedSteps.length - 1)];
      section.step = step === undefined ? null : { number: step.number, name: step.name };
      return section;
    });
  }

  #stepOf(title: string | undefined): ReadStep | undefined {
    return title === undefined ? undefined : this.#failedSteps.find(({ name }) => isNameOf(name, title));
  }

  #endCurrent(): void {
    const isKept = this.#failed.at(-1)?.section === this.#current.section;
    if (!this.#current.section.hasFailed || isKept) return;
    this.#failed.push(this.#current);
    // The step that ended the job is the last one.
    if (this.#failed.length > maxFailed) this.#failed.shift();
  }
}
