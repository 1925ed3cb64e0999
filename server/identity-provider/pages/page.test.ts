import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from './page.ts';

test('what goes into a page is text, wherever it stands', () => {
  const text = `<b>"'&`;
  assert.equal(
    html`<p title="${text}">${text}</p>`.markup,
    '<p title="&lt;b&gt;&quot;&#39;&amp;">&lt;b&gt;&quot;&#39;&amp;</p>',
  );
  assert.equal(html`<p>${html`<b>${'&'}</b>`}</p>`.markup, '<p><b>&amp;</b></p>');
});
