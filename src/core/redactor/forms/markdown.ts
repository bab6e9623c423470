/**
 * How Markdown escapers write a text: a backslash before each sign that could be markup. They
 * differ in which signs they mind, and all mind the backslash.
 */
import type { Encode } from './escapes.ts';

const escaping = (signs: string): Encode => {
  const escaped = new Set(`\\${signs}`);
  return (text) =>
    text.replace(/[^A-Za-z0-9]/g, (char) => (escaped.has(char) ? `\\${char}` : char));
};

export const markdownEncoders: readonly Encode[] = [
  // Turndown and other converters from HTML.
  escaping('*_[]`'),
  // Discord, without and with quotes.
  escaping('_*~`|'),
  escaping('_*~`|>'),
  // The signs that the first Markdown lists, and with those of tables.
  escaping('`*_{}[]()#+-.!'),
  escaping('`*_{}[]()#+-.!|<>~'),
  // Telegram.
  escaping('_*[]()~`>#+-=|{}.!'),
  // All that CommonMark lets be escaped.
  escaping('!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'),
];
