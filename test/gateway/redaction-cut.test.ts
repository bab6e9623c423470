/** A secret, or a beginning of one, at the place where the answer is cut or ends. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  answer,
  chunked,
  closing,
  fragmentsOf,
  type Shown,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

/** Of a length that base64 writes without a rest. */
const SECRET = 'Kq7/vRzP"2mXw9LtYb';
const MARKER = '[REDACTED]';
const CAP = 48;
const PAD = '.';

const bench = await startRedactionBench({
  secrets: { key: SECRET },
  target: { max_response_bytes: CAP },
});
after(() => bench.close());

const FORMS: Record<string, string> = {
  raw: SECRET,
  JSON: JSON.stringify(SECRET).slice(1, -1),
  percent: encodeURIComponent(SECRET),
  base64: Buffer.from(SECRET).toString('base64'),
  hex: Buffer.from(SECRET).toString('hex'),
};

function assertNothingLeft({ body }: Shown, form: string, where: string): void {
  for (const fragment of fragmentsOf(form, 5)) {
    assert.ok(!body.includes(fragment), `${JSON.stringify(fragment)} is left ${where}: ${body}`);
  }
  const withoutMarkers = body.replaceAll(MARKER, '');
  assert.match(withoutMarkers, /^\.*$/, `a marker or a form is cut ${where}: ${body}`);
}

describe('a secret at every offset around the cap', () => {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`leaves no fragment of its ${name} form and no cut marker`, async () => {
      for (let offset = 0; offset <= CAP + 12; offset++) {
        const text = PAD.repeat(offset) + form + PAD.repeat(2 * CAP);
        const shown = await bench.ask(answer(text));
        assertNothingLeft(shown, form, `at offset ${offset}`);
        assert.equal(shown.truncated, true);
        const marked = PAD.repeat(offset) + MARKER + PAD.repeat(CAP);
        const straddles = offset < CAP && offset + MARKER.length > CAP;
        assert.equal(shown.body, marked.slice(0, straddles ? offset : CAP));
      }
    });
  }

  test('leaves none when its bytes arrive one by one and the answer ends with it', async () => {
    for (let offset = CAP - SECRET.length - 2; offset <= CAP + 2; offset++) {
      const shown = await bench.ask(chunked(PAD.repeat(offset) + SECRET));
      assertNothingLeft(shown, SECRET, `at offset ${offset}`);
    }
  });

  test('leaves none when two secrets touch or overlap there', async () => {
    for (let offset = CAP - 2 * SECRET.length; offset <= CAP; offset++) {
      const text = PAD.repeat(offset) + SECRET + SECRET + PAD.repeat(CAP);
      assertNothingLeft(await bench.ask(answer(text)), SECRET, `at offset ${offset}`);
    }
  });
});

test('a body of the cap is whole, one byte more is cut', async () => {
  const exact = await bench.ask(answer(PAD.repeat(CAP)));
  assert.deepEqual([exact.body.length, exact.truncated], [CAP, false]);
  const more = await bench.ask(answer(PAD.repeat(CAP + 1)));
  assert.deepEqual([more.body.length, more.truncated], [CAP, true]);
});

test('the cap counts clean bytes: what redaction shortens to the cap is whole', async () => {
  const shown = await bench.ask(answer(PAD.repeat(CAP - MARKER.length) + SECRET));
  assert.deepEqual(
    [shown.body, shown.truncated],
    [PAD.repeat(CAP - MARKER.length) + MARKER, false],
  );
});

test('the cut splits no UTF-8 character', async () => {
  for (const character of ['é', '€', '😀']) {
    for (let offset = CAP - 5; offset <= CAP; offset++) {
      const shown = await bench.ask(answer(PAD.repeat(offset) + character.repeat(CAP)));
      assert.equal(shown.encoding, undefined);
      assert.ok(Buffer.byteLength(shown.body) > CAP - Buffer.byteLength(character));
      assert.match(shown.body, new RegExp(`^\\.*(${character})*$`, 'u'));
    }
  }
});

describe('there is no prefix oracle', () => {
  const prefixes = Object.values(FORMS).flatMap((form) =>
    Array.from({ length: form.length - 1 }, (_, index) => form.slice(0, index + 1)),
  );
  // The prefixes of a form that already hold a whole form are no proper prefixes.
  const proper = prefixes.filter((prefix) => !Object.values(FORMS).includes(prefix));

  test('a proper prefix comes back unchanged within the body', async () => {
    for (const prefix of proper) {
      const shown = await bench.ask(answer(`(${prefix})`));
      assert.equal(shown.body, `(${prefix})`.slice(0, CAP));
    }
  });

  test('and at the end of the body, however the end is told', async () => {
    for (const prefix of proper.filter((_, index) => index % 3 === 0)) {
      const end = `(${prefix}`.slice(0, CAP);
      for (const script of [
        answer(end),
        chunked([end]),
        chunked(end),
        closing('HTTP/1.1 200 OK\r\n\r\n', end),
        closing('HTTP/1.0 200 OK\r\n\r\n', end),
      ]) {
        assert.equal((await bench.ask(script)).body, end);
      }
    }
  });
});
