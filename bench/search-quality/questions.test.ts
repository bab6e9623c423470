import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { readCorpus } from './corpus.ts';
import { KINDS, readQuestions } from './questions.ts';

const notes = new Map(readCorpus().map(({ path, text }) => [path, text]));
const questions = readQuestions();

/** Words that say nothing about what is looked for. */
const STOP_WORDS = new Set(
  `a about am an and any are as at be been before below between by can do each else for from get has
   have how i if in into is it its itself let me more much my nobody not of off on one or other out
   over several so some somebody someone something than that the them there this to together too two
   until up via was what when where whether which while who will with without yet you your`.split(
    /\s+/,
  ),
);

test('every right note is in the corpus, and named once', () => {
  for (const { id, files } of questions) {
    assert.ok(files.length > 0, id);
    assert.equal(new Set(files).size, files.length, id);
    for (const path of files) assert.ok(notes.has(path), `${id}: ${path}`);
  }
});

test('every section is a heading of the main note', () => {
  for (const { id, files, section } of questions) {
    if (section !== undefined) sectionOf(id, files[0]!, section);
  }
});

test('ids are unique and no query is asked twice', () => {
  assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
  assert.equal(new Set(questions.map(({ query }) => query)).size, questions.length);
});

test('half of every kind is to tune on, half to report', () => {
  for (const kind of KINDS) {
    const ofKind = questions.filter((question) => question.kind === kind);
    const tune = ofKind.filter(({ split }) => split === 'tune').length;
    assert.ok(ofKind.length >= 20, kind);
    assert.equal(tune, Math.ceil(ofKind.length / 2), kind);
  }
});

test('a question of meaning shares no content word with the section that answers it', () => {
  for (const { id, kind, query, files, section } of questions) {
    if (kind !== 'meaning') continue;
    const main = files[0]!;
    const answer = section ? sectionOf(id, main, section) : notes.get(main)!;
    assert.deepEqual(sharedWords(query, `${main} ${answer}`), [], `${id}: ${query}`);
  }
});

test('a word counts as shared in another inflection', () => {
  assert.deepEqual(sharedWords('copying the files', 'Copy a file'), ['copying', 'files']);
});

function sharedWords(query: string, text: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE answer USING fts5(text, tokenize = 'porter unicode61')");
  db.prepare('INSERT INTO answer VALUES (?)').run(text);
  const find = db.prepare('SELECT 1 FROM answer WHERE answer MATCH ?');
  const shared = words.filter((word) => !STOP_WORDS.has(word) && find.get(`"${word}"`));
  db.close();
  return shared;
}

/** From the heading to the next of the same or a higher level. */
function sectionOf(id: string, path: string, heading: string): string {
  const lines = notes.get(path)!.split('\n');
  const levelOf = (line: string) => /^#{1,6}(?= )/.exec(line)?.[0].length ?? Infinity;
  const start = lines.findIndex(
    (line) => line.replace(/^#+ +/, '').trim() === heading && levelOf(line) < Infinity,
  );
  assert.notEqual(start, -1, `${id}: no heading "${heading}" in ${path}`);
  const level = levelOf(lines[start]!);
  const length = lines.slice(start + 1).findIndex((line) => levelOf(line) <= level);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}
