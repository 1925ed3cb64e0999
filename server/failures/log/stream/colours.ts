import type { LogColour } from '#contract/failures/failure-reason.ts';

export interface Style {
  colour?: LogColour;
  bold?: true;
}

/** Black and white are left out: they are the colours of the page. */
const ofDigit: Readonly<Record<number, LogColour>> = {
  1: 'red',
  2: 'green',
  3: 'yellow',
  4: 'blue',
  5: 'magenta',
  6: 'cyan',
};

/** What is set by the escape sequences so far. */
export interface Pen {
  foreground: LogColour | undefined;
  /** Shown when there is no foreground: a badge such as white on red becomes red text. */
  background: LogColour | undefined;
  isBold: boolean;
  isDim: boolean;
}

export const newPen = (): Pen => ({
  foreground: undefined,
  background: undefined,
  isBold: false,
  isDim: false,
});

export function styleOf({ foreground, background, isBold, isDim }: Pen): Style {
  const colour = foreground ?? background ?? (isDim ? 'grey' : undefined);
  return { ...(colour !== undefined && { colour }), ...(isBold && { bold: true }) };
}

/** More parameters in one sequence are ignored. */
const maxParameters = 32;

/** The form with colons can name a colour space before the three parts (ITU-T T.416): `38:2::255:0:0`. */
const colourSpace = /\b([34]8:2:)\d*:(?=\d+:\d+:\d+)/g;

/** Applies the parameters of one SGR sequence (ECMA-48, 8.3.117). */
export function applySgr(pen: Pen, parameters: string): void {
  const codes = parameters.replace(colourSpace, '$1').split(/[;:]/, maxParameters).map(Number);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const colour = isIndexed ? ofIndex(codes[index + 2] ?? 0) : ofRgb(codes.slice(index + 2, index + 5));
      if (code === 38) pen.foreground = colour;
      else pen.background = colour;
      index += isIndexed ? 2 : 4;
    } else applyCode(pen, code);
  }
}

function applyCode(pen: Pen, code: number): void {
  if (code === 0) Object.assign(pen, newPen());
  else if (code === 1) pen.isBold = true;
  else if (code === 2) pen.isDim = true;
  else if (code === 22) pen.isBold = pen.isDim = false;
  else if (code === 90) pen.foreground = 'grey';
  else if (code === 100) pen.background = 'grey';
  else if (inRange(code, 30, 39) || inRange(code, 91, 97)) pen.foreground = ofDigit[code % 10];
  else if (inRange(code, 40, 49) || inRange(code, 101, 107)) pen.background = ofDigit[code % 10];
}

const inRange = (code: number, from: number, to: number): boolean => code >= from && code <= to;

/** 256 colours: 16 named ones, a cube of 6 × 6 × 6, and greys. */
function ofIndex(index: number): LogColour | undefined {
  if (index < 16) return index === 8 ? 'grey' : ofDigit[index % 8];
  if (index >= 232) return 'grey';
  const cube = index - 16;
  return ofRgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51));
}

/** The colour whose parts are those that stand out. */
function ofRgb([red = 0, green = 0, blue = 0]: readonly number[]): LogColour | undefined {
  const highest = Math.max(red, green, blue);
  const lowest = Math.min(red, green, blue);
  if (highest - lowest < 40) return highest > 60 && highest < 180 ? 'grey' : undefined;
  const isHigh = (part: number): boolean => part - lowest > (highest - lowest) / 2;
  return ofDigit[Number(isHigh(red)) + 2 * Number(isHigh(green)) + 4 * Number(isHigh(blue))];
}
