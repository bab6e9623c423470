import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../secrets/secret.ts';
import { Redactor } from '../redactor.ts';

const inner = (value: unknown): string => JSON.stringify(value).slice(1, -1);

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('what a secret stands for does not survive', () => {
  it('when the secret is base64 and its decoded value is shown', () => {
    const key = Buffer.from('00ff10ef20df30cf40bf50af', 'hex');
    for (const encoding of ['base64', 'base64url'] as const) {
      const redactor = Redactor.of([new Secret('s', key.toString(encoding))]);
      for (const shown of [
        key,
        Buffer.from(key.toString('hex')),
        Buffer.from(key.toString('base64url')),
      ]) {
        assert.equal(Buffer.from(redactor.bytes(shown).bytes).toString(), '[REDACTED]');
      }
    }
    const basic = Redactor.of([new Secret('s', Buffer.from('user:pass"word').toString('base64'))]);
    for (const shown of ['user:pass"word', 'user:pass\\"word', 'user%3Apass%22word']) {
      assert.equal(basic.text(shown).text, '[REDACTED]');
    }
  });

  it('when the secret is a Basic credential and its password is shown alone', () => {
    const basic = (text: string): Redactor =>
      Redactor.of([new Secret('s', Buffer.from(text).toString('base64'))]);
    const password = 'correct"horse:battery';
    for (const text of [`alice:${password}`, `alice:${password}\n`, `:${password}`]) {
      for (const shown of [password, inner(password), encodeURIComponent(password)]) {
        assert.deepEqual(basic(text).text(shown), { text: '[REDACTED]', count: 1 }, text);
      }
      for (const shown of ['alice', password.slice(0, -1), password.slice(1), 'battery']) {
        assert.equal(basic(text).text(shown).count, 0, shown);
      }
    }
    // A key in the place of the name, and nothing to speak of in that of the password.
    for (const text of [
      'sk_live_4eC39HqL:',
      'sk_live_4eC39HqL:x',
      'sk_live_4eC39HqL:x-oauth-basic',
    ]) {
      assert.equal(basic(text).text('sk_live_4eC39HqL').text, '[REDACTED]', text);
    }
    const named = basic('alice@example.com:hunter2x');
    assert.equal(named.text('alice@example.com hunter2x').text, 'alice@example.com [REDACTED]');
    assert.equal(basic('alice@example.com:hunter2').text('hunter2').count, 0);
  });

  it('when the secret is a whole Authorization header and its credential is shown alone', () => {
    const key = 'ghp_4eC39HqLyjWDarjtT1zdp7dc';
    for (const scheme of ['Bearer', 'bearer ', 'token', 'Bot', 'SSWS', 'ApiKey', 'Api-Token']) {
      const redactor = Redactor.of([new Secret('s', `${scheme} ${key}`)]);
      for (const shown of [key, inner(key), Buffer.from(key).toString('hex')]) {
        assert.deepEqual(redactor.text(`<${shown}>`), { text: '<[REDACTED]>', count: 1 }, scheme);
      }
      assert.equal(redactor.text(`${scheme} ${key}`).text, '[REDACTED]', scheme);
      for (const shown of [scheme, key.slice(0, -1), key.slice(1)]) {
        assert.equal(redactor.text(shown).count, 0, shown);
      }
    }
    const pair = Buffer.from('alice:correct-horse').toString('base64');
    const basic = Redactor.of([new Secret('s', `Basic ${pair}`)]);
    for (const shown of [pair, 'alice:correct-horse', 'correct-horse']) {
      assert.equal(basic.text(shown).text, '[REDACTED]', shown);
    }
    assert.equal(basic.text('alice Basic').count, 0);
  });

  it('when the secret is a whole Cookie header and the value of a cookie is shown alone', () => {
    const session = 's%3A4eC39HqLyjWDarjt.T1zdp7dc';
    for (const value of [
      `session=${session}`,
      `theme=darkmode; session=${session}; lang=en-GB`,
      `session="${session}";`,
    ]) {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const shown of [session, decodeURIComponent(session), inner({ session })]) {
        assert.equal(redactor.text(shown).count, 1, `${value} ${shown}`);
      }
      for (const shown of ['session', 'darkmode', 'en-GB', session.slice(0, -1)]) {
        assert.equal(redactor.text(shown).count, 0, shown);
      }
    }
  });

  it('when the secret is a JWT and its signature is shown beside what the rest says', () => {
    const signature = 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
    const token = `${encoded({ alg: 'HS256' })}.${encoded({ sub: 'alice' })}.${signature}`;
    for (const value of [token, `Bearer ${token}`, `session=${token}; theme=dark`]) {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const shown of [signature, Buffer.from(signature, 'base64url').toString('hex')]) {
        assert.equal(redactor.text(shown).text, '[REDACTED]', value);
      }
      for (const shown of [signature.slice(0, -1), '{"alg":"HS256"}', '{"sub":"alice"}']) {
        assert.equal(redactor.text(shown).count, 0, shown);
      }
    }
    const version = Redactor.of([new Secret('s', 'release.candidate.production-2026')]);
    assert.equal(version.text('production-2026').count, 0);
  });

  it('when the secret is a private key and is shown in other lines, in one or without its frame', () => {
    const lines = [
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
      'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
      'Zk4eC39HqLyjWDarjtT1zdp7dQ==',
    ];
    const begin = '-----BEGIN PRIVATE KEY-----';
    const end = '-----END PRIVATE KEY-----';
    for (const lineEnd of ['\n', '\r\n']) {
      const value = [begin, ...lines, end, ''].join(lineEnd);
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const between of ['\n', '\r\n', ' ', '']) {
        const written = [begin, ...lines, end].join(between);
        for (const shown of [written, inner(written)]) {
          assert.equal(redactor.text(shown).text, '[REDACTED]', inner(between));
        }
      }
      const body = lines.join('');
      for (const shown of [body, body.replace(/.{76}/g, '$&\n'), inner(body)]) {
        assert.match(redactor.text(shown).text, /^\[REDACTED\]=*$/);
      }
      for (const shown of [begin, lines[0]!, lines[1]!, body.slice(0, -3)]) {
        assert.equal(redactor.text(shown).count, 0, shown);
      }
    }
  });

  it('but a phrase of two words and a text that merely holds a sign is one secret', () => {
    for (const [value, shown] of [
      ['stage production', 'production'],
      ['token of appreciation', 'appreciation'],
      ['mode=production', 'production'],
      ['Protocol=https;Key=4eC39HqLyjWDarjt;Suffix=storage.example.net', 'storage.example.net'],
      ['user=alice and password=correct-horse-battery', 'correct-horse-battery'],
      ['c2VjcmV0LWtleXM=', 'c2VjcmV0LWtleXM'.slice(0, -1)],
    ] as const) {
      assert.equal(Redactor.of([new Secret('s', value)]).text(shown).count, 0, value);
    }
  });

  it('when the secret is a UUID and is shown without its dashes, or the other way round', () => {
    const plain = '9f1c2e64b7a84d0c8e53f0a1b2c3d4e5';
    const dashed = '9f1c2e64-b7a8-4d0c-8e53-f0a1b2c3d4e5';
    for (const [value, shown] of [
      [dashed, plain],
      [plain, dashed],
      [`Bearer ${dashed}`, plain.toUpperCase()],
      [plain.toUpperCase(), `{${dashed}}`],
    ] as const) {
      const redactor = Redactor.of([new Secret('s', value)]);
      assert.equal(redactor.text(shown).count, 1, `${value} ${shown}`);
      for (const part of ['9f1c2e64', plain.slice(0, -1), plain.slice(1), dashed.slice(0, -1)]) {
        assert.equal(redactor.text(part).count, 0, part);
      }
    }
  });

  it('when the secret is percent-encoded and its decoded value is shown', () => {
    const cookie = 's:WhVq8sLm2Z.x/aB+k "ü"';
    const redactor = Redactor.of([new Secret('s', encodeURIComponent(cookie))]);
    for (const shown of [cookie, inner(cookie), encodeURIComponent(cookie), encodeURI(cookie)]) {
      assert.deepEqual(redactor.text(shown), { text: '[REDACTED]', count: 1 }, shown);
    }
    assert.equal(redactor.text(cookie.slice(0, -1)).count, 0);
    const basic = Redactor.of([new Secret('s', 'YWxpY2U6aHVudGVyMnh5%3D%3D')]);
    assert.equal(basic.text('hunter2xy').count, 1);
  });

  it('but not what is too short when decoded, or the beginning of it, or does not decode', () => {
    for (const [value, shown] of [
      ['%41%42%43', 'ABC'],
      ['%2525252525252525', '%25252525252525'],
      ['100%-of%ff%41bcdefgh', '100%-of%ffAbcdefgh'],
    ] as const) {
      assert.equal(Redactor.of([new Secret('s', value)]).text(shown).count, 0, value);
    }
  });

  it('but a plain text with a colon is one secret', () => {
    const redactor = Redactor.of([new Secret('s', 'stage:production')]);
    assert.deepEqual(redactor.text('production'), { text: 'production', count: 0 });
  });

  it('without the white space at its ends, which HTTP and YAML drop', () => {
    const core = 'sk-live-TRAILING/0123456789';
    for (const value of [`${core} `, `${core}\n`, ` ${core}`, `\t${core}\r\n`, `${core}\u00a0`]) {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const written of [core, core.toUpperCase(), inner(core), encodeURIComponent(core)]) {
        assert.deepEqual(redactor.text(`<${written}>`), { text: '<[REDACTED]>', count: 1 });
      }
      assert.equal(redactor.text(value).text, '[REDACTED]');
      assert.equal(redactor.text(core.slice(0, -1)).count, 0);
    }
    const padded = Redactor.of([new Secret('s', 'c2VjcmV0LWtleQ==\n')]);
    for (const written of ['c2VjcmV0LWtleQ==', 'c2VjcmV0LWtleQ', 'secret-key']) {
      assert.equal(padded.text(`${written}.`).count, 1, written);
    }
    assert.equal(padded.text('c2VjcmV0LWtle').count, 0);
  });

  it('takes a padded secret without its padding for the secret, and no shorter part of it', () => {
    const redactor = Redactor.of([new Secret('s', 'c2VjcmV0LWtleQ==')]);
    assert.deepEqual(redactor.text('c2VjcmV0LWtleQ'), { text: '[REDACTED]', count: 1 });
    assert.deepEqual(redactor.text('c2VjcmV0LWtleQ='), { text: '[REDACTED]=', count: 1 });
    assert.deepEqual(redactor.text('c2VjcmV0LWtle'), { text: 'c2VjcmV0LWtle', count: 0 });
  });

  it('counts the white space at the ends of a secret, and leaves the shorter rest', () => {
    const redactor = Redactor.of([new Secret('s', 'seven77 ')]);
    assert.deepEqual(redactor.text('seven77'), { text: 'seven77', count: 0 });
    assert.equal(redactor.text('seven77 ').count, 1);
    for (const value of ['seven77\n', 'seven\n77', 'seven\r\n77']) {
      const folded = Redactor.of([new Secret('s', value)]);
      assert.deepEqual(folded.text('seven77'), { text: 'seven77', count: 0 });
      assert.equal(folded.text(value).count, 1);
    }
  });

  it('leaves what an eight-character base64 secret decodes to, which is shorter', () => {
    const redactor = Redactor.of([new Secret('s', 'aGVsbG8h')]);
    assert.deepEqual(redactor.text('hello!'), { text: 'hello!', count: 0 });
  });
});
