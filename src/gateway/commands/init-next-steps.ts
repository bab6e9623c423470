/** What to do once the configuration is written. */
import { statSync } from 'node:fs';
import type { Environment } from '../../core/config/environment.ts';
import { shellWord } from '../../core/shell-word.ts';
import { type Answers, secretReference } from './init-config.ts';
import { presetOf } from './init-presets.ts';

export function* nextSteps(path: string, answers: Answers, env: Environment): Iterable<string> {
  const { publicUrl, user, target, baseUrl, secret } = answers;
  const preset = presetOf(target);
  const word = shellWord(path);
  const sample = shellWord(`${baseUrl.replace(/\/+$/, '')}${preset?.sample ?? ''}`);
  yield `wrote ${path}, readable by its owner alone`;
  yield '';
  yield 'Next:';
  let step = 0;
  const numbered = (text: string) => `  ${++step}. ${text}`;
  const reference = preset && secretReference(secret);
  if (preset && reference?.kind === 'env' && !env[reference.name]) {
    yield numbered(`set ${reference.name} to ${preset.getIt}`);
  } else if (preset && reference?.kind === 'file' && !isFilled(reference.name)) {
    yield numbered(`put into ${reference.name} ${preset.getIt}`);
  }
  if (preset?.fillIn) yield numbered(`fill in, in ${path}: ${preset.fillIn}`);
  yield numbered(`check it:  gateway validate ${word}`);
  if (preset) yield numbered(`try it:    gateway try ${sample} --config ${word}`);
  yield numbered(`run it:    GATEWAY_CONFIG=${word} gateway`);
  yield numbered(`give ${publicUrl}/mcp to your model's client, and sign in as ${user}`);
}

function isFilled(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}
