import type { ReadStep } from '../failed-job.ts';
import { type LogLine, toSeconds } from '../stream/log-line.ts';
import { isNameOf, titleOfStart } from './markers.ts';
import { Section } from './section.ts';

/** A failed step with its times to the second. */
interface Timed {
  step: ReadStep;
  from: string;
  to: string;
}

/** Undefined when the forge reports no times. */
export function timesOf(steps: readonly ReadStep[]): Timed[] | undefined {
  const timed = steps.flatMap((step) => {
    const from = toSeconds(step.startedAt ?? '');
    const to = toSeconds(step.completedAt ?? '');
    return from === undefined || to === undefined ? [] : [{ step, from, to }];
  });
  return timed.length === steps.length && timed.length > 0 ? timed : undefined;
}

/**
 * Finds the lines of failed steps by time. The times of the forge are whole seconds, so a step can share its first and last second with
 * others. There, the group decides that each step begins with.
 */
export class TimedSections {
  readonly failed: Section[] = [];
  readonly #waiting: Timed[];
  /** Lines of this time belong to the current section. Most lines have the time of the line before. */
  #checked: string | undefined;
  #current: { timed: Timed; section: Section; isNamed: boolean } | undefined;

  constructor(failedSteps: readonly Timed[]) {
    this.#waiting = [...failedSteps];
  }

  add(line: LogLine): void {
    const title = titleOfStart(line.text);
    this.#endCurrent(line, title);
    this.#startNext(line, title);
    if (this.#current === undefined) return;
    this.#restart(this.#current, line, title);
    this.#current.section.add(line);
  }

  #endCurrent({ time }: LogLine, title: string | undefined): void {
    if (this.#current === undefined || time === undefined) return;
    if (time === this.#checked && title === undefined) return;
    this.#checked = time;
    const { timed, section } = this.#current;
    const isNext = time === timed.to && title !== undefined && section.hasFailed;
    if (time > timed.to || isNext) this.#current = undefined;
  }

  #startNext({ time }: LogLine, title: string | undefined): void {
    const next = this.#waiting[0];
    if (this.#current !== undefined || next === undefined || time === undefined) return;
    const hasBegun = time > next.from || (time === next.from && title !== undefined);
    if (!hasBegun) return;
    const section = new Section();
    section.step = { number: next.step.number, name: next.step.name };
    this.failed.push(section);
    this.#waiting.shift();
    this.#current = { timed: next, section, isNamed: false };
    this.#checked = undefined;
  }

  /** In the first second, the groups before the right one belong to earlier steps. */
  #restart(
    current: { timed: Timed; section: Section; isNamed: boolean },
    { time, number, text }: LogLine,
    title: string | undefined,
  ): void {
    if (title === undefined) return;
    const mayBeEarlier = time === current.timed.from && !current.isNamed;
    current.section.start(text, mayBeEarlier ? number : undefined);
    current.isNamed ||= isNameOf(current.timed.step.name, title);
  }
}
