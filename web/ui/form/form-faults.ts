import { createContext, use } from 'react';

/** What is wrong with one field: `field` is its path in what is sent, such as `channels.0.url`. */
export interface FieldFault {
  field: string;
  message: string;
}

/** The faults of the form around. */
export const FormFaults = createContext<readonly FieldFault[]>([]);

/** A field, or a group of fields around others that have faults of their own. */
export interface Place {
  name: string;
  isGroup: boolean;
}

/** Whether the fault belongs here: a field `channels.0.to` stands for `channels.0.to.1` too, the group `channels` for neither. */
export function isAt({ name, isGroup }: Place, { field }: FieldFault): boolean {
  return field === name || (!isGroup && name !== '' && field.startsWith(`${name}.`));
}

/** What to show at a field or a group. */
export function useFault(name: string | undefined, isGroup = false): string | undefined {
  const faults = use(FormFaults);
  if (name === undefined) return undefined;
  return faults.find((fault) => isAt({ name, isGroup }, fault))?.message;
}

export function placeOf(element: Element): Place {
  return { name: element.getAttribute('name') ?? '', isGroup: element.matches('fieldset') };
}

/** What can be seen without the server, in the order of the fields. */
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

/** What the server says of a field, as a sentence that can stand below it. */
export function inPlainWords(message: string): string {
  for (const [pattern, words] of plainWords) {
    const match = pattern.exec(message);
    if (match) return words(match[1] ?? '');
  }
  const end = /[.!?]$/.test(message) ? '' : '.';
  return message.charAt(0).toUpperCase() + message.slice(1) + end;
}
