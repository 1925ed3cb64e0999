/**
 * Indents JSON text that has no white space, as `JSON.stringify` would, and ends a little after `most` characters: text that is
 * deeply nested is many thousand times as long when it is indented.
 */
export function indentJson(text: string, most: number): string {
  let indented = '';
  let depth = 0;
  const breakLine = (): string => `\n${'  '.repeat(depth)}`;
  for (let start = 0, end = 0; start < text.length && indented.length <= most; start = end) {
    end = endOfToken(text, start);
    const token = text.slice(start, end);
    switch (token) {
      case '{':
      case '[':
        depth += 1;
        indented += isCloser(text[end]) ? token : token + breakLine();
        break;
      case '}':
      case ']':
        depth -= 1;
        indented += isOpener(text[start - 1]) ? token : breakLine() + token;
        break;
      case ',':
        indented += token + breakLine();
        break;
      case ':':
        indented += ': ';
        break;
      default:
        indented += token;
    }
  }
  return indented;
}

const isOpener = (character: string | undefined): boolean => character === '{' || character === '[';
const isCloser = (character: string | undefined): boolean => character === '}' || character === ']';

/** Of a string, of a sign of the grammar, or of a number or word. */
function endOfToken(text: string, start: number): number {
  let end = start + 1;
  if (text[start] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if ('{}[],:'.includes(text[start] ?? '')) return end;
  while (end < text.length && !'{}[],:'.includes(text[end] ?? '')) end += 1;
  return end;
}
