import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from './page.ts';

test('a page escapes every value', () => {
  const text = `<b>"'&`;
  assert.equal(
    html`<p title="${text}">${text}</p>`.markup,
    '<p title="&lt;b&gt;&quot;&#39;&amp;">&lt;b&gt;&quot;&#39;&amp;</p>',
  );
  assert.equal(html`<p>${html`<b>${'&'}</b>`}</p>`.markup, '<p><b>&amp;</b></p>');
});
