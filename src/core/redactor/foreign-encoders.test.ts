/**
 * The redactor against encoders that others wrote: programs that are installed here, and what those
 * that are not wrote elsewhere.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of other languages are written so
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '../secrets/secret.ts';
import { Redactor } from './redactor.ts';

const VALUES = [
  'Pa$sw0rd+kx/yq=zw',
  'sk_live-4eC39.HqL~yjW',
  `say"it's<b>&\\q8#{x}!`,
  'corr3ct h0rse; b4ttery: [s]{t}`u`^v|w@x,y?z*',
  'pässwörd-é%41=ü7',
  '$2y$10$abcDEF./x',
];

/** Each script reads the value from standard input and writes it in several ways, one to a line. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  python3: [
    '-c',
    `import sys, json, html, re, shlex, base64, urllib.parse as u, email.quoprimime as q, xml.sax.saxutils as x, quopri, pprint
v = sys.stdin.buffer.read().decode()
m = base64.encodebytes((v * 5).encode()).decode().strip()
forms = [json.dumps(v), json.dumps(v, ensure_ascii=False), json.dumps(json.dumps(v)), html.escape(v), html.escape(json.dumps(v)),
  re.escape(v), re.escape(v).replace('\\\\', '\\\\\\\\'), u.quote(v), u.quote(v, safe=''), u.quote_plus(v), u.quote(u.quote(v, safe=''), safe=''),
  u.quote(v, safe='$+=:@'), u.quote(json.dumps(v)), repr(v), ascii(v), repr(v.encode()), shlex.quote(v), json.dumps(shlex.quote(v)),
  q.header_encode(v.encode()), q.body_encode(v), quopri.encodestring(v.encode(), quotetabs=True, header=True).decode().replace('=\\n', ''),
  x.escape(v), x.quoteattr(v), v.replace('$', '$$'), v.replace("'", "''"), v.encode().hex(), base64.b64encode(v.encode()).decode(),
  v.encode('unicode_escape').decode(), v.encode('ascii', 'xmlcharrefreplace').decode(),
  ''.join('&#%07d;' % ord(c) if not c.isalnum() else c for c in v), ''.join('\\\\%o' % b if not chr(b).isalnum() or b > 127 else chr(b) for b in v.encode())]
for f in forms: print(f)`,
  ],
  perl: [
    '-MJSON::PP',
    '-MMIME::QuotedPrint',
    '-MData::Dumper',
    '-e',
    `undef $/; my $v = <STDIN>; print quotemeta($v), "\\n", JSON::PP->new->allow_nonref->encode($v), "\\n";
     my $q = encode_qp($v, ""); $q =~ s/=\\n$//; print "$q\\n"; (my $p = $v) =~ s/([^A-Za-z0-9])/sprintf("%%%02x", ord($1))/ge; print "$p\\n";
     { local $Data::Dumper::Terse = 1; print Dumper($v); local $Data::Dumper::Useqq = 1; print Dumper($v); }`,
  ],
  bash: [
    '-c',
    'v=$(cat); printf "%q\\n" "$v"; export v; export -p | grep " v="; printf "%s\\n" "${v@Q}" "${v@A}"',
  ],
  jq: [
    '-Rrs',
    '@json, @html, @uri, @sh, @csv "\\([.])", (@json | @json), (@json | @html), (@uri | @uri)',
  ],
};

const NODE: Readonly<Record<string, (value: string) => string>> = {
  inspect: (v) => inspect(v),
  'JSON of inspect': (v) => JSON.stringify(inspect(v)),
  'RegExp.escape': (v) => (RegExp as unknown as { escape(v: string): string }).escape(v),
  'String.raw': (v) => v.replace(/[`\\]|\$\{/g, '\\$&'),
  URLSearchParams: (v) => new URLSearchParams([['k', v]]).toString(),
  'a path of URL': (v) => new URL(`https://h/${encodeURIComponent(v)}`).href,
  'URL in JSON in HTML': (v) => JSON.stringify(encodeURIComponent(v)).replaceAll('"', '&quot;'),
};

/** What encoders that are rarely installed make of `Pa$sw0rd+kx/yq="z'w&<v>`. */
const RECORDED_VALUE = `Pa$sw0rd+kx/yq="z'w&<v>`;
const RECORDED: Readonly<Record<string, string>> = {
  'html/template of Go, in a script':
    'Pa$sw0rd\\u002bkx\\/yq\\u003d\\u0022z\\u0027w\\u0026\\u003cv\\u003e',
  'html/template of Go, in an attribute': 'Pa$sw0rd&#43;kx/yq=&#34;z&#39;w&amp;&lt;v&gt;',
  'Twig, js': 'Pa\\u0024sw0rd\\u002Bkx\\/yq\\u003D\\u0022z\\u0027w\\u0026\\u003Cv\\u003E',
  'Twig, html_attr': 'Pa&#x24;sw0rd&#x2B;kx&#x2F;yq&#x3D;&quot;z&#x27;w&amp;&lt;v&gt;',
  'Twig, css': 'Pa\\24 sw0rd\\2B kx\\2F yq\\3D \\22 z\\27 w\\26 \\3C v\\3E ',
  'ESAPI, encodeForJavaScript': 'Pa\\x24sw0rd\\x2Bkx\\x2Fyq\\x3D\\x22z\\x27w\\x26\\x3Cv\\x3E',
  'j() of Rails': `Pa\\$sw0rd+kx/yq=\\"z\\'w&<v>`,
  'export -p of dash': `'Pa$sw0rd+kx/yq="z'"'"'w&<v>'`,
  'export -p of bash': `"Pa\\$sw0rd+kx/yq=\\"z'w&<v>"`,
  'rev-parse --sq-quote of Git': `'Pa$sw0rd+kx/yq="z'\\''w&<v>'`,
  'a Makefile': `Pa$$sw0rd+kx/yq="z'w&<v>`,
  '.properties of Java, as a key': `Pa$sw0rd+kx/yq\\="z'w&<v>`,
  'HttpUtility.UrlEncode of .NET': 'Pa%24sw0rd%2bkx%2fyq%3d%22z%27w%26%3cv%3e',
  'JavaScriptEncoder of .NET': 'Pa$sw0rd\\u002Bkx/yq=\\u0022z\\u0027w\\u0026\\u003Cv\\u003E',
  'UriUtils of Spring, a query parameter': "Pa$sw0rd+kx/yq%3D%22z'w%26%3Cv%3E",
  'QueryParser of Lucene': `Pa$sw0rd\\+kx\\/yq=\\"z'w\\&<v>`,
  'preg_quote of PHP': `Pa\\$sw0rd\\+kx/yq\\="z'w&\\<v\\>`,
  // Packages of npm.
  he: 'Pa$sw0rd+kx/yq=&#x22;z&#x27;w&#x26;&#x3C;v&#x3E;',
  'he, every character by its name':
    '&#x50;&#x61;&dollar;&#x73;&#x77;&#x30;&#x72;&#x64;&plus;&#x6B;&#x78;&sol;&#x79;&#x71;&equals;&quot;&#x7A;&apos;&#x77;&amp;&lt;&#x76;&gt;',
  jsesc: `Pa$sw0rd+kx/yq=\\"z'w&<v>`,
  'jsesc, every character': `\\x50\\x61\\x24\\x73\\x77\\x30\\x72\\x64\\x2B\\x6B\\x78\\x2F\\x79\\x71\\x3D\\"\\x7A\\'\\x77\\x26\\x3C\\x76\\x3E`,
  'serialize-javascript': `"Pa$sw0rd+kx\\u002Fyq=\\"z'w&\\u003Cv\\u003E"`,
  'serialize-javascript, a regular expression': `new RegExp("Pa\\\\$sw0rd\\\\+kx\\\\\\u002Fyq=\\"z'w&\\u003Cv\\u003E", "")`,
  'lodash.escapeRegExp': `Pa\\$sw0rd\\+kx/yq="z'w&<v>`,
  'html-entities, every name': 'Pa&dollar;sw0rd&plus;kx&sol;yq&equals;&quot;z&apos;w&amp;&lt;v&gt;',
  'quoted-printable': `Pa$sw0rd+kx/yq=3D"z'w&<v>`,
  'shell-quote': `"Pa\\$sw0rd+kx/yq=\\"z'w&<v>"`,
  sqlstring: `'Pa$sw0rd+kx/yq=\\"z\\'w&<v>'`,
  'LDAP filter': 'Pa\\24sw0rd\\2bkx\\2fyq\\3d\\22z\\27w\\26\\3cv\\3e',
};

describe('a secret is removed as other encoders write it', () => {
  for (const [program, args] of Object.entries(PROGRAMS)) {
    it(program, (t) => {
      if (spawnSync(program, ['--version']).error !== undefined) return t.skip('not installed');
      for (const value of VALUES) {
        const { stdout, status, stderr } = spawnSync(program, args, { input: value });
        assert.equal(status, 0, stderr.toString());
        const lines = stdout.toString('latin1').trim().split('\n');
        assert.ok(lines.length > 2);
        for (const line of lines) assertRemoved(value, Buffer.from(line, 'latin1'));
      }
    });
  }

  it('Node', () => {
    for (const value of VALUES) {
      for (const encode of Object.values(NODE)) assertRemoved(value, encode(value));
    }
  });

  for (const [encoder, written] of Object.entries(RECORDED)) {
    it(encoder, () => {
      assertRemoved(RECORDED_VALUE, written);
      assertRemoved(RECORDED_VALUE, JSON.stringify(written));
      assertRemoved(RECORDED_VALUE, encodeURIComponent(written));
      assertRemoved(
        RECORDED_VALUE,
        written.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`),
      );
    });
  }
});

function assertRemoved(value: string, written: string | Buffer): void {
  const redactor = Redactor.of([new Secret('s', value)]);
  const { bytes, count } = redactor.bytes(Buffer.from(written as string));
  assert.ok(count > 0, `${value} as ${written}`);
  // Nothing is left but quotes, and the name of a variable.
  assert.ok(bytes.length < 60, Buffer.from(bytes).toString());
}
