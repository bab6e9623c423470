/** The questions of `init`. After an answer that cannot be used it says why, and asks again. */
import type { Prompt } from '../../core/command-line/prompt.ts';
import { quote, suggestion } from '../../core/config/problems.ts';
import { unexpandedAdvice } from '../../core/config/value.ts';
import { type Answers, answerProblem, type InitFlags, secretReference } from './init-config.ts';
import { NO_TARGET, PRESET_NAMES, presetOf, standardReference } from './init-presets.ts';

const LOCAL_URL = 'http://localhost:2019';

export async function askServer(
  prompt: Prompt,
  flags: InitFlags,
): Promise<Pick<Answers, 'publicUrl' | 'user'>> {
  const publicUrl =
    flags['public-url'] ??
    (await askUntil(prompt, 'URL that clients will reach the gateway on', LOCAL_URL, (answer) =>
      answerProblem('server.public_url', { publicUrl: answer }),
    ));
  const user =
    flags.user ??
    (await askUntil(prompt, 'Name of the first user', '', (answer) =>
      answerProblem('users[0].name', { user: answer }),
    ));
  return { publicUrl, user };
}

export async function askTarget(
  prompt: Prompt,
  flags: InitFlags,
): Promise<Pick<Answers, 'target' | 'baseUrl' | 'secret'>> {
  const target = flags.target ?? (await askPreset(prompt));
  const preset = presetOf(target);
  if (!preset) return { target: NO_TARGET, baseUrl: '', secret: '' };
  const standard = flags['base-url'] ?? preset.baseUrl;
  const baseUrl =
    flags['base-url'] === undefined && preset.asksBaseUrl
      ? await askUntil(prompt, 'Its base URL', standard, (answer) =>
          answerProblem('users[0].targets[0].base_url', { baseUrl: answer }),
        )
      : standard;
  const secret =
    flags.secret ??
    (await askUntil(
      prompt,
      'Where its credential will be, env:NAME or file:/path',
      standardReference(preset),
      // Not quoted: it may be the secret itself.
      (answer) => {
        const reference = secretReference(answer);
        if (!reference) return 'write env:NAME or file:/path, not the secret itself';
        return reference.kind === 'file'
          ? unexpandedAdvice(reference.name).slice(2) || undefined
          : undefined;
      },
    ));
  return { target, baseUrl, secret };
}

async function askPreset(prompt: Prompt): Promise<string> {
  prompt.say('Which service may the model call first?');
  for (const [index, name] of PRESET_NAMES.entries()) {
    const title = presetOf(name)?.title ?? 'none yet; I write the targets myself';
    prompt.say(`  ${String(index + 1).padStart(2)}  ${name.padEnd(22)}  ${title}`);
  }
  const chosen = (answer: string) =>
    /^\d{1,2}$/.test(answer)
      ? PRESET_NAMES[Number(answer) - 1]
      : PRESET_NAMES.find((n) => n === answer);
  const answer = await askUntil(prompt, 'Number or name', '1', (text) =>
    chosen(text) === undefined
      ? `${quote(text)} is none of them${suggestion(text, PRESET_NAMES)}`
      : undefined,
  );
  return chosen(answer)!;
}

async function askUntil(
  prompt: Prompt,
  question: string,
  standard: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  for (;;) {
    const answer = await prompt.ask(question, standard);
    const problem = problemOf(answer);
    if (problem === undefined) return answer;
    prompt.say(problem);
  }
}
