/**
 * Messages in the formats of chat programs, mail and syslog.
 *
 * Prevents injection (CWE-74) by a user agent such as `@everyone`, `<!channel>`, a link, or a line break
 * that begins a header: chats show the text as code, in which nothing is a mention, a link or
 * formatting; headers have no text of strangers; mail is base64.
 */
import type { Severity } from './alert.ts';
import type { Message } from './alert-queue.ts';
import { idOf, otherCount, severityOf, textOf, titleOf } from './message-text.ts';

export const HTTP_FORMATS = ['ntfy', 'slack', 'discord', 'teams', 'json'] as const;
export type HttpFormat = (typeof HTTP_FORMATS)[number];

interface HttpContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const NTFY_PRIORITY: Readonly<Record<Severity, string>> = { low: '2', medium: '3', high: '5' };
const SYSLOG_SEVERITY: Readonly<Record<Severity, number>> = { low: 6, medium: 4, high: 1 };
/** Security messages (RFC 5424, table 1). */
const SYSLOG_FACILITY = 10;
const BASE64_LINE = /.{1,76}/g;

export function httpContent(format: HttpFormat, message: Message): HttpContent {
  if (format === 'ntfy') return ntfy(message);
  const body = JSON.stringify(BODIES[format](message));
  return { headers: { 'Content-Type': 'application/json' }, body };
}

const BODIES: Readonly<Record<Exclude<HttpFormat, 'ntfy'>, (message: Message) => object>> = {
  slack: (message) => ({
    text: `${titleOf(message)}\n${inCode(slackEscaped(textOf(message)))}`,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }),
  discord: (message) => ({
    username: 'Gatehouse',
    content: `**${titleOf(message)}**\n${inCode(textOf(message))}`,
    allowed_mentions: { parse: [] },
    // SUPPRESS_EMBEDS
    flags: 4,
  }),
  teams: (message) => ({
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(message) },
    ],
  }),
  json: (message) => ({
    version: 1,
    id: idOf(message),
    severity: severityOf(message),
    title: titleOf(message),
    alerts: message.alerts.map(({ timeMs, key: _, ...alert }) => {
      return { time: new Date(timeMs).toISOString(), ...alert };
    }),
    others: otherCount(message),
  }),
};

/** Text runs, unlike text blocks, know no Markdown. */
function adaptiveCard(message: Message): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [titleOf(message), ...textOf(message).split('\n')].map((text, at) => ({
      type: 'RichTextBlock',
      ...(at > 0 && { spacing: 'None' }),
      inlines: [{ type: 'TextRun', text, ...(at === 0 && { weight: 'Bolder' }) }],
    })),
  };
}

function ntfy(message: Message): HttpContent {
  const severity = severityOf(message);
  return {
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Title: titleOf(message),
      Priority: NTFY_PRIORITY[severity],
      Tags: severity === 'high' ? 'rotating_light' : 'mag',
      Markdown: 'no',
    },
    body: textOf(message),
  };
}

/** RFC 5424; one line, whose time is that of the first alert. */
export function syslogLine(message: Message, host: string): string {
  const severity = severityOf(message);
  const [first] = message.alerts;
  const priority = SYSLOG_FACILITY * 8 + SYSLOG_SEVERITY[severity];
  const when = first ? new Date(first.timeMs).toISOString() : '-';
  const name = /^[!-~]{1,255}$/.test(host) ? host : '-';
  const isOne = message.alerts.length + otherCount(message) === 1;
  const head = isOne ? 'Gatehouse' : titleOf(message);
  const text = `${head}: ${textOf(message).replaceAll('\n', ' | ')}`;
  return `<${priority}>1 ${when} ${name} gatehouse-decoys - ${first?.event ?? '-'} - ${text}`;
}

/** Base64, so that no line of the body can be a header, a single dot or too long. */
export function mailText(message: Message, to: string, now: Date): string {
  const body = Buffer.from(`${textOf(message, 20_000)}\n`).toString('base64');
  return [
    `To: <${to}>`,
    `Subject: ${titleOf(message)}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${idOf(message)}@gatehouse.invalid>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(body.match(BASE64_LINE) ?? []),
    '',
  ].join('\n');
}

/** No backtick of a stranger ends the block. */
function inCode(text: string): string {
  return `\`\`\`\n${text.replaceAll('`', "'")}\n\`\`\``;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
