/** Whatever strangers write, it stays text in every format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EventLine, eventLine } from '../event-log/event-lines.ts';
import { type Alert, alertOf } from './alert.ts';
import type { Message } from './alert-queue.ts';
import { HTTP_FORMATS, httpContent, mailText, syslogLine } from './formats.ts';
import { textOf } from './message-text.ts';

const NASTY = [
  '@everyone @here <@123> <@&4> <!channel> <!here|x> <https://evil.example|click>',
  '```\n**bold** [click](https://evil.example) ~~x~~ `code`',
  'x\r\nBcc: victim@example.org\r\n\r\n.\r\nQUIT',
  '\n.\n',
  '<at>everyone</at> <b>&amp;</b>',
  '\u202e\u2066\u0000\u001b[31m\u{1f600}\ud800',
  '\'"; $(reboot) `reboot` | sh',
];

function used(text: string): Alert {
  const line = eventLine({
    ts: '2026-11-15T10:00:00.000Z',
    event: 'honeytoken_used',
    tag: 'ai-assistant-config',
    site: 'gateway',
    'source.ip': '198.51.100.9',
    'honeytoken.received_by': '203.0.113.7',
    'honeytoken.site': 'decoys',
    'honeytoken.hash': 'f'.repeat(64),
    'honeytoken.confidence': 'high',
    'honeytoken.presented_in': text,
    'url.path': text,
    'user_agent.original': text,
  }) as EventLine;
  return alertOf(line)!;
}

function message(...alerts: readonly Alert[]): Message {
  return { alerts, others: { low: 3, medium: 0, high: 0 } };
}

const all: readonly Message[] = [
  ...NASTY.map((text) => ({ alerts: [used(text)], others: { low: 0, medium: 0, high: 0 } })),
  message(...NASTY.map(used)),
];

test('no header of a request holds a text of a stranger, and every body is JSON or plain text', () => {
  for (const each of all) {
    for (const format of HTTP_FORMATS) {
      const { headers, body } = httpContent(format, each);
      for (const value of Object.values(headers)) assert.match(value, /^[\w;:=/., -]+$/);
      if (format !== 'ntfy') JSON.parse(body);
      new Request('http://127.0.0.1/', { method: 'POST', headers, body });
    }
  }
});

test('Slack shows no mention and no link', () => {
  for (const each of all) {
    const content = JSON.parse(httpContent('slack', each).body);
    assert.doesNotMatch(content.text, /[<>]/);
    assert.equal(content.text.match(/```/g).length, 2);
    assert.ok(content.text.endsWith('\n```'));
    assert.deepEqual([content.parse, content.link_names], ['none', false]);
  }
});

test('Discord notifies nobody, and no text ends the code block', () => {
  for (const each of all) {
    const { content, allowed_mentions } = JSON.parse(httpContent('discord', each).body);
    assert.deepEqual(allowed_mentions, { parse: [] });
    assert.match(content, /^\*\*Gatehouse: [\w ,]+\*\*\n```\n[^`]*\n```$/);
    assert.ok(content.length <= 2_000, `${content.length}`);
  }
});

test('Teams gets text runs alone, which know no Markdown and no mention', () => {
  for (const each of all) {
    const { attachments } = JSON.parse(httpContent('teams', each).body);
    const { body, msteams } = attachments[0].content;
    assert.equal(msteams, undefined);
    for (const { type, inlines } of body) {
      assert.equal(type, 'RichTextBlock');
      for (const inline of inlines) assert.equal(inline.type, 'TextRun');
    }
  }
});

test('a mail has our headers alone, and a body of short lines of base64', () => {
  for (const each of all) {
    const mail = mailText(each, 'ops@example.org', new Date(0));
    const [head = '', body = ''] = mail.split('\n\n');
    const names = head.split('\n').map((line) => /^([A-Z][\w-]*): [ -~]+$/.exec(line)?.[1]);
    assert.deepEqual(names, [
      'To',
      'Subject',
      'Date',
      'Message-ID',
      'Auto-Submitted',
      'MIME-Version',
      'Content-Type',
      'Content-Transfer-Encoding',
    ]);
    for (const line of body.trimEnd().split('\n')) assert.match(line, /^[A-Za-z0-9+/=]{1,76}$/);
    assert.match(Buffer.from(body, 'base64').toString(), /198\.51\.100\.9/);
  }
});

test('a line of syslog is one line of RFC 5424', () => {
  for (const each of all) {
    assert.match(
      syslogLine(each, 'host.example'),
      /^<81>1 2026-11-15T10:00:00\.000Z host\.example gatehouse-decoys - honeytoken_used - [^\p{C}]+$/u,
    );
  }
});

test('whatever a line holds, the text is printable, bounded and names who did it', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.constantFrom(...NASTY));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), (texts) => {
      const shown = textOf(message(...texts.map(used)));
      assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u);
      assert.match(shown, /198\.51\.100\.9/);
      assert.ok(shown.length < 1_700, `${shown.length}`);
    }),
    { numRuns: 25 },
  );
});

test('a token is news again once somebody else uses it, or its receiver at another program', () => {
  const use = (fields: object) =>
    alertOf(
      eventLine({
        ts: '2026-11-15T10:00:00.000Z',
        event: 'honeytoken_used',
        site: 'decoys',
        'source.ip': '203.0.113.7',
        'honeytoken.hash': 'f',
        'honeytoken.site': 'decoys',
        'honeytoken.received_by': '203.0.113.7',
        'honeytoken.confidence': 'high',
        ...fields,
      }) as EventLine,
    )!;
  const tried = use({});
  const elsewhere = use({ site: 'gateway' });
  const ipv6 = { 'honeytoken.received_by': '2001:db8::/64', 'source.ip': '2001:db8::7' };
  assert.deepEqual([tried.severity, elsewhere.severity], ['medium', 'high']);
  assert.notEqual(tried.key, elsewhere.key);
  assert.equal(use({ 'source.ip': '203.0.113.8' }).severity, 'high');
  assert.equal(
    use({ 'source.ip': '203.0.113.8', 'honeytoken.confidence': 'low' }).severity,
    'medium',
  );
  assert.equal(use(ipv6).severity, 'medium');
  assert.equal(use({ ...ipv6, 'source.ip': '2001:db8:1::7' }).severity, 'high');
});
