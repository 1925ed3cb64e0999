import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../runtime/app-error.ts';

/** Checks one part of a request; query and path values arrive as text and are converted first. */
export function compileValidator(
  part: 'params' | 'query' | 'body',
  schema: TSchema,
): (value: unknown) => unknown {
  const validator = Compile(schema);
  return (value) => {
    const input =
      part === 'body' ? (value ?? {}) : validator.Default(validator.Convert({ ...(value as object) }));
    if (validator.Check(input)) return input;
    throw new AppError('invalid_request', {
      detail: `The ${part} is not valid.`,
      errors: validator.Errors(input).flatMap(fieldErrors).slice(0, 20),
    });
  };
}

interface ValidationError {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/** One entry for each field at fault, named as in JSON: `channels.0.url`. */
function fieldErrors({
  keyword,
  instancePath,
  message,
  params,
}: ValidationError): { field: string; message: string }[] {
  const at = instancePath.split('/').slice(1);
  const named = (names: string[], text: string) =>
    names.map((name) => ({ field: [...at, name].join('.'), message: text }));
  if (keyword === 'required')
    return named((params as { requiredProperties: string[] }).requiredProperties, 'is required');
  if (keyword === 'additionalProperties') {
    return named((params as { additionalProperties: string[] }).additionalProperties, 'is not a known field');
  }
  if (keyword === 'boolean') return [];
  return [{ field: at.join('.'), message }];
}
