import { classify, isEndOfStep, withTitle } from './errors/classify.ts';
import { ranks, type Rank } from './errors/rule.ts';
import type { FailureAnnotation } from './failed-job.ts';
import { findSecrets } from '#server/masking/find-secrets.ts';
import { masked } from '#server/masking/mask.ts';
import { PrivateKeys } from '#server/masking/private-keys.ts';
import type { Section } from './steps/section.ts';
import { oneLineText, plainText } from './stream/plain-text.ts';

const maxErrorLine = 500;
/** Characters of an annotation that are read. GitHub allows 64 KiB. */
const maxAnnotation = 8_000;
const maxAnnotationLines = 50;

interface Candidate {
  rank: Rank | 0;
  message: string;
}

/**
 * The line that represents the failure: the first annotation of level failure that says more than that something failed, else the best
 * line of the first failed step that has one, else its last line.
 */
export function chooseErrorLine(
  annotations: readonly FailureAnnotation[],
  sections: readonly Section[],
): string | null {
  const annotated = annotations
    .filter(({ level }) => level === 'failure')
    .flatMap((annotation) => candidateOf(annotation) ?? []);
  const logged = sections.flatMap(({ finder }) => finder.best ?? []);
  const candidates: Candidate[] = [
    ...annotated.filter(({ rank }) => rank >= ranks.message),
    ...logged.filter(({ rank }) => rank >= ranks.hint),
    ...annotated.filter(({ rank, message }) => rank >= ranks.summary && !isEndOfStep(message)),
    ...logged.filter(({ message }) => !isEndOfStep(message)),
    ...sections.flatMap(lastLine),
    ...annotated,
    ...logged,
  ];
  return maskedLine(candidates[0]?.message ?? '');
}

/** The first line of an annotation that says something. */
function candidateOf({ title, message }: FailureAnnotation): Candidate | undefined {
  const lines = plainTextLines(message);
  const [subject = null] = plainTextLines(title ?? '');
  const found = lines.map((line) => ({ line, report: classify(line) }));
  const best = found.find(({ report }) => (report?.rank ?? ranks.message) >= ranks.message) ?? found[0];
  if (best === undefined) return subject === null ? undefined : { rank: ranks.message, message: subject };
  const isSummary = best.report?.rank === ranks.summary;
  return {
    // An annotation is an error message, also when no rule knows its words.
    rank: isSummary ? ranks.summary : ranks.message,
    message: withTitle(isSummary ? null : subject, best.report?.message ?? best.line),
  };
}

function plainTextLines(text: string): string[] {
  const keys = new PrivateKeys();
  return text
    .slice(0, maxAnnotation)
    .split('\n', maxAnnotationLines)
    .map((line) => plainText(line).trim())
    .filter((line) => !keys.isKey(line) && line !== '');
}

function lastLine({ last }: Section): Candidate[] {
  const line = last.findLast(
    ({ text, isKey }) => !isKey && text.trim() !== '' && classify(text) === undefined,
  );
  return line === undefined ? [] : [{ rank: 0, message: line.text }];
}

function maskedLine(message: string): string | null {
  const line = oneLineText(masked(message, findSecrets(message)), maxErrorLine);
  return line === '' ? null : line;
}
