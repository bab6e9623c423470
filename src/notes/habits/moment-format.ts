/**
 * Formats dates as moment.js does, in which Obsidian's settings are written: `YYYY/MM-MMMM/YYYY-MM-DD`.
 * Names of months and days are English. What is not a token is kept, as is text in brackets.
 */
import { DAY_MS } from '../../core/time.ts';

const TOKEN =
  /\[[^[\]]*\]|YYYY|YY|Y|Qo|Q|Mo|MMMM|MMM|MM|M|Do|DDDo|DDDD|DDD|DD|D|do|dddd|ddd|dd|d|e|E|wo|ww|w|Wo|WW|W|gggg|gg|GGGG|GG|HH|H|hh|h|kk|k|mm|m|ss|s|SSS|SS|S|A|a|X|x|ZZ|Z|LLLL|LLL|LL|LT|L/g;

const LONG: Readonly<Record<string, string>> = {
  L: 'MM/DD/YYYY',
  LL: 'MMMM D, YYYY',
  LLL: 'MMMM D, YYYY h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  LT: 'h:mm A',
};

/** In the time zone of the server, as `dayOf`. */
export function formatMoment(date: Date, format: string): string {
  return format.replace(TOKEN, (token) => {
    if (token.startsWith('[')) return token.slice(1, -1);
    const long = LONG[token];
    return long === undefined ? part(date, token) : formatMoment(date, long);
  });
}

function part(date: Date, token: string): string {
  if (token.endsWith('o')) return ordinal(Number(part(date, token.slice(0, -1))));
  const name = NAMED[token]?.(date);
  if (name !== undefined) return name;
  const letter = token[0]!;
  const value = NUMBERS[letter === 'D' && token.length > 2 ? 'DDD' : letter]!(date);
  const width = WIDTHS[token] ?? (token.length === 2 ? 2 : 1);
  const text = String(value).padStart(width, '0');
  return /^(?:YY|gg|GG)$/.test(token) ? text.slice(-2) : text;
}

const WIDTHS: Readonly<Record<string, number>> = { DDD: 1, DDDD: 3, YYYY: 4, gggg: 4, GGGG: 4 };

const NUMBERS: Readonly<Record<string, (date: Date) => number>> = {
  Y: (date) => date.getFullYear(),
  Q: (date) => Math.floor(date.getMonth() / 3) + 1,
  M: (date) => date.getMonth() + 1,
  D: (date) => date.getDate(),
  DDD: dayOfYear,
  d: (date) => date.getDay(),
  e: (date) => date.getDay(),
  E: (date) => date.getDay() || 7,
  w: (date) => weekOf(date, 0).week,
  g: (date) => weekOf(date, 0).year,
  W: (date) => weekOf(date, 1).week,
  G: (date) => weekOf(date, 1).year,
  H: (date) => date.getHours(),
  h: (date) => date.getHours() % 12 || 12,
  k: (date) => date.getHours() || 24,
  m: (date) => date.getMinutes(),
  s: (date) => date.getSeconds(),
  X: (date) => Math.floor(date.getTime() / 1000),
  x: (date) => date.getTime(),
};

const NAMED: Readonly<Record<string, (date: Date) => string>> = {
  MMMM: (date) => english(date, { month: 'long' }),
  MMM: (date) => english(date, { month: 'short' }),
  dddd: (date) => english(date, { weekday: 'long' }),
  ddd: (date) => english(date, { weekday: 'short' }),
  dd: (date) => english(date, { weekday: 'short' }).slice(0, 2),
  A: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getHours() < 12 ? 'am' : 'pm'),
  SSS: (date) => String(date.getMilliseconds()).padStart(3, '0'),
  SS: (date) => String(date.getMilliseconds()).padStart(3, '0').slice(0, 2),
  S: (date) => String(date.getMilliseconds()).padStart(3, '0').slice(0, 1),
  Z: (date) => offset(date, ':'),
  ZZ: (date) => offset(date, ''),
};

function english(date: Date, field: Intl.DateTimeFormatOptions): string {
  return date.toLocaleDateString('en-US', field);
}

function offset(date: Date, separator: string): string {
  const minutes = -date.getTimezoneOffset();
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hour)}${separator}${two(minute)}`;
}

function dayOfYear(date: Date): number {
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (day - Date.UTC(date.getFullYear(), 0, 0)) / DAY_MS;
}

/** A week belongs to the year of one of its days: its Saturday (US), or its Thursday (ISO 8601). */
function weekOf(date: Date, start: 0 | 1): { week: number; year: number } {
  const decides = new Date(date.getFullYear(), date.getMonth(), date.getDate());
  const ahead = start === 1 ? 3 - ((date.getDay() + 6) % 7) : 6 - date.getDay();
  decides.setDate(decides.getDate() + ahead);
  return { week: Math.ceil(dayOfYear(decides) / 7), year: decides.getFullYear() };
}

function ordinal(value: number): string {
  const tens = Math.floor((value % 100) / 10);
  const ending = tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}
