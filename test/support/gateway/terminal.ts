/** The gateway at a real terminal, which `script` of util-linux makes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE_MS } from '../programs/patience.ts';
import { ENTRY } from './gateway.ts';

export interface TerminalOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** The program instead of the gateway's entry point. */
  readonly entry?: string;
}

/** Types each text once its prompt is there; gives everything the terminal showed. */
export async function atTerminal(
  args: readonly string[],
  steps: readonly (readonly [prompt: string, text: string])[] = [],
  { env = {}, cwd, entry = ENTRY }: TerminalOptions = {},
): Promise<{ code: number; screen: string }> {
  const words = [process.execPath, entry, ...args].map((word) => `'${word}'`);
  const child = spawn('script', ['-qfec', words.join(' '), '/dev/null'], {
    stdio: 'pipe',
    timeout: PATIENCE_MS,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
    ...(cwd && { cwd }),
  });
  const left = [...steps];
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [prompt, answer] = left[0] ?? [];
    if (prompt === undefined || !withoutSequences(screen).endsWith(prompt)) return;
    left.shift();
    child.stdin.write(answer);
  });
  const [code] = await once(child, 'close');
  return { code: code as number, screen: screen.replaceAll('\r\n', '\n') };
}

/** What is to be read on the screen: no colours, no moves of the cursor. */
export function withoutSequences(screen: string): string {
  return screen.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '');
}
