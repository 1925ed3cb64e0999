import { endsBefore, start, type SecretFormat } from './secret-format.ts';
import published from './vendor-rules.json' with { type: 'json' };

interface VendorRule {
  id: string;
  anchors: string[];
  offset?: number;
  ignoresCase?: boolean;
  /** Is before the secret, with an assignment between them. */
  name?: string;
  secret: string;
  /** The secret does not begin inside a word. */
  isWord?: boolean;
  /** A prefix identifies the token, so that more of its characters can follow. */
  isPrefixed?: boolean;
}

/** What follows a token that is longer than the rule says. */
const rest = String.raw`(?:[\w-]|\.(?=\w))*`;

/** Between a name and its value in settings, code, elements and JSON that is escaped any number of times. */
const assignment = String.raw`[ \t\w.-]{0,20}(?:\\{0,7}["']{1,2}[ \t]{0,3})?(?:=>|:{0,3}=|\?=|\|\||[:>,])[\`'"\s=\\]{0,8}`;

const isBeforeValue = endsBefore(/[ \t\w.-]/, /[\\"'=:?|>,]/);

/** A value does not end inside a longer word, path or address. */
const endOfValue = String.raw`(?![\w/@+=-]|[.:]\w)`;

const rules: readonly VendorRule[] = published.rules;

/** Tokens of vendors that are identified in any text. */
export const vendorTokens: readonly SecretFormat[] = rules
  .filter(({ name }) => name === undefined)
  .map(({ id, secret, isWord, isPrefixed, ...rule }) => ({
    ...rule,
    name: id,
    pattern: new RegExp(`${isWord ? start : ''}${secret}${isPrefixed ? rest : String.raw`(?!\w)`}`, 'y'),
  }));

/** Values that the name of their vendor identifies. */
export const vendorValues: readonly SecretFormat[] = rules
  .filter(({ name }) => name !== undefined)
  .map(({ id, name, secret, ...rule }) => ({
    ...rule,
    name: id,
    pattern: new RegExp(`${name}${assignment}(${secret})${endOfValue}`, 'y'),
    mayMatch: isBeforeValue,
    isSecret: (text) => /\d/.test(text),
  }));
