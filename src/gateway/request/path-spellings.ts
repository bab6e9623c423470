/**
 * How an upstream may read a path. It may ignore letter case, decode the path repeatedly, or drop path
 * parameters, as Tomcat and Spring do with what follows a `;` in a segment.
 */
import { memoize } from '../../core/memoize.ts';
import { foldCase } from './fold-case.ts';
import { compilePattern, matchesPattern, type PathPattern } from './path-pattern.ts';

const MAX_DECODINGS = 2;

/** Every reading in folded case: as it is, decoded up to twice more, with path parameters and without. */
export function spellingsOf(path: string): string[] {
  const decoded = [path];
  for (let round = 0; round < MAX_DECODINGS && decoded.at(-1)!.includes('%'); round++) {
    decoded.push(decodedOnce(decoded.at(-1)!));
  }
  return decoded.flatMap((one) => [one, withoutParameters(one)]).map(foldCase);
}

/** Whether one of the patterns matches a path in folded case. */
export function matchesFolded(patterns: readonly PathPattern[], spelling: string): boolean {
  return patterns.some(({ text }) => matchesPattern(foldedPattern(text), spelling));
}

export function withoutParameters(path: string): string {
  const names = path.split('/').map((segment) => segment.split(';', 1)[0]!);
  return `/${names.filter((name) => name !== '' && name !== '.').join('/')}`;
}

const foldedPattern = memoize((text) => compilePattern(foldCase(text)) as PathPattern);

/** As far as there is something to decode: a stray `%` must not keep the rest from being compared. */
function decodedOnce(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
