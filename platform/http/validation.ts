import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { patternProblem } from '#contract/base/schema.ts';
import { AppError } from '../runtime/app-error.ts';

type Part = 'params' | 'query' | 'body';

const partNames: Record<Part, string> = { params: 'path', query: 'query', body: 'body' };

/**
 * Validates one part of a request. Converts query and path values from text first. Compiles the schema at the first
 * request: compiling the schemas of all routes would take a tenth of the start time.
 */
export function compileValidator(part: Part, schema: TSchema): (value: unknown) => unknown {
  let compiled: Validator | undefined;
  return (value) => {
    const validator = (compiled ??= Compile(schema));
    // Valid path values need no conversion and no defaults. `Convert` compiles a regular expression for each field at each call.
    const isReady = part === 'body' || (part === 'params' && validator.Check(value));
    const input = isReady
      ? (value ?? {})
      : validator.Default(convert(value as object, (text) => validator.Convert(text)));
    const isValid = validator.Check(input);
    // `Errors` returns at most eight entries, some of which `fieldErrors` drops, so `Check` decides.
    const errors = isValid ? unstorableTexts(input) : validator.Errors(input).flatMap(fieldErrors);
    if (isValid && errors.length === 0) return input;
    throw new AppError('invalid_request', {
      detail: `The ${partNames[part]} is not valid.`,
      errors: errors.slice(0, 20),
    });
  };
}

type FieldError = { field: string; message: string };

/** Converts texts to numbers and booleans. Other spellings of numbers (`1e1`, `0x1`, `2.5`) stay texts and are refused. */
function convert(texts: object, change: (value: object) => unknown): object {
  const changed = change({ ...texts }) as Record<string, unknown>;
  for (const [name, text] of Object.entries(texts))
    if (typeof changed[name] === 'number' && !/^-?\d{1,15}$/.test(String(text))) changed[name] = text;
  return changed;
}

/** Postgres cannot store texts that contain NUL or a lone surrogate. */
function unstorableTexts(value: unknown, field = ''): FieldError[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [{ field, message: 'must not contain NUL or a lone surrogate' }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    unstorableTexts(each, field === '' ? name : `${field}.${name}`),
  );
}

/** JSON Pointer (RFC 6901). */
const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

interface ValidationError {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/** One entry per invalid field, with its path such as `channels.0.url`. */
function fieldErrors({ keyword, instancePath, message, params }: ValidationError): FieldError[] {
  const at = instancePath.split('/').slice(1).map(unescapePointer);
  const named = (names: string[], text: string) =>
    names.map((name) => ({ field: [...at, name].join('.'), message: text }));
  if (keyword === 'required')
    return named((params as { requiredProperties: string[] }).requiredProperties, 'is required');
  // Each unknown field is reported as `boolean`; a final `additionalProperties` error repeats all of them.
  if (keyword === 'boolean') return [{ field: at.join('.'), message: 'is not a known field' }];
  if (keyword === 'additionalProperties') return [];
  const pattern = keyword === 'pattern' ? (params as { pattern: string }).pattern : undefined;
  const problem = pattern === undefined ? undefined : patternProblem(pattern);
  return [{ field: at.join('.'), message: problem ?? message }];
}
