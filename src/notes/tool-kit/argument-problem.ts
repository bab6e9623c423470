/**
 * Problems in the arguments of a write that no schema describes. A lone surrogate would be written
 * as U+FFFD, and deep nesting exhausts the stack of a recursive function.
 */
const MAX_DEPTH = 32;

export function argumentProblem(args: unknown, depth = 0): string | undefined {
  if (typeof args === 'string') {
    return args.isWellFormed() ? undefined : 'a text holds half a character; send it whole';
  }
  if (typeof args !== 'object' || args === null) return undefined;
  if (depth === MAX_DEPTH) return `values are nested deeper than ${MAX_DEPTH}; make them flatter`;
  for (const [key, value] of Object.entries(args)) {
    const problem = argumentProblem(key) ?? argumentProblem(value, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
