/** Step 7. The model sets no reserved header, none that the target injects, and no broken one. */
import type { Target } from '../config/config.ts';
import { checkHeaders } from '../header-rules.ts';
import { Refusal } from '../refusal.ts';

const NONE: ReadonlySet<string> = new Set();

export function checkRequestHeaders(
  headers: Readonly<Record<string, string>>,
  target: Target | undefined,
): void {
  const injected = target ? new Set(target.inject.headers.keys()) : NONE;
  const problem = checkHeaders(headers, injected);
  if (problem) throw new Refusal(problem.refusal, problem.message);
}
