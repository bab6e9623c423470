/** Step 7. Refuses reserved headers, headers that the target sets, and malformed headers. */
import type { Target } from '../config/config.ts';
import { signatureHeaders } from '../config/sign.ts';
import { checkHeaders } from '../request/header-rules.ts';
import { Refusal } from '../request/refusal.ts';

export function checkRequestHeaders(
  headers: Readonly<Record<string, string>>,
  target: Target | undefined,
): void {
  const inject = target?.inject;
  const injected = inject ? [...inject.headers.keys(), ...signatureHeaders(inject.sign)] : [];
  const problem = checkHeaders(headers, injected);
  if (problem) throw new Refusal(problem.refusal, problem.message);
}
