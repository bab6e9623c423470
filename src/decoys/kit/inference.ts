/** Fabricated completions and embeddings of a small model. */
import { hash } from 'node:crypto';
import type { Draw } from '../persona/draw.ts';

const SUM = /(-?\d{1,6})\s*([+*x×-])\s*(-?\d{1,6})/;
const ECHO =
  /\b(?:say|reply(?: only)? with|respond(?: only)? with|answer(?: only)? with|repeat|output|print|echo)\b(?:\s+(?:only|just|exactly|the word|the text|this))*\s*:?\s*["'“`]?([\w !.,-]{1,40})/i;
const OPENINGS = [
  ...['Sure!', 'Of course.', 'Certainly.', 'Happy to help.', 'Thanks for the question.', 'Okay.'],
  ...['Hello!', 'Hi there!', 'Absolutely.', 'Good question.', 'Understood.', 'No problem.'],
];
const MIDDLES = [
  'Could you tell me a little more about what you need?',
  'Can you share some more context so that I can give a useful answer?',
  'It depends on the details, so a short example would help me.',
  'Let me know which part matters most to you.',
  'What would you like the result to look like?',
  'I can outline the steps, or go straight to an example.',
  'Which language or format should I use?',
  'Please paste the text or the data that you want me to work with.',
  'Do you want a short answer or a detailed one?',
  'Which version are you using?',
  'What have you tried so far?',
  'I can help with that; where should we start?',
  'Could you give an example?',
  'Is there a deadline or a limit that I should know about?',
];

/** The same for the same prompt; correct for sums and echoes, by which scanners test a model. */
export function completionOf(draw: Draw, prompt: string): string {
  const end = prompt.slice(-400);
  const [, left, operator, right] = SUM.exec(end) ?? [];
  if (left !== undefined && right !== undefined) {
    const [a, b] = [Number(left), Number(right)];
    return String(operator === '+' ? a + b : operator === '-' ? a - b : a * b);
  }
  const [, echoed] = ECHO.exec(end) ?? [];
  if (echoed !== undefined && echoed.trim() !== '') return echoed.trim();
  const label = hash('sha256', prompt);
  return `${draw.pick(`opening ${label}`, OPENINGS)} ${draw.pick(`middle ${label}`, MIDDLES)}`;
}

/** The pieces in which a server sends a text. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,6}/g) ?? [];
}

/** Approximately what a tokenizer counts. */
export function countTokensOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

/** A vector of length one, the same for the same text. */
export function embeddingOf(draw: Draw, text: string, size: number): number[] {
  const label = hash('sha256', text);
  const numbers: number[] = [];
  for (let block = 0; numbers.length < size; block++) {
    const bytes = draw.bytes(`embedding ${label} ${block}`);
    for (let at = 0; at + 4 <= bytes.length && numbers.length < size; at += 2) {
      // A sum of two is near zero more often, as real values are.
      numbers.push(bytes.readInt16BE(at) + bytes.readInt16BE(at + 2));
    }
  }
  const length = Math.hypot(...numbers);
  return numbers.map((number) => Number((number / length).toFixed(9)));
}
