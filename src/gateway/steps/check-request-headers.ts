/** Step 7. Refuses reserved headers, headers that the target injects, and malformed headers. */
import type { Target } from '../config/config.ts';
import { checkHeaders } from '../request/header-rules.ts';
import { Refusal } from '../request/refusal.ts';

export function checkRequestHeaders(
  headers: Readonly<Record<string, string>>,
  target: Target | undefined,
): void {
  const problem = checkHeaders(headers, target?.inject.headers.keys() ?? []);
  if (problem) throw new Refusal(problem.refusal, problem.message);
}
