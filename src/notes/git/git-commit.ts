/**
 * Commits a batch of changes, exactly one commit per change, with a constant number of processes.
 *
 * fast-import makes the commits from the bytes of the changes, on top of HEAD. It reads neither the
 * work tree nor the index, so nothing that someone else edited or staged slips in, and a locked
 * index blocks nothing. HEAD moves only if it has not moved meanwhile (compare and swap). At the
 * end the index gets the new blobs of these paths, so that `git status` is clean.
 */
import { createHash } from 'node:crypto';
import type { Log } from '../../core/log/log.ts';
import type { AppliedChange, ChangedFile } from '../changes/change-types.ts';
import { inParallel } from '../changes/steps.ts';
import { conversions, converter } from './git-conversion.ts';
import { GitFailure, type GitProcess } from './git-process.ts';
import { type Author, headCommit } from './git-repository.ts';

export interface CommittedPath {
  readonly path: string;
  /** Zeros when the path was removed. */
  readonly blob: string;
  readonly mode: string;
}

export interface CommittedBatch {
  /** The commit of each change; undefined if none of its paths may be committed. */
  readonly commits: readonly (string | undefined)[];
  readonly paths: readonly CommittedPath[];
  /** The paths that are not committed, each with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

const MAX_BATCH_CHANGES = 200;
/** A batch is held in memory as one buffer. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;
export const CHANGE_TRAILER = 'Notes-Change';
/** A branch that fast-import needs; it is deleted at the end of the import. */
const SCRATCH = 'refs/notes-server/scratch';

/** The first changes of a queue, at least one, within the limits of a batch. */
export function nextBatch(queue: readonly AppliedChange[]): AppliedChange[] {
  const batch: AppliedChange[] = [];
  let bytes = 0;
  for (const change of queue.slice(0, MAX_BATCH_CHANGES)) {
    for (const { after } of change.files) bytes += after?.length ?? 0;
    if (bytes > MAX_BATCH_BYTES && batch.length > 0) break;
    batch.push(change);
  }
  return batch;
}

export async function commitChanges(
  git: GitProcess,
  changes: readonly AppliedChange[],
  author: Author,
  now: number,
): Promise<CommittedBatch> {
  const paths = [...new Set(changes.flatMap((change) => touchedPaths(change)))];
  const [head, ignored, converted] = await Promise.all([
    headCommit(git),
    ignoredPaths(git, paths),
    conversions(git, paths),
  ]);
  const store = converter(git, converted);
  const algorithm = await objectFormat(git, head);
  const nothing = '0'.repeat(algorithm === 'sha1' ? 40 : 64);
  const final = new Map<string, CommittedPath>();
  const leftOut = new Map<string, string>();
  const stream: (string | Buffer)[] = [];
  let made = 0;
  const marks: (number | undefined)[] = [];
  for (const change of changes) {
    const gone = change.gone.filter((path) => !ignored.has(path));
    for (const path of gone) leftOut.delete(path);
    const files: { file: ChangedFile; blob: string | undefined }[] = [];
    for (const file of change.files.filter(({ path, after }) => after && !ignored.has(path))) {
      const { path, after } = file;
      const stored = await store(path, after!);
      leftOut.delete(path);
      if ('refusal' in stored) leftOut.set(path, stored.refusal);
      else files.push({ file, blob: stored.blob });
    }
    if (gone.length + files.length === 0) {
      marks.push(undefined);
      continue;
    }
    made++;
    marks.push(made);
    const from = made === 1 && head !== undefined ? `from ${head}\n` : '';
    const message = Buffer.from(commitMessage(change));
    const who = `${plain(author.name)} <${plain(author.email)}> ${Math.floor(now / 1000)} +0000`;
    stream.push(`commit ${SCRATCH}\nmark :${made}\ncommitter ${who}\n`);
    stream.push(`data ${message.length}\n`, message, `\n${from}`);
    for (const path of gone) {
      stream.push(`D ${quoted(path)}\n`);
      final.set(path, removedPath(path, nothing));
    }
    for (const { file, blob } of files) {
      const { path, after, executable } = file;
      const mode = executable ? '100755' : '100644';
      if (blob !== undefined) stream.push(`M ${mode} ${blob} ${quoted(path)}\n`);
      else stream.push(`M ${mode} inline ${quoted(path)}\ndata ${after!.length}\n`, after!, '\n');
      final.set(path, { path, blob: blob ?? blobId(algorithm, after!), mode });
    }
    stream.push(`\n`);
  }
  if (made === 0) return { commits: marks.map(() => undefined), paths: [], leftOut };
  for (let mark = 1; mark <= made; mark++) stream.push(`get-mark :${mark}\n`);
  stream.push(`reset ${SCRATCH}\nfrom ${nothing}\n\ndone\n`);
  const input = Buffer.concat(
    stream.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
  const ids = await git.text(['fast-import', '--quiet', '--done', '--force'], { input });
  const commits = ids.split('\n');
  const last = commits.at(-1)!;
  const reason = `notes: ${changes.length === 1 ? changes[0]!.tool : `${changes.length} changes`}`;
  await git.run(['update-ref', '-m', reason, 'HEAD', last, head ?? nothing]);
  return {
    commits: marks.map((mark) => (mark === undefined ? undefined : commits[mark - 1])),
    paths: [...final.values()],
    leftOut,
  };
}

/**
 * Updates the index entries of the committed paths. A path in conflict is left alone: a new entry
 * would mark the owner's merge conflict as resolved.
 */
export async function updateIndex(git: GitProcess, paths: readonly CommittedPath[]): Promise<void> {
  const unmerged = await unmergedPaths(git);
  const lines = paths
    .filter(({ path }) => !unmerged.has(path))
    .map(({ path, blob, mode }) => `${mode} ${blob}\t${path}\0`);
  await git.run(['update-index', '-z', '--index-info'], { input: Buffer.from(lines.join('')) });
}

/** The index entry of a path that HEAD has no longer; `nothing` are zeros in the length of its ids. */
export function removedPath(path: string, nothing: string): CommittedPath {
  return { path, blob: nothing, mode: '0' };
}

async function unmergedPaths(git: GitProcess): Promise<Set<string>> {
  const listed = (await git.run(['ls-files', '-u', '-z'])).toString().split('\0');
  return new Set(listed.map((entry) => entry.slice(entry.indexOf('\t') + 1)));
}

function commitMessage({ tool, files, gone, changeId }: AppliedChange): string {
  const [first] = files.filter(({ after }) => after);
  const named = first?.path ?? gone[0] ?? '';
  const more = new Set([...files.map(({ path }) => path), ...gone]).size - 1;
  const subject = `${tool}: ${named}${more > 0 ? ` and ${more} more` : ''}`;
  return `${subject}\n\n${CHANGE_TRAILER}: ${changeId}\n`;
}

function touchedPaths({ files, gone }: AppliedChange): string[] {
  return [...files.map(({ path }) => path), ...gone];
}

/**
 * The untracked paths that ignore rules exclude. A path that git cannot judge, such as one inside a
 * submodule, counts as ignored, so that it is not published. If git fails to run, the commit fails
 * and is retried.
 */
async function ignoredPaths(git: GitProcess, paths: readonly string[]): Promise<Set<string>> {
  try {
    return new Set(await askIgnored(git, paths));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const ignored = new Set<string>();
  await inParallel(paths, async (path) => {
    try {
      for (const found of await askIgnored(git, [path])) ignored.add(found);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      ignored.add(path);
    }
  });
  return ignored;
}

/** Git ran and refused to judge a path. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitFailure && error.exitCode === 128;
}

async function askIgnored(git: GitProcess, paths: readonly string[]): Promise<string[]> {
  const input = Buffer.from(paths.map((path) => `./${path}\0`).join(''));
  const { stdout } = await git.ask(['check-ignore', '-z', '--stdin'], { input, answers: [1] });
  return stdout
    .toString()
    .split('\0')
    .map((path) => path.slice(2));
}

async function objectFormat(git: GitProcess, head: string | undefined): Promise<'sha1' | 'sha256'> {
  if (head !== undefined) return head.length === 64 ? 'sha256' : 'sha1';
  return (await git.text(['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
}

function blobId(algorithm: 'sha1' | 'sha256', bytes: Buffer): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Removes what would end a name or an address in a commit header. */
function plain(text: string): string {
  return text.replaceAll(/[<>\n\r\0]/g, '').trim();
}

/** The notes that are missing from the history, each with the reason, until they are committed. */
export class LeftOut {
  readonly #log: Log;
  readonly #reasons = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(reasons: ReadonlyMap<string, string>): void {
    if (reasons.size === 0) return;
    this.#log.warn('git_left_out', { message: summary(reasons) });
    for (const [path, reason] of reasons) this.#reasons.set(path, reason);
  }

  remove(path: string): void {
    this.#reasons.delete(path);
  }

  message(): string | null {
    return this.#reasons.size === 0 ? null : summary(this.#reasons);
  }
}

function summary(reasons: ReadonlyMap<string, string>): string {
  const [path, reason] = [...reasons][0]!;
  const more = reasons.size > 1 ? ` and ${reasons.size - 1} more` : '';
  return `not in the git history: "${path}"${more}: ${reason}`;
}
