import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { patternProblem } from '#contract/schema.ts';
import { AppError } from '../runtime/app-error.ts';

type Part = 'params' | 'query' | 'body';

const partNames: Record<Part, string> = { params: 'path', query: 'query', body: 'body' };

/**
 * Checks one part of a request; query and path values arrive as text and are converted first. The schema is compiled by
 * the first request: to compile those of all routes would be a tenth of a start.
 */
export function compileValidator(part: Part, schema: TSchema): (value: unknown) => unknown {
  let compiled: Validator | undefined;
  return (value) => {
    const validator = (compiled ??= Compile(schema));
    const input =
      part === 'body'
        ? (value ?? {})
        : validator.Default(convert(value as object, (text) => validator.Convert(text)));
    const isValid = validator.Check(input);
    // The list of errors is cut after the first eight, so that it cannot tell whether there are any.
    const errors = isValid ? oddTexts(input) : validator.Errors(input).flatMap(fieldErrors);
    if (isValid && errors.length === 0) return input;
    throw new AppError('invalid_request', {
      detail: `The ${partNames[part]} is not valid.`,
      errors: errors.slice(0, 20),
    });
  };
}

type FieldError = { field: string; message: string };

/** Texts as numbers and the like; what only resembles a number (`1e1`, `0x1`, `2.5`) stays a text, and is refused. */
function convert(texts: object, change: (value: object) => unknown): object {
  const changed = change({ ...texts }) as Record<string, unknown>;
  for (const [name, text] of Object.entries(texts))
    if (typeof changed[name] === 'number' && !/^-?\d{1,15}$/.test(String(text))) changed[name] = text;
  return changed;
}

/** Texts that no database takes: with NUL, or with half of a surrogate pair. */
function oddTexts(value: unknown, field = ''): FieldError[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [{ field, message: 'must hold neither NUL nor half of a surrogate pair' }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    oddTexts(each, field === '' ? name : `${field}.${name}`),
  );
}

/** RFC 6901. */
const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

interface ValidationError {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/** One entry for each field at fault, named as in JSON: `channels.0.url`. */
function fieldErrors({ keyword, instancePath, message, params }: ValidationError): FieldError[] {
  const at = instancePath.split('/').slice(1).map(unescapePointer);
  const named = (names: string[], text: string) =>
    names.map((name) => ({ field: [...at, name].join('.'), message: text }));
  if (keyword === 'required')
    return named((params as { requiredProperties: string[] }).requiredProperties, 'is required');
  // Each unknown field comes as `boolean`, and after them all of them once more.
  if (keyword === 'boolean') return [{ field: at.join('.'), message: 'is not a known field' }];
  if (keyword === 'additionalProperties') return [];
  const pattern = keyword === 'pattern' ? (params as { pattern: string }).pattern : undefined;
  const problem = pattern === undefined ? undefined : patternProblem(pattern);
  return [{ field: at.join('.'), message: problem ?? message }];
}
