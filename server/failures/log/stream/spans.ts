import type { LogSpan } from '#contract/failures/failure-reason.ts';
import { masked, type TextRange } from '#server/masking/mask.ts';
import { applySgr, newPen, styleOf, type Style } from './colours.ts';
import { escapeSequence } from '#server/masking/escape-sequence.ts';
import { plainText } from './plain-text.ts';

/** Characters of a line that are shown. */
const maxShown = 2_000;
/** Further changes of colour in a line are ignored. */
const maxSpans = 60;

/** A part of a line in one style. `at` counts characters of the plain text. */
interface Piece {
  at: number;
  text: string;
  style: Style;
}

/** The spans of a line, of at most `most` characters. `secrets` are ranges of its plain text in their order. */
export function spansOf(raw: string, secrets: readonly TextRange[], most = maxShown): LogSpan[] {
  const spans: LogSpan[] = [];
  let first = 0;
  for (const { at, text, style } of piecesOf(raw)) {
    if (at >= most) {
      addSpan(spans, '…', {});
      break;
    }
    while ((secrets[first]?.to ?? Infinity) <= at) first++;
    addSpan(spans, masked(text.slice(0, most - at), secrets, at, first), style);
    if (at + text.length > most) addSpan(spans, '…', {});
  }
  return spans;
}

function* piecesOf(raw: string): Generator<Piece> {
  const pen = newPen();
  let at = 0;
  let from = 0;
  for (const match of raw.matchAll(escapeSequence)) {
    const text = plainText(raw.slice(from, match.index));
    if (text !== '') yield { at, text, style: styleOf(pen) };
    at += text.length;
    from = match.index + match[0].length;
    if (match[1] !== undefined) applySgr(pen, match[1]);
  }
  const text = plainText(raw.slice(from));
  if (text !== '') yield { at, text, style: styleOf(pen) };
}

function addSpan(spans: LogSpan[], text: string, style: Style): void {
  if (text === '') return;
  const last = spans.at(-1);
  const isSame = last !== undefined && last.colour === style.colour && last.bold === style.bold;
  if (last !== undefined && (isSame || spans.length >= maxSpans)) last.text += text;
  else spans.push({ text, ...style });
}
