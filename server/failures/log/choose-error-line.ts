import { mostOtherSubjects } from '#contract/failures/failure-reason.ts';
import { classify, isEndOfStep, withTitle } from './errors/classify.ts';
import { ranks, type Rank } from './errors/rule.ts';
import { infrastructureFault } from './errors/infrastructure.ts';
import type { FailureAnnotation } from './failed-job.ts';
import { findSecrets } from '#server/masking/find-secrets.ts';
import { mask, masked } from '#server/masking/mask.ts';
import { maskLog } from '#server/masking/mask-text.ts';
import { isMarker } from './steps/markers.ts';
import type { Section } from './steps/section.ts';
import { oneLineText, plainText } from './stream/plain-text.ts';

const maxErrorLine = 500;
const maxSubject = 300;
/** Characters of an annotation that are read. GitHub allows 64 KiB. */
const maxAnnotation = 8_000;
const maxAnnotationLines = 50;

interface Candidate {
  rank: Rank | 0;
  message: string;
  subject: string | null;
}

/** The line that represents a failure, and what failed. */
export interface ChosenLine {
  errorLine: string | null;
  /** A test, file, package, target or annotation. Null when the line names none. */
  subject: string | null;
  /** What else failed. */
  otherSubjects: string[];
}

/**
 * The first annotation of level failure that names what failed, else the best line of the first failed step that has one, else its
 * last line.
 */
export function chooseErrorLine(
  annotations: readonly FailureAnnotation[],
  sections: readonly Section[],
): ChosenLine {
  const annotated = annotations
    .filter(({ level }) => level === 'failure')
    .flatMap((annotation) => candidateOf(annotation) ?? []);
  const logged = sections.flatMap(({ finder }) => finder.best ?? []);
  const candidates: Candidate[] = [
    ...annotated.filter(({ rank, isNamed }) => rank >= ranks.message && isNamed),
    ...logged.filter(({ rank, subject }) => rank >= ranks.place && subject !== null),
    ...annotated.filter(({ rank }) => rank >= ranks.message),
    ...logged.filter(({ rank }) => rank >= ranks.hint),
    ...annotated.filter(({ rank, message }) => rank >= ranks.summary && !isEndOfStep(message)),
    ...logged.filter(({ message }) => !isEndOfStep(message)),
    ...sections.flatMap(lastLine),
    ...annotated,
    ...logged,
  ];
  const chosen = candidates.find(({ message }) => !isOnlySecret(message)) ?? candidates[0];
  const subject = maskedLine(chosen?.subject ?? '', maxSubject);
  const named = [
    ...annotated.filter(({ rank, isNamed }) => rank >= ranks.message && isNamed).map((each) => each.subject),
    ...sections.flatMap(({ finder }) => [...finder.others]),
  ];
  const others = new Set(
    named.map((each) => maskedLine(each ?? '', maxSubject)).filter((each) => each !== null),
  );
  if (subject !== null) others.delete(subject);
  return {
    errorLine: maskedLine(chosen?.message ?? '', maxErrorLine),
    subject,
    otherSubjects: [...others].slice(0, mostOtherSubjects),
  };
}

/** The first line of an annotation that says something. */
function candidateOf({
  title,
  message,
  path,
}: FailureAnnotation): (Candidate & { isNamed: boolean }) | undefined {
  const lines = plainTextLines(message);
  const [heading = null] = plainTextLines(title ?? '');
  const found = lines.map((line) => ({ line, report: classify(line) }));
  const best = found.find(({ report }) => (report?.rank ?? ranks.message) >= ranks.message) ?? found[0];
  if (best === undefined)
    return heading === null
      ? undefined
      : { rank: ranks.message, message: heading, subject: heading, isNamed: true };
  const said = best.report?.message ?? best.line;
  if (best.report?.rank === ranks.summary)
    return { rank: ranks.summary, message: said, subject: null, isNamed: false };
  // GitHub gives the folder `.github` to annotations that belong to no file.
  const file = path === '' || path === '.github' ? null : path;
  const named = best.report?.subject ?? heading ?? file;
  const isNamed = named !== null || infrastructureFault([message]) !== null;
  // An annotation is an error message, also when no rule knows its words.
  return { rank: ranks.message, message: withTitle(heading, said), subject: named ?? said, isNamed };
}

function plainTextLines(text: string): string[] {
  const lines = text.slice(0, maxAnnotation).split('\n', maxAnnotationLines).map(plainText);
  return maskLog(lines.join('\n'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== mask && line !== '');
}

function lastLine({ last }: Section): Candidate[] {
  const line = last.findLast(
    ({ text, isSecret }) =>
      !isSecret && text.trim() !== '' && !isMarker(text) && classify(text) === undefined,
  );
  return line === undefined ? [] : [{ rank: 0, message: masked(line.text, line.secrets), subject: null }];
}

function isOnlySecret(message: string): boolean {
  return /^\W*\*{3}\W*$/.test(masked(message, findSecrets(message)));
}

function maskedLine(message: string, most: number): string | null {
  const line = oneLineText(masked(message, findSecrets(message)), most).replace(/[\s─━]{1,500}$/, '');
  return line === '' ? null : line;
}
