import { createContext, use } from 'react';

/** The error of one field; `field` is its path in the request body, for example `channels.0.url`. */
export interface FieldFault {
  field: string;
  message: string;
}

/** The errors of the surrounding form. */
export const FormFaults = createContext<readonly FieldFault[]>([]);

/** A field, or a group of fields with errors of their own. */
export interface Place {
  name: string;
  isGroup: boolean;
}

/**
 * Whether an error belongs here. The field `channels.0.to` includes `channels.0.to.1`; the group `channels` includes
 * neither.
 */
export function isAt({ name, isGroup }: Place, { field }: FieldFault): boolean {
  return field === name || (!isGroup && name !== '' && field.startsWith(`${name}.`));
}

/** The error of a field or group. */
export function useFault(name: string | undefined, isGroup = false): string | undefined {
  const faults = use(FormFaults);
  if (name === undefined) return undefined;
  return faults.find((fault) => isAt({ name, isGroup }, fault))?.message;
}

export function placeOf(element: Element): Place {
  return { name: element.getAttribute('name') ?? '', isGroup: element.matches('fieldset') };
}

/** The errors found in the browser, in field order. */
export function faultsIn(form: HTMLFormElement): FieldFault[] {
  return [...form.elements].flatMap((element) => {
    const field = element.getAttribute('name') ?? '';
    const message = problemOf(element as HTMLInputElement);
    return field === '' || message === undefined ? [] : [{ field, message }];
  });
}

function problemOf(element: HTMLInputElement): string | undefined {
  const { validity, dataset, type } = element;
  if (validity.valueMissing) return 'This field is required.';
  if (validity.typeMismatch)
    return type === 'email'
      ? 'Enter an e-mail address, such as name@example.com.'
      : 'Enter a full address, such as https://example.com/path.';
  if (validity.patternMismatch) return element.title;
  return dataset['problem'];
}

const plainWords: readonly [RegExp, (number: string) => string][] = [
  [/^is required|fewer than 1 (character|item)/, () => 'This field is required.'],
  [/format "?email/, () => 'Enter e-mail addresses, such as name@example.com.'],
  [/more than (\d+) characters/, (number) => `Enter at most ${number} characters.`],
  [/more than (\d+) items/, (number) => `Enter at most ${number}.`],
  [/<= (\d+)/, (number) => `Enter ${number} or less.`],
  [/>= (\d+)/, (number) => `Enter ${number} or more.`],
];

/** Rewrites a validation message of the server as a sentence. */
export function inPlainWords(message: string): string {
  for (const [pattern, words] of plainWords) {
    const match = pattern.exec(message);
    if (match) return words(match[1] ?? '');
  }
  const end = /[.!?]$/.test(message) ? '' : '.';
  return message.charAt(0).toUpperCase() + message.slice(1) + end;
}
