/**
 * Estimates the entropy of a secret: an upper bound of the guesses that it needs, in bits.
 *
 * Detects secrets that a dictionary attack finds: redaction reveals whether a whole guess is right, and
 * an upstream that echoes its input checks millions of guesses a second. A random value of enough
 * characters is safe; a PIN, a date, or a word with a number is not.
 *
 * The estimate is the least of three: all values of this length from the same alphabets; all with this
 * number of distinct characters; and a model of what people choose, which adds the cost of each character
 * after the one before. A letter costs its frequency after that letter. A repeated character and a
 * neighbour in the alphabet, among the digits or on the keyboard cost little, and so do a date and a
 * repeated beginning. Each change between letters, digits and other characters but the first costs some
 * bits. There is no word list; four random words count as strong.
 */

/** Two months at three million guesses a second. */
const ENUMERABLE_BITS = 44;
/** People change between letters, digits and other characters once or twice. */
const FREE_CHANGES = 1;
const CHANGE_BITS = 3.5;

export function isEnumerable(value: string): boolean {
  return guessBits(value) < ENUMERABLE_BITS;
}

export function guessBits(value: string): number {
  if (value === '') return 0;
  const signs = [...value];
  const distinct = new Set(signs).size;
  return Math.min(
    signs.length * Math.log2(alphabetOf(value)),
    signs.length * Math.log2(distinct) + distinct * Math.log2(95),
    chosenBits(value),
  );
}

/** The size of the smallest usual alphabet that has all the signs. */
function alphabetOf(value: string): number {
  if (/^\d*$/.test(value)) return 10;
  if (/^(?:[\da-f]*|[\dA-F]*)$/.test(value)) return 16;
  const kinds = [/\d/, /[a-z]/, /[A-Z]/, /[ -/:-@[-`{-~]/, /[^ -~]/];
  const sizes = [10, 26, 26, 33, 128];
  return sizes.reduce((sum, size, kind) => sum + (kinds[kind]!.test(value) ? size : 0), 0);
}

function chosenBits(value: string): number {
  const text = withoutRepeats(value);
  let bits = text === value ? 0 : 3;
  let at = 0;
  while (at < text.length) {
    const date = DATE.exec(text.slice(at, at + MAX_DATE))?.[0] ?? '';
    bits += date === '' ? signBits(text, at) : date.length > 4 ? 16 : 7;
    at += date.length || 1;
  }
  const plain = text.replace(DISGUISED, 'x');
  const changes = (plain.match(/[a-z]+|\d+|[^a-z\d]+/gi)?.length ?? 1) - 1;
  return bits + Math.max(0, changes - FREE_CHANGES) * CHANGE_BITS;
}

/** `abcabcab` is `abc`. */
function withoutRepeats(value: string): string {
  for (let length = 1; length * 2 <= value.length && length <= MAX_REPEATED; length++) {
    const unit = value.slice(0, length);
    if (unit.repeat(Math.ceil(value.length / length)).startsWith(value)) return unit;
  }
  return value;
}

const MAX_REPEATED = 64;
const MAX_DATE = 10;
const DATE =
  /^(?:(?:19|20)\d\d[-/.]?[01]\d[-/.]?[0-3]\d|[0-3]\d[-/.]?[0-3]\d[-/.]?(?:19|20)\d\d|(?:19|20)\d\d)(?!\d)/;

/** A sign for a letter, as in `p@ssw0rd`. */
const DISGUISED = /(?<=[a-z])[013457@$!](?=[a-z])/gi;

function signBits(text: string, at: number): number {
  const sign = text[at]!;
  const before = text[at - 1] ?? '';
  const letter = letterOf(sign);
  const lower = sign.toLowerCase();
  const options = [isDigit(sign) ? Math.log2(10) : 5.5];
  if (letter !== -1) {
    const disguise = lower >= 'a' && lower <= 'z' ? caseBits(text, at) : 2;
    options.push(pairBits(letterOf(before), letter) + disguise);
  }
  if (before !== '') {
    const step = lower.charCodeAt(0) - before.toLowerCase().charCodeAt(0);
    if (step === 0) options.push(1.5);
    if (Math.abs(step) === 1 && /[a-z\d]/.test(lower)) options.push(2);
    if (KEYBOARD.some((row) => isNeighbour(row, before.toLowerCase(), lower))) options.push(2.5);
  }
  return Math.min(...options);
}

/** A capital is a choice at each change of case. */
function caseBits(text: string, at: number): number {
  const sign = text[at]!;
  const before = text[at - 1] ?? '';
  const isUpper = sign !== sign.toLowerCase();
  const wasUpper = before !== before.toLowerCase();
  return isUpper === wasUpper ? 0 : at === 1 ? 0.5 : isUpper ? 2 : 1;
}

function isDigit(sign: string): boolean {
  return sign >= '0' && sign <= '9';
}

function isNeighbour(row: string, one: string, other: string): boolean {
  const [first, second] = [row.indexOf(one), row.indexOf(other)];
  return first !== -1 && second !== -1 && Math.abs(first - second) === 1;
}

const KEYBOARD = [
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb',
  '1q2w3e4r5t6y7u8i9o0p',
  '!@#$%^&*()',
];

/** The number of the letter that a sign is or stands for, or -1. */
function letterOf(sign: string): number {
  const plain = STANDS_FOR[sign] ?? sign.toLowerCase();
  const number = plain.charCodeAt(0) - 97;
  return number >= 0 && number < 26 ? number : -1;
}

const STANDS_FOR: Readonly<Record<string, string>> = {
  ...{ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', 9: 'g' },
  ...{ '@': 'a', $: 's', '!': 'i', '+': 't' },
};

function pairBits(before: number, letter: number): number {
  return Number.parseInt(PAIRS[before + 1]![letter]!, 36) / 2;
}

/**
 * How seldom a letter follows another, in half bits and base 36: first letters, then a row for the
 * letters after a, after b and so on, each from a to z. Counted in English words, names and common
 * passwords.
 */
const PAIRS: readonly string[] = [
  ...['8778a999bba97bc8e979dcaief', 'ga99feadaib795hbj587abdgbd', '5afg5kkf7hi7hf6ik6ch7hjkai'],
  ...['6gbg7hg59j69hf5kh8e9ahnldi', '6efa4dbf5ghbce6ij89e9femai', '8da79dcfbif7a6ecj469fcdcaf'],
  ...['6jdf67ec5ke7ge6ik7ea8ejkbj', '6djf5e977gj9eb7im7ac8nfodn', '4dih4elg6egccc5jmaea8kfnbo'],
  ...['9d8a7c9jjjd7a49ci978gblfjd', '4gcb5heb8dadge5ggdjg6ejech', '6dhg4djd5fe9bb8gla8dblenai'],
  ...['6dfa4dgh6ke5di7fqhabadip9i', '39ai5iij6kkg9g68mfbh9kilcl', '7e976d5e7fbfg88ijg87dfhkcf'],
  ...['cbaaddbedic7958am6998b9fcf', '5iih5gk87jg8gh68n7aa9lkmcl', '7jgehgejdhjhhghgaefj1g6gjg'],
  ...['6cc95dbf6hcbba6ek988aeglaj', '7e9f6hi77lbbbd89fi759jcjcj', '6gch5hi75khbee7km797ajenad'],
  ...['aa898c9f9gd786gal667jgnffe', '5dij3cgk4glfli8jldhfggkmdl', '5dgd5ff85idbe96ghb9efjekci'],
  ...['8c7e7cgb6gicbfa7faa6ake89e', '69aa6addadd7977bma7abgchef', '5gff4igb6lfbbe7hggefahda97'],
];
