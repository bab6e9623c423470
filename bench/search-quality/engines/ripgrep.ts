/**
 * What a model does with a shell: `rg -c` for each word of the query, in any letter case. Notes with
 * more of the words come first, and among those the ones with more lines that hold one.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Engine, MAX_RESULTS } from '../engine.ts';

const run = promisify(execFile);
const NOTHING_FOUND = 1;
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

interface Hits {
  words: number;
  lines: number;
}

export function ripgrep(): Engine {
  let vault = '';
  return {
    name: 'ripgrep',
    async index(folder) {
      await run('rg', ['--version']).catch((cause) => {
        throw new Error('rg does not start; install the package "ripgrep"', { cause });
      });
      vault = folder;
    },
    async search(query) {
      const found = new Map<string, Hits>();
      for (const word of wordsOf(query)) {
        for (const [path, lines] of await linesWith(word, vault)) {
          const hits = found.get(path) ?? { words: 0, lines: 0 };
          found.set(path, { words: hits.words + 1, lines: hits.lines + lines });
        }
      }
      return [...found]
        .toSorted(([a, of], [b, than]) => compare(of, than) || (a < b ? -1 : 1))
        .slice(0, MAX_RESULTS)
        .map(([path]) => path);
    },
    async close() {},
  };
}

/** Chinese and Japanese too, by the dictionary that comes with Node. */
function wordsOf(query: string): Set<string> {
  const segments = [...WORDS.segment(query.toLowerCase())];
  return new Set(segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment));
}

async function linesWith(word: string, vault: string): Promise<[path: string, lines: number][]> {
  const args = [
    '--count',
    '--ignore-case',
    '--fixed-strings',
    '--null',
    '--no-config',
    '--no-ignore',
  ];
  try {
    const { stdout } = await run('rg', [...args, '-g', '*.md', '-e', word, '.'], { cwd: vault });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [path, count] = line.split('\0');
        return [path!.replace(/^\.\//, ''), Number(count)];
      });
  } catch (error) {
    if ((error as { code?: unknown }).code === NOTHING_FOUND) return [];
    throw error;
  }
}

function compare(one: Hits, other: Hits): number {
  return other.words - one.words || other.lines - one.lines;
}
