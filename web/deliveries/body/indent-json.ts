/** Longer results are shown unindented: indentation multiplies the size of deeply nested text. */
const mostCharacters = 1024 * 1024;

/**
 * Indents JSON text like `JSON.stringify`, but keeps numbers and fields as received. Truncated text is indented up to
 * its end. Text that would become too long is returned unchanged.
 */
export function indentJson(text: string, most = mostCharacters): string {
  let indented = '';
  let depth = 0;
  let previous = '';
  const breakLine = (): string => `\n${'  '.repeat(Math.max(0, depth))}`;
  for (let start = 0, end = 0; start < text.length; start = end) {
    if (indented.length > most) return text;
    end = endOfToken(text, start);
    const token = text.slice(start, end);
    if (isSpace(token[0])) continue;
    const isCloser = token === '}' || token === ']';
    if (isCloser) depth -= 1;
    // An empty list stays on one line.
    if (isOpener(previous) !== isCloser) indented += breakLine();
    indented += token === ':' ? ': ' : token;
    if (token === ',') indented += breakLine();
    if (isOpener(token)) depth += 1;
    previous = token;
  }
  return indented;
}

const isOpener = (token: string): boolean => token === '{' || token === '[';

const isSpace = (character = ''): boolean => /^\s/.test(character);

/** A string, a punctuation character, a number or word, or white space. */
function endOfToken(text: string, start: number): number {
  let end = start + 1;
  if (text[start] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (isSpace(text[start]) || isSign(text[start])) return end;
  while (end < text.length && !isSign(text[end]) && !isSpace(text[end])) end += 1;
  return end;
}

const isSign = (character = ''): boolean => '{}[],:'.includes(character);
