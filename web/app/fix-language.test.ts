import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPageGlobals } from '#test/support/browser/page-globals.ts';
import { fixLanguage } from './fix-language.ts';

test('a language that Intl does not accept becomes English', () => {
  setPageGlobals({ navigator: { language: 'en-US@posix' } });
  fixLanguage();
  assert.equal(new Intl.NumberFormat(navigator.language).format(1234.5), '1,234.5');
});

test('a valid language is kept', () => {
  setPageGlobals({ navigator: { language: 'de-CH' } });
  fixLanguage();
  assert.equal(navigator.language, 'de-CH');
});
