/**
 * What the kernel says of a running process. It goes on while it is looked at: a file that was
 * listed may be closed, and a child may have ended, before it is read. Such a one is left out.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** A field of its status. */
export function statusOf(pid: number, field: string): string | undefined {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1];
}

/** Its memory: resident now, or at most so far. */
export function memoryKib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return Number.parseInt(statusOf(pid, field)!, 10);
}

/** CPU time of its threads so far, in microseconds. */
export function cpuUs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) =>
      unlessGone('0', () => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')),
    )
    .reduce((sum, schedstat) => sum + Number.parseInt(schedstat, 10) / 1_000, 0);
}

/** The files that it holds open for writing; pipes, sockets and devices are none. */
export function writableFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fdinfo`).flatMap((fd) =>
    unlessGone([], () => {
      const info = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)![1]!, 8);
      const link = `/proc/${pid}/fd/${fd}`;
      return (flags & 3) !== 0 && statSync(link).isFile() ? [readlinkSync(link)] : [];
    }),
  );
}

/** Its command line and those of every process below it. */
export function commandLines(pid: number): string[] {
  return unlessGone([], () => {
    const own = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      unlessGone([], () =>
        readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
      ),
    );
    return [own, ...children.flatMap((child) => commandLines(Number(child)))];
  });
}

function unlessGone<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // ESRCH: the process ended between the opening of a file about it and its reading.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return otherwise;
    throw error;
  }
}
