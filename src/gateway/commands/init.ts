/**
 * `init [path]`: a first configuration, from a few questions at a terminal or from flags. A
 * password is never a flag, and no secret is ever asked for: only where it will be found. An
 * existing file stays as it is.
 */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import type { Output } from '../../core/command-line/output.ts';
import { Cancelled, Prompt } from '../../core/command-line/prompt.ts';
import { askPassword, judged, readPassword } from '../../core/command-line/read-password.ts';
import type { Environment } from '../../core/config/environment.ts';
import { quote } from '../../core/config/problems.ts';
import { readFailure, unexpandedAdvice } from '../../core/config/value.ts';
import { publicUrlWarning } from '../../core/http/http-url.ts';
import { hashingProblem, hashPassword } from '../../core/secrets/password.ts';
import { isShort, SHORT_PASSWORD } from '../../core/secrets/weak-password.ts';
import { configPath } from '../config/environment.ts';
import { askServer, askTarget } from './init-ask.ts';
import {
  type AnswerKey,
  type Answers,
  answerProblem,
  configText,
  type InitFlags,
  secretReference,
} from './init-config.ts';
import { nextSteps } from './init-next-steps.ts';
import { completedBaseUrl, NO_TARGET, presetOf, standardReference } from './init-presets.ts';

/** Thrown with the exit code it means. */
class InitProblem extends Error {
  override readonly name = 'InitProblem';
  readonly code: 1 | 2;
  constructor(message: string, code: 1 | 2 = 1) {
    super(message);
    this.code = code;
  }
}

export async function init(
  givenPath: string | undefined,
  flags: InitFlags,
  env: Environment,
  output: Output,
  hash = hashPassword,
): Promise<number> {
  const path = givenPath ?? configPath(env);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) throw alreadyThere(path);
    checkFlags(flags);
    const missing = await hashingProblem();
    if (missing !== undefined) throw new InitProblem(missing);
    const { typedPassword, ...given } = process.stdin.isTTY
      ? await fromTerminal(flags)
      : await fromFlags(flags);
    const { baseUrl, note } = completedBaseUrl(given.target, given.baseUrl);
    const answers = { ...given, baseUrl, password: await hash(typedPassword) };
    // Each answer may be right alone; nothing is written that validate would refuse.
    const problem = answerProblem('', answers);
    if (problem !== undefined) throw new InitProblem(problem);
    write(path, configText(answers));
    if (note !== undefined) output.err(`note: ${note}`);
    const unencrypted = publicUrlWarning(answers.publicUrl);
    if (unencrypted !== undefined) output.err(`warning: ${unencrypted}`);
    if (isShort(typedPassword)) output.err(`warning: ${SHORT_PASSWORD}`);
    for (const line of nextSteps(path, answers, env)) output.out(line);
    return 0;
  } catch (error) {
    if (!(error instanceof InitProblem || error instanceof Cancelled)) throw error;
    output.err(error.message);
    return error instanceof InitProblem ? error.code : 1;
  }
}

/** The password is not hashed yet: only a hash of it is written to the file. */
type Given = Omit<Answers, 'password'> & { readonly typedPassword: string };

async function fromTerminal(flags: InitFlags): Promise<Given> {
  const prompt = new Prompt(process.stdin);
  try {
    const server = await askServer(prompt, flags);
    const typedPassword = await passwordAtTerminal(prompt, flags);
    return { ...server, typedPassword, ...(await askTarget(prompt, flags)) };
  } finally {
    prompt.close();
  }
}

async function passwordAtTerminal(prompt: Prompt, flags: InitFlags): Promise<string> {
  const file = flags['password-file'];
  if (file !== undefined) return passwordOf(file);
  for (;;) {
    const read = await askPassword(prompt);
    if ('password' in read) return read.password;
    prompt.say(read.problem.replace('; nothing was made', '; type them again'));
  }
}

/** Without a terminal, flags give everything but the password, which comes from a pipe or a file. */
async function fromFlags(flags: InitFlags): Promise<Given> {
  const { 'public-url': publicUrl, user, target, 'password-file': file } = flags;
  if (publicUrl === undefined || user === undefined || target === undefined) {
    const needed = 'without a terminal, --public-url, --user and --target are needed';
    throw new InitProblem(`${needed}; the password is read from standard input`, 2);
  }
  const preset = presetOf(target);
  const read = file === undefined ? await readPassword(process.stdin) : judged(passwordOf(file));
  if ('problem' in read) throw new InitProblem(read.problem);
  return {
    publicUrl,
    user,
    target,
    baseUrl: flags['base-url'] ?? preset?.baseUrl ?? '',
    secret: flags.secret ?? (preset ? standardReference(preset) : ''),
    typedPassword: read.password,
  };
}

/** Checks the flags before any question is asked. */
function checkFlags(flags: InitFlags): void {
  const judge = (flag: keyof InitFlags, key: AnswerKey, answer: keyof Answers) => {
    const value = flags[flag];
    const problem = value === undefined ? undefined : answerProblem(key, { [answer]: value });
    if (problem !== undefined) throw new InitProblem(`--${flag}: ${problem}`, 2);
  };
  judge('public-url', 'server.public_url', 'publicUrl');
  judge('user', 'users[0].name', 'user');
  judge('base-url', 'users[0].targets[0].base_url', 'baseUrl');
  const { target, secret, 'base-url': baseUrl } = flags;
  // Not quoted: it may be the secret itself.
  const reference = secret === undefined ? undefined : secretReference(secret);
  if (secret !== undefined && !reference) {
    throw new InitProblem('--secret says where the secret is: env:NAME or file:/path', 2);
  }
  const unexpanded = reference?.kind === 'file' ? unexpandedAdvice(reference.name) : '';
  if (unexpanded !== '') {
    throw new InitProblem(`--secret: ${quote(reference!.name)} would not be found${unexpanded}`, 2);
  }
  if (target === NO_TARGET && (secret ?? baseUrl) !== undefined) {
    throw new InitProblem('without a target there is no --secret and no --base-url', 2);
  }
}

function passwordOf(file: string): string {
  try {
    const read = judged(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
    if ('password' in read) return read.password;
    throw new InitProblem(read.problem);
  } catch (error) {
    if (error instanceof InitProblem) throw error;
    throw new InitProblem(
      `the file ${quote(file)} cannot be read: ${readFailure(error)}${unexpandedAdvice(file)}`,
    );
  }
}

function alreadyThere(path: string): InitProblem {
  return new InitProblem(`${quote(path)} exists already; name another file, or remove it first`);
}

/** Readable by its owner alone. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    const reason =
      code === 'ENOENT'
        ? unexpandedAdvice(path).slice(2) || 'its folder does not exist; make it first'
        : readFailure(error);
    throw new InitProblem(`${quote(path)} cannot be written: ${reason}`);
  }
}
