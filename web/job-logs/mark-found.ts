import type { LogSpan } from '#contract/failures/failure-reason.ts';

export type MarkedSpan = LogSpan & { isFound?: boolean };

/** Splits the spans of a line where it contains the text, in any case. */
export function markFound(spans: readonly LogSpan[], q: string): readonly MarkedSpan[] {
  const places = q === '' ? [] : placesOf(spans.map(({ text }) => text).join(''), q);
  if (places.length === 0) return spans;
  const marked: MarkedSpan[] = [];
  let start = 0;
  for (const span of spans) {
    const end = start + span.text.length;
    let at = start;
    const add = (to: number, isFound: boolean): void => {
      if (to <= at) return;
      marked.push({ ...span, text: span.text.slice(at - start, to - start), isFound });
      at = to;
    };
    for (const place of places) {
      add(Math.min(place, end), false);
      add(Math.min(place + q.length, end), true);
    }
    add(end, false);
    start = end;
  }
  return marked;
}

/** Those that a line marks. A long line of one letter has thousands. */
const mostPlaces = 100;

function placesOf(text: string, q: string): number[] {
  const lower = text.toLowerCase();
  const wanted = q.toLowerCase();
  // A few letters change their length, so that the places are not known.
  if (lower.length !== text.length || wanted.length !== q.length) return [];
  const places: number[] = [];
  for (
    let at = lower.indexOf(wanted);
    at >= 0 && places.length < mostPlaces;
    at = lower.indexOf(wanted, at + q.length)
  )
    places.push(at);
  return places;
}
