/**
 * How well searches find: npm run bench:search-quality. The same questions go to every engine; the
 * half to report says how good one is, the half to tune on is for anyone who changes the ranking, and
 * `--tune` leaves the other half unseen. What cannot be installed here is left out, in one line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf, readCorpus, writeCorpus } from './search-quality/corpus.ts';
import type { Engine } from './search-quality/engine.ts';
import { oursBoth, oursByMeaning } from './search-quality/engines/meaning.ts';
import { ours } from './search-quality/engines/ours.ts';
import { mcpvault, qmd } from './search-quality/engines/peers.ts';
import { plainFts5 } from './search-quality/engines/plain-fts5.ts';
import { ripgrep } from './search-quality/engines/ripgrep.ts';
import { type Measures, measure, type Ranked } from './search-quality/metrics.ts';
import { KINDS, type Question, readQuestions } from './search-quality/questions.ts';

type Answer = Ranked & { readonly question: Question };
type Answers = ReadonlyMap<string, readonly Answer[]>;
type Choice = (question: Question) => boolean;

const ENGINES: readonly (() => Engine)[] = [
  ours,
  oursByMeaning,
  oursBoth,
  plainFts5,
  ripgrep,
  mcpvault,
  qmd,
];
const isTuning = process.argv.includes('--tune');

const notes = readCorpus();
const questions = readQuestions().filter(({ split }) => !isTuning || split === 'tune');
const vault = mkdtempSync(join(tmpdir(), 'search-quality-vault-'));
// Neither the work on vectors nor its pauses keep a process alive.
const alive = setInterval(() => {}, 60_000);
try {
  writeCorpus(vault, notes);
  print(
    `${notes.length} notes, fingerprint ${fingerprintOf(notes)}, ${questions.length} questions`,
  );
  report(await askAll());
} finally {
  clearInterval(alive);
  rmSync(vault, { recursive: true });
}

async function askAll(): Promise<Answers> {
  const answers = new Map<string, Answer[]>();
  for (const make of ENGINES) {
    const engine = make();
    try {
      await engine.index(vault);
      answers.set(engine.name, await ask(engine));
      await engine.close();
    } catch (error) {
      print(`${engine.name}: left out, ${String(error).split('\n')[0]}`);
    }
  }
  return answers;
}

async function ask(engine: Engine): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const found = await engine.search(question.query);
    answers.push({ question, found, right: question.files });
  }
  return answers;
}

function report(answers: Answers): void {
  for (const half of isTuning ? ['tune'] : ['tune', 'report']) {
    table(`${half}, all kinds`, answers, ({ split }) => split === half);
    const hasWords: Choice = ({ split, kind }) => split === half && kind !== 'meaning';
    table(`${half}, without the kind meaning`, answers, hasWords);
    for (const kind of KINDS) {
      table(`${half}, ${kind}`, answers, (one) => one.split === half && one.kind === kind);
    }
  }
}

function table(title: string, answers: Answers, chosen: Choice): void {
  const count = questions.filter(chosen).length;
  print(`\n${`${title} (${count})`.padEnd(44)}hits@1 hits@5 hits@10    MRR nDCG@10`);
  for (const [engine, all] of answers) {
    const means = measure(all.filter(({ question }) => chosen(question)));
    print(engine.padEnd(44) + row(means, count));
  }
}

function row({ hitsAt1, hitsAt5, hitsAt10, mrr, ndcgAt10 }: Measures, count: number): string {
  const hits = (mean: number, width: number) => String(Math.round(mean * count)).padStart(width);
  const mean = (value: number) => value.toFixed(3).padStart(7);
  return `${hits(hitsAt1, 6)}${hits(hitsAt5, 7)}${hits(hitsAt10, 8)}${mean(mrr)}${mean(ndcgAt10)}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
