/** For random notes, every edit through its tool leaves the bytes outside its range as they were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SECTION_MODES } from '../../src/notes/edit/edit-section.ts';
import { contentHash } from '../../src/notes/files/content-hash.ts';
import { encodingProblem } from '../../src/notes/files/encoding.ts';
import { definitionsOf } from '../../src/notes/markdown/definitions.ts';
import { parseNote } from '../../src/notes/markdown/parse-note.ts';
import type { WholeNote } from '../../src/notes/markdown/parsed-note.ts';
import { arbitraryEditable, assertOutsideKept } from '../support/notes/arbitrary-note.ts';
import { notesBench } from '../support/notes/notes-tools.ts';
import { propertyRuns } from '../support/property-runs.ts';

const RUNS = { numRuns: propertyRuns(300) };

interface Aimed {
  readonly tool: string;
  readonly args: object;
  /** The edit may change bytes from here to there and no others. */
  readonly from: number;
  readonly to: number;
}

const content = fc.constantFrom(
  'x',
  '---',
  '- [ ] x',
  '## X\n\nü',
  '```\nunclosed',
  '| a |',
  'a\r\nb',
);

/** An edit of the note and its range, or undefined where the note has nothing to edit so. */
type Aim = (note: WholeNote, pick: number, text: string) => Aimed | undefined;

const sectionAims = SECTION_MODES.filter((mode) => mode !== 'move_section').map(
  (mode): Aim =>
    (note, pick, text) => {
      const tool = 'note_section_edit';
      const body = note.frontmatter?.end ?? (note.hasBom ? 3 : 0);
      const end = note.bytes.length;
      const whole = { mode, content: text };
      if (mode === 'append_to_note') return { tool, args: whole, from: body, to: end };
      if (mode === 'prepend_to_note') return { tool, args: whole, from: body, to: body };
      const heading = note.headings[pick % Math.max(1, note.headings.length)];
      if (heading === undefined) return undefined;
      const args = {
        mode,
        line: heading.line,
        ...(mode === 'rename_heading'
          ? { to: 'New name' }
          : mode === 'delete_section'
            ? {}
            : { content: text }),
      };
      const { start, contentStart, textStart, textEnd } = heading;
      const range: Record<typeof mode, [number, number]> = {
        append_to_section: [contentStart, heading.end],
        prepend_to_section: [contentStart, heading.end],
        replace_section: [start, heading.end],
        insert_before_section: [start, start],
        insert_after_section: [heading.end, heading.end],
        delete_section: [start, heading.end],
        rename_heading: [textStart, textEnd],
      };
      const [from, to] = range[mode];
      return { tool, args, from, to };
    },
);

const taskAim: Aim = (note, pick) => {
  const task = note.tasks[pick % Math.max(1, note.tasks.length)];
  if (task === undefined) return undefined;
  return { tool: 'task_toggle', args: { line: task.line }, from: task.mark, to: task.mark + 1 };
};

const frontmatterAim: Aim = (note) => {
  const { start, end } = note.frontmatter ?? {
    start: note.hasBom ? 3 : 0,
    end: note.hasBom ? 3 : 0,
  };
  return { tool: 'note_frontmatter', args: { set: { zebra: 'x' } }, from: start, to: end };
};

/** A line that is there once is replaced by the text. */
const textAim: Aim = (note, pick, text) => {
  const lines = note.latin1.split(/\r\n|\n|\r/).filter((line) => /^[ -~]{3,}$/.test(line));
  const line = lines[pick % Math.max(1, lines.length)];
  if (line === undefined || note.latin1.split(line).length !== 2) return undefined;
  const from = note.latin1.indexOf(line);
  const edits = [{ old_string: line, new_string: text }];
  return { tool: 'note_edit', args: { edits }, from, to: from + line.length };
};

const TASK = Buffer.from('\n\n- [ ] a task\n');
/** Many notes have no line that is there once: each tool gets its share of the cases. */
const aims = [
  ...sectionAims,
  ...[taskAim, taskAim, taskAim, taskAim],
  ...[frontmatterAim, frontmatterAim, frontmatterAim],
  ...[textAim, textAim, textAim, textAim],
];

test('an edit changes bytes of its range alone, and its undo brings them back', async (context) => {
  const bench = await notesBench(context);
  const made = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      arbitraryEditable,
      fc.constantFrom(...aims),
      fc.nat(20),
      content,
      async (random, aim, pick, text) => {
        // Few random notes have a task.
        const bytes = aim === taskAim ? Buffer.concat([random, TASK]) : random;
        const aimed = aim(parseNote(bytes), pick, text);
        if (aimed === undefined) return;
        const { tool, args, from, to } = aimed;
        await bench.put('a.md', bytes);
        const answer = await bench.answer(tool, {
          path: 'a',
          ...args,
          content_hash: contentHash(bytes),
        });
        const after = await bench.bytes('a.md');
        if (answer.isError) {
          assert.deepEqual(after, bytes);
          return;
        }
        made.set(tool, (made.get(tool) ?? 0) + 1);
        assertOutsideKept(bytes, after, from, to);
        const { content_hash, change_id } = answer.structuredContent as Record<
          string,
          string | null
        >;
        assert.equal(content_hash, contentHash(after));
        assert.equal(change_id === null, after.equals(bytes));
        if (change_id === null) return;
        await bench.call('change_undo', { change_id });
        assert.deepEqual(await bench.bytes('a.md'), bytes);
      },
    ),
    RUNS,
  );
  assert.equal(made.size, 4, String([...made]));
});

const lines = (bytes: Buffer) => bytes.toString('latin1').split(/\r\n|\n|\r/);

/** Asserts that a note lost its section and received at most copies of the definitions in it. */
function assertDefinitionsAdded(
  before: Buffer,
  after: Buffer,
  section: { start: number; end: number },
): void {
  const { start, end } = section;
  assert.ok(after.subarray(0, start).equals(before.subarray(0, start)), 'the bytes before stay');
  const rest = lines(before.subarray(end));
  const copied = new Set(lines(before.subarray(start, end)));
  for (const line of lines(after.subarray(start)))
    if (line === rest[0]) rest.shift();
    else assert.ok(line === '' || copied.has(line), `added: ${line}`);
  assert.deepEqual(rest, [], 'the lines after stay');
}

test('a section that moves to another note takes its bytes and leaves all others', async (context) => {
  const bench = await notesBench(context);
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryEditable,
      arbitraryEditable,
      fc.nat(20),
      async (source, target, pick) => {
        const note = parseNote(source);
        const heading = note.headings[pick % Math.max(1, note.headings.length)];
        if (heading === undefined) return;
        await bench.put('a.md', source);
        await bench.put('b.md', target);
        const move = { path: 'a', mode: 'move_section', line: heading.line, to: 'b.md' };
        const answer = await bench.answer('note_section_edit', move);
        const [left, there] = [await bench.bytes('a.md'), await bench.bytes('b.md')];
        if (answer.isError) {
          assert.deepEqual([left, there], [source, target]);
          return;
        }
        made++;
        if (!definitionsOf(note).some(({ start }) => start >= heading.start && start < heading.end))
          assertOutsideKept(source, left, heading.start, heading.end);
        else assertDefinitionsAdded(source, left, heading);
        const { frontmatter, hasBom } = parseNote(target);
        assertOutsideKept(target, there, frontmatter?.end ?? (hasBom ? 3 : 0), target.length);
        const moved = lines(source.subarray(heading.start, heading.end)).join('\n').trimEnd();
        assert.ok(lines(there).join('\n').includes(moved), 'the section is there');
      },
    ),
    RUNS,
  );
  assert.ok(made > propertyRuns(50), String(made));
});

test('a note that is written, created or restored is byte for byte what was given', async (context) => {
  const bench = await notesBench(context);
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((one) => one.isWellFormed());
  let count = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryEditable, text, async (bytes, given) => {
      const path = `n${count++}.md`;
      await bench.call('note_create', { path, content: given });
      assert.deepEqual(await bench.bytes(path), Buffer.from(given));
      await bench.put(path, bytes);
      const content_hash = contentHash(bytes);
      if (encodingProblem(bytes) === undefined) {
        await bench.call('note_write', { path, content: given, content_hash });
        assert.deepEqual(await bench.bytes(path), Buffer.from(given));
      }
      await bench.put(path, bytes);
      const { trash_id } = await bench.call('note_delete', { path });
      await bench.call('note_restore', { trash_id });
      assert.deepEqual(await bench.bytes(path), bytes);
    }),
    { numRuns: propertyRuns(60) },
  );
});
