// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the templates under test
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '../../core/secrets/secret.ts';
import { parseTemplate, renderTemplate, secretNamesOf, type Template } from './template.ts';

const secrets = new Map(
  Object.entries({ token: 's3cret', user_1: 'ann', odd: '$${token}${token}$' }).map(
    ([name, value]) => [name, new Secret(name, value)],
  ),
);

function parsed(text: string): Template {
  const template = parseTemplate(text, secrets.keys());
  assert.ok(!('problem' in template), JSON.stringify(template));
  return template;
}

describe('a template', () => {
  const rows: [text: string, rendered: string, names: string[]][] = [
    ['', '', []],
    ['plain', 'plain', []],
    ['${token}', 's3cret', ['token']],
    ['Bearer ${token}', 'Bearer s3cret', ['token']],
    ['${user_1}:${token}', 'ann:s3cret', ['user_1', 'token']],
    ['${token}${token}', 's3crets3cret', ['token']],
    ['$${token}', '${token}', []],
    ['$${', '${', []],
    ['$$${token}', '$${token}', []],
    ['$${${token}}', '${s3cret}', ['token']],
    ['$', '$', []],
    ['$$', '$$', []],
    ['$5 {token} $token }{', '$5 {token} $token }{', []],
    ['${token}$', 's3cret$', ['token']],
    ['${odd}', '$${token}${token}$', ['odd']],
    ['line\n${token}', 'line\ns3cret', ['token']],
  ];
  for (const [text, rendered, names] of rows) {
    test(`${JSON.stringify(text)} renders as ${JSON.stringify(rendered)}`, () => {
      assert.equal(renderTemplate(parsed(text), secrets), rendered);
      assert.deepEqual(secretNamesOf(parsed(text)), names);
    });
  }

  const problems: [text: string, problem: RegExp][] = [
    ['${', /secret and a closing brace/],
    ['${token', /secret and a closing brace/],
    ['${}', /secret and a closing brace/],
    ['${ token }', /secret and a closing brace/],
    ['${to-ken}', /secret and a closing brace/],
    ['${a${token}', /secret and a closing brace/],
    [`\${${'a'.repeat(65)}}`, /secret and a closing brace/],
    ['${tokn}', /there is no secret for \$\{tokn\} \(did you mean "token"\?\)/],
    ['${Token}', /there is no secret for \$\{Token\} \(did you mean "token"\?\)/],
    ['${api_key}', /there is no secret for \$\{api_key\}; there are .*token/],
    ['${STRIPE_KEY_2}', /there is no secret for \$\{STRIPE_KEY_2\};/],
    ['${openAiKey}', /there is no secret for \$\{openAiKey\};/],
    ['${sk_live_51Hx8QzLq9v0Ty}', /there is no secret for \$\{…\};/],
    ['${ghp_16C7e42F292c6912E7}', /there is no secret for \$\{…\};/],
    ['${correcthorsebatterystaple}', /there is no secret for \$\{…\};/],
    ['${__proto__}', /there is no secret for \$\{…\}/],
    ['${constructor}', /there is no secret for \$\{constructor\};/],
  ];
  for (const [text, problem] of problems) {
    test(`${JSON.stringify(text)} is a problem: ${problem.source}`, () => {
      const template = parseTemplate(text, secrets.keys());
      assert.ok('problem' in template);
      assert.match(template.problem, problem);
    });
  }

  test('quotes nothing of itself in a problem, since it may hold a literal credential', () => {
    for (const text of ['hunter2-${token', '${hunter2}', '${hunter2']) {
      const template = parseTemplate(text, secrets.keys());
      assert.ok('problem' in template && !template.problem.includes('hunter2'));
    }
  });

  test('prints no secret before it is rendered', () => {
    assert.doesNotMatch(JSON.stringify(parsed('a ${token}')), /s3cret/);
  });

  test('is not rendered with a secret that is gone', () => {
    assert.throws(
      () => renderTemplate(parsed('${token}'), new Map()),
      /secret "token" is not loaded/,
    );
  });

  test('renders any text whose ${ are escaped as that text', () => {
    const unit = fc.constantFrom('$', '{', '}', 'a', 'token');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        assert.equal(renderTemplate(parsed(text.replaceAll('${', () => '$${')), secrets), text);
      }),
    );
  });
});
