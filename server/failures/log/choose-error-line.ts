import { mostOtherSubjects, type FailureReason } from '#contract/failures/failure-reason.ts';
import { classify, isEndOfStep, withTitle } from './errors/classify.ts';
import { ranks, type Rank } from './errors/rule.ts';
import { faultOfForge, faultOfTools } from './errors/infrastructure.ts';
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
  /** A test or a place in the code failed, whatever it says. */
  isOfCode: boolean;
}

/** The line that represents a failure, and what failed. */
export type ChosenLine = Pick<FailureReason, 'errorLine' | 'subject' | 'otherSubjects' | 'infrastructure'>;

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
  const logged = sections.flatMap(({ finder: { best, isOfTest } }) =>
    best === undefined ? [] : [{ ...best, isOfCode: isOfTest }],
  );
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
    infrastructure: faultOf(annotations, sections, chosen),
  };
}

function faultOf(
  annotations: readonly FailureAnnotation[],
  sections: readonly Section[],
  chosen: Candidate | undefined,
): FailureReason['infrastructure'] {
  const lines = sections.flatMap(({ last }) => last.map(({ text }) => text));
  const told = annotations.flatMap((each) =>
    each.level === 'failure' && fileOf(each) === null ? [each.message] : [],
  );
  const isOfCode = chosen?.isOfCode === true || sections.some(({ finder }) => finder.isOfTest);
  return faultOfForge([...told, ...lines]) ?? (isOfCode ? null : faultOfTools(chosen?.message ?? '', lines));
}

/** GitHub gives the folder `.github` to annotations that belong to no file. */
const fileOf = ({ path }: FailureAnnotation): string | null =>
  path === '' || path === '.github' ? null : path;

/** The first line of an annotation that says something. */
function candidateOf(annotation: FailureAnnotation): (Candidate & { isNamed: boolean }) | undefined {
  const { title, message } = annotation;
  const lines = plainTextLines(message);
  const [heading = null] = plainTextLines(title ?? '');
  const found = lines.map((line) => ({ line, report: classify(line) }));
  const best = found.find(({ report }) => (report?.rank ?? ranks.message) >= ranks.message) ?? found[0];
  if (best === undefined)
    return heading === null
      ? undefined
      : { rank: ranks.message, message: heading, subject: heading, isOfCode: true, isNamed: true };
  const said = best.report?.message ?? best.line;
  if (best.report?.rank === ranks.summary)
    return { rank: ranks.summary, message: said, subject: null, isOfCode: false, isNamed: false };
  const file = fileOf(annotation);
  const isOfCode = heading !== null || file !== null;
  const named = best.report?.subject ?? heading ?? file;
  const isNamed = named !== null || faultOfForge([message]) !== null;
  // An annotation is an error message, also when no rule knows its words.
  return {
    rank: ranks.message,
    message: withTitle(heading, said),
    subject: named ?? said,
    isOfCode,
    isNamed,
  };
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
  return line === undefined
    ? []
    : [{ rank: 0, message: masked(line.text, line.secrets), subject: null, isOfCode: false }];
}

function isOnlySecret(message: string): boolean {
  return /^\W*\*{3}\W*$/.test(masked(message, findSecrets(message)));
}

function maskedLine(message: string, most: number): string | null {
  const line = oneLineText(masked(message, findSecrets(message)), most).replace(/[\s─━]{1,500}$/, '');
  return line === '' ? null : line;
}
