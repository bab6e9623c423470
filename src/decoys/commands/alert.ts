/** `decoys alert`: alerts the operator when a honeytoken is used. The servers themselves connect nowhere. */
import { join } from 'node:path';
import type { CommandOutput } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { describeError } from '../../core/log/log.ts';
import { openLog } from '../../core/report/json-lines.ts';
import type { Severity } from '../alert/alert.ts';
import { fileSource, streamSource } from '../alert/reader.ts';
import { runAlerts } from '../alert/run-alerts.ts';
import { StateFile } from '../alert/state-file.ts';
import { readTarget } from '../alert/target.ts';

const STATE_NAME = 'decoys-alert.state';

export interface AlertFlags {
  readonly to: string;
  readonly format: string | undefined;
  readonly min: string | undefined;
  readonly state: string | undefined;
}

export async function alert(
  files: readonly string[],
  flags: AlertFlags,
  env: Environment,
  output: CommandOutput,
): Promise<number> {
  const target = readTarget(flags.to, flags.format, env);
  if (typeof target === 'string') {
    output.err(target);
    return 2;
  }
  // systemd names its folder for such files there.
  const file = new StateFile(flags.state ?? join(env.STATE_DIRECTORY ?? '.', STATE_NAME));
  const stop = new AbortController();
  const isStream = files.length === 0;
  const onSignal = () => {
    stop.abort();
    if (isStream) process.stdin.destroy();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  try {
    const loaded = file.load();
    const min = (flags.min ?? 'medium') as Severity;
    const source = isStream
      ? streamSource(await openLog(undefined), loaded, min)
      : fileSource(files, loaded, min, stop.signal, output.err);
    const say = output.err;
    const isDone = await runAlerts({ source, target, file, loaded, signal: stop.signal, say });
    return isDone ? 0 : 1;
  } catch (error) {
    output.err(`alerts cannot be sent: ${describeError(error)}`);
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  }
}
