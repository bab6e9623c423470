/** `decoys ecs`: log lines of all three programs with the names of the Elastic Common Schema. */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { escapeUnprintable } from '../../core/log/unprintable.ts';
import { readJsonLines, timeOf } from '../../core/report/json-lines.ts';
import { LogError, readLogs } from '../../core/report/log-files.ts';
import { fromEcs, toEcs } from '../event-log/ecs.ts';
import { malformedLines } from '../event-log/event-lines.ts';

export async function ecs(files: readonly string[], output: CommandOutput): Promise<number> {
  const skipped = { other: 0, malformed: 0 };
  try {
    const progress = { readBytes: 0, totalBytes: undefined };
    for await (const batch of readJsonLines(readLogs(files, progress), skipped)) {
      let text = '';
      for (const fields of batch) {
        // A line that has the names of ECS already stays as it is.
        const ours = fromEcs(fields);
        if (typeof ours.event !== 'string' || timeOf(ours) === undefined) skipped.malformed++;
        else
          text += `${escapeUnprintable(JSON.stringify(ours === fields ? toEcs(fields) : fields))}\n`;
      }
      // Standard output is written synchronously, so nothing accumulates in memory.
      if (text !== '') output.write(text);
    }
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    output.err(`the log lines cannot be read: ${error.message}`);
    return 1;
  }
  if (skipped.malformed > 0) output.err(malformedLines(skipped.malformed));
  return 0;
}
