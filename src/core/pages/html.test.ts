import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { html } from './html.ts';

test('no text becomes markup, in an element or in an attribute', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const page = html`<p title="${text}">${text}</p>`.text;
      assert.equal(page.match(/[<>"]/g)?.join(''), '<""><>');
      assert.doesNotMatch(page, /&(?!#\d+;)/);
    }),
  );
});

test('what the template made itself stays as it is, and nothing stands for what is absent', () => {
  const items = ['<', 'b'].map((item) => html`<li>${item}</li>`);
  assert.equal(
    html`<ul>${items}${undefined}${false}</ul>`.text,
    '<ul><li>&#60;</li><li>b</li></ul>',
  );
});
