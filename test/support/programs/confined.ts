/**
 * A program as its container runs it: uid and gid 65532, no capability, no new privileges, and
 * every file system read-only, but for one directory where it is given one. A mount namespace of
 * its own stands in for the container. As in the units of systemd, /proc holds the program's own
 * processes and nothing of the machine (ProcSubset=pid, ProtectProc=invisible).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Makes every mount read-only that can be, then drops everything and becomes the program. */
const CONFINE = [
  'mount --make-rprivate /',
  'mount -t proc -o subset=pid,hidepid=invisible proc /proc || exit',
  'if [ -n "$WRITABLE" ]; then mount --bind "$WRITABLE" "$WRITABLE"; fi',
  'while read -r _ point _; do mount -o remount,ro,bind "$point" 2>/dev/null; done </proc/self/mounts',
  'if [ -n "$WRITABLE" ]; then mount -o remount,rw,bind "$WRITABLE"; fi',
  'unset WRITABLE',
  'exec setpriv --reuid=65532 --regid=65532 --clear-groups --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs "$0" "$@"',
].join('\n');

/** Why nothing can be confined on this machine, or false. */
export function cannotConfine(): string | false {
  if (process.getuid?.() !== 0) return 'only root can make a mount namespace; run it as root';
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', CONFINE, process.execPath, '-e', ''], {
      stdio: 'pipe',
    });
    return false;
  } catch {
    return 'unshare or setpriv is missing or not permitted here';
  }
}

export interface Confined {
  readonly pid: number;
  /** Everything written to standard output and standard error so far. */
  output(): string;
  /** Resolves once the text has been written; fails when the program ends before. */
  written(text: string): Promise<void>;
  stop(): Promise<number | null>;
}

/** `writable` is the one directory that is not read-only, as a volume is in a container. */
export function startConfined(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  writable = '',
): Confined {
  const child = spawn('unshare', ['-m', 'sh', '-c', CONFINE, process.execPath, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env, WRITABLE: writable },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('written');
    });
  }
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return {
    pid: child.pid!,
    output: () => output,
    written: (text) => writtenBy(child, () => output, text),
    stop: () => {
      child.kill();
      return closed;
    },
  };
}

async function writtenBy(child: ChildProcess, output: () => string, text: string): Promise<void> {
  while (!output().includes(text)) {
    if (child.exitCode !== null) throw new Error(`the program ended: ${output()}`);
    await Promise.race([once(child, 'written'), once(child, 'close')]);
  }
}
