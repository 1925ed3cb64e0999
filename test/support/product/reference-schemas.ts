import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Returns what is wrong with a value; undefined when it matches. */
export type CheckPart = (parts: readonly string[], value: unknown) => string | undefined;

/** Compares values with schemas inside an OpenAPI document. Each schema is compiled when it is used first. */
export function referenceSchemas(api: object): CheckPart {
  // The linter checks the document itself.
  const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(api, 'api');
  return (parts, value) => {
    const validate = ajv.getSchema(`api#/${parts.map(escapePart).join('/')}`) as ValidateFunction | undefined;
    assert.ok(validate, `no schema at ${parts.join(' ')}`);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
}

/** A part of a JSON pointer in a URI (RFC 6901, section 6). */
function escapePart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
